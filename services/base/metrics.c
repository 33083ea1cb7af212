#include "metrics.h"

static const char *label_of_ROUTES(size_t value)
{
    return route_name((enum route)value);
}

static const char *label_of_ERRORS(size_t value)
{
    return value == OK ? NULL : error_info((enum error)value)->code;
}

static const char *label_of_STAGES(size_t value)
{
    return stage_name((enum stage)value);
}

static const char *label_of_GATES(size_t value)
{
    return gate_refuses((enum gate)value) ? gate_name((enum gate)value) : NULL;
}

static void write_head(struct buffer *out, const char *name, const char *kind,
                       const char *help)
{
    buffer_append_string(out, "# HELP ");
    buffer_append_string(out, name);
    buffer_append_char(out, ' ');
    buffer_append_string(out, help);
    buffer_append_string(out, "\n# TYPE ");
    buffer_append_string(out, name);
    buffer_append_char(out, ' ');
    buffer_append_string(out, kind);
    buffer_append_char(out, '\n');
}

static void write_value(struct buffer *out, const char *name, const char *label,
                        const char *value, int64_t sum)
{
    buffer_append_string(out, name);
    if (label != NULL) {
        buffer_append_char(out, '{');
        buffer_append_string(out, label);
        buffer_append_string(out, "=\"");
        buffer_append_string(out, value);
        buffer_append_string(out, "\"}");
    }
    buffer_append_char(out, ' ');
    buffer_append_number(out, sum);
    buffer_append_char(out, '\n');
}

static int64_t load(const _Atomic int64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* The macros below expand to one block per row of the table. */
#define SUM_OF(member)                    \
    sum = 0;                              \
    for (size_t at = 0; at < count; at++) \
        sum += load(&loops[at]->member);

#define COUNTER(symbol, name, help)         \
    SUM_OF(symbol)                          \
    write_head(out, name, "counter", help); \
    write_value(out, name, NULL, NULL, sum);

#define GAUGE(symbol, name, help)         \
    SUM_OF(symbol)                        \
    write_head(out, name, "gauge", help); \
    write_value(out, name, NULL, NULL, sum);

#define COUNTER_BY(symbol, name, label, labels, help)                 \
    write_head(out, name, "counter", help);                           \
    for (size_t value = 0; value < METRICS_BY_##labels; value++) {    \
        if (label_of_##labels(value) == NULL)                         \
            continue;                                                 \
        SUM_OF(symbol[value])                                         \
        write_value(out, name, label, label_of_##labels(value), sum); \
    }

void metrics_write(struct metrics *const *loops, size_t count, struct buffer *out)
{
    int64_t sum;

#include "metrics.def"
}
