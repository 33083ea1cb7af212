/*
 * The life of one question to the embedded index.
 *
 *   start > [wait for a search >] run, on a thread of libuv's > on_ran > done
 *         > cancel, at any time; or on_timeout > done
 *
 * A search is one thread's at a time, so a question takes one off the retriever's shelf and puts it back.
 * There are few: the threads of libuv are few, and shared with all other loops.
 *
 * A question that is cancelled while it runs cannot be stopped: it is forgotten, and cleans up when it has
 * run.  Then its retriever may be gone already.
 */
#include "retriever_internal.h"

#include "mem.h"
#include "private_reveal.h"
#include "search_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SEARCHES_MOST = 4, PROBLEM_BYTES = 1024 };

/* In the order in which they came. */
struct call_list {
    struct retriever_call *first, *last; /* linked by `next` and `previous` */
};

struct sqlite_retriever {
    struct retriever retriever; /* the first member: a retriever is cast back */
    struct loop *loop;          /* borrowed, like the next */
    struct log *log;
    char *path;                            /* owned; NULL: the handbook */
    struct corpus *corpus, *corpus_before; /* owned; the second: may still be borrowed */
    struct search_version corpus_version;  /* of the index that `corpus` is from */
    struct search *shelf[SEARCHES_MOST];   /* owned: those at rest */
    size_t shelved, searches;              /* `searches` counts those at work too */
    struct call_list waiting, running;     /* for a search, and with one */
};

struct retriever_call {
    uv_work_t work;                  /* the first member: it is cast back */
    struct sqlite_retriever *sqlite; /* borrowed; NULL: it is gone */
    struct retriever_call *next, *previous;
    struct loop_timer *timer;                /* owned */
    retriever_done_fn *done;                 /* NULL: nobody waits any more */
    void *context;                           /* borrowed from whom asked */
    struct private_text question, selection; /* owned */
    bool has_selection;
    size_t limit;
    struct search *search;               /* owned while it runs; NULL: waiting for one */
    struct search_version known_version; /* of the retriever's corpus */

    enum error error; /* what came of it, from here on */
    struct retrieval retrieval;
    struct search_version version;
    struct corpus *corpus; /* owned: of a version that the retriever did not know */
};

static struct retriever_call *start(struct retriever *retriever,
                                    const struct retriever_ask *ask,
                                    retriever_done_fn *done, void *context);
static void run(uv_work_t *work);
static void on_ran(uv_work_t *work, int status);
static void on_timeout(void *context);
static void cancel(struct retriever_call *call);
static struct corpus *corpus(struct retriever *retriever);
static void sqlite_free(struct retriever *retriever);

struct retriever *retriever_sqlite_new(const char *path, struct loop *loop,
                                       struct log *log, struct buffer *problem)
{
    struct sqlite_retriever *sqlite = MEM_NEW(struct sqlite_retriever);
    struct search *search;

    sqlite->retriever = (struct retriever){"sqlite", start, cancel, corpus, sqlite_free};
    sqlite->loop = loop;
    sqlite->log = log;
    sqlite->path = path != NULL && *path != '\0' ? mem_copy_string(path) : NULL;
    search = search_new(sqlite->path);
    sqlite->shelf[sqlite->shelved++] = search;
    sqlite->searches = 1;
    if (search_refresh(search, problem)) {
        sqlite->corpus = corpus_new("corpus.json", search_corpus_json(search), problem);
        sqlite->corpus_version = search_version(search);
    }
    if (sqlite->corpus == NULL) {
        sqlite_free(&sqlite->retriever);
        return NULL;
    }
    return &sqlite->retriever;
}

/* ---- the two lists ---- */

static void join(struct call_list *list, struct retriever_call *call)
{
    call->previous = list->last;
    if (list->last != NULL)
        list->last->next = call;
    else
        list->first = call;
    list->last = call;
}

static void leave(struct call_list *list, struct retriever_call *call)
{
    if (call->previous != NULL)
        call->previous->next = call->next;
    else
        list->first = call->next;
    if (call->next != NULL)
        call->next->previous = call->previous;
    else
        list->last = call->previous;
    call->next = call->previous = NULL;
}

/* ---- start ---- */

static struct search *take_search(struct sqlite_retriever *sqlite)
{
    if (sqlite->shelved > 0)
        return sqlite->shelf[--sqlite->shelved];
    if (sqlite->searches == SEARCHES_MOST)
        return NULL;
    sqlite->searches++;
    return search_new(sqlite->path);
}

static void run_next(struct sqlite_retriever *sqlite)
{
    struct retriever_call *call = sqlite->waiting.first;
    struct search *search = call != NULL ? take_search(sqlite) : NULL;

    if (search == NULL)
        return;
    leave(&sqlite->waiting, call);
    join(&sqlite->running, call);
    call->search = search;
    call->known_version = sqlite->corpus_version;
    if (uv_queue_work(loop_uv(sqlite->loop), &call->work, run, on_ran) != 0)
        abort(); /* it refuses only a missing function */
}

