/*
 * The listening socket: who comes in, and who is one too many.
 */
#include "listener_internal.h"

#include "addresses_internal.h"
#include "client_address_internal.h"
#include "connection_internal.h"
#include "request_internal.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ACCEPTS_A_TICK 256
#define BACKLOG        4096
#define PAUSE_MS       50

static void on_connections(uv_poll_t *poll, int status, int events);
static void on_pause_is_over(void *context);

static int open_socket(const struct addrinfo *address, bool reuse_port, int64_t *ret_port)
{
    struct sockaddr_storage bound;
    socklen_t bound_bytes = sizeof(bound);
    int on = 1;
    int reason;
    int descriptor =
        socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (descriptor < 0)
        return -1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (reuse_port &&
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) != 0)
        goto fail;
    if (bind(descriptor, address->ai_addr, address->ai_addrlen) != 0 ||
        listen(descriptor, BACKLOG) != 0 ||
        getsockname(descriptor, (struct sockaddr *)&bound, &bound_bytes) != 0)
        goto fail;
    if (bound.ss_family == AF_INET6)
        *ret_port = ntohs(((struct sockaddr_in6 *)&bound)->sin6_port);
    else
        *ret_port = ntohs(((struct sockaddr_in *)&bound)->sin_port);
    return descriptor;

fail:
    reason = errno;
    close(descriptor);
    errno = reason;
    return -1;
}

int server_listen_socket(const char *host, int64_t port, bool reuse_port,
                         int64_t *ret_port, struct buffer *problem)
{
    const struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *addresses = NULL;
    char service[16];
    const char *reason;
    int descriptor = -1;
    int result;

    snprintf(service, sizeof(service), "%d", (int)port);
    result = getaddrinfo(host[0] != '\0' ? host : NULL, service, &hints, &addresses);
    reason = result != 0 ? gai_strerror(result) : "no address";
    for (struct addrinfo *next = addresses; next != NULL && descriptor < 0;
         next = next->ai_next) {
        descriptor = open_socket(next, reuse_port, ret_port);
        if (descriptor < 0)
            reason = strerror(errno);
    }
    if (addresses != NULL)
        freeaddrinfo(addresses);
    if (descriptor < 0) {
        buffer_append_string(problem, "cannot listen on ");
        buffer_append_string(problem, host);
        buffer_append_string(problem, " port ");
        buffer_append_number(problem, port);
        buffer_append_string(problem, ": ");
        buffer_append_string(problem, reason);
        buffer_append_string(problem, "\n");
    }
    return descriptor;
}

bool server_can_listen(const char *host, int64_t port, struct buffer *problem)
{
    int64_t found;
    int listener = server_listen_socket(host, port, false, &found, problem);

    if (listener >= 0)
        close(listener);
    return listener >= 0;
}

bool listener_start(struct server *server)
{
    server->listen_poll = server_open_poll(server, server->listen_descriptor, UV_READABLE,
                                           on_connections, server);
    return server->listen_poll != NULL;
}

/* Those of all loops together, but for those that are turned away: a few of them have places of
 * their own (SPARE_CONNECTIONS). */
static bool is_full(const struct server *server)
{
    const struct shared_services *shared = server->services->shared;
    int64_t open = 0;

    if (server->services->is_admin)
        return false;
    for (size_t loop = 0; loop < shared->metrics_count; loop++)
        for (size_t state = CONNECTION_HEAD; state < CONNECTION_STATE_COUNT; state++)
            open += counter_read(&shared->metrics[loop]->CONNECTIONS[state]);
    return open >= server->services->settings->max_connections;
}

/* false: this client has as many connections as it may.  The proxies in front have many
 * clients. */
static bool count_client(struct server *server, int descriptor,
                         struct addresses_entry **ret_client)
{
    struct addresses *addresses = server->services->shared->addresses;
    struct address address;

    *ret_client = NULL;
    if (addresses == NULL || !address_of_peer(descriptor, &address) ||
        client_is_trusted(server, &address))
        return true;
    address = address_of_client(&address);
    *ret_client = addresses_take(addresses, &address);
    return *ret_client != NULL;
}

static void accept_one(struct server *server, int descriptor)
{
    _Atomic int64_t *shed = server->services->metrics->SHED;
    struct addresses_entry *client;
    enum error refusal = OK;
    int on = 1;

    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (!count_client(server, descriptor, &client)) {
        metrics_add(&shed[SHEDDING_ADDRESS], 1);
        refusal = ERROR_RATE_LIMITED;
    } else if (is_full(server) && !connection_give_one_up(server)) {
        metrics_add(&shed[SHEDDING_CONNECTIONS], 1);
        refusal = ERROR_OVERLOADED;
    }
    connection_open(server, descriptor, refusal, client);
}

/* No descriptors or memory: those who wait in the backlog are left there for a moment. */
static void pause_accepting(struct server *server)
{
    log_end(log_begin(server->services->log, LOG_WARNING, "accept_paused"));
    server_close_poll(&server->listen_poll);
    server->accept_pause =
        loop_timer_start(server->services->loop, PAUSE_MS, on_pause_is_over, server);
}

static void accept_waiting(struct server *server, int most)
{
    for (int i = 0; i < most; i++) {
        int descriptor =
            accept4(server->listen_descriptor, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (descriptor >= 0) {
            accept_one(server, descriptor);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
                   errno == ENOMEM) {
            pause_accepting(server);
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return;
        }
    }
}

static void on_connections(uv_poll_t *poll, int status, int events)
{
    struct server *server = poll->data;

    (void)status;
    (void)events;
    if (server->services->shared->is_draining &&
        server->services->shared->is_socket_kept) {
        listener_stop(server); /* server_drain() is on its way here */
        return;
    }
    accept_waiting(server, ACCEPTS_A_TICK);
}

static void on_pause_is_over(void *context)
{
    struct server *server = context;

    server->accept_pause = NULL;
    if (!listener_start(server))
        pause_accepting(server);
}

void listener_end(struct server *server)
{
    if (server->listen_poll != NULL)
        accept_waiting(server, BACKLOG);
    listener_stop(server);
}

void listener_stop(struct server *server)
{
    server_close_poll(&server->listen_poll);
    loop_timer_cancel(server->accept_pause);
    server->accept_pause = NULL;
    if (server->listen_descriptor >= 0)
        close(server->listen_descriptor);
    server->listen_descriptor = -1;
}
