/*
 * How often a value was how large: counts between the bounds of tables/buckets.def, and
 * the sum of all values.  One loop alone changes it; any may read it.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum buckets {
#define BOUND(value, text)
#define BUCKETS(symbol, unit, bounds) BUCKETS_##symbol,
#include "buckets.def"
    BUCKETS_COUNT
};

#define HISTOGRAM_BOUNDS_MOST 14

struct histogram {
    _Atomic int64_t sum; /* in the unit of its buckets, like the values */
    /* The last one: above all bounds */
    _Atomic int64_t counts[HISTOGRAM_BOUNDS_MOST + 1];
};

/* A histogram's numbers at one moment, of one loop or of many. */
struct histogram_sum {
    int64_t sum;
    int64_t counts[HISTOGRAM_BOUNDS_MOST + 1];
};

/* Only the thread that owns the counter writes it: no locked instruction. */
static inline void counter_add(_Atomic int64_t *counter, int64_t amount)
{
    atomic_store_explicit(counter,
                          atomic_load_explicit(counter, memory_order_relaxed) + amount,
                          memory_order_relaxed);
}

static inline int64_t counter_read(const _Atomic int64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

void histogram_note(struct histogram *histogram, enum buckets buckets, int64_t value);

void histogram_add_to(const struct histogram *histogram, struct histogram_sum *sum);

/* How many values there were. */
int64_t histogram_count(const struct histogram_sum *sum);

/* The bounds, from low to high. */
size_t buckets_count(enum buckets buckets);
const char *buckets_bound_text(enum buckets buckets, size_t at);
int64_t buckets_unit(enum buckets buckets);

#endif
