/*
 * The front of the store: one for each loop.  Every call becomes one operation, is counted, and
 * goes to the backend.
 *
 *   store_... > ask > backend->push > ... > store_operation_tell > on_told > done
 */
#include "store.h"

#include "clock.h"
#include "mem.h"
#include "store_operation_internal.h"
#include "store_postgres_internal.h"
#include "store_sqlite_internal.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A store that fails now and then is away until it has not failed for so long. */
#define QUIET_US       3000000
#define FIRST_LOOK_MS  100
#define LOOKS_EVERY_MS 1000

struct store {
    struct store_backend *backend; /* borrowed, like the next three */
    struct loop *loop;
    struct metrics *metrics;
    struct log *log;
    struct loop_timer
        *look; /* owned: to the next look whether it is back; NULL: none is due */
    /* The backend's, that somebody waits for, as they were asked. */
    struct store_operation *first;
    struct store_operation *last;
};

static loop_fn look;
static store_done_fn on_looked;

bool store_is_postgres(const char *url)
{
    return url != NULL && (strncmp(url, "postgresql://", strlen("postgresql://")) == 0 ||
                           strncmp(url, "postgres://", strlen("postgres://")) == 0);
}

struct store_backend *store_open(const char *url, struct buffer *problem)
{
    return store_is_postgres(url) ? store_postgres_open(url, problem)
                                  : store_sqlite_open(url, problem);
}

bool store_refusals(const char *url, int64_t since_ms, refusal_fn *tell, void *context,
                    struct buffer *problem)
{
    return store_is_postgres(url)
               ? store_postgres_refusals(url, since_ms, tell, context, problem)
               : store_sqlite_refusals(url, since_ms, tell, context, problem);
}

static bool is_left_to_postgres(const char *url, struct buffer *problem)
{
    if (store_is_postgres(url))
        buffer_append_string(problem,
                             "store: PostgreSQL has its own tools for this: pg_dump "
                             "--table='poise_*', pg_restore, pg_basebackup\n");
    return store_is_postgres(url);
}

enum store_presence store_presence(const char *url)
{
    return store_is_postgres(url) ? STORE_PRESENT : store_sqlite_presence(url);
}

bool store_is_older(const char *url)
{
    return store_is_postgres(url) ? store_postgres_is_older(url)
                                  : store_sqlite_is_older(url);
}

bool store_backup(const char *url, const char *file, bool may_replace,
                  struct store_copy *ret_copy, struct buffer *problem)
{
    return !is_left_to_postgres(url, problem) &&
           store_sqlite_backup(url, file, may_replace, ret_copy, problem);
}

bool store_restore(const char *url, const char *file, bool may_replace,
                   struct store_copy *ret_copy, struct buffer *problem)
{
    return !is_left_to_postgres(url, problem) &&
           store_sqlite_restore(url, file, may_replace, ret_copy, problem);
}

void store_close(struct store_backend *backend)
{
    if (backend != NULL)
        backend->close(backend);
}

void store_sweep(struct store_backend *backend, int64_t now_ms,
                 int64_t refusals_before_ms)
{
    backend->sweep(backend, now_ms, refusals_before_ms);
}

struct store_stats store_stats(struct store_backend *backend)
{
    struct store_stats stats = backend->stats(backend);
    bool was_full = atomic_exchange(&backend->health.is_full, stats.is_disk_full);

    if (stats.is_disk_full && !was_full)
        store_trouble_note(&backend->health, &(struct store_trouble){.code = "DISK_FULL",
                                                                     .number = ENOSPC});
    return stats;
}

struct store *store_new(struct store_backend *backend, struct loop *loop,
                        struct metrics *metrics, struct log *log)
{
    struct store *store = MEM_NEW(struct store);

    store->backend = backend;
    store->loop = loop;
    store->metrics = metrics;
    store->log = log;
    return store;
}

void store_free(struct store *store)
{
    if (store == NULL)
        return;
    loop_timer_cancel(store->look);
    free(store);
}

struct store_trouble store_trouble(struct store_backend *backend)
{
    return store_trouble_latest(&backend->health);
}

