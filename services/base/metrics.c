/*
 * GET /metrics: the rows of tables/metrics.def, summed up over all loops.
 */
#include "metrics.h"

#include "metrics_text.h"

#include <assert.h>
#include <string.h>

static const char *const status_classes[] = {
#define STATUS_CLASS(name) name,
#include "metric_labels.def"
};

static const char *const timings[] = {
#define TIMING(symbol, name) name,
#include "metric_labels.def"
};

static const char *const refusers[] = {
#define REFUSER(symbol, name) name,
#include "metric_labels.def"
};

static const char *const sheddings[] = {
#define SHEDDING(symbol, name) name,
#include "metric_labels.def"
};

static const char *const connections[] = {
#define CONNECTION(symbol, name) name,
#include "metric_labels.def"
};

static const char *const store_calls[] = {
#define STORE_CALL(symbol, name) name,
#include "metric_labels.def"
};

static_assert(sizeof(status_classes) / sizeof(*status_classes) ==
                  METRICS_BY_STATUS_CLASSES,
              "a name for each");
static_assert(sizeof(connections) / sizeof(*connections) == METRICS_BY_CONNECTIONS,
              "a name for each");

/* ---- the names of labels' values; NULL: this one is not written ---- */

#define label_of_STATUS_CLASSES(value) status_classes[value]
#define label_of_TIMINGS(value)        timings[value]
#define label_of_REFUSERS(value)       refusers[value]
#define label_of_SHEDDINGS(value)      sheddings[value]
#define label_of_CONNECTIONS(value)    connections[value]
#define label_of_STORE_CALLS(value)    store_calls[value]
#define label_of_ROUTES(value)         route_name((enum route)value)

static const char *label_of_ERRORS(size_t value)
{
    return value == OK ? NULL : error_info((enum error)value)->code;
}

static const char *label_of_OUTCOMES(size_t value)
{
    if (value == METRICS_REPLAYED)
        return "replayed";
    return value == OK ? "ok" : error_info((enum error)value)->code;
}

static const char *label_of_GATES(size_t value)
{
    return gate_refuses((enum gate)value) ? gate_name((enum gate)value) : NULL;
}

/* ---- names that are found as a loop runs ---- */

void metrics_add_named(struct named_counters *counters, const char *name)
{
    size_t count = atomic_load_explicit(&counters->count, memory_order_relaxed);
    size_t at = 0;

    while (at < count && strncmp(counters->rows[at].name, name, NAMED_BYTES - 1) != 0)
        at++;
    if (at == count && count < NAMED_MOST) {
        if (count == NAMED_MOST - 1)
            name = "other";
        strncpy(counters->rows[at].name, name, NAMED_BYTES - 1);
        atomic_store_explicit(&counters->count, count + 1, memory_order_release);
    }
    counter_add(&counters->rows[at < NAMED_MOST ? at : NAMED_MOST - 1].count, 1);
}

static size_t named_count(struct named_counters *counters)
{
    return atomic_load_explicit(&counters->count, memory_order_acquire);
}

/* NULL: this loop does not know the name. */
static const _Atomic int64_t *named_find(struct named_counters *counters,
                                         const char *name)
{
    for (size_t at = 0; at < named_count(counters); at++)
        if (strcmp(counters->rows[at].name, name) == 0)
            return &counters->rows[at].count;
    return NULL;
}

/* One loop's counters are `offset` bytes into its metrics. */
static struct named_counters *named_of(struct metrics *loop, size_t offset)
{
    return (struct named_counters *)((char *)loop + offset);
}

/* One label, or two. */
static struct metrics_labels labels_of(const char *label, const char *value,
                                       const char *second, const char *second_value)
{
    struct metrics_labels labels = {.length = 0};

    metrics_label(&labels, label, value);
    if (second != NULL)
        metrics_label(&labels, second, second_value);
    return labels;
}

