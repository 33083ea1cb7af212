/*
 * The store in PostgreSQL, as loops see it: each call becomes an operation in the lane of its
 * loop.
 *
 *     store_postgres.c       what may be asked
 *     postgres_lane.c        a loop's queues and connections; what is tried again
 *     postgres_link.c        one connection: groups of statements out, answers in
 *     postgres_operation.c   what each operation asks, and makes of the answers (turns:
 *                            postgres_operation_turn.c, speech: postgres_speech.c)
 *     postgres_values.c      values as PostgreSQL sends them
 *
 * and on a thread that may wait:
 *
 *     postgres_connector.c   makes connections again, sweeps
 *     postgres_connect.c     makes one (postgres_schema.c: with the tables)
 */
#include "store_postgres_internal.h"

#include "clock.h"
#include "mem.h"
#include "postgres_lane_internal.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LANES_MOST 512
#define CLOSE_US   INT64_C(3000000)

struct postgres_store {
    struct store_backend backend; /* the first member: the interface is cast back */
    struct postgres_store_state state;

    /* One for each loop that has ever asked.  A lane and its loop are written before the count. */
    pthread_mutex_t lock;
    struct {
        struct loop *loop;
        struct postgres_lane *lane; /* owned */
    } lanes[LANES_MOST];
    _Atomic size_t lane_count;
};

static struct postgres_store *store_of(struct store_backend *backend)
{
    return (struct postgres_store *)backend;
}

static struct postgres_lane *add_lane(struct postgres_store *store, struct loop *loop)
{
    struct postgres_lane *lane = postgres_lane_new(loop, &store->state);
    size_t at;

    pthread_mutex_lock(&store->lock);
    at = atomic_load(&store->lane_count);
    assert(at < LANES_MOST);
    store->lanes[at].loop = loop;
    store->lanes[at].lane = lane;
    atomic_store(&store->lane_count, at + 1);
    pthread_mutex_unlock(&store->lock);
    return lane;
}

static struct postgres_lane *lane_of(struct postgres_store *store, struct loop *loop)
{
    size_t count = atomic_load_explicit(&store->lane_count, memory_order_acquire);

    for (size_t at = 0; at < count; at++)
        if (store->lanes[at].loop == loop)
            return store->lanes[at].lane;
    return add_lane(store, loop);
}

static void push(struct store_backend *backend, struct store_operation *asked)
{
    struct postgres_operation *operation = (struct postgres_operation *)asked;

    postgres_operation_prepare(operation);
    postgres_lane_push(lane_of(store_of(backend), asked->loop), operation);
}

static void sweep(struct store_backend *backend, int64_t now_ms,
                  int64_t refusals_before_ms)
{
    postgres_connector_sweep(store_of(backend)->state.connector, now_ms,
                             refusals_before_ms);
}

static struct store_stats stats(struct store_backend *backend)
{
    struct postgres_store_state *state = &store_of(backend)->state;

    return (struct store_stats){
        .commits = atomic_load_explicit(&state->commits, memory_order_relaxed),
        .operations = atomic_load_explicit(&state->operations, memory_order_relaxed),
        .usage = store_usage_latest(&state->ground.usage),
    };
}

static void free_store(struct postgres_store *store)
{
    store_usage_done(&store->state.ground.usage);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

static void close_store(struct store_backend *backend)
{
    struct postgres_store *postgres = store_of(backend);
    int64_t deadline_us = clock_monotonic_us() + CLOSE_US;

    postgres_connector_stop(postgres->state.connector);
    for (size_t at = 0; at < atomic_load(&postgres->lane_count); at++)
        postgres_lane_close(postgres->lanes[at].lane, deadline_us);
    postgres_connector_free(postgres->state.connector);
    free_store(postgres);
}

static const struct store_backend methods = {
    .operation_bytes = sizeof(struct postgres_operation),
    .shares_rates = true,
    .push = push,
    .sweep = sweep,
    .stats = stats,
    .close = close_store,
};

/* What today has used up already. */
static void read_usage(PGconn *conn, struct postgres_ground *ground)
{
    struct store_usage usage = {.day = store_day(clock_wall_ms())};
    struct postgres_values values = {0};
    PGresult *result;

    postgres_value_number(&values, usage.day);
    result = postgres_ask(conn, POSTGRES_READ_DAY, &values);
    if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1) {
        struct postgres_row row = postgres_row_of(result, 0);

        usage.turns = postgres_row_number(&row);
        usage.audio_ms = postgres_row_number(&row);
    }
    PQclear(result);
    store_usage_note(&ground->usage, &usage);
}

struct store_backend *store_postgres_open(const char *url, struct buffer *problem)
{
    struct postgres_store *store = MEM_NEW(struct postgres_store);
    enum postgres_trouble trouble = TROUBLE_REFUSED;
    PGconn *conn = NULL;

    store->backend = methods;
    store->state.health = &store->backend.health;
    store->state.ground.process = postgres_process_here();
    pthread_mutex_init(&store->lock, NULL);
    store_usage_init(&store->state.ground.usage);
    if (postgres_connect_check(url, problem))
        conn = postgres_connect(url, USE_BLOCKING, &store->state.ground.process,
                                store->state.health, &trouble, problem);
    if (conn != NULL) {
        read_usage(conn, &store->state.ground);
        postgres_process_bury(conn, &store->state.ground.process);
    }
    if (trouble != TROUBLE_REFUSED)
        store->state.connector = postgres_connector_start(url, conn, &store->state.ground,
                                                          store->state.health, problem);
    if (store->state.connector != NULL)
        return &store->backend;
    free_store(store);
    return NULL;
}
