/*
 * The store in PostgreSQL, as loops see it: each call becomes an operation in the lane of its
 * loop.
 *
 *     store_postgres.c       what may be asked
 *     postgres_lane.c        a loop's queues and connections; what is tried again
 *     postgres_link.c        one connection: groups of statements out, answers in
 *     postgres_operation.c   what each operation asks, and makes of the answers
 *     postgres_values.c      values as PostgreSQL sends them
 *
 * and on a thread that may wait:
 *
 *     postgres_connector.c   makes connections again, sweeps (postgres_sweep.c)
 *     postgres_connect.c     makes one (postgres_schema.c: with the tables)
 */
#include "store_postgres.h"

#include "clock.h"
#include "mem.h"
#include "postgres_lane.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LANES_MOST 512
#define CLOSE_US   INT64_C(3000000)

struct postgres_store {
    struct store store; /* the first member: the interface is cast back */
    struct postgres_store_state state;

    /* One for each loop that has ever asked.  A lane and its loop are written before the count. */
    pthread_mutex_t lock;
    struct {
        struct loop *loop;
        struct postgres_lane *lane; /* owned */
    } lanes[LANES_MOST];
    _Atomic size_t lane_count;
};

static struct postgres_store *store_of(struct store *store)
{
    return (struct postgres_store *)store;
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

static void push(struct store *store, struct loop *loop,
                 struct postgres_operation *operation)
{
    postgres_lane_push(lane_of(store_of(store), loop), operation);
}

static struct postgres_operation *operation_on(enum postgres_kind kind, void *context,
                                               const struct id *session_id,
                                               int64_t now_ms)
{
    struct postgres_operation *operation = postgres_operation_new(kind, context);

    operation->has_session = true;
    operation->session_id = store_id_of(session_id);
    operation->now_ms = now_ms;
    return operation;
}

static void create_session(struct store *store, struct loop *loop,
                           struct store_new_session *request, store_session_fn *done,
                           void *context)
{
    struct postgres_operation *operation =
        operation_on(POSTGRES_CREATE, context, &request->session->id, request->now_ms);

    assert(request->session->asked_count == 1 && request->session->turn_count == 0);
    operation->tell.session = done;
    operation->request.create = *request;
    operation->is_alone = request->client_most > 0; /* it locks */
    request->session = NULL;
    push(store, loop, operation);
}

static void load_session(struct store *store, struct loop *loop,
                         const struct id *session_id, int64_t now_ms,
                         store_session_fn *done, void *context)
{
    struct postgres_operation *operation =
        operation_on(POSTGRES_LOAD, context, session_id, now_ms);

    operation->tell.session = done;
    push(store, loop, operation);
}

static void delete_session(struct store *store, struct loop *loop,
                           const struct id *session_id, int64_t now_ms,
                           store_done_fn *done, void *context)
{
    struct postgres_operation *operation =
        operation_on(POSTGRES_DELETE, context, session_id, now_ms);

    operation->tell.done = done;
    push(store, loop, operation);
}

static void begin_turn(struct store *store, struct loop *loop,
                       const struct store_claim *claim, store_begun_fn *done,
                       void *context)
{
    struct postgres_operation *operation =
        operation_on(POSTGRES_BEGIN, context, &claim->session_id, claim->now_ms);

    operation->tell.begun = done;
    operation->request.begin = *claim;
    push(store, loop, operation);
}

static void commit_turn(struct store *store, struct loop *loop,
                        struct store_commit *commit, store_done_fn *done, void *context)
{
    struct postgres_operation *operation =
        operation_on(POSTGRES_COMMIT, context, &commit->session_id, commit->now_ms);

    assert(commit->turn_number >= 1 && commit->turn_number <= SESSION_MAX_QUESTIONS);
    operation->tell.done = done;
    operation->request.commit = *commit;
    commit->transcript = commit->next_question = commit->outcome = commit->speech.audio =
        (struct private_text){0};
    push(store, loop, operation);
}

static void end_turn(struct store *store, struct loop *loop, struct store_end *end)
{
    struct postgres_operation *operation =
        operation_on(POSTGRES_END, NULL, &end->session_id, end->now_ms);

    operation->request.end = *end;
    end->outcome = (struct private_text){0};
    push(store, loop, operation);
}

static void remember_heard(struct store *store, struct loop *loop,
                           const struct id *session_id, const struct digest *audio,
                           struct private_text *heard)
{
    struct postgres_operation *operation;

