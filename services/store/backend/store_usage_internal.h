/*
 * What a day has used up, and whether it has room for another turn: alike for every store.
 */
#ifndef STORE_USAGE_INTERNAL_H
#define STORE_USAGE_INTERNAL_H

#include "store.h"

#include <pthread.h>

/* The day (UTC) that a turn counts for. */
int64_t store_day(int64_t now_ms);

/* Must the turn be counted? */
bool store_has_caps(const struct store_day_caps *caps);

/* May the turn run, after so much on its day?  OK or USAGE_CAP_REACHED.  A cap on recordings
 * leaves typed answers alone. */
enum error store_check_caps(const struct store_usage *usage,
                            const struct store_claim *claim);

/* Of a turn that may not: is it for its recording alone?  Where others count at the same
 * moment, `usage` may be a little behind. */
bool store_may_be_typed(const struct store_usage *usage, const struct store_claim *claim);

/* The latest that a process has seen, for any thread. */
struct store_usage_board {
    pthread_mutex_t lock;
    struct store_usage latest;
};

void store_usage_init(struct store_usage_board *board);
void store_usage_done(struct store_usage_board *board);

/* What loops saw of one day may come in any order. */
void store_usage_note(struct store_usage_board *board, const struct store_usage *usage);
struct store_usage store_usage_latest(struct store_usage_board *board);

#endif