static void log_away(struct store *store)
{
    struct store_trouble trouble = store_trouble(store->backend);
    struct log_line *line = log_begin(store->log, LOG_ERROR, "store_away");

    if (*trouble.code != '\0')
        log_word(line, LOG_STORE_ERROR, trouble.code);
    if (trouble.condition != NULL)
        log_word(line, LOG_CONDITION, trouble.condition);
    if (*trouble.host != '\0')
        log_word(line, LOG_HOST, trouble.host);
    if (trouble.number != 0)
        log_number(line, LOG_ERRNO, trouble.number);
    log_sentence(line, LOG_SAID, &trouble.said);
    log_end(line);
}

/* Of all loops the first that sees it says it, and looks whether the store is back. */
static void note_failure(struct store *store, int64_t now_us)
{
    struct store_health *health = &store->backend->health;

    if (store->log == NULL)
        return;
    atomic_store(&health->failed_us, now_us);
    atomic_store(&health->is_down, true);
    if (atomic_exchange(&health->is_away, true))
        return;
    log_away(store);
    if (store->look == NULL)
        store->look = loop_timer_start(store->loop, FIRST_LOOK_MS, look, store);
}

/* Something was written that was asked for after the last failure. */
static void note_success(struct store *store, const struct store_operation *operation)
{
    struct store_health *health = &store->backend->health;
    int64_t quiet_us = operation->asked_us - atomic_load(&health->failed_us);

    if (!atomic_load_explicit(&health->is_away, memory_order_relaxed) || quiet_us < 0)
        return;
    atomic_store(&health->is_down, false);
    if (quiet_us >= QUIET_US && store->log != NULL &&
        atomic_exchange(&health->is_away, false))
        log_end(log_begin(store->log, LOG_WARNING, "store_back"));
}

static void look(void *context)
{
    struct store *store = context;

    store->look = NULL;
    store_check(store, on_looked, store);
}

static void on_looked(void *context, enum error error)
{
    struct store *store = context;

    (void)error; /* on_told() has heard of it */
    if (atomic_load(&store->backend->health.is_away) && store->look == NULL)
        store->look = loop_timer_start(store->loop, LOOKS_EVERY_MS, look, store);
}

/* Those of which one that succeeds shows that others can. */
static bool is_written(enum store_kind kind)
{
    return kind == STORE_CREATE || kind == STORE_COMMIT || kind == STORE_FINISH ||
           kind == STORE_DELETE || kind == STORE_REFUSAL || kind == STORE_CHECK;
}

/* A turn that could not be kept is not run: the claim is given back. */
static void refuse_begun(struct store *store, struct store_operation *operation)
{
    struct store_end end = {.session_id = operation->request.begin.session_id,
                            .request_id = operation->request.begin.request_id,
                            .now_ms = operation->now_ms};

    session_free(operation->begun.session);
    private_text_free(&operation->begun.heard);
    operation->begun = (struct store_begun){0};
    operation->error = ERROR_STORE_UNAVAILABLE;
    store_end_turn(store, &end);
}

/* As metrics name what is waited for. */
static enum store_call call_of(enum store_kind kind)
{
    switch (kind) {
    case STORE_CREATE: return STORE_CALL_CREATE_SESSION;
    case STORE_LOAD: return STORE_CALL_LOAD_SESSION;
    case STORE_DELETE: return STORE_CALL_DELETE_SESSION;
    case STORE_BEGIN: return STORE_CALL_BEGIN_TURN;
    case STORE_COMMIT:
    case STORE_END: return STORE_CALL_COMMIT_TURN; /* of a reply that is kept */
    case STORE_FINISH: return STORE_CALL_FINISH_SESSION;
    case STORE_SPEECH: return STORE_CALL_LOAD_SPEECH;
    case STORE_REFUSAL: return STORE_CALL_NOTE_REFUSAL;
    case STORE_RATES: return STORE_CALL_TAKE_RATES;
    case STORE_COUNT_USE: return STORE_CALL_COUNT_USE;
    case STORE_CHECK: return STORE_CALL_CHECK;
    case STORE_REMEMBER:
    case STORE_REPORT:
    case STORE_SWEEP:
    case STORE_BEAT: break; /* nobody waits for these */
    }
    return STORE_CALL_COUNT;
}

