/*
 * The listening socket: accepts before other work is done, a bounded number at a time,
 * and says 503 to those who come when all places are taken.
 */
#ifndef LISTENER_H
#define LISTENER_H

#include "server_internal.h"

/* Starts to accept from server->listen_descriptor.  false: libuv has no room. */
bool listener_start(struct server *server);

/* Closes the listening socket.  Again: does nothing. */
void listener_stop(struct server *server);

#endif