    if (heard->length > STORE_HEARD_BYTES_MOST) {
        private_text_free(heard);
        return;
    }
    operation = operation_on(POSTGRES_REMEMBER, NULL, session_id, 0);
    operation->request.remember.audio = *audio;
    operation->request.remember.heard = *heard;
    *heard = (struct private_text){0};
    push(store, loop, operation);
}

static void load_speech(struct store *store, struct loop *loop,
                        const struct id *session_id, const struct id *request_id,
                        int64_t now_ms, store_speech_fn *done, void *context)
{
    struct postgres_operation *operation =
        operation_on(POSTGRES_SPEECH, context, session_id, now_ms);

    operation->tell.speech = done;
    operation->request.speech_of = *request_id;
    push(store, loop, operation);
}

static void report_delivery(struct store *store, struct loop *loop,
                            const struct id *session_id, unsigned turn_number,
                            bool was_delivered)
{
    struct postgres_operation *operation =
        operation_on(POSTGRES_DELIVERY, NULL, session_id, 0);

    operation->request.report.turn_number = turn_number;
    operation->request.report.was_delivered = was_delivered;
    push(store, loop, operation);
}

static void note_refusal(struct store *store, struct loop *loop, struct refusal *refusal,
                         store_done_fn *done, void *context)
{
    struct postgres_operation *operation =
        postgres_operation_new(POSTGRES_REFUSAL, context);
    struct id id = id_random();

    operation->tell.done = done;
    operation->request.note.refusal = *refusal;
    operation->request.note.id = store_id_of(&id);
    refusal->question = (struct private_text){0};
    push(store, loop, operation);
}

static void take_rates(struct store *store, struct loop *loop,
                       const struct store_rate_request *request, store_rates_fn *done,
                       void *context)
{
    struct postgres_operation *operation =
        postgres_operation_new(POSTGRES_RATES, context);

    assert(request->count >= 1 && request->count <= STORE_RATES_MOST);
    operation->tell.rates = done;
    operation->request.rates = *request;
    operation->is_alone = true; /* it locks, and two may ask in opposite orders */
    push(store, loop, operation);
}

static void sweep(struct store *store, int64_t now_ms, int64_t refusals_before_ms)
{
    postgres_connector_sweep(store_of(store)->state.connector, now_ms,
                             refusals_before_ms);
}

static void check(struct store *store, struct loop *loop, store_done_fn *done,
                  void *context)
{
    struct postgres_operation *operation =
        postgres_operation_new(POSTGRES_CHECK, context);

    operation->tell.done = done;
    push(store, loop, operation);
}

static struct store_stats stats(struct store *store)
{
    struct postgres_store_state *state = &store_of(store)->state;

    return (struct store_stats){
        .commits = atomic_load_explicit(&state->commits, memory_order_relaxed),
        .operations = atomic_load_explicit(&state->operations, memory_order_relaxed),
        .last_error = atomic_load_explicit(&state->last_error, memory_order_relaxed),
        .usage = store_usage_latest(&state->ground.usage),
    };
}

static void free_store(struct postgres_store *store)
{
    store_usage_done(&store->state.ground.usage);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

static void close_store(struct store *store)
{
    struct postgres_store *postgres = store_of(store);
    int64_t deadline_us = clock_monotonic_us() + CLOSE_US;

    postgres_connector_stop(postgres->state.connector);
    for (size_t at = 0; at < atomic_load(&postgres->lane_count); at++)
        postgres_lane_close(postgres->lanes[at].lane, deadline_us);
    postgres_connector_free(postgres->state.connector);
    free_store(postgres);
}

static const struct store methods = {
    .create_session = create_session,
    .load_session = load_session,
    .delete_session = delete_session,
    .begin_turn = begin_turn,
    .commit_turn = commit_turn,
    .end_turn = end_turn,
    .remember_heard = remember_heard,
    .load_speech = load_speech,
    .report_delivery = report_delivery,
    .note_refusal = note_refusal,
    .take_rates = take_rates,
    .sweep = sweep,
    .check = check,
    .stats = stats,
    .close = close_store,
};

bool store_postgres_is_url(const char *url)
{
    if (url == NULL)
        return false;
    return strncmp(url, "postgresql://", strlen("postgresql://")) == 0 ||
           strncmp(url, "postgres://", strlen("postgres://")) == 0;
}

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

struct store *store_postgres_open(const char *url, struct buffer *problem)
{
    struct postgres_store *store = MEM_NEW(struct postgres_store);
    enum postgres_trouble trouble = TROUBLE_REFUSED;
    PGconn *conn = NULL;

    store->store = methods;
    store->state.ground.process = postgres_process_here();
    pthread_mutex_init(&store->lock, NULL);
    store_usage_init(&store->state.ground.usage);
    if (postgres_connect_check(url, problem))
        conn = postgres_connect(url, USE_BLOCKING, &store->state.ground.process, &trouble,
                                problem);
    if (conn != NULL) {
        read_usage(conn, &store->state.ground);
        postgres_process_bury(conn, &store->state.ground.process);
    }
    if (trouble != TROUBLE_REFUSED)
        store->state.connector = postgres_connector_start(
            url, conn, &store->state.ground, &store->state.last_error, problem);
    if (store->state.connector != NULL)
        return &store->store;
    free_store(store);
    return NULL;
}
