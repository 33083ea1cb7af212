/*
 * The listening socket: accepts before other work is done, a bounded number at a time.  When
 * all places are taken a connection that does nothing makes room (connection_internal.h), and only
 * where there is none the new one is told 503.
 */
#ifndef LISTENER_INTERNAL_H
#define LISTENER_INTERNAL_H

#include "server_internal.h"

/* Starts to accept from server->listen_descriptor.  false: libuv has no room. */
bool listener_start(struct server *server);

/* Accepts who has come already, so that they are told, and closes the listening socket. */
void listener_end(struct server *server);

/* Closes the listening socket.  Again: does nothing. */
void listener_stop(struct server *server);

#endif
