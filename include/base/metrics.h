/*
 * Counters of one loop, from tables/metrics.def.  Their loop alone changes them;
 * /metrics, which any loop may serve, reads all of them: relaxed atomics, no lock.
 */
#ifndef METRICS_H
#define METRICS_H

#include "buffer.h"
#include "errors.h"
#include "gate_names.h"
#include "routes.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define METRICS_BY_ROUTES (ROUTE_COUNT + 1) /* the last one: no route */
#define METRICS_BY_ERRORS ERROR_COUNT
#define METRICS_BY_STAGES STAGE_COUNT
#define METRICS_BY_GATES  GATE_COUNT

struct metrics {
#define COUNTER(symbol, name, help) _Atomic int64_t symbol;
#define GAUGE(symbol, name, help)   _Atomic int64_t symbol;
#define COUNTER_BY(symbol, name, label, labels, help) \
    _Atomic int64_t symbol[METRICS_BY_##labels];
#include "metrics.def"
};

/* metrics_add(&metrics->TURNS_COMMITTED, 1) */
static inline void metrics_add(_Atomic int64_t *counter, int64_t amount)
{
    atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

/* The sums over `count` loops in the Prometheus text format, version 0.0.4. */
void metrics_write(struct metrics *const *loops, size_t count, struct buffer *out);

#endif
