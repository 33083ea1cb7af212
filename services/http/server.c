#include "server.h"

#include "client_address.h"
#include "connection.h"
#include "delivery.h"
#include "greeting.h"
#include "library_replies.h"
#include "linger.h"
#include "listener.h"
#include "mem.h"
#include "overload.h"
#include "parking.h"
#include "request.h"
#include "wire.h"

#include <assert.h>
#include <gnutls/abstract.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Request line and headers of one request must fit, with libmicrohttpd's records of them:
 * about 7.5 KB.  16 KB cost 5 KB more of resident memory for each turn in flight. */
#define CONNECTION_BYTES 8192

/* MHD_run() again at once while it has more to do, but not for ever: others wait. */
#define RUNS_A_TICK 4

/* Connections that were given up are closed at the next run only: so many may be added
 * before that. */
#define SPARE_CONNECTIONS 1024

#define DRAIN_EVERY_MS 10

static struct MHD_Daemon *start_daemon(struct server *server);
static bool watch_daemon(struct server *server);
static void on_daemon_event(uv_poll_t *poll, int status, int events);
static void run_daemon(void *context);
static void on_more_to_do(void *context);
static void on_connection(void *context, struct MHD_Connection *mhd,
                          void **socket_context,
                          enum MHD_ConnectionNotificationCode code);
static bool was_closed_unheard(struct connection *connection);
static size_t keep_target(void *context, struct MHD_Connection *mhd, char *target);
static void drain(void *context);
static void free_poll(uv_handle_t *handle);

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
    server->tls = services->shared->tls;
    server->ended_descriptor = -1;
    server->cors.allowed = services->settings->cors_allowed_origins;
    server->trusted =
        client_trusted(services->settings->trusted_proxies, &server->trusted_count);
    server->queue_response = library_replies_find_queue();
    if (server->queue_response == NULL)
        goto fail;
    server->daemon = start_daemon(server);
    if (server->daemon == NULL || !watch_daemon(server) || !parking_open(server) ||
        !listener_start(server))
        goto fail;
    loop_before_sleep(services->loop, run_daemon, server);
    overload_start(server);
    return server;

fail:
    server_free(server);
    return NULL;
}

/* libmicrohttpd does not start without a certificate, but the sessions that it is lent have theirs
 * already (library_sessions.h). */
static int show_no_certificate(gnutls_session_t session,
                               const struct gnutls_cert_retr_st *info,
                               gnutls_pcert_st **ret_certificates, unsigned *ret_count,
                               gnutls_ocsp_data_st **ret_ocsp, unsigned *ret_ocsp_count,
                               gnutls_privkey_t *ret_key, unsigned *ret_flags)
{
    (void)session;
    (void)info;
    (void)ret_certificates;
    (void)ret_count;
    (void)ret_ocsp;
    (void)ret_ocsp_count;
    (void)ret_key;
    (void)ret_flags;
    return -1;
}

/*
 * Turbo: libmicrohttpd does not shut the socket by itself before it tells of the end of a
 * request, so that a reply of ours can still be written.  Time limits are ours too
 * (connection.h).
 */
static struct MHD_Daemon *start_daemon(struct server *server)
{
    const int64_t max_connections = server->services->settings->max_connections;
    const unsigned flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET |
                           MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO;

    return MHD_start_daemon(
        server->tls != NULL ? flags | MHD_USE_TLS : flags, 0, NULL, NULL, request_handle,
        server, MHD_OPTION_NOTIFY_COMPLETED, request_completed, server,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_UNESCAPE_CALLBACK,
        keep_target, NULL, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)max_connections + SPARE_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, 0u,
        MHD_OPTION_TLS_NO_ALPN, 1, MHD_OPTION_HTTPS_CERT_CALLBACK2, show_no_certificate,
        MHD_OPTION_END);
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

/* Not run here but before the loop sleeps: what else the tick brings is then run
 * together. */
static void on_daemon_event(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    server_wake(poll->data);
}

