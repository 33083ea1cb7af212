/*
 * A worker: one loop, its thread, and what it lends to turns and questions.
 */
#include "worker_internal.h"

#include "call.h"
#include "coach_builtin.h"
#include "mem.h"
#include "server.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct worker {
    struct loop *loop; /* owned, like all of these */
    struct log *log;
    struct store *store;
    struct call_pool *pool;
    struct coaches coaches;
    struct transcribers transcribers;
    struct speaker *speaker; /* NULL: replies are not spoken */
    struct filler_counter *fillers;
    struct filter *filter; /* NULL: no filter */
    struct retriever *retriever;
    struct thesaurus *thesaurus;
    struct turn_services turns; /* borrows from the above, like the next two */
    struct ask_services asks;
    struct services services;
    struct server *server;
    pthread_t thread;
};

/* A rule set on its way to a loop. */
struct reload {
    struct worker *worker;   /* borrowed */
    struct ruleset *ruleset; /* a reference of its own */
    struct loop *asker;      /* borrowed, like the context */
    loop_fn *done;
    void *context;
};

static void flush_log(void *context)
{
    struct worker *worker = context;
    struct shared_services *shared = worker->services.shared;
    int64_t dropped;

    log_flush(worker->log);
    dropped = (int64_t)log_dropped(worker->log);
    if (worker->services.metrics == shared->metrics[0])
        dropped += shared->main_log_dropped;
    atomic_store_explicit(&worker->services.metrics->LOG_DROPPED, dropped,
                          memory_order_relaxed);
}

static void lend(struct worker *worker, struct shared_services *shared,
                 struct metrics *metrics)
{
    worker->services = (struct services){
        .shared = shared,
        .settings = shared->settings,
        .loop = worker->loop,
        .store = worker->store,
        .coaches = &worker->coaches,
        .transcribers = &worker->transcribers,
        .speaker = worker->speaker,
        .filter = worker->filter,
        .turns = &worker->turns,
        .log = worker->log,
        .metrics = metrics,
    };
}

static void lend_to_turns(struct worker *worker, struct shared_services *shared,
                          struct metrics *metrics)
{
    worker->turns = (struct turn_services){
        .settings = shared->settings,
        .loop = worker->loop,
        .store = worker->store,
        .coaches = &worker->coaches,
        .transcribers = &worker->transcribers,
        .speaker = worker->speaker,
        .fillers = worker->fillers,
        .filter = worker->filter,
        .log = worker->log,
        .metrics = metrics,
        .spans = shared->spans,
        .inflight = &shared->inflight,
        .upload_bytes = &shared->upload_bytes,
        .is_draining = &shared->is_draining,
    };
}

static void lend_to_asks(struct worker *worker, struct shared_services *shared,
                         struct metrics *metrics)
{
    const struct settings *settings = shared->settings;

    worker->asks = (struct ask_services){
        .settings = settings,
        .loop = worker->loop,
        .store = worker->store,
        .coaches = &worker->coaches,
        .retriever = worker->retriever,
        .thesaurus = worker->thesaurus,
        .filter = worker->filter,
        .log = worker->log,
        .metrics = metrics,
        .spans = shared->spans,
        .inflight = &shared->inflight,
        .is_draining = &shared->is_draining,
    };
}

struct worker *worker_new(struct shared_services *shared, struct metrics *metrics,
                          struct ruleset *ruleset, int listen_descriptor,
                          struct buffer *problem)
{
    const struct settings *settings = shared->settings;
    struct worker *worker = MEM_NEW(struct worker);
    struct provider_tools tools;

