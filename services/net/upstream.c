/*
 *   upstream_call > try_now > on_answer > done
 *                      ^  hold_back |
 *                      |____________|  try_later
 *
 * Between two tries the timer is pending, during one the call; `request.body` is ours in
 * between, and the call's during one.
 */
#include "upstream.h"

#include "breaker.h"
#include "clock.h"
#include "mem.h"

#include <stdlib.h>

/* With less time than this left no other try is worth it. */
#define WORTH_MS 300

struct upstream {
    struct call_pool *pool; /* borrowed, like the meter */
    struct upstream_limits limits;
    struct breaker breaker;
    struct meter *meter;
    upstream_breaker_fn *on_breaker; /* NULL: nobody watches */
    void *watcher;                   /* borrowed */
};

struct upstream_call {
    struct upstream *upstream; /* borrowed */
    struct call *call;         /* owned; NULL: not pending */
    struct loop_timer *timer;  /* owned; NULL: not pending */
    struct call_request request;
    struct id request_id; /* request.request_id points here, if anywhere ... */
    struct trace trace;   /* ... and request.trace here */
    call_bytes_fn *on_bytes;
    call_done_fn *done;
    void *context; /* borrowed from the caller, for both */
    int64_t started_us;
    int64_t deadline_us;
    unsigned tried;
    bool is_probe;
    bool has_told; /* a piece of the reply */
};

static void try_now(void *context);
static void hold_back(void *context);
static void on_bytes(void *context, struct span bytes);
static void on_answer(void *context, struct call_answer answer);

struct upstream *upstream_new(struct call_pool *pool, struct upstream_limits limits,
                              struct meter *meter)
{
    struct upstream *upstream = MEM_NEW(struct upstream);

    *upstream = (struct upstream){.pool = pool, .limits = limits, .meter = meter};
    breaker_init(&upstream->breaker, limits.breaker_threshold);
    return upstream;
}

void upstream_free(struct upstream *upstream)
{
    free(upstream);
}

enum breaker_state upstream_state(const struct upstream *upstream)
{
    return upstream->breaker.state;
}

void upstream_watch(struct upstream *upstream, upstream_breaker_fn *on_breaker,
                    void *context)
{
    upstream->on_breaker = on_breaker;
    upstream->watcher = context;
}

static void show_state(struct upstream *upstream, enum breaker_state before,
                       const struct call_answer *answer)
{
    bool was_open = before != BREAKER_CLOSED;
    bool is_open = upstream->breaker.state != BREAKER_CLOSED;

    if (was_open == is_open)
        return;
    counter_add(&upstream->meter->is_open, is_open ? 1 : -1);
    if (upstream->on_breaker != NULL)
        upstream->on_breaker(upstream->watcher, is_open, answer);
}

struct upstream_call *upstream_call(struct upstream *upstream,
                                    struct call_request *request, call_done_fn *done,
                                    void *context)
{
    struct upstream_call *self = MEM_NEW(struct upstream_call);

    self->upstream = upstream;
    self->request = *request;
    self->on_bytes = request->on_bytes;
    self->done = done;
    self->context = context;
    self->started_us = clock_monotonic_us();
    self->deadline_us = self->started_us + request->timeout_ms * 1000;
    request->body = (struct private_text){NULL, 0};
    if (request->request_id != NULL) {
        self->request_id = *request->request_id;
        self->request.request_id = &self->request_id;
    }
    if (request->trace != NULL) {
        self->trace = *request->trace;
        self->request.trace = &self->trace;
    }
    if (request->on_bytes != NULL)
        self->request.on_bytes = on_bytes;
    try_now(self);
    return self;
}

static void try_now(void *context)
{
    struct upstream_call *self = context;
    struct upstream *upstream = self->upstream;
    int64_t now_us = clock_monotonic_us();
    int64_t left_ms = (self->deadline_us - now_us) / 1000;

    self->timer = NULL;
    if (!breaker_take(&upstream->breaker, now_us)) {
        self->timer =
            loop_timer_start(call_pool_loop(upstream->pool), 0, hold_back, self);
        return;
    }
    self->is_probe = upstream->breaker.state == BREAKER_HALF_OPEN;
    self->request.timeout_ms = left_ms > 0 ? left_ms : 1;
    counter_add(&upstream->meter->tries, 1);
    if (self->tried++ > 0)
        counter_add(&upstream->meter->retries, 1);
    self->call = call_start(upstream->pool, &self->request, on_answer, self);
}

