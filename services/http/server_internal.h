/*
 * One loop's server, as the files of this room see it.
 */
#ifndef SERVER_INTERNAL_H
#define SERVER_INTERNAL_H

#include "address.h"
#include "buffer.h"
#include "server.h"

#include <microhttpd.h>

struct connection;
struct delivery;
struct lingering;
struct overload;
struct request;

/* The most states of a connection (enum connection_state). */
#define SERVER_QUEUES 7

struct connection_queue {
    struct connection *
        first; /* borrowed: each is in the queue of its state, until libmicrohttpd closes it */
    struct connection *last;
};

struct server {
    struct services *services; /* borrowed */
    struct ask_services *asks; /* borrowed */
    struct MHD_Daemon *daemon; /* owned */
    struct network *trusted;   /* owned: TRUSTED_PROXIES */
    size_t trusted_count;

    int listen_descriptor;           /* owned; -1: closed */
    uv_poll_t *listen_poll;          /* owned: NULL: not listening */
    uv_poll_t *daemon_poll;          /* owned: on libmicrohttpd's epoll descriptor */
    struct loop_timer *accept_pause; /* owned; NULL: not pending: out of descriptors */
    bool is_going;     /* server_free() has begun: nothing may be suspended any more */
    bool needs_run;    /* MHD_run() is due before the loop sleeps */
    bool has_progress; /* the present run called us */
    int64_t
        idle_paid_us; /* monotonic: till when runs without progress have used up the time */
    struct loop_timer *retry; /* owned; NULL: not pending: none was left */

    struct overload *overload; /* owned */

    /* One for each state of a connection. */
    struct connection_queue queues[SERVER_QUEUES];
    size_t connection_count;
    /* Borrowed: handed to MHD_add_connection() just now, else NULL. */
    struct connection *adding;
    struct loop_timer *sweep; /* owned; NULL: not pending: no connections */
    int64_t next_look_us;     /* monotonic: when it looks for clients that have gone */

    struct request *suspended; /* borrowed list: requests that wait for another room */
    /* Owned list: replies that are not known to have arrived. */
    struct delivery *deliveries;
    struct lingering *lingers; /* owned list: connections that are closed slowly */
    size_t linger_count;

    loop_fn *drained;     /* NULL: not draining */
    int64_t drain_end_us; /* monotonic: what is not done by then is dropped */
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
