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
#include <stdlib.h>
#include <string.h>

/* A store that fails now and then is told of this often at most. */
#define SAY_AWAY_EVERY_US 1000000

struct store {
    struct store_backend *backend; /* borrowed, like the next three */
    struct loop *loop;
    struct metrics *metrics;
    struct log *log;
    bool is_away; /* as the log has it */
    int64_t said_away_us;
    /* The backend's, that somebody waits for, as they were asked. */
    struct store_operation *first;
    struct store_operation *last;
};

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
    return backend->stats(backend);
}

struct store *store_new(struct store_backend *backend, struct loop *loop,
                        struct metrics *metrics, struct log *log)
{
    struct store *store = MEM_NEW(struct store);

    store->backend = backend;
    store->loop = loop;
    store->metrics = metrics;
    store->log = log;
    store->said_away_us = -SAY_AWAY_EVERY_US;
    return store;
}

void store_free(struct store *store)
{
    free(store);
}

static void note_away(struct store *store, int64_t now_us)
{
    struct log_line *line;

    if (store->log == NULL || store->is_away ||
        now_us - store->said_away_us < SAY_AWAY_EVERY_US)
        return;
    store->is_away = true;
    store->said_away_us = now_us;
    line = log_begin(store->log, LOG_ERROR, "store_away");
    log_number(line, LOG_STORE_ERROR, store_stats(store->backend).last_error);
    log_end(line);
}

static void note_back(struct store *store)
{
    if (!store->is_away)
        return;
    store->is_away = false;
    log_end(log_begin(store->log, LOG_WARNING, "store_back"));
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
        note_away(store, now_us);
    } else {
        note_back(store);
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

void store_begin_turn(struct store *store, const struct store_claim *claim,
                      store_begun_fn *done, void *context)
{
    struct store_operation *operation =
        make_on(store, STORE_BEGIN, &claim->session_id, claim->now_ms);

    operation->done.begun = done;
    operation->request.begin = *claim;
    ask(store, operation, context);
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
