#include "connection.h"

#include "addresses.h"
#include "clock.h"
#include "greeting.h"
#include "mem.h"
#include "parking.h"
#include "request.h"
#include "wire.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define SWEEP_EVERY_MS 100
#define SWEEP_SOON_MS  10 /* while there are more to park than one sweep does */
#define KEEP_ALIVE_MS  75000
#define GREETING_MS    10000 /* from accept to the end of the handshake */

/* When all places are taken, who has not said in this time what it wants, who sends a body
 * slower than so, and who has not read its reply by then may lose its place. */
#define HEAD_PATIENCE_US    1000000
#define BODY_PATIENCE_US    2000000
#define BODY_BYTES_A_S      1000
#define SENDING_PATIENCE_US 5000000

/* So many of one state are looked at, at most. */
#define LOOKS_MOST 16

static void queue_append(struct connection *connection);
static void queue_remove(struct connection *connection);
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
    connection->language = server->tls != NULL ? LANGUAGE_NONE : LANGUAGE_PLAIN;
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
    bool goes_on = connection->state == CONNECTION_ARRIVING;
    _Atomic int64_t *counts = connection->server->services->metrics->CONNECTIONS;

    queue_remove(connection);
    metrics_add(&counts[connection->state], -1);
    metrics_add(&counts[state], 1);
    connection->state = state;
    /* The head of the first request, and a handshake, have what is left of the time since accept:
     * both states have the same limit, so the queue stays in order nearly enough for a sweep.
     */
    if (!goes_on)
        connection->due_us = clock_monotonic_us() + limit_ms(connection) * 1000;
    queue_append(connection);
}

void connection_free(struct connection *connection)
{
    struct server *server = connection->server;

    greeting_forget(connection);
    if (connection->state <= CONNECTION_GREETING ||
        connection->state == CONNECTION_LEAVING ||
        connection->state == CONNECTION_PARKED) {
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
        if (connection->language == LANGUAGE_PLAIN && has_begun(connection))
            request_refuse_unread(connection, id_random(), ERROR_UPLOAD_TIMEOUT);
        connection_free(connection);
        return;
    case CONNECTION_GREETING:
        metrics_add(&connection->server->services->metrics->TLS_HANDSHAKES_FAILED, 1);
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
    case CONNECTION_IDLE:
    case CONNECTION_STAYING: shut(connection); break;
    case CONNECTION_PARKED: connection_free(connection); return;
    case CONNECTION_LEAVING:
    case CONNECTION_STATE_COUNT: assert(false);
    }
    connection_enter(connection, CONNECTION_SENDING);
}

/* Nothing more is read or sent, and libmicrohttpd sees the end of it at its next run. */
static void shut(struct connection *connection)
{
    connection->is_answered = true;
    if (connection->state == CONNECTION_IDLE)
        wire_end(connection); /* in the other states it would cut into what is sent */
    shutdown(connection->descriptor, SHUT_RDWR);
}

void connection_end_ours(struct server *server)
{
    static const enum connection_state ours[] = {CONNECTION_ARRIVING, CONNECTION_GREETING,
                                                 CONNECTION_PARKED};

    for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
        while (server->queues[ours[i]].first != NULL)
            connection_free(server->queues[ours[i]].first);
}

/* Those that rest before those that may be in the middle of a head.  Its next request may have
 * come just now, and is not thrown away. */
static struct connection *find_idle(struct server *server)
{
    static const enum connection_state states[] = {CONNECTION_PARKED, CONNECTION_IDLE,
                                                   CONNECTION_STAYING};
    int looks = 0;

    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
        struct connection *connection = server->queues[states[i]].first;

        for (; connection != NULL && looks < LOOKS_MOST; connection = connection->next) {
            if (!has_begun(connection))
                return connection;
            looks++;
        }
    }
    return NULL;
}

static bool is_slow(const struct connection *connection, int64_t now_us)
{
    int64_t age_us = now_us - (connection->due_us - limit_ms(connection) * 1000);

    switch (connection->state) {
    case CONNECTION_ARRIVING:
    case CONNECTION_GREETING:
    case CONNECTION_HEAD: return age_us >= HEAD_PATIENCE_US;
    case CONNECTION_BODY:
        return age_us >= BODY_PATIENCE_US &&
               connection->request->body_bytes < age_us * BODY_BYTES_A_S / 1000000;
    case CONNECTION_SENDING: return age_us >= SENDING_PATIENCE_US;
    case CONNECTION_WORKING:
    case CONNECTION_IDLE:
    case CONNECTION_STAYING:
    case CONNECTION_LEAVING:
    case CONNECTION_PARKED:
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
    connection_end_ours(server);
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
    case CONNECTION_GREETING:
        return connection->server->tls != NULL && upload_ms > GREETING_MS ? GREETING_MS
                                                                          : upload_ms;
    case CONNECTION_HEAD:
    case CONNECTION_BODY:
    case CONNECTION_SENDING: return upload_ms;
    case CONNECTION_WORKING:
    case CONNECTION_LEAVING: return INT32_MAX;
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
