#include "connection.h"

#include "addresses.h"
#include "clock.h"
#include "mem.h"
#include "request.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define SWEEP_EVERY_MS 100
#define KEEP_ALIVE_MS  75000

/* A client that has not said in this time what it wants may lose its place. */
#define HESITATION_US 1000000

/* So many idle ones are looked at for one that has nothing to say: each look is a system
 * call. */
#define LOOKS_MOST 16

static void queue_append(struct connection *connection);
static void queue_remove(struct connection *connection);
static int64_t limit_ms(const struct connection *connection);
static void end_overdue(struct connection *connection);
static void shut(struct connection *connection);

struct connection *connection_new(struct server *server, int descriptor)
{
    struct connection *connection = MEM_NEW(struct connection);

    connection->server = server;
    connection->descriptor = descriptor;
    connection->state = CONNECTION_ARRIVING;
    connection->due_us = clock_monotonic_us() + limit_ms(connection) * 1000;
    queue_append(connection);
    server->connection_count++;
    metrics_add(&server->services->metrics->CONNECTIONS[CONNECTION_ARRIVING], 1);
    if (server->sweep == NULL)
        server->sweep = loop_timer_start(server->services->loop, SWEEP_EVERY_MS,
                                         connection_sweep, server);
    return connection;
}

void connection_enter(struct connection *connection, enum connection_state state)
{
    bool is_first_head =
        connection->state == CONNECTION_ARRIVING && state == CONNECTION_HEAD;

    _Atomic int64_t *counts = connection->server->services->metrics->CONNECTIONS;

    queue_remove(connection);
    metrics_add(&counts[connection->state], -1);
    metrics_add(&counts[state], 1);
    connection->state = state;
    /* The head of the first request has what is left of the time since accept: both
     * states have the same limit, so the queue stays in order nearly enough for a sweep.
     */
    if (!is_first_head)
        connection->due_us = clock_monotonic_us() + limit_ms(connection) * 1000;
    queue_append(connection);
}

void connection_free(struct connection *connection)
{
    struct server *server = connection->server;

    if (connection->state == CONNECTION_ARRIVING) {
        server_close_poll(&connection->poll);
        if (connection->descriptor >= 0)
            close(connection->descriptor);
    }
    queue_remove(connection);
    if (connection->client != NULL)
        addresses_give_back(server->services->shared->addresses, connection->client);
    assert(server->connection_count > 0);
    server->connection_count--;
    metrics_add(&server->services->metrics->CONNECTIONS[connection->state], -1);
    free(connection);
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
    if (server->connection_count > 0)
        server->sweep = loop_timer_start(server->services->loop, SWEEP_EVERY_MS,
                                         connection_sweep, server);
}

/* Has the client sent anything?  If so it may listen for an answer. */
static bool has_begun(const struct connection *connection)
{
    char byte;

    return recv(connection->descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

/* Those that can only be told to end are kept, as if a reply were being sent, until
 * libmicrohttpd has closed them. */
static void end_overdue(struct connection *connection)
{
    switch (connection->state) {
    case CONNECTION_ARRIVING:
        if (has_begun(connection))
            request_refuse_unread(connection, id_random(), ERROR_UPLOAD_TIMEOUT);
        connection_free(connection);
        return;
    case CONNECTION_HEAD:
        request_refuse_unread(connection, id_random(), ERROR_UPLOAD_TIMEOUT);
        break;
    case CONNECTION_BODY:
        request_refuse_unfinished(connection->request, ERROR_UPLOAD_TIMEOUT);
        break;
    case CONNECTION_WORKING:
    case CONNECTION_SENDING:
    case CONNECTION_IDLE: shut(connection); break;
    case CONNECTION_STATE_COUNT: assert(false);
    }
    connection_enter(connection, CONNECTION_SENDING);
}

/* Nothing more is read or sent, and libmicrohttpd sees the end of it at its next run. */
static void shut(struct connection *connection)
{
    connection->is_answered = true;
    shutdown(connection->descriptor, SHUT_RDWR);
}

/* Its next request may have come just now, and is not thrown away. */
static struct connection *find_idle(struct server *server)
{
    struct connection *connection = server->queues[CONNECTION_IDLE].first;

    for (int looks = 0; connection != NULL && has_begun(connection); looks++)
        connection = looks < LOOKS_MOST ? connection->next : NULL;
    return connection;
}

/* The oldest of those in front of their first head, if it is old enough. */
static struct connection *find_hesitant(struct server *server)
{
    struct connection *arriving = server->queues[CONNECTION_ARRIVING].first;
    struct connection *reading = server->queues[CONNECTION_HEAD].first;
    struct connection *oldest = arriving;

    if (oldest == NULL || (reading != NULL && reading->due_us < oldest->due_us))
        oldest = reading;
    if (oldest == NULL ||
        clock_monotonic_us() - oldest->due_us + limit_ms(oldest) * 1000 < HESITATION_US)
        return NULL;
    return oldest;
}

bool connection_give_one_up(struct server *server)
{
    struct connection *connection = find_idle(server);

    if (connection == NULL)
        connection = find_hesitant(server);
    if (connection == NULL)
        return false;
    metrics_add(&server->services->metrics->CONNECTIONS_GIVEN_UP, 1);
    end_overdue(connection);
    server_wake(server);
    return true;
}

void connection_end_unfinished(struct server *server)
{
    while (server->queues[CONNECTION_ARRIVING].first != NULL)
        connection_free(server->queues[CONNECTION_ARRIVING].first);
    while (server->queues[CONNECTION_HEAD].first != NULL) {
        struct connection *connection = server->queues[CONNECTION_HEAD].first;

        request_refuse_unread(connection, id_random(), ERROR_DRAINING);
        connection_enter(connection, CONNECTION_SENDING);
    }
    while (server->queues[CONNECTION_BODY].first != NULL)
        request_refuse_unfinished(server->queues[CONNECTION_BODY].first->request,
                                  ERROR_DRAINING);
    while (server->queues[CONNECTION_IDLE].first != NULL) {
        shut(server->queues[CONNECTION_IDLE].first);
        connection_enter(server->queues[CONNECTION_IDLE].first, CONNECTION_SENDING);
    }
}

static int64_t limit_ms(const struct connection *connection)
{
    int64_t upload_ms = connection->server->services->settings->upload_timeout_s * 1000;

    switch (connection->state) {
    case CONNECTION_ARRIVING:
    case CONNECTION_HEAD:
    case CONNECTION_BODY:
    case CONNECTION_SENDING: return upload_ms;
    case CONNECTION_WORKING: return INT32_MAX;
    case CONNECTION_IDLE: return KEEP_ALIVE_MS;
    case CONNECTION_STATE_COUNT: break;
    }
    return upload_ms;
}

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
    connection->previous = NULL;
    connection->next = NULL;
}
