/*
 *   one of the store's functions > the store behind it > on_<what comes back> > done
 */
#include "store_metered.h"

#include "clock.h"
#include "mem.h"

#include <stdlib.h>

/* A store that fails now and then is told of this often at most. */
#define SAY_AWAY_EVERY_US 1000000

/* One call that has no answer yet. */
struct waiting {
    struct metered *store; /* borrowed: it owns the call */
    enum store_call call;
    int64_t started_us;
    union {
        store_session_fn *session;
        store_begun_fn *begun;
        store_speech_fn *speech;
        store_rates_fn *rates;
        store_done_fn *done;
    } tell;
    void *context;            /* borrowed from whom called */
    struct waiting *previous; /* borrowed: those that were asked before ... */
    struct waiting *next;     /* ... and after it */
};

struct metered {
    struct store store;      /* the first member: the interface is cast back */
    struct store *inner;     /* borrowed */
    struct metrics *metrics; /* borrowed */
    struct log *log;         /* borrowed */
    bool is_away;            /* as the log has it */
    int64_t said_away_us;
    struct waiting *first; /* owned list, in the order of asking */
    struct waiting *last;
};

static struct store *inner_of(struct store *store)
{
    return ((struct metered *)store)->inner;
}

static struct waiting *begin(struct store *store, enum store_call call, void *context)
{
    struct metered *self = (struct metered *)store;
    struct waiting *waiting = MEM_NEW(struct waiting);

    waiting->store = self;
    waiting->call = call;
    waiting->started_us = clock_monotonic_us();
    waiting->context = context;
    waiting->previous = self->last;
    if (self->last != NULL)
        self->last->next = waiting;
    else
        self->first = waiting;
    self->last = waiting;
    metrics_add(&self->metrics->STORE_WAITING, 1);
    return waiting;
}

static void note_away(struct metered *self, int64_t now_us)
{
    struct log_line *line;

    if (self->is_away || now_us - self->said_away_us < SAY_AWAY_EVERY_US)
        return;
    self->is_away = true;
    self->said_away_us = now_us;
    line = log_begin(self->log, LOG_ERROR, "store_away");
    log_number(line, LOG_STORE_ERROR, self->inner->stats(self->inner).last_error);
    log_end(line);
}

static void note_back(struct metered *self)
{
    if (!self->is_away)
        return;
    self->is_away = false;
    log_end(log_begin(self->log, LOG_WARNING, "store_back"));
}

/* Counts, and gives back what there is left to do with it. */
static struct waiting end(struct waiting *waiting, enum error error)
{
    struct metered *self = waiting->store;
    struct metrics *metrics = self->metrics;
    struct waiting copy = *waiting;
    int64_t now_us = clock_monotonic_us();

    histogram_note(&metrics->STORE_DURATION[waiting->call], BUCKETS_DURATIONS,
                   now_us - waiting->started_us);
    if (error == ERROR_STORE_UNAVAILABLE) {
        metrics_add(&metrics->STORE_FAILURES[waiting->call], 1);
        note_away(self, now_us);
    } else {
        note_back(self);
    }
    metrics_add(&metrics->STORE_WAITING, -1);
    if (waiting->previous != NULL)
        waiting->previous->next = waiting->next;
    else
        self->first = waiting->next;
    if (waiting->next != NULL)
        waiting->next->previous = waiting->previous;
    else
        self->last = waiting->previous;
    free(waiting);
    return copy;
}

static void on_session(void *context, enum error error, struct session *session,
                       bool is_replay)
{
    struct waiting waiting = end(context, error);

    waiting.tell.session(waiting.context, error, session, is_replay);
}

static void on_begun(void *context, enum error error, struct store_begun begun)
{
    struct waiting waiting = end(context, error);

    waiting.tell.begun(waiting.context, error, begun);
}

static void on_speech(void *context, enum error error, struct store_speech speech)
{
    struct waiting waiting = end(context, error);

    waiting.tell.speech(waiting.context, error, speech);
}

static void on_rates(void *context, enum error error,
                     const struct store_rate rates[STORE_RATES_MOST])
{
    struct waiting waiting = end(context, error);

    waiting.tell.rates(waiting.context, error, rates);
}

static void on_done(void *context, enum error error)
{
    struct waiting waiting = end(context, error);

    waiting.tell.done(waiting.context, error);
}

static void create_session(struct store *store, struct loop *loop,
                           struct store_new_session *request, store_session_fn *done,
                           void *context)
{
    struct waiting *waiting = begin(store, STORE_CALL_CREATE_SESSION, context);

    waiting->tell.session = done;
    inner_of(store)->create_session(inner_of(store), loop, request, on_session, waiting);
}

static void load_session(struct store *store, struct loop *loop,
                         const struct id *session_id, int64_t now_ms,
                         store_session_fn *done, void *context)
{
    struct waiting *waiting = begin(store, STORE_CALL_LOAD_SESSION, context);

    waiting->tell.session = done;
    inner_of(store)->load_session(inner_of(store), loop, session_id, now_ms, on_session,
                                  waiting);
}

