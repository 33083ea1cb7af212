/*
 * The server of one loop: libmicrohttpd's daemon, run at the end of each tick that gave it work to do,
 * and the end of it all.
 */
#include "server.h"

#include "client_address_internal.h"
#include "clock.h"
#include "connection_internal.h"
#include "delivery_internal.h"
#include "linger_internal.h"
#include "listener_internal.h"
#include "mem.h"
#include "overload_internal.h"
#include "request_internal.h"

#include <assert.h>
#include <stdlib.h>

/* Request line and headers of one request must fit, with libmicrohttpd's records of them:
 * about 7.5 KB.  16 KB cost 5 KB more of resident memory for each turn in flight. */
#define CONNECTION_BYTES 8192

#define ARGUMENTS_MOST 64

/* MHD_run() again at once while it has more to do, but not for ever: others wait. */
#define RUNS_A_TICK 4

/* Connections that were given up are closed at the next run only: so many may be added
 * before that. */
#define SPARE_CONNECTIONS 1024

/* Runs without a result may take a tenth of the time, each at least IDLE_RUN_EVERY_MS of it; who has
 * saved up has IDLE_SAVED_MS at once, which is enough for 64 short ones. */
#define IDLE_SHARE        10
#define IDLE_RUN_EVERY_MS 8
#define IDLE_SAVED_MS     512

#define DRAIN_EVERY_MS 10
#define DRAIN_SPARE_S  5 /* behind the last deadline of a turn */

/*
 * Called with the request line, before anything of it is parsed.  Where records of a query's arguments
 * do not fit its memory libmicrohttpd 0.9.75 prepares a 431, forgets that it did, and neither sends it
 * nor reads on; no route has arguments, so whoever sends many is shut out at once.
 */
static void *look_at_target(void *context, const char *target, struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    int arguments = 0;

    (void)context;
    for (const char *at = target; *at != '\0'; at++)
        arguments += *at == '&';
    if (arguments > ARGUMENTS_MOST && info->socket_context != NULL)
        connection_shut(info->socket_context);
    return NULL;
}

/* Targets are compared as they came: see router_internal.h. */
static size_t keep_target(void *context, struct MHD_Connection *mhd, char *target)
{
    size_t length = 0;

    (void)context;
    (void)mhd;
    while (target[length] != '\0')
        length++;
    return length;
}

/*
 * Turbo: libmicrohttpd tries to write before it waits for room.  Time limits are ours (connection_internal.h).
 */
static struct MHD_Daemon *start_daemon(struct server *server)
{
    const int64_t max_connections = server->services->settings->max_connections;

    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME |
            MHD_USE_TURBO,
        0, NULL, NULL, request_handle, server, MHD_OPTION_NOTIFY_COMPLETED,
        request_completed, server, MHD_OPTION_NOTIFY_CONNECTION, connection_notify,
        server, MHD_OPTION_URI_LOG_CALLBACK, look_at_target, NULL,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_target, NULL, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)max_connections + SPARE_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, 0u, MHD_OPTION_END);
}

/* Not run here but before the loop sleeps: what else the tick brings is then run
 * together. */
static void on_daemon_event(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    server_wake(poll->data);
}

static void free_poll(uv_handle_t *handle)
{
    free(handle);
}

void server_close_poll(uv_poll_t **poll)
{
    if (*poll != NULL)
        uv_close((uv_handle_t *)*poll, free_poll);
    *poll = NULL;
}

uv_poll_t *server_open_poll(struct server *server, int descriptor, int events,
                            uv_poll_cb on_event, void *context)
{
    uv_poll_t *poll = MEM_NEW(uv_poll_t);

    if (uv_poll_init(loop_uv(server->services->loop), poll, descriptor) != 0) {
        free(poll);
        return NULL;
    }
    poll->data = context;
    if (uv_poll_start(poll, events, on_event) != 0)
        server_close_poll(&poll);
    return poll;
}

static bool watch_daemon(struct server *server)
{
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);

    if (info == NULL)
        return false;
    server->daemon_poll =
        server_open_poll(server, info->epoll_fd, UV_READABLE, on_daemon_event, server);
    return server->daemon_poll != NULL;
}

static bool wants_another_run(struct server *server)
{
    MHD_UNSIGNED_LONG_LONG wait_ms;

    return MHD_get_timeout(server->daemon, &wait_ms) == MHD_YES && wait_ms == 0;
}

static void on_retry(void *context)
{
    struct server *server = context;

    server->retry = NULL;
    server_wake(server);
}

/*
 * Of a connection that it can neither read on nor answer, such as one whose chunk line does not fit
 * its memory, libmicrohttpd 0.9.75 says without end that it wants another run, and a run looks at
 * all of them.  So runs in which nothing came of it are rationed, by the time that they take: a good
 * client's long head needs some thirty at once, and for the rest one in a while does.  false: the
 * time is used up, and a timer asks again.
 */
