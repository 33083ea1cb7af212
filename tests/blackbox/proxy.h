/*
 * A proxy as services/deploy/ sets it up, with TLS, in front of one process or two.
 */
#ifndef BLACKBOX_PROXY_H
#define BLACKBOX_PROXY_H

#include "world.h"

enum proxy { PROXY_HAPROXY, PROXY_NGINX, PROXY_CADDY, PROXY_COUNT };

const char *proxy_name(enum proxy proxy);

/* Is it installed here? */
bool proxy_is_here(enum proxy proxy);

/* Requests sent to what this returns go to one or the other; two may be NULL.  It must end before
 * them. */
struct world *proxy_start(enum proxy proxy, struct world *one, struct world *two);

#endif
