/*
 * The HTTP server of one loop: connections come in by a listening socket of its own,
 * requests go out to the rooms below, replies go back.
 *
 * libmicrohttpd reads requests and sends replies; the socket work around it is ours,
 * because what it does by itself falls short of the contract: a first line that is no
 * HTTP is answered 400 here (front_door.h), its own error replies get our envelope
 * (library_replies.h), bodies that are too long, too slow or end early are answered and
 * the reply can be read (linger.h), and whether a reply arrived is found out
 * (delivery.h).
 *
 * Where shared->tls is there the port speaks HTTPS, and only that: the handshake is ours
 * too (greeting.h), libmicrohttpd is lent the session (library_sessions.h).  Two who come by
 * TLS are not told why they are sent away, since nothing can be said before the handshake:
 * who is one too many, and who takes too long over it.
 *
 * What is left: libmicrohttpd 0.9.75 drops a header line that has no name (": value"),
 * and ends a header's value at a NUL; neither can be seen from here.
 */
#ifndef SERVER_H
#define SERVER_H

#include "ask.h"
#include "buffer.h"
#include "services.h"

#include <stdbool.h>
#include <stdint.h>

struct server;

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
