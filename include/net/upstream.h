/*
 * An upstream: one endpoint of a provider, as one loop sees it.  A call to it is tried
 * again where that is safe and there is time, and is not made at all while its breaker is
 * open.
 *
 *   upstream_call > breaker > call_start > done
 *                      ^___________________|   after a while: unreachable, broken, 429, 498,
 *                                              500, 502, 503, 504, 529
 *
 * Never tried again: what has told a piece of its reply, what timed out (the time is
 * gone, and it may be paid for), and any answer that another try would not change.
 */
#ifndef UPSTREAM_H
#define UPSTREAM_H

#include "breaker.h"
#include "call.h"
#include "meter.h"

struct upstream;
struct upstream_call;

struct upstream_limits {
    unsigned retries;           /* after the first try */
    unsigned breaker_threshold; /* failures in a row that open the breaker; 0: never */
    int64_t patience_ms; /* a try that was given less time than this and had no answer
                                   says nothing of the server: the haste was ours */
};

/* Everything is borrowed.  The meter gets tries, retries, cancelled calls and whether the
 * breaker is open; what a call came to its caller knows better. */
struct upstream *upstream_new(struct call_pool *pool, struct upstream_limits limits,
                              struct meter *meter);

/* Called when the breaker opens, after `answer`, and when it closes; the context is borrowed. */
typedef void upstream_breaker_fn(void *context, bool is_open,
                                 const struct call_answer *answer);
void upstream_watch(struct upstream *upstream, upstream_breaker_fn *on_breaker,
                    void *context);

/* No call may be under way.  NULL is fine. */
void upstream_free(struct upstream *upstream);

/* Like call_start(), within request->timeout_ms for all tries together; but the URL, the
 * content type and the authorization are borrowed until the end.  While the breaker is
 * open the outcome is CALL_HELD_BACK, with retry_after_s. */
struct upstream_call *upstream_call(struct upstream *upstream,
                                    struct call_request *request, call_done_fn *done,
                                    void *context);

/* NULL is fine. */
void upstream_cancel(struct upstream_call *call);

/* For /readyz. */
enum breaker_state upstream_state(const struct upstream *upstream);

#endif
