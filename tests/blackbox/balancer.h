/*
 * HAProxy, as services/deploy/haproxy.cfg sets it up, in front of two processes.
 */
#ifndef BLACKBOX_BALANCER_H
#define BLACKBOX_BALANCER_H

#include "world.h"

/* Requests sent to what this returns go to one or the other.  It must end before them. */
struct world *balancer_start(struct world *one, struct world *two);

#endif
