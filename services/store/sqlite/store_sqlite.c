/*
 * The store in SQLite, as loops see it: each call becomes an operation for the store's
 * thread.
 *
 *     store_sqlite.c      what may be asked (any loop's thread)
 *     sqlite_worker.c     the queue, the thread, the way back
 *
 * and on the store's thread:
 *
 *     sqlite_keeper.c     batches: what reads at once, what writes in one transaction
 *     sqlite_operation.c  what each operation does in it
 *     store_claims.c      turns that run, replies on their way
 *     sqlite_rows.c       statements and rows: sessions; sqlite_turns.c, sqlite_speech.c,
 *                         sqlite_refusals.c
 *     sqlite_file.c       the file: opening, migrations, the log
 */
#include "store_sqlite.h"

#include "mem.h"
#include "sqlite_place.h"
#include "sqlite_worker.h"

#include <assert.h>
#include <stdlib.h>

struct sqlite_store {
    struct store store;           /* the first member: the interface is cast back */
    struct sqlite_worker *worker; /* owned */
};

static struct sqlite_worker *worker_of(struct store *store)
{
    return ((struct sqlite_store *)store)->worker;
}

static struct operation *operation_on(enum operation_kind kind, struct loop *loop,
                                      void *context, const struct id *session_id,
                                      int64_t now_ms)
{
    struct operation *operation = operation_new(kind, loop, context);

    operation->has_session = true;
    operation->session_id = store_id_of(session_id);
    operation->now_ms = now_ms;
    return operation;
}

static void create_session(struct store *store, struct loop *loop,
                           struct store_new_session *request, store_session_fn *done,
                           void *context)
{
    struct operation *operation = operation_on(OPERATION_CREATE, loop, context,
                                               &request->session->id, request->now_ms);

    operation->tell.session = done;
    operation->request.create = *request;
    request->session = NULL;
    sqlite_worker_push(worker_of(store), operation, operation->loop);
}

static void load_session(struct store *store, struct loop *loop,
                         const struct id *session_id, int64_t now_ms,
                         store_session_fn *done, void *context)
{
    struct operation *operation =
        operation_on(OPERATION_LOAD, loop, context, session_id, now_ms);

    operation->tell.session = done;
    sqlite_worker_push(worker_of(store), operation, operation->loop);
}

static void delete_session(struct store *store, struct loop *loop,
                           const struct id *session_id, int64_t now_ms,
                           store_done_fn *done, void *context)
{
    struct operation *operation =
        operation_on(OPERATION_DELETE, loop, context, session_id, now_ms);

    operation->tell.done = done;
    sqlite_worker_push(worker_of(store), operation, operation->loop);
}

static void begin_turn(struct store *store, struct loop *loop,
                       const struct store_claim *claim, store_begun_fn *done,
                       void *context)
{
    struct operation *operation =
        operation_on(OPERATION_BEGIN, loop, context, &claim->session_id, claim->now_ms);

    operation->tell.begun = done;
    operation->request.begin = *claim;
    sqlite_worker_push(worker_of(store), operation, operation->loop);
}

static void commit_turn(struct store *store, struct loop *loop,
                        struct store_commit *commit, store_done_fn *done, void *context)
{
    struct operation *operation = operation_on(OPERATION_COMMIT, loop, context,
                                               &commit->session_id, commit->now_ms);

    assert(commit->turn_number >= 1 && commit->turn_number <= SESSION_MAX_QUESTIONS);
    operation->tell.done = done;
    operation->request.commit = *commit;
    commit->transcript = commit->next_question = commit->outcome = commit->speech.audio =
        (struct private_text){0};
    sqlite_worker_push(worker_of(store), operation, operation->loop);
}

static void end_turn(struct store *store, struct loop *loop, struct store_end *end)
{
    struct operation *operation =
        operation_on(OPERATION_END, NULL, NULL, &end->session_id, end->now_ms);

    operation->request.end = *end;
    end->outcome = (struct private_text){0};
    sqlite_worker_push(worker_of(store), operation, loop);
}

static void remember_heard(struct store *store, struct loop *loop,
                           const struct id *session_id, const struct digest *audio,
                           struct private_text *heard)
{
    struct operation *operation;

    if (heard->length > STORE_HEARD_BYTES_MOST) {
        private_text_free(heard);
        return;
    }
    operation = operation_on(OPERATION_REMEMBER, NULL, NULL, session_id, 0);
    operation->request.remember = (struct store_hearing){*audio, *heard};
    *heard = (struct private_text){0};
    sqlite_worker_push(worker_of(store), operation, loop);
}

static void load_speech(struct store *store, struct loop *loop,
                        const struct id *session_id, const struct id *request_id,
                        int64_t now_ms, store_speech_fn *done, void *context)
{
    struct operation *operation =
        operation_on(OPERATION_SPEECH, loop, context, session_id, now_ms);

    operation->tell.speech = done;
    operation->request.speech_of = *request_id;
    sqlite_worker_push(worker_of(store), operation, operation->loop);
}

static void report_delivery(struct store *store, struct loop *loop,
                            const struct id *session_id, unsigned turn_number,
                            bool was_delivered)
{
    struct operation *operation =
        operation_on(OPERATION_REPORT, NULL, NULL, session_id, 0);

    operation->request.report = (struct store_report){turn_number, was_delivered};
    sqlite_worker_push(worker_of(store), operation, loop);
}

static void note_refusal(struct store *store, struct loop *loop, struct refusal *refusal,
                         store_done_fn *done, void *context)
{
    struct operation *operation = operation_new(OPERATION_REFUSAL, loop, context);

    operation->tell.done = done;
    operation->request.refusal = *refusal;
    refusal->question = (struct private_text){0};
    sqlite_worker_push(worker_of(store), operation, loop);
}

static void sweep(struct store *store, int64_t now_ms, int64_t refusals_before_ms)
{
    struct operation *operation = operation_new(OPERATION_SWEEP, NULL, NULL);

    operation->now_ms = now_ms;
    operation->request.refusals_before_ms = refusals_before_ms;
    sqlite_worker_push(worker_of(store), operation, operation->loop);
}

static void check(struct store *store, struct loop *loop, store_done_fn *done,
                  void *context)
{
    struct operation *operation = operation_new(OPERATION_CHECK, loop, context);

    operation->tell.done = done;
    sqlite_worker_push(worker_of(store), operation, operation->loop);
}

static struct store_stats stats(struct store *store)
{
    return sqlite_worker_stats(worker_of(store));
}

static void close_store(struct store *store)
{
    sqlite_worker_stop(worker_of(store));
    free(store);
}

struct store *store_sqlite_open(const char *url, struct buffer *problem)
{
    char *path = sqlite_place(url, problem);
    struct sqlite_keeper *keeper =
        path == NULL ? NULL : sqlite_keeper_open(path, problem);
    struct sqlite_worker *worker =
        keeper == NULL ? NULL : sqlite_worker_start(keeper, problem);
    struct sqlite_store *sqlite_store;

    free(path);
    if (worker == NULL)
        return NULL;
    sqlite_store = MEM_NEW(struct sqlite_store);
    sqlite_store->worker = worker;
    sqlite_store->store = (struct store){
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
        .sweep = sweep,
        .check = check,
        .stats = stats,
        .close = close_store,
    };
    return &sqlite_store->store;
}