static void on_told(struct store_operation *operation)
{
    struct store *store = operation->store;
    enum store_call call = call_of(operation->kind);
    int64_t now_us = clock_monotonic_us();

    histogram_note(&store->metrics->STORE_DURATION[call], BUCKETS_DURATIONS,
                   now_us - operation->asked_us);
    if (operation->error == ERROR_STORE_UNAVAILABLE) {
        metrics_add(&store->metrics->STORE_FAILURES[call], 1);
        note_failure(store, now_us);
    } else if (is_written(operation->kind)) {
        note_success(store, operation);
    } else if (operation->kind == STORE_BEGIN && operation->error == OK &&
               operation->begun.decision == STORE_RUN &&
               atomic_load_explicit(&store->backend->health.is_full,
                                    memory_order_relaxed)) {
        refuse_begun(store, operation);
    }
    metrics_add(&store->metrics->STORE_WAITING, -1);
    if (operation->asked_before != NULL)
        operation->asked_before->asked_after = operation->asked_after;
    else
        store->first = operation->asked_after;
    if (operation->asked_after != NULL)
        operation->asked_after->asked_before = operation->asked_before;
    else
        store->last = operation->asked_before;
}

static struct store_operation *make(struct store *store, enum store_kind kind)
{
    return store_operation_new(store->backend, kind, store->loop);
}

static struct store_operation *make_on(struct store *store, enum store_kind kind,
                                       const struct id *session_id, int64_t now_ms)
{
    struct store_operation *operation = make(store, kind);

    operation->has_session = true;
    operation->session_id = store_id_of(session_id);
    operation->now_ms = now_ms;
    return operation;
}

/* For who waits; who does not goes to push(). */
static void ask(struct store *store, struct store_operation *operation, void *context)
{
    operation->store = store;
    operation->told = on_told;
    operation->context = context;
    operation->asked_us = clock_monotonic_us();
    operation->asked_before = store->last;
    if (store->last != NULL)
        store->last->asked_after = operation;
    else
        store->first = operation;
    store->last = operation;
    metrics_add(&store->metrics->STORE_WAITING, 1);
    store->backend->push(store->backend, operation);
}

static void push(struct store *store, struct store_operation *operation)
{
    operation->asked_us = clock_monotonic_us();
    store->backend->push(store->backend, operation);
}

void store_create_session(struct store *store, struct store_new_session *request,
                          store_session_fn *done, void *context)
{
    struct store_operation *operation =
        make_on(store, STORE_CREATE, &request->session->id, request->now_ms);

    assert(request->session->asked_count == 1 && request->session->turn_count == 0);
    operation->done.session = done;
    operation->request.create = *request;
    request->session = NULL;
    ask(store, operation, context);
}

void store_load_session(struct store *store, const struct id *session_id, int64_t now_ms,
                        bool is_whole, store_session_fn *done, void *context)
{
    struct store_operation *operation = make_on(store, STORE_LOAD, session_id, now_ms);

    operation->request.is_whole = is_whole;
    operation->done.session = done;
    ask(store, operation, context);
}

void store_delete_session(struct store *store, const struct id *session_id,
                          int64_t now_ms, store_done_fn *done, void *context)
{
    struct store_operation *operation = make_on(store, STORE_DELETE, session_id, now_ms);

    operation->done.done = done;
    ask(store, operation, context);
}

static void begin_turn(struct store *store, const struct store_claim *claim,
                       store_begun_fn *done, void *context)
{
    struct store_operation *operation =
        make_on(store, STORE_BEGIN, &claim->session_id, claim->now_ms);

    operation->done.begun = done;
    operation->request.begin = *claim;
    ask(store, operation, context);
}

/* A turn that waits until it is known whether it could be kept. */
struct held {
    struct store *store; /* borrowed */
    struct store_claim claim;
    store_begun_fn *done;
    void *context; /* borrowed */
};

static void on_checked(void *context, enum error error)
{
    struct held *held = context;

    if (error == OK)
        begin_turn(held->store, &held->claim, held->done, held->context);
    else
        held->done(held->context, error, (struct store_begun){0});
    free(held);
}

void store_begin_turn(struct store *store, const struct store_claim *claim,
                      store_begun_fn *done, void *context)
{
    struct held *held;

    if (!atomic_load_explicit(&store->backend->health.is_down, memory_order_relaxed)) {
        begin_turn(store, claim, done, context);
        return;
    }
    held = MEM_NEW(struct held);
    *held = (struct held){store, *claim, done, context};
    store_check(store, on_checked, held);
}