static void delete_session(struct store *store, struct loop *loop,
                           const struct id *session_id, int64_t now_ms,
                           store_done_fn *done, void *context)
{
    struct waiting *waiting = begin(store, STORE_CALL_DELETE_SESSION, context);

    waiting->tell.done = done;
    inner_of(store)->delete_session(inner_of(store), loop, session_id, now_ms, on_done,
                                    waiting);
}

static void begin_turn(struct store *store, struct loop *loop,
                       const struct store_claim *claim, store_begun_fn *done,
                       void *context)
{
    struct waiting *waiting = begin(store, STORE_CALL_BEGIN_TURN, context);

    waiting->tell.begun = done;
    inner_of(store)->begin_turn(inner_of(store), loop, claim, on_begun, waiting);
}

static void commit_turn(struct store *store, struct loop *loop,
                        struct store_commit *commit, store_done_fn *done, void *context)
{
    struct waiting *waiting = begin(store, STORE_CALL_COMMIT_TURN, context);

    waiting->tell.done = done;
    inner_of(store)->commit_turn(inner_of(store), loop, commit, on_done, waiting);
}

static void end_turn(struct store *store, struct loop *loop, struct store_end *request)
{
    inner_of(store)->end_turn(inner_of(store), loop, request);
}

static void remember_heard(struct store *store, struct loop *loop,
                           const struct id *session_id, const struct digest *audio,
                           struct private_text *heard)
{
    inner_of(store)->remember_heard(inner_of(store), loop, session_id, audio, heard);
}

static void load_speech(struct store *store, struct loop *loop,
                        const struct id *session_id, const struct id *request_id,
                        int64_t now_ms, store_speech_fn *done, void *context)
{
    struct waiting *waiting = begin(store, STORE_CALL_LOAD_SPEECH, context);

    waiting->tell.speech = done;
    inner_of(store)->load_speech(inner_of(store), loop, session_id, request_id, now_ms,
                                 on_speech, waiting);
}

static void report_delivery(struct store *store, struct loop *loop,
                            const struct id *session_id, unsigned turn_number,
                            bool was_delivered)
{
    inner_of(store)->report_delivery(inner_of(store), loop, session_id, turn_number,
                                     was_delivered);
}

static void note_refusal(struct store *store, struct loop *loop, struct refusal *refusal,
                         store_done_fn *done, void *context)
{
    struct waiting *waiting = begin(store, STORE_CALL_NOTE_REFUSAL, context);

    waiting->tell.done = done;
    inner_of(store)->note_refusal(inner_of(store), loop, refusal, on_done, waiting);
}

static void take_rates(struct store *store, struct loop *loop,
                       const struct store_rate_request *request, store_rates_fn *done,
                       void *context)
{
    struct waiting *waiting = begin(store, STORE_CALL_TAKE_RATES, context);

    waiting->tell.rates = done;
    inner_of(store)->take_rates(inner_of(store), loop, request, on_rates, waiting);
}

static void sweep(struct store *store, int64_t now_ms, int64_t refusals_before_ms)
{
    inner_of(store)->sweep(inner_of(store), now_ms, refusals_before_ms);
}

static void check(struct store *store, struct loop *loop, store_done_fn *done,
                  void *context)
{
    struct waiting *waiting = begin(store, STORE_CALL_CHECK, context);

    waiting->tell.done = done;
    inner_of(store)->check(inner_of(store), loop, on_done, waiting);
}

static struct store_stats stats(struct store *store)
{
    return inner_of(store)->stats(inner_of(store));
}

struct store *store_metered_new(struct store *store, struct metrics *metrics,
                                struct log *log)
{
    struct metered *self = MEM_NEW(struct metered);

    *self = (struct metered){
        .store = {.create_session = create_session,
                  .load_session = load_session,
                  .delete_session = delete_session,
                  .begin_turn = begin_turn,
                  .commit_turn = commit_turn,
                  .end_turn = end_turn,
                  .remember_heard = remember_heard,
                  .load_speech = load_speech,
                  .report_delivery = report_delivery,
                  .note_refusal = note_refusal,
                  .take_rates = store->take_rates != NULL ? take_rates : NULL,
                  .sweep = sweep,
                  .check = check,
                  .stats = stats},
        .inner = store,
        .metrics = metrics,
        .log = log,
        .said_away_us = -SAY_AWAY_EVERY_US,
    };
    return &self->store;
}

void store_metered_free(struct store *store)
{
    struct metered *self = (struct metered *)store;

    while (self != NULL && self->first != NULL) {
        struct waiting *waiting = self->first;

        self->first = waiting->next;
        free(waiting);
    }
    free(self);
}

/* Removing every trace of a session may take long in a store that is well; so may finding
 * out whether it is. */
static bool is_patient(enum store_call call)
{
    return call == STORE_CALL_DELETE_SESSION || call == STORE_CALL_CHECK;
}

int64_t store_metered_oldest_us(const struct store *store)
{
    const struct waiting *waiting = ((const struct metered *)store)->first;

    while (waiting != NULL && is_patient(waiting->call))
        waiting = waiting->next;
    return waiting != NULL ? clock_monotonic_us() - waiting->started_us : 0;
}
