/*
 * One loop's server, as the files of this room see it.
 */
#ifndef SERVER_INTERNAL_H
#define SERVER_INTERNAL_H

#include "address.h"
#include "buffer.h"
#include "cors.h"
#include "server.h"

#include <microhttpd.h>

struct connection;
struct delivery;
struct lingering;
struct overload;
struct request;
struct tls;

/* The most states of a connection (enum connection_state). */
#define SERVER_QUEUES 10

struct connection_queue {
    struct connection *first; /* borrowed: connections belong to themselves */
    struct connection *last;
};

typedef enum MHD_Result queue_response_fn(struct MHD_Connection *connection,
                                          unsigned status, struct MHD_Response *response);

struct server {
    struct services *services;         /* borrowed */
    struct ask_services *asks;         /* borrowed */
    struct MHD_Daemon *daemon;         /* owned */
    queue_response_fn *queue_response; /* libmicrohttpd's own: see library_replies.h */
    struct tls *tls;                   /* borrowed; NULL: the port speaks plain HTTP */
    struct cors cors;
    struct network *trusted; /* owned: TRUSTED_PROXIES */
    size_t trusted_count;

    int listen_descriptor;           /* owned; -1: closed */
    uv_poll_t *listen_poll;          /* owned: NULL: not listening */
    uv_poll_t *daemon_poll;          /* owned: on libmicrohttpd's epoll descriptor */
    struct loop_timer *accept_pause; /* owned; NULL: not pending: out of descriptors */
    bool is_going;  /* server_free() has begun: nothing may be suspended any more */
    bool needs_run; /* MHD_run() is due before the loop sleeps */
    int greetings;  /* handshakes begun in this tick: run_daemon() counts anew */

    struct overload *overload; /* owned */

    struct connection_queue
        queues[SERVER_QUEUES]; /* one for each state of a connection */
    size_t connection_count;
    struct connection
        *adding; /* borrowed: handed to MHD_add_connection() just now, else NULL */
    struct loop_timer *sweep; /* owned; NULL: not pending: no connections */

    int ended_descriptor; /* owned: a socket whose other end is closed (parking.h) */

    struct request *suspended; /* borrowed list: requests that wait for another room */
    struct delivery
        *deliveries; /* owned list: replies that are not known to have arrived */
    struct lingering *lingers; /* owned list: connections that are closed slowly */
    size_t linger_count;

    loop_fn *drained; /* NULL: not draining */
    void *drained_context;
    struct loop_timer *drain_timer; /* owned; NULL: not pending */
};

/* MHD_run() is due: something was handed to libmicrohttpd or resumed. */
static inline void server_wake(struct server *server)
{
    server->needs_run = true;
}

/* uv_close() for a poll handle that frees itself; sets the pointer to NULL.  NULL is
 * fine. */
void server_close_poll(uv_poll_t **poll);

/* A poll handle on a descriptor, or NULL where libuv has no room for it. */
uv_poll_t *server_open_poll(struct server *server, int descriptor, int events,
                            uv_poll_cb on_event, void *context);

#endif
