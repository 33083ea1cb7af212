/*
 * Counters of one loop, from tables/metrics.def.  Their loop alone changes them;
 * /metrics, which any loop may serve, reads all of them: relaxed atomics, no lock, and no
 * locked instruction.
 */
#ifndef METRICS_H
#define METRICS_H

#include "buffer.h"
#include "errors.h"
#include "histogram.h"
#include "meter.h"
#include "names.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum timing {
#define TIMING(symbol, name) TIMING_##symbol,
#include "metric_labels.def"
    TIMING_COUNT
};

enum refuser {
#define REFUSER(symbol, name) REFUSER_##symbol,
#include "metric_labels.def"
    REFUSER_COUNT
};

enum shedding {
#define SHEDDING(symbol, name) SHEDDING_##symbol,
#include "metric_labels.def"
    SHEDDING_COUNT
};

enum store_call {
#define STORE_CALL(symbol, name) STORE_CALL_##symbol,
#include "metric_labels.def"
    STORE_CALL_COUNT
};

#define METRICS_BY_ROUTES         (ROUTE_COUNT + 1) /* the last one: no route */
#define METRICS_BY_ERRORS         ERROR_COUNT
#define METRICS_BY_OUTCOMES       (ERROR_COUNT + 1) /* the last one: METRICS_REPLAYED */
#define METRICS_BY_GATES          GATE_COUNT
#define METRICS_BY_STATUS_CLASSES 5
#define METRICS_BY_CONNECTIONS    7
#define METRICS_BY_TIMINGS        TIMING_COUNT
#define METRICS_BY_REFUSERS       REFUSER_COUNT
#define METRICS_BY_SHEDDINGS      SHEDDING_COUNT
#define METRICS_BY_STORE_CALLS    STORE_CALL_COUNT

#define METRICS_REPLAYED ERROR_COUNT

#define NAMED_MOST  64 /* what comes later is counted as "other" */
#define NAMED_BYTES 40

/* Counters whose names are found as the loop runs.  A row is complete before `count` says
 * that it is there, and keeps its name. */
struct named_counters {
    _Atomic size_t count;
    struct {
        char name[NAMED_BYTES];
        _Atomic int64_t count;
    } rows[NAMED_MOST];
};

#define METERS_MOST 32

struct metrics {
#define COUNTER(symbol, name, help) _Atomic int64_t symbol;
#define GAUGE(symbol, name, help)   _Atomic int64_t symbol;
#define COUNTER_BY(symbol, name, label, labels, help) \
    _Atomic int64_t symbol[METRICS_BY_##labels];
#define GAUGE_BY(symbol, name, label, labels, help) \
    _Atomic int64_t symbol[METRICS_BY_##labels];
#define COUNTER_BY_TWO(symbol, name, label, labels, second, seconds, help) \
    _Atomic int64_t symbol[METRICS_BY_##labels][METRICS_BY_##seconds];
#define COUNTER_NAMED(symbol, name, label, labels, second, help) \
    struct named_counters symbol[METRICS_BY_##labels];
#define HISTOGRAM(symbol, name, buckets, help) struct histogram symbol;
#define HISTOGRAM_BY(symbol, name, label, labels, buckets, help) \
    struct histogram symbol[METRICS_BY_##labels];
#include "metrics.def"
    struct meter meters[METERS_MOST]; /* of the providers that the settings name */
    size_t meter_count;               /* both stay as they are once the loop runs */
};

/* metrics_add(&metrics->ASK_ANSWERS, 1) */
static inline void metrics_add(_Atomic int64_t *counter, int64_t amount)
{
    counter_add(counter, amount);
}

/* A name that is a word of a table or of the safety patterns. */
void metrics_add_named(struct named_counters *counters, const char *name);

/* The meter of this provider: a new one the first time.  Only before the loop runs. */
struct meter *metrics_meter(struct metrics *metrics, const struct meter_name *name);

/* How many breakers of one role are not closed, over `count` loops. */
int64_t metrics_open_breakers(struct metrics *const *loops, size_t count,
                              const char *role);

/* The part of metrics_write() that is about providers. */
void meters_write(struct metrics *const *loops, size_t count, struct buffer *out);

/* The sums over `count` loops in the Prometheus text format, version 0.0.4. */
void metrics_write(struct metrics *const *loops, size_t count, struct buffer *out);

#endif
