/*
 * Connections: how they begin and end, what state each is in, and for how long it may be.
 */
#include "connection_internal.h"

#include "addresses_internal.h"
#include "clock.h"
#include "linger_internal.h"
#include "mem.h"
#include "request_internal.h"

#include <assert.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define SWEEP_EVERY_MS 100
#define KEEP_ALIVE_MS  75000
#define TURNED_AWAY_MS 2000
#define ENDING_MS      2000

/* When all places are taken, who has not said in this time what it wants, who sends a body
 * slower than so, and who has not read its reply by then may lose its place. */
#define HEAD_PATIENCE_US    1000000
#define BODY_PATIENCE_US    2000000
#define BODY_BYTES_A_S      1000
#define SENDING_PATIENCE_US 5000000

/* Who has gone is looked for so often, with so many in one system call. */
#define LOOK_EVERY_US 500000
#define LOOKS_AT_ONCE 256

/* Between three looks libmicrohttpd has run at least once. */
#define LOOKS_IN_VAIN_MOST 2

/* So many of one state are looked at, at most. */
#define LOOKS_MOST 16

static void queue_append(struct connection *connection)
{
    struct connection_queue *queue = &connection->server->queues[connection->state];

    connection->previous = queue->last;
    connection->next = NULL;
    if (queue->last != NULL)
        queue->last->next = connection;
    else
        queue->first = connection;
    queue->last = connection;
}

static void queue_remove(struct connection *connection)
{
    struct connection_queue *queue = &connection->server->queues[connection->state];

    if (connection->previous != NULL)
        connection->previous->next = connection->next;
    else
        queue->first = connection->next;
    if (connection->next != NULL)
        connection->next->previous = connection->previous;
    else
        queue->last = connection->previous;
}

static int64_t limit_ms(const struct connection *connection)
{
    switch (connection->state) {
    case CONNECTION_TURNED_AWAY: return TURNED_AWAY_MS;
    case CONNECTION_HEAD:
    case CONNECTION_BODY:
    case CONNECTION_SENDING:
        return connection->server->services->settings->upload_timeout_s * 1000;
    case CONNECTION_WORKING: return INT32_MAX;
    case CONNECTION_IDLE: return KEEP_ALIVE_MS;
    case CONNECTION_ENDING: return ENDING_MS;
    case CONNECTION_STATE_COUNT: break;
    }
    abort();
}

static void enter(struct connection *connection, enum connection_state state)
{
    connection->state = state;
    connection->due_us = clock_monotonic_us() + limit_ms(connection) * 1000;
    connection->looks_in_vain = 0; /* who goes on is not stuck, whatever waits by then */
    queue_append(connection);
    metrics_add(&connection->server->services->metrics->CONNECTIONS[state], 1);
}

static void leave(struct connection *connection)
{
    queue_remove(connection);
    metrics_add(&connection->server->services->metrics->CONNECTIONS[connection->state],
                -1);
}

void connection_enter(struct connection *connection, enum connection_state state)
{
    if (connection->state == CONNECTION_TURNED_AWAY ||
        connection->state == CONNECTION_ENDING)
        return;
    leave(connection);
    enter(connection, state);
}

static struct connection *connection_new(struct server *server, int descriptor,
                                         enum error refusal,
                                         struct addresses_entry *client)
{
    struct connection *connection = MEM_NEW(struct connection);

    connection->server = server;
    connection->descriptor = descriptor;
    connection->refusal = refusal;
    connection->client = client;
    enter(connection, refusal == OK ? CONNECTION_HEAD : CONNECTION_TURNED_AWAY);
    server->connection_count++;
    if (server->sweep == NULL)
        server->sweep = loop_timer_start(server->services->loop, SWEEP_EVERY_MS,
                                         connection_sweep, server);
    return connection;
}

static void connection_free(struct connection *connection)
{
    struct server *server = connection->server;

    leave(connection);
    if (connection->client != NULL)
        addresses_give_back(server->services->shared->addresses, connection->client);
    assert(server->connection_count > 0);
    server->connection_count--;
    free(connection);
}