/* Each name once: with the first loop that knows it. */
static void write_named(struct buffer *out, const char *name, const char *label,
                        const char *value, const char *second,
                        struct metrics *const *loops, size_t loop_count, size_t offset)
{
    for (size_t first = 0; first < loop_count; first++) {
        struct named_counters *counters = named_of(loops[first], offset);

        for (size_t at = 0; at < named_count(counters); at++) {
            const char *found = counters->rows[at].name;
            struct metrics_labels labels = labels_of(label, value, second, found);
            bool is_written = false;
            int64_t sum = 0;

            for (size_t loop = 0; loop < loop_count; loop++) {
                const _Atomic int64_t *counter =
                    named_find(named_of(loops[loop], offset), found);

                is_written |= counter != NULL && loop < first;
                sum += counter != NULL ? counter_read(counter) : 0;
            }
            if (!is_written)
                metrics_text_sample(out, name, &labels, sum);
        }
    }
}

/* ---- the table ---- */

/* The macros below expand to one block per row of the table. */
#define SUM_OF(member)                    \
    sum = 0;                              \
    for (size_t at = 0; at < count; at++) \
        sum += counter_read(&loops[at]->member);

#define SUM_OF_HISTOGRAM(member)          \
    total = (struct histogram_sum){0};    \
    for (size_t at = 0; at < count; at++) \
        histogram_add_to(&loops[at]->member, &total);

#define COUNTER(symbol, name, help)                \
    SUM_OF(symbol)                                 \
    metrics_text_head(out, name, "counter", help); \
    metrics_text_sample(out, name, NULL, sum);

#define GAUGE(symbol, name, help)                \
    SUM_OF(symbol)                               \
    metrics_text_head(out, name, "gauge", help); \
    metrics_text_sample(out, name, NULL, sum);

#define ONE_BY(kind, symbol, name, label, labels, help)                 \
    metrics_text_head(out, name, kind, help);                           \
    for (size_t value = 0; value < METRICS_BY_##labels; value++) {      \
        if (label_of_##labels(value) == NULL)                           \
            continue;                                                   \
        SUM_OF(symbol[value])                                           \
        found = labels_of(label, label_of_##labels(value), NULL, NULL); \
        metrics_text_sample(out, name, &found, sum);                    \
    }

#define COUNTER_BY(symbol, name, label, labels, help) \
    ONE_BY("counter", symbol, name, label, labels, help)

#define GAUGE_BY(symbol, name, label, labels, help) \
    ONE_BY("gauge", symbol, name, label, labels, help)

#define COUNTER_BY_TWO(symbol, name, label, labels, second, seconds, help) \
    metrics_text_head(out, name, "counter", help);                         \
    for (size_t value = 0; value < METRICS_BY_##labels; value++)           \
        for (size_t other = 0; other < METRICS_BY_##seconds; other++) {    \
            SUM_OF(symbol[value][other])                                   \
            found = labels_of(label, label_of_##labels(value), second,     \
                              label_of_##seconds(other));                  \
            metrics_text_sample(out, name, &found, sum);                   \
        }

#define COUNTER_NAMED(symbol, name, label, labels, second, help)                      \
    metrics_text_head(out, name, "counter", help);                                    \
    for (size_t value = 0; value < METRICS_BY_##labels; value++)                      \
        write_named(out, name, label, label_of_##labels(value), second, loops, count, \
                    offsetof(struct metrics, symbol) +                                \
                        value * sizeof(struct named_counters));

#define HISTOGRAM(symbol, name, buckets, help)       \
    metrics_text_head(out, name, "histogram", help); \
    SUM_OF_HISTOGRAM(symbol)                         \
    metrics_text_histogram(out, name, NULL, BUCKETS_##buckets, &total);

#define HISTOGRAM_BY(symbol, name, label, labels, buckets, help)              \
    metrics_text_head(out, name, "histogram", help);                          \
    for (size_t value = 0; value < METRICS_BY_##labels; value++) {            \
        SUM_OF_HISTOGRAM(symbol[value])                                       \
        found = labels_of(label, label_of_##labels(value), NULL, NULL);       \
        metrics_text_histogram(out, name, &found, BUCKETS_##buckets, &total); \
    }

void metrics_write(struct metrics *const *loops, size_t count, struct buffer *out)
{
    struct metrics_labels found;
    struct histogram_sum total;
    int64_t sum;

#include "metrics.def"
    meters_write(loops, count, out);
}
