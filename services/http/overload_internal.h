/*
 * Overload: when a loop, or the store behind it, keeps everybody waiting, new work is
 * turned away at its head, so that turns under way go on as if nothing were.
 */
#ifndef OVERLOAD_INTERNAL_H
#define OVERLOAD_INTERNAL_H

#include "metrics.h"
#include "server_internal.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Is a queue saturated, or was it only a burst?  CoDel's question (Nichols and Jacobson,
 * "Controlling Queue Delay", 2012): a good queue empties now and then, so a delay that
 * stays above a target for a whole interval is one that goes nowhere.
 *
 * Knows no clock: times are passed in.
 */
struct saturation {
    int64_t target_us; /* 0: never saturated */
    int64_t since_us;  /* the first sample above it of those in a row */
    unsigned samples;  /* above it in a row */
    bool is_on;
};

void saturation_init(struct saturation *saturation, int64_t target_us);

/* The delay as it is now: to be told some ten times a second.  It is on when all delays of
 * half a second, and three at least, were above the target, and off with the first that is
 * not: one long pause of the machine is no overload. */
void saturation_note(struct saturation *saturation, int64_t delay_us, int64_t now_us);

struct overload {
    struct loop_timer *pulse; /* owned; NULL: not watching */
    int64_t due_us;           /* monotonic; when the pulse should come */
    struct saturation loop;
    struct saturation store;
};

/* Watches from now on. */
void overload_start(struct server *server);

/* Again, and before the start: does nothing. */
void overload_stop(struct server *server);

/* Why nothing new may be begun now; SHEDDING_COUNT: it may. */
enum shedding overload_reason(const struct server *server);

#endif