void store_commit_turn(struct store *store, struct store_commit *commit,
                       store_done_fn *done, void *context)
{
    struct store_operation *operation =
        make_on(store, STORE_COMMIT, &commit->session_id, commit->now_ms);

    assert(commit->turn_number >= 1 && commit->turn_number <= SESSION_MAX_QUESTIONS &&
           commit->commit_number >= commit->turn_number &&
           commit->commit_number <= SESSION_MAX_COMMITS);
    operation->done.done = done;
    operation->request.commit = *commit;
    commit->transcript = commit->next_question = commit->outcome = commit->speech.audio =
        (struct private_text){0};
    ask(store, operation, context);
}

void store_finish_session(struct store *store, struct store_finish *finish,
                          store_done_fn *done, void *context)
{
    struct store_operation *operation =
        make_on(store, STORE_FINISH, &finish->session_id, finish->now_ms);

    operation->done.done = done;
    operation->request.finish = *finish;
    finish->outcome = (struct private_text){0};
    ask(store, operation, context);
}

static struct store_operation *make_end(struct store *store, struct store_end *end)
{
    struct store_operation *operation =
        make_on(store, STORE_END, &end->session_id, end->now_ms);

    operation->request.end = *end;
    end->outcome = end->speech.audio = (struct private_text){0};
    return operation;
}

void store_end_turn(struct store *store, struct store_end *end)
{
    push(store, make_end(store, end));
}

void store_keep_reply(struct store *store, struct store_end *end, store_done_fn *done,
                      void *context)
{
    struct store_operation *operation = make_end(store, end);

    operation->done.done = done;
    ask(store, operation, context);
}

void store_remember_heard(struct store *store, const struct id *session_id,
                          const struct digest *audio, struct private_text *heard)
{
    struct store_operation *operation;

    if (heard->length > STORE_HEARD_BYTES_MOST) {
        private_text_free(heard);
        return;
    }
    operation = make_on(store, STORE_REMEMBER, session_id, 0);
    operation->request.remember.audio = *audio;
    operation->request.remember.heard = *heard;
    *heard = (struct private_text){0};
    push(store, operation);
}

void store_load_speech(struct store *store, const struct id *session_id,
                       const struct id *request_id, int64_t now_ms, store_speech_fn *done,
                       void *context)
{
    struct store_operation *operation = make_on(store, STORE_SPEECH, session_id, now_ms);

    operation->done.speech = done;
    operation->request.speech_of = *request_id;
    ask(store, operation, context);
}

void store_report_delivery(struct store *store, const struct id *session_id,
                           unsigned commit_number, bool was_delivered)
{
    struct store_operation *operation = make_on(store, STORE_REPORT, session_id, 0);

    operation->request.report.commit_number = commit_number;
    operation->request.report.was_delivered = was_delivered;
    push(store, operation);
}

void store_note_refusal(struct store *store, struct refusal *refusal, store_done_fn *done,
                        void *context)
{
    struct store_operation *operation = make(store, STORE_REFUSAL);

    operation->done.done = done;
    operation->request.refusal = *refusal;
    refusal->question = (struct private_text){0};
    ask(store, operation, context);
}

bool store_shares_rates(const struct store *store)
{
    return store->backend->shares_rates;
}

void store_take_rates(struct store *store, const struct store_rate_request *request,
                      store_rates_fn *done, void *context)
{
    struct store_operation *operation = make(store, STORE_RATES);

    assert(request->count >= 1 && request->count <= STORE_RATES_MOST);
    operation->done.rates = done;
    operation->request.rates = *request;
    ask(store, operation, context);
}

void store_count_use(struct store *store, const struct store_day_caps *caps,
                     int64_t now_ms, store_done_fn *done, void *context)
{
    struct store_operation *operation = make(store, STORE_COUNT_USE);

    operation->now_ms = now_ms;
    operation->request.begin = (struct store_claim){.caps = *caps, .now_ms = now_ms};
    operation->done.done = done;
    ask(store, operation, context);
}

void store_check(struct store *store, store_done_fn *done, void *context)
{
    struct store_operation *operation = make(store, STORE_CHECK);

    operation->done.done = done;
    ask(store, operation, context);
}

/* Removing every trace of a session may take long in a store that is well; so may finding
 * out whether it is. */
static bool is_patient(enum store_kind kind)
{
    return kind == STORE_DELETE || kind == STORE_CHECK;
}

int64_t store_oldest_us(const struct store *store)
{
    const struct store_operation *operation = store->first;

    while (operation != NULL && is_patient(operation->kind))
        operation = operation->asked_after;
    return operation == NULL ? 0 : clock_monotonic_us() - operation->asked_us;
}