static void end(struct upstream_call *self, struct call_answer answer)
{
    call_done_fn *done = self->done;
    void *context = self->context;

    answer.duration_us = clock_monotonic_us() - self->started_us;
    free(self);
    done(context, answer);
}

static void hold_back(void *context)
{
    struct upstream_call *self = context;
    int64_t wait_s = breaker_wait_s(&self->upstream->breaker, clock_monotonic_us());

    self->timer = NULL;
    end(self, (struct call_answer){.outcome = CALL_HELD_BACK,
                                   .retry_after_s = wait_s > 0 ? wait_s : 1,
                                   .request_body = self->request.body});
}

static void on_bytes(void *context, struct span bytes)
{
    struct upstream_call *self = context;

    self->has_told = true;
    self->on_bytes(self->context, bytes);
}

/* Does the outcome mean that the server is not well?  Not when it had begun to answer: it may
 * have sent everything and closed the connection early. */
static bool is_failure(const struct upstream_call *self, const struct call_answer *answer)
{
    switch (answer->outcome) {
    case CALL_ANSWERED: return answer->status >= 500;
    case CALL_BROKEN: return !self->has_told;
    case CALL_TIMED_OUT:
    case CALL_UNREACHABLE:
    case CALL_TOO_LARGE: return true;
    case CALL_HELD_BACK: return false;
    }
    abort();
}

/* The call was given less time than its server may need. */
static bool was_hasty(const struct upstream_call *self, const struct call_answer *answer)
{
    return answer->outcome == CALL_TIMED_OUT &&
           self->request.timeout_ms < self->upstream->limits.patience_ms;
}

static void tell_breaker(const struct upstream_call *self,
                         const struct call_answer *answer)
{
    struct upstream *upstream = self->upstream;
    enum breaker_state before = upstream->breaker.state;

    if (!was_hasty(self, answer))
        breaker_note(&upstream->breaker, self->is_probe, !is_failure(self, answer),
                     clock_monotonic_us());
    else if (self->is_probe)
        breaker_forget(&upstream->breaker);
    show_state(upstream, before, answer);
}

static bool may_pass(const struct call_answer *answer)
{
    switch (answer->outcome) {
    case CALL_UNREACHABLE:
    case CALL_BROKEN: return true;
    case CALL_ANSWERED: break;
    case CALL_TIMED_OUT:
    case CALL_TOO_LARGE:
    case CALL_HELD_BACK: return false;
    }
    switch (answer->status) {
    case 429:
    case 498: /* Groq: flex tier at its capacity */
    case 500:
    case 502:
    case 503:
    case 504:
    case 529: return true; /* overloaded, with some vendors */
    }
    return false;
}

/* Takes the request's body back where there will be another try. */
static bool try_later(struct upstream_call *self, struct call_answer *answer)
{
    int64_t wait_ms;

    if (!may_pass(answer) || self->has_told ||
        self->tried > self->upstream->limits.retries ||
        self->upstream->breaker.state == BREAKER_OPEN)
        return false;
    wait_ms = backoff_ms(self->tried, answer->retry_after_s); /* asks the kernel */
    if (clock_monotonic_us() + (wait_ms + WORTH_MS) * 1000 > self->deadline_us)
        return false;
    self->request.body = answer->request_body;
    answer->request_body = (struct private_text){NULL, 0};
    call_answer_free(answer);
    self->timer =
        loop_timer_start(call_pool_loop(self->upstream->pool), wait_ms, try_now, self);
    return true;
}

static void on_answer(void *context, struct call_answer answer)
{
    struct upstream_call *self = context;

    self->call = NULL;
    tell_breaker(self, &answer);
    if (!try_later(self, &answer))
        end(self, answer);
}

void upstream_cancel(struct upstream_call *call)
{
    if (call == NULL)
        return;
    if (call->call != NULL && call->is_probe)
        breaker_forget(&call->upstream->breaker);
    meter_note_call(call->upstream->meter, CALL_RESULT_CANCELLED,
                    clock_monotonic_us() - call->started_us);
    call_cancel(call->call);
    loop_timer_cancel(call->timer);
    private_text_free(&call->request.body);
    free(call);
}