void connection_open(struct server *server, int descriptor, enum error refusal,
                     struct addresses_entry *client)
{
    struct sockaddr_storage address;
    socklen_t address_bytes = sizeof(address);

    server->adding = connection_new(server, descriptor, refusal, client);
    if (getpeername(descriptor, (struct sockaddr *)&address, &address_bytes) != 0)
        close(descriptor);
    else
        MHD_add_connection(server->daemon, descriptor, (struct sockaddr *)&address,
                           address_bytes);
    if (server->adding !=
        NULL) /* connection_notify() was not told: it is closed already */
        connection_free(server->adding);
    server->adding = NULL;
    server_wake(server);
}

void connection_notify(void *context, struct MHD_Connection *mhd, void **socket_context,
                       enum MHD_ConnectionNotificationCode code)
{
    struct server *server = context;
    struct connection *connection = *socket_context;

    server->has_progress = true;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        server->adding->mhd = mhd;
        *socket_context = server->adding;
        server->adding = NULL;
    } else if (connection != NULL) {
        *socket_context = NULL;
        if (connection->must_linger)
            linger_start(server, connection->descriptor);
        else if (server->deliveries != NULL)
            shutdown(connection->descriptor,
                     SHUT_WR); /* a watched duplicate would keep it open */
        connection_free(connection);
    }
}

bool connection_has_client(const struct connection *connection)
{
    struct pollfd end = {.fd = connection->descriptor, .events = POLLRDHUP};

    return poll(&end, 1, 0) == 0;
}

/* libmicrohttpd sees it at its next run, or, of a connection that it cannot read on, after the
 * shortest time without a byte that it can be told. */
void connection_shut(struct connection *connection)
{
    shutdown(connection->descriptor, SHUT_RDWR);
    MHD_set_connection_option(connection->mhd, MHD_CONNECTION_OPTION_TIMEOUT, 1u);
    leave(connection);
    enter(connection, CONNECTION_ENDING);
}

static void end_overdue(struct connection *connection)
{
    if (connection->state == CONNECTION_BODY)
        request_refuse_unfinished(connection->request, ERROR_UPLOAD_TIMEOUT);
    else
        connection_shut(connection);
}

/* Bytes wait, and libmicrohttpd reads none of them: it never will. */
static bool is_stuck(struct connection *connection, int unread)
{
    const struct request *request = connection->request;
    int64_t read_bytes = request != NULL ? request->body_bytes : 0;

    if (unread > 0 && unread == connection->unread &&
        read_bytes == connection->read_bytes)
        connection->looks_in_vain++;
    else
        connection->looks_in_vain = 0;
    connection->unread = unread;
    connection->read_bytes = read_bytes;
    return connection->looks_in_vain >= LOOKS_IN_VAIN_MOST;
}

/* Those whose clients have closed their side, with all that they sent read, and those that are stuck. */
static void end_gone(struct connection *const *connections, struct pollfd *ends,
                     size_t count)
{
    if (poll(ends, count, 0) <= 0)
        return;
    for (size_t i = 0; i < count; i++) {
        bool is_at_end = (ends[i].revents & ~POLLIN) != 0;
        int unread = 0;

        if (ends[i].revents != 0 && ioctl(ends[i].fd, FIONREAD, &unread) == 0 &&
            ((is_at_end && unread == 0) || is_stuck(connections[i], unread)))
            connection_shut(connections[i]);
    }
}

/*
 * libmicrohttpd takes a recv() that does not fill its buffer for the last one until its epoll reports
 * more, and where the client's end came together with its last bytes nothing more is reported; and of
 * a chunk line that does not fit its memory it reads no more, but says that it would (server.c).  So all
 * that wait for a client are asked now and then.
 */
static void end_all_gone(struct server *server)
{
    static const enum connection_state states[] = {CONNECTION_HEAD, CONNECTION_BODY,
                                                   CONNECTION_IDLE};
    struct connection *connections[LOOKS_AT_ONCE];
    struct pollfd ends[LOOKS_AT_ONCE];

    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        struct connection *next = server->queues[states[i]].first;

        while (next != NULL) {
            size_t count = 0;

            for (; next != NULL && count < LOOKS_AT_ONCE; next = next->next) {
                connections[count] = next;
                ends[count++] =
                    (struct pollfd){.fd = next->descriptor, .events = POLLIN | POLLRDHUP};
            }
            end_gone(connections, ends, count);
        }
    }
}