static bool take_idle_run(struct server *server, int64_t began_us)
{
    int64_t now_us = clock_monotonic_us();
    int64_t price_us = (now_us - began_us) * IDLE_SHARE;
    int64_t saved_from_us = now_us - IDLE_SAVED_MS * 1000;

    if (price_us < IDLE_RUN_EVERY_MS * 1000)
        price_us = IDLE_RUN_EVERY_MS * 1000;
    if (server->idle_paid_us < saved_from_us)
        server->idle_paid_us = saved_from_us;
    else if (server->idle_paid_us > now_us)
        server->idle_paid_us = now_us; /* runs for events leave no debt */
    server->idle_paid_us += price_us;
    if (server->idle_paid_us <= now_us)
        return true;
    if (server->retry == NULL)
        server->retry = loop_timer_start(server->services->loop,
                                         (server->idle_paid_us - now_us) / 1000 + 1,
                                         on_retry, server);
    return false;
}

/* Keeps the tick alive, so that the daemon runs again at its end. */
static void on_more_to_do(void *context)
{
    server_wake(context);
}

static void run_daemon(void *context)
{
    struct server *server = context;

    for (int i = 0; i < RUNS_A_TICK && server->needs_run; i++) {
        int64_t began_us = clock_monotonic_us();

        server->needs_run = false;
        server->has_progress = false;
        MHD_run(server->daemon);
        if (wants_another_run(server) && !server->needs_run) {
            if (!server->has_progress && !take_idle_run(server, began_us))
                return;
            server->needs_run = true;
        }
    }
    if (server->needs_run)
        loop_later(server->services->loop, on_more_to_do, server);
}

struct server *server_new(struct services *services, struct ask_services *asks,
                          int listen_descriptor)
{
    struct server *server = MEM_NEW(struct server);

    static_assert((int)SERVER_QUEUES == (int)CONNECTION_STATE_COUNT,
                  "one queue for each state");
    server->services = services;
    server->asks = asks;
    server->overload = MEM_NEW(struct overload);
    server->listen_descriptor = listen_descriptor;
    server->trusted =
        client_trusted(services->settings->trusted_proxies, &server->trusted_count);
    server->daemon = start_daemon(server);
    if (server->daemon == NULL || !watch_daemon(server) || !listener_start(server))
        goto fail;
    loop_before_sleep(services->loop, run_daemon, server);
    overload_start(server);
    return server;

fail:
    server_free(server);
    return NULL;
}

static bool is_left(const struct server *server)
{
    return server->connection_count > 0 || server->deliveries != NULL ||
           server->lingers != NULL;
}

/*
 * Asked again every few milliseconds until nothing is left, or time is up: turns of the whole
 * process first, since a new connection may come to any loop; then, without a listening socket,
 * replies and what is known of their arrival.
 */
static void drain(void *context)
{
    struct server *server = context;
    bool is_working = server->services->shared->inflight > 0 || server->suspended != NULL;
    bool is_over = clock_monotonic_us() >= server->drain_end_us;
    loop_fn *done = server->drained;

    server->drain_timer = NULL;
    if (server->services->shared->is_socket_kept)
        listener_stop(server); /* new connections wait for the next process */
    if (!is_working) {
        listener_end(server);
        connection_end_unfinished(server);
    }
    if (!is_over && (is_working || is_left(server)))
        server->drain_timer =
            loop_timer_start(server->services->loop, DRAIN_EVERY_MS, drain, server);
    else
        done(server->drained_context);
}

void server_drain(struct server *server, loop_fn *done, void *context)
{
    assert(server->drained == NULL);
    server->drained = done;
    server->drained_context = context;
    server->drain_end_us =
        clock_monotonic_us() +
        (server->services->settings->turn_deadline_s + DRAIN_SPARE_S) * 1000000;
    drain(server);
}

void server_free(struct server *server)
{
    if (server == NULL)
        return;
    listener_stop(server);
    loop_timer_cancel(server->retry);
    loop_timer_cancel(server->drain_timer);
    server->is_going = true;
    while (server->suspended != NULL)
        request_abandon(server->suspended);
    if (server->daemon != NULL) {
        MHD_run(server->daemon); /* resumes them: stopping with suspended requests would
                                    abort */
        server_close_poll(&server->daemon_poll);
        MHD_stop_daemon(server->daemon);
    }
    delivery_end_all(server);
    linger_end_all(server);
    loop_timer_cancel(server->sweep);
    overload_stop(server);
    free(server->overload);
    free(server->trusted);
    free(server);
}
