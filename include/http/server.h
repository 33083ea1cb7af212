/*
 * The HTTP server of one loop: connections come in by a listening socket of its own,
 * requests go out to the rooms below, replies go back.
 *
 * libmicrohttpd reads requests and sends replies, used through its public headers only.  What is left
 * to us is who comes in (listener_internal.h), how long each part of a request may take
 * (connection_internal.h), how much of bodies is kept (uploads_internal.h), that a reply before the
 * end of a body can be read (linger_internal.h), and whether a reply arrived (delivery_internal.h).
 *
 * What is no HTTP, and what does not fit a connection's memory, libmicrohttpd answers by itself (400,
 * 413, 414, 431, 505, in HTML and without an X-Request-ID) or not at all, and closes.  A header line
 * without a name is dropped, a value ends at a NUL, folded lines are joined.
 */
#ifndef SERVER_H
#define SERVER_H

#include "ask.h"
#include "buffer.h"
#include "services.h"

#include <stdbool.h>
#include <stdint.h>

struct server;

/* Can such a socket be opened?  Asked without sharing: several loops share a port, and so could
 * another program of ours, unnoticed.  false, with a line in `problem`. */
bool server_can_listen(const char *host, int64_t port, struct buffer *problem);

/* Opens a listening TCP socket.  `host` is an IPv4 or IPv6 address or a name; port 0
 * takes any free one.  With `reuse_port` several sockets can share one port
 * (SO_REUSEPORT).  Returns a descriptor for the caller to own, and the port; -1 with one
 * line for a terminal appended to `problem`. */
int server_listen_socket(const char *host, int64_t port, bool reuse_port,
                         int64_t *ret_port, struct buffer *problem);

struct rates *rates_new(void); /* rates.h: for services->shared */
void rates_free(struct rates *rates);
struct addresses *addresses_new(int64_t most); /* addresses.h: likewise */
void addresses_free(struct addresses *addresses);
struct uploads *uploads_new(void); /* uploads.h: likewise */
void uploads_free(struct uploads *uploads);

/* Serves on services->loop (borrowed, like all services) what comes in by the listening
 * socket, which it takes over.  NULL where libmicrohttpd or the loop has no room; the
 * socket is closed then. */
struct server *server_new(struct services *services, struct ask_services *asks,
                          int listen_descriptor);

/* Ends well: turns under way are finished and their replies sent; meanwhile new ones are
 * still heard, and told 503 `draining`.  When the last turn of the process is done the
 * socket is closed and so are connections that wait for a next request.  Where somebody
 * holds the socket for the next process it is closed at once instead.  Then `done` is
 * called, once, from the loop.  The caller has set shared->is_draining. */
void server_drain(struct server *server, loop_fn *done, void *context);

/* Only after loop_run() has returned.  Requests that still wait are dropped, and
 * deliveries that are not known are reported as failed.  NULL is fine. */
void server_free(struct server *server);

#endif