void connection_sweep(void *context)
{
    struct server *server = context;
    int64_t now_us = clock_monotonic_us();

    server->sweep = NULL;
    for (size_t state = 0; state < CONNECTION_STATE_COUNT; state++) {
        struct connection_queue *queue = &server->queues[state];

        while (queue->first != NULL && queue->first->due_us <= now_us)
            end_overdue(queue->first);
    }
    if (now_us >= server->next_look_us) {
        end_all_gone(server);
        server->next_look_us = now_us + LOOK_EVERY_US;
    }
    if (server->queues[CONNECTION_ENDING].first != NULL)
        server_wake(server); /* libmicrohttpd counts its seconds only when it runs */
    if (server->connection_count > 0)
        server->sweep = loop_timer_start(server->services->loop, SWEEP_EVERY_MS,
                                         connection_sweep, server);
}

/* Its next request may have come just now, and is not thrown away; the end of a client that has gone
 * is none. */
static bool has_unread(const struct connection *connection)
{
    int unread = 0;

    return ioctl(connection->descriptor, FIONREAD, &unread) == 0 && unread > 0;
}

static struct connection *find_idle(struct server *server)
{
    struct connection *connection = server->queues[CONNECTION_IDLE].first;

    for (int looks = 0; connection != NULL && looks < LOOKS_MOST; looks++) {
        if (!has_unread(connection))
            return connection;
        connection = connection->next;
    }
    return NULL;
}

static bool is_slow(const struct connection *connection, int64_t now_us)
{
    int64_t age_us = now_us - (connection->due_us - limit_ms(connection) * 1000);

    switch (connection->state) {
    case CONNECTION_HEAD: return age_us >= HEAD_PATIENCE_US;
    case CONNECTION_BODY:
        return age_us >= BODY_PATIENCE_US &&
               connection->request->body_bytes < age_us * BODY_BYTES_A_S / 1000000;
    case CONNECTION_SENDING: return age_us >= SENDING_PATIENCE_US;
    case CONNECTION_TURNED_AWAY:
    case CONNECTION_WORKING:
    case CONNECTION_IDLE:
    case CONNECTION_ENDING:
    case CONNECTION_STATE_COUNT: break;
    }
    return false;
}

/* One of those that have taken longest. */
static struct connection *find_slow(struct server *server)
{
    int64_t now_us = clock_monotonic_us();

    for (size_t state = 0; state < CONNECTION_STATE_COUNT; state++) {
        struct connection *connection = server->queues[state].first;

        for (int looks = 0; connection != NULL && looks < LOOKS_MOST; looks++) {
            if (is_slow(connection, now_us))
                return connection;
            connection = connection->next;
        }
    }
    return NULL;
}

bool connection_give_one_up(struct server *server)
{
    struct connection *connection = find_idle(server);

    if (connection == NULL)
        connection = find_slow(server);
    if (connection == NULL)
        return false;
    metrics_add(&server->services->metrics->CONNECTIONS_GIVEN_UP, 1);
    end_overdue(connection);
    server_wake(server);
    return true;
}

void connection_end_unfinished(struct server *server)
{
    static const enum connection_state waiting[] = {CONNECTION_TURNED_AWAY,
                                                    CONNECTION_HEAD, CONNECTION_IDLE};

    for (size_t i = 0; i < sizeof(waiting) / sizeof(waiting[0]); i++) {
        struct connection *next = server->queues[waiting[i]].first;

        while (next != NULL) {
            struct connection *connection = next;

            next = connection->next;
            if (!has_unread(connection))
                connection_shut(connection);
        }
    }
    while (server->queues[CONNECTION_BODY].first != NULL)
        request_refuse_unfinished(server->queues[CONNECTION_BODY].first->request,
                                  ERROR_DRAINING);
}