static void run_daemon(void *context)
{
    struct server *server = context;
    MHD_UNSIGNED_LONG_LONG wait_ms;

    server->greetings = 0;
    if (!server->needs_run)
        return;
    for (int i = 0; i < RUNS_A_TICK && server->needs_run; i++) {
        server->needs_run = false;
        MHD_run(server->daemon);
        if (MHD_get_timeout(server->daemon, &wait_ms) == MHD_YES && wait_ms == 0)
            server->needs_run = true;
    }
    if (server->needs_run)
        loop_later(server->services->loop, on_more_to_do, server);
}

/* Nothing: but the tick goes on, and its end is another run. */
static void on_more_to_do(void *context)
{
    server_wake(context);
}

static void on_connection(void *context, struct MHD_Connection *mhd,
                          void **socket_context, enum MHD_ConnectionNotificationCode code)
{
    struct server *server = context;
    struct connection *connection = *socket_context;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        server->adding->mhd = mhd;
        *socket_context = server->adding;
        server->adding = NULL;
        return;
    }
    if (connection == NULL)
        return;
    *socket_context = NULL;
    if (connection->state == CONNECTION_LEAVING) {
        parking_enter(connection);
        return;
    }
    if (was_closed_unheard(connection))
        request_refuse_unread(connection, id_random(), ERROR_BAD_REQUEST);
    else if (connection->must_linger)
        linger_start(connection);
    else if (server->deliveries != NULL || connection->language == LANGUAGE_TLS)
        wire_end(connection); /* a watched duplicate would keep it open */
    connection_free(connection);
}

/*
 * Did libmicrohttpd close without a word what a client still listens on?  So it does with
 * a first line on a reused connection that is no HTTP, and with a head that ends early.
 * Between requests the client's own close is no such case, nor behind a handshake, where its goodbye
 * may be all that ever came.
 */
static bool was_closed_unheard(struct connection *connection)
{
    bool has_ended;

    if (connection->is_answered || connection->is_last)
        return false;
    if (connection->state == CONNECTION_IDLE || connection->state == CONNECTION_STAYING)
        return wire_client_is_there(connection) && !wire_has_ended(connection);
    if (connection->state != CONNECTION_HEAD || connection->language == LANGUAGE_PLAIN)
        return connection->state == CONNECTION_HEAD;
    has_ended = wire_has_ended(connection); /* may read the record that is counted */
    return wire_records(connection) - connection->first_record > (has_ended ? 1 : 0);
}

/* Targets are compared as they came: see router.h. */
static size_t keep_target(void *context, struct MHD_Connection *mhd, char *target)
{
    size_t length = 0;

    (void)context;
    (void)mhd;
    while (target[length] != '\0')
        length++;
    return length;
}

void server_drain(struct server *server, loop_fn *done, void *context)
{
    assert(server->drained == NULL);
    server->drained = done;
    server->drained_context = context;
    drain(server);
}

/*
 * Asked again every few milliseconds until nothing is left: turns of the whole process
 * first, since a new connection may come to any loop; then, without a listening socket,
 * replies and what is known of their arrival.
 */
static void drain(void *context)
{
    struct server *server = context;
    bool is_working = server->services->shared->inflight > 0 || server->suspended != NULL;
    loop_fn *done = server->drained;

    server->drain_timer = NULL;
    if (!is_working || server->services->shared->is_socket_kept)
        listener_stop(server); /* new connections wait for the next process */
    if (!is_working)
        connection_end_unfinished(server);
    if (is_working || server->connection_count > 0 || server->deliveries != NULL ||
        server->lingers != NULL) {
        server->drain_timer =
            loop_timer_start(server->services->loop, DRAIN_EVERY_MS, drain, server);
        return;
    }
    done(server->drained_context);
}

void server_free(struct server *server)
{
    if (server == NULL)
        return;
    listener_stop(server);
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
    connection_end_ours(server);
    parking_close(server);
    delivery_end_all(server);
    linger_end_all(server);
    loop_timer_cancel(server->sweep);
    overload_stop(server);
    free(server->overload);
    free(server->trusted);
    free(server);
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

void server_close_poll(uv_poll_t **poll)
{
    if (*poll != NULL)
        uv_close((uv_handle_t *)*poll, free_poll);
    *poll = NULL;
}

static void free_poll(uv_handle_t *handle)
{
    free(handle);
}
