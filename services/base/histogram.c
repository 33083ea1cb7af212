/*
 * Counts between bounds.
 */
#include "histogram.h"

#include <assert.h>

struct bound {
    int64_t value;
    const char *text;
};

#define BOUND(value, text) {value, text},
#define BUCKETS(symbol, unit, bounds) \
    static const struct bound bounds_of_##symbol[] = {bounds};
#include "buckets.def"

static const struct {
    int64_t unit;
    const struct bound *bounds;
    size_t count;
} tables[BUCKETS_COUNT] = {
#define BOUND(value, text)
#define BUCKETS(symbol, unit, bounds)               \
    [BUCKETS_##symbol] = {unit, bounds_of_##symbol, \
                          sizeof(bounds_of_##symbol) / sizeof(struct bound)},
#include "buckets.def"
};

#define BOUND(value, text)
#define BUCKETS(symbol, unit, bounds)                                  \
    static_assert(sizeof(bounds_of_##symbol) / sizeof(struct bound) <= \
                      HISTOGRAM_BOUNDS_MOST,                           \
                  "raise HISTOGRAM_BOUNDS_MOST");
#include "buckets.def"

void histogram_note(struct histogram *histogram, enum buckets buckets, int64_t value)
{
    const struct bound *bounds = tables[buckets].bounds;
    size_t count = tables[buckets].count;
    size_t at = 0;

    while (at < count && value > bounds[at].value)
        at++;
    counter_add(&histogram->counts[at], 1);
    counter_add(&histogram->sum, value);
}

void histogram_add_to(const struct histogram *histogram, struct histogram_sum *sum)
{
    sum->sum += counter_read(&histogram->sum);
    for (size_t at = 0; at <= HISTOGRAM_BOUNDS_MOST; at++)
        sum->counts[at] += counter_read(&histogram->counts[at]);
}

int64_t histogram_count(const struct histogram_sum *sum)
{
    int64_t count = 0;

    for (size_t at = 0; at <= HISTOGRAM_BOUNDS_MOST; at++)
        count += sum->counts[at];
    return count;
}

size_t buckets_count(enum buckets buckets)
{
    return tables[buckets].count;
}

const char *buckets_bound_text(enum buckets buckets, size_t at)
{
    return tables[buckets].bounds[at].text;
}

int64_t buckets_unit(enum buckets buckets)
{
    return tables[buckets].unit;
}