    worker->loop = loop_new();
    worker->log = log_new(STDOUT_FILENO, settings->debug ? LOG_DEBUG_LEVEL : LOG_INFO);
    worker->store = store_new(shared->store, worker->loop, metrics, worker->log);
    worker->pool = call_pool_new(worker->loop);
    tools = (struct provider_tools){settings, worker->pool, worker->log, metrics,
                                    shared->spans};
    coaches_init(&worker->coaches, &tools, coach_builtin_new);
    transcribers_init(&worker->transcribers, &tools);
    worker->speaker = speaker_new(&tools);
    worker->fillers = filler_counter_new();
    if (ruleset != NULL)
        worker->filter = filter_new(ruleset);
    worker->thesaurus = thesaurus_new();
    worker->retriever = retriever_new(&tools, worker->loop, problem);
    if (worker->retriever == NULL) {
        close(listen_descriptor);
        goto fail;
    }
    lend(worker, shared, metrics);
    lend_to_turns(worker, shared, metrics);
    lend_to_asks(worker, shared, metrics);

    worker->server = server_new(&worker->services, &worker->asks, listen_descriptor);
    if (worker->server == NULL)
        goto fail;
    loop_before_sleep(worker->loop, flush_log, worker);
    return worker;

fail:
    worker_free(worker);
    return NULL;
}

static void *run(void *context)
{
    struct worker *worker = context;

    loop_run(worker->loop);
    return NULL;
}

bool worker_start(struct worker *worker)
{
    return pthread_create(&worker->thread, NULL, run, worker) == 0;
}

static void on_drained(void *context)
{
    struct worker *worker = context;

    loop_stop(worker->loop);
}

static void drain(void *context)
{
    struct worker *worker = context;

    server_drain(worker->server, on_drained, worker);
}

void worker_drain(struct worker *worker)
{
    loop_post(worker->loop, drain, worker);
}

/* Between two ticks' work: no check is under way, since a check never waits. */
static void swap_filter(void *context)
{
    struct reload *reload = context;
    struct worker *worker = reload->worker;

    filter_free(worker->filter);
    worker->filter = filter_new(reload->ruleset);
    worker->services.filter = worker->filter;
    worker->turns.filter = worker->filter;
    worker->asks.filter = worker->filter;
    ruleset_unref(reload->ruleset);
    loop_post(reload->asker, reload->done, reload->context);
    free(reload);
}

const struct coach *worker_coach(const struct worker *worker)
{
    return worker->coaches.all[0];
}

const struct services *worker_services(const struct worker *worker)
{
    return &worker->services;
}

void worker_reload(struct worker *worker, struct ruleset *ruleset, struct loop *asker,
                   loop_fn *done, void *context)
{
    struct reload *reload = MEM_NEW(struct reload);

    reload->worker = worker;
    reload->ruleset = ruleset_ref(ruleset);
    reload->asker = asker;
    reload->done = done;
    reload->context = context;
    loop_post(worker->loop, swap_filter, reload);
}

struct ping {
    struct loop *asker; /* borrowed, like the context */
    loop_fn *done;
    void *context;
};

static void answer_ping(void *context)
{
    struct ping *ping = context;

    loop_post(ping->asker, ping->done, ping->context);
    free(ping);
}

void worker_ping(struct worker *worker, struct loop *asker, loop_fn *done, void *context)
{
    struct ping *ping = MEM_NEW(struct ping);

    *ping = (struct ping){asker, done, context};
    loop_post(worker->loop, answer_ping, ping);
}

void worker_join(struct worker *worker)
{
    pthread_join(worker->thread, NULL);
}

void worker_close(struct worker *worker)
{
    server_free(worker->server);
    worker->server = NULL;
}

void worker_free(struct worker *worker)
{
    if (worker == NULL)
        return;
    worker_close(worker);
    coaches_done(&worker->coaches);
    transcribers_done(&worker->transcribers);
    speaker_free(worker->speaker);
    filler_counter_free(worker->fillers);
    retriever_free(worker->retriever);
    thesaurus_free(worker->thesaurus);
    call_pool_free(worker->pool);
    filter_free(worker->filter);
    store_free(worker->store);
    log_free(worker->log);
    loop_free(worker->loop);
    free(worker);
}