static struct retriever_call *start(struct retriever *retriever,
                                    const struct retriever_ask *ask,
                                    retriever_done_fn *done, void *context)
{
    struct sqlite_retriever *sqlite = (struct sqlite_retriever *)retriever;
    struct retriever_call *call = MEM_NEW(struct retriever_call);

    call->sqlite = sqlite;
    call->done = done;
    call->context = context;
    call->question = private_text_clone(ask->question);
    call->has_selection = ask->selection != NULL;
    if (call->has_selection)
        call->selection = private_text_clone(ask->selection);
    call->limit = ask->limit;
    call->timer = loop_timer_start(sqlite->loop, ask->timeout_ms, on_timeout, call);
    join(&sqlite->waiting, call);
    run_next(sqlite);
    return call;
}

/* ---- on a thread of libuv's: nothing but the call and its search is touched ---- */

static void read_corpus(struct retriever_call *call, struct buffer *problem)
{
    call->version = search_version(call->search);
    if (!search_version_equals(call->version, call->known_version))
        call->corpus =
            corpus_new("corpus.json", search_corpus_json(call->search), problem);
}

static bool answer(struct retriever_call *call)
{
    struct span question = private_reveal(&call->question);

    if (call->has_selection)
        return search_coverage(call->search, question, private_reveal(&call->selection),
                               &call->retrieval.coverage);
    return search_find(call->search, question, call->limit, &call->retrieval.passages);
}

static void run(uv_work_t *work)
{
    struct retriever_call *call = (struct retriever_call *)work;
    struct buffer problem;

    buffer_init(&problem, PROBLEM_BYTES);
    if (!search_refresh(call->search, &problem)) {
        call->error = ERROR_STORE_UNAVAILABLE;
    } else {
        read_corpus(call, &problem);
        if (!answer(call))
            call->error = ERROR_STORE_UNAVAILABLE;
    }
    buffer_done(&problem);
}

/* ---- the end ---- */

/* A new index brings its own corpus.json.  One that cannot be read leaves the old one. */
static void adopt_corpus(struct sqlite_retriever *sqlite, struct retriever_call *call)
{
    if (call->corpus == NULL ||
        search_version_equals(call->version, sqlite->corpus_version))
        return;
    corpus_free(sqlite->corpus_before);
    sqlite->corpus_before = sqlite->corpus;
    sqlite->corpus = call->corpus;
    sqlite->corpus_version = call->version;
    call->corpus = NULL;
    log_end(log_begin(sqlite->log, LOG_INFO, "corpus_replaced"));
}

static void call_free(struct retriever_call *call)
{
    loop_timer_cancel(call->timer);
    private_text_free(&call->question);
    private_text_free(&call->selection);
    corpus_free(call->corpus);
    retrieval_done(&call->retrieval);
    free(call);
}

static void on_ran(uv_work_t *work, int status)
{
    struct retriever_call *call = (struct retriever_call *)work;
    struct sqlite_retriever *sqlite = call->sqlite;
    struct retrieval retrieval = call->retrieval;
    enum error error = call->error;
    retriever_done_fn *done = call->done;
    void *context = call->context;

    (void)status; /* UV_ECANCELED: it never ran, and nobody waits for it */
    if (sqlite == NULL) {
        search_free(call->search);
        call_free(call);
        return;
    }
    leave(&sqlite->running, call);
    sqlite->shelf[sqlite->shelved++] = call->search;
    adopt_corpus(sqlite, call);
    run_next(sqlite);
    if (done != NULL)
        call->retrieval = (struct retrieval){0};
    call_free(call);
    if (done != NULL)
        done(context, error, retrieval);
}

static void on_timeout(void *context)
{
    struct retriever_call *call = context;
    retriever_done_fn *done = call->done;
    void *asker = call->context;

    call->timer = NULL;
    cancel(call);
    done(asker, ERROR_STORE_UNAVAILABLE, (struct retrieval){0});
}

static void cancel(struct retriever_call *call)
{
    if (call == NULL)
        return;
    assert(call->done != NULL);
    call->done = NULL;
    loop_timer_cancel(call->timer);
    call->timer = NULL;
    if (call->search != NULL) {
        uv_cancel((uv_req_t *)&call->work); /* too late where it runs: on_ran() comes */
        return;
    }
    leave(&call->sqlite->waiting, call);
    call_free(call);
}

static struct corpus *corpus(struct retriever *retriever)
{
    return ((struct sqlite_retriever *)retriever)->corpus;
}

static void sqlite_free(struct retriever *retriever)
{
    struct sqlite_retriever *sqlite = (struct sqlite_retriever *)retriever;

    assert(sqlite->waiting.first == NULL);
    for (struct retriever_call *call = sqlite->running.first; call != NULL;
         call = call->next) {
        assert(call->done == NULL);
        call->sqlite = NULL;
    }
    for (size_t i = 0; i < sqlite->shelved; i++)
        search_free(sqlite->shelf[i]);
    corpus_free(sqlite->corpus);
    corpus_free(sqlite->corpus_before);
    free(sqlite->path);
    free(sqlite);
}
