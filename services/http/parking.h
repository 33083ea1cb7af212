/*
 * Connections that rest between two requests, without libmicrohttpd's buffers.
 *
 *   IDLE > (one second) > LEAVING > PARKED > (bytes come) > ARRIVING, at the front door
 *                       > STAYING
 *
 * libmicrohttpd keeps 10 KB for each connection, of which most have nothing to say for minutes.
 * It has no call that gives a connection back.  So it is shown the end of another one: while the
 * connection is suspended, and so out of its epoll, its descriptor is made to stand for a socket
 * whose other end is closed, and the real one lives on under another number.  What is left is a
 * struct connection and a poll handle.
 *
 * That loses nothing only where libmicrohttpd has not begun to read a next request: the bytes
 * that the kernel has received (TCP_INFO) must be those of the requests so far.  Where they are
 * not, or cannot be compared (chunked bodies, TLS), the connection stays where it is.
 */
#ifndef PARKING_H
#define PARKING_H

#include "connection.h"

/* Longer than a client takes between requests that belong together: to come back costs about as
 * much as a new connection. */
#define PARKING_AFTER_MS 1000

/* What all parked connections need; false: out of descriptors. */
bool parking_open(struct server *server);
void parking_close(struct server *server);

/* Parks connections that have been idle for long enough, as many as do not keep others waiting.
 * true: there are more. */
bool parking_sweep(struct server *server, int64_t now_us);

/* libmicrohttpd has let go of a connection in state LEAVING. */
void parking_enter(struct connection *connection);

#endif
