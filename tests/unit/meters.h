/*
 * What the meters of a world have counted, all providers together.
 */
#ifndef UNIT_METERS_H
#define UNIT_METERS_H

#include "metrics.h"

static inline int64_t meters_tries(const struct metrics *metrics)
{
    int64_t tries = 0;

    for (size_t at = 0; at < metrics->meter_count; at++)
        tries += counter_read(&metrics->meters[at].tries);
    return tries;
}

static inline int64_t meters_calls(const struct metrics *metrics, enum call_result result)
{
    int64_t calls = 0;

    for (size_t at = 0; at < metrics->meter_count; at++) {
        struct histogram_sum sum = {0};

        histogram_add_to(&metrics->meters[at].results[result], &sum);
        calls += histogram_count(&sum);
    }
    return calls;
}

/* Calls that ended badly by the provider's doing. */
static inline int64_t meters_failures(const struct metrics *metrics)
{
    int64_t failures = 0;

    for (size_t result = CALL_RESULT_TIMEOUT; result <= CALL_RESULT_HELD_BACK; result++)
        failures += meters_calls(metrics, (enum call_result)result);
    return failures;
}

#endif
