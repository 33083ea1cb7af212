/*
 * A circuit breaker: a server that keeps failing is left alone for a while, and then asked
 * by one call at a time whether it is well again.
 *
 *   closed    every call goes; so many failures in a row open it
 *   open      none goes, for a second, then twice as long each time up to a minute
 *   half-open one goes, the probe: its success closes the breaker, its failure opens it
 *
 * Of one loop; knows no clock: times are passed in.  Beside it, how long to wait before a
 * call is tried again.
 */
#ifndef BREAKER_H
#define BREAKER_H

#include <stdbool.h>
#include <stdint.h>

enum breaker_state { BREAKER_CLOSED, BREAKER_OPEN, BREAKER_HALF_OPEN };

struct breaker {
    unsigned threshold; /* failures in a row that open it; 0: it never opens */
    unsigned failures;  /* in a row */
    unsigned openings;  /* in a row */
    enum breaker_state state;
    bool is_probing; /* half-open, and the probe is under way */
    int64_t open_until_us;
};

void breaker_init(struct breaker *breaker, unsigned threshold);

/* May a call go now?  Who is told true must tell what came of it, by breaker_note() or
 * breaker_forget(). */
bool breaker_take(struct breaker *breaker, int64_t now_us);

/* It succeeded, or failed in a way that speaks of the server's health.  `is_probe`: it was
 * the one that breaker_take() let through half-open. */
void breaker_note(struct breaker *breaker, bool is_probe, bool is_good, int64_t now_us);

/* Nothing was learnt: the call was cancelled. */
void breaker_forget(struct breaker *breaker);

/* Whole seconds, rounded up, until it is worth asking again; 0: now. */
int64_t breaker_wait_s(const struct breaker *breaker, int64_t now_us);

/* Before try `number` (1 is the second one): at random between half of 200 ms * 2^(number
 * - 1) and all of it, so that those who failed together do not come back together, and no
 * sooner than the server asked for; `retry_after_s` -1: it did not. */
int64_t backoff_ms(unsigned number, int64_t retry_after_s);

#endif
