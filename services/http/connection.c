#include "connection.h"

#include "clock.h"
#include "mem.h"
#include "parking.h"
#include "request.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define SWEEP_EVERY_MS 100
#define SWEEP_SOON_MS  10 /* while there are more to park than one sweep does */
#define SEND_LIMIT_MS  30000
#define KEEP_ALIVE_MS  75000

static void queue_append(struct connection *connection);
static void queue_remove(struct connection *connection);
static void count_parked(const struct connection *connection, int64_t change);
static int64_t limit_ms(const struct connection *connection);
static void end_overdue(struct connection *connection);
static void shut(struct connection *connection);
static void end_idle(struct server *server, enum connection_state state);

struct connection *connection_new(struct server *server, int descriptor)
{
    struct connection *connection = MEM_NEW(struct connection);

    connection->server = server;
    connection->descriptor = descriptor;
    connection->state = CONNECTION_ARRIVING;
    connection->due_us = clock_monotonic_us() + limit_ms(connection) * 1000;
    queue_append(connection);
    server->connection_count++;
    metrics_add(&server->services->metrics->CONNECTIONS, 1);
    if (server->sweep == NULL)
        server->sweep = loop_timer_start(server->services->loop, SWEEP_EVERY_MS,
                                         connection_sweep, server);
    return connection;
}

void connection_enter(struct connection *connection, enum connection_state state)
{
    bool is_first_head =
        connection->state == CONNECTION_ARRIVING && state == CONNECTION_HEAD;

    queue_remove(connection);
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

    if (connection->state == CONNECTION_ARRIVING ||
        connection->state == CONNECTION_LEAVING ||
        connection->state == CONNECTION_PARKED) {
        server_close_poll(&connection->poll);
        if (connection->descriptor >= 0)
            close(connection->descriptor);
    }
    queue_remove(connection);
    assert(server->connection_count > 0);
    server->connection_count--;
    metrics_add(&server->services->metrics->CONNECTIONS, -1);
    free(connection);
}

void connection_sweep(void *context)
{
    struct server *server = context;
    int64_t now_us = clock_monotonic_us();
    bool has_more;

    server->sweep = NULL;
    for (size_t state = 0; state < CONNECTION_STATE_COUNT; state++) {
        struct connection_queue *queue = &server->queues[state];

        while (state != CONNECTION_IDLE && queue->first != NULL &&
               queue->first->due_us <= now_us)
            end_overdue(queue->first);
    }
    has_more = parking_sweep(server, now_us);
    if (server->connection_count > 0)
        server->sweep = loop_timer_start(server->services->loop,
                                         has_more ? SWEEP_SOON_MS : SWEEP_EVERY_MS,
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
    case CONNECTION_STAYING: shut(connection); break;
    case CONNECTION_PARKED: connection_free(connection); return;
    case CONNECTION_IDLE:
    case CONNECTION_LEAVING:
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
    end_idle(server, CONNECTION_IDLE);
    end_idle(server, CONNECTION_STAYING);
    while (server->queues[CONNECTION_PARKED].first != NULL)
        connection_free(server->queues[CONNECTION_PARKED].first);
}

static void end_idle(struct server *server, enum connection_state state)
{
    while (server->queues[state].first != NULL) {
        struct connection *connection = server->queues[state].first;

        shut(connection);
        connection_enter(connection, CONNECTION_SENDING);
    }
}

static int64_t limit_ms(const struct connection *connection)
{
    int64_t upload_ms = connection->server->services->settings->upload_timeout_s * 1000;

    switch (connection->state) {
    case CONNECTION_ARRIVING:
    case CONNECTION_HEAD:
    case CONNECTION_BODY: return upload_ms;
    case CONNECTION_WORKING:
    case CONNECTION_LEAVING: return INT32_MAX;
    case CONNECTION_SENDING: return SEND_LIMIT_MS;
    case CONNECTION_IDLE: return PARKING_AFTER_MS;
    case CONNECTION_STAYING:
    case CONNECTION_PARKED: return KEEP_ALIVE_MS - PARKING_AFTER_MS;
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
    count_parked(connection, 1);
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
    count_parked(connection, -1);
}

static void count_parked(const struct connection *connection, int64_t change)
{
    if (connection->state == CONNECTION_PARKED)
        metrics_add(&connection->server->services->metrics->CONNECTIONS_PARKED, change);
}
