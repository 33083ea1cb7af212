/*
 * Samples, labels and histograms as Prometheus reads them.
 */
#include "metrics_text.h"

#include <string.h>

#define ROOM_BYTES 4 /* for the end of a label: a quote, and an escape before it */

static void put(struct metrics_labels *labels, const char *text)
{
    size_t length = strlen(text);

    if (length >= sizeof(labels->text) - labels->length)
        return;
    memcpy(labels->text + labels->length, text, length + 1);
    labels->length += length;
}

static void put_escaped(struct metrics_labels *labels, const char *value)
{
    for (; *value != '\0' && labels->length + ROOM_BYTES < sizeof(labels->text);
         value++) {
        char character[2] = {*value, '\0'};

        if (*value == '\\')
            put(labels, "\\\\");
        else if (*value == '"')
            put(labels, "\\\"");
        else if (*value == '\n')
            put(labels, "\\n");
        else
            put(labels, character);
    }
}

void metrics_label(struct metrics_labels *labels, const char *name, const char *value)
{
    size_t needed = strlen(name) + ROOM_BYTES + 2;

    if (*value == '\0' || labels->length + needed >= sizeof(labels->text))
        return;
    if (labels->length > 0)
        put(labels, ",");
    put(labels, name);
    put(labels, "=\"");
    put_escaped(labels, value);
    put(labels, "\"");
}

void metrics_text_head(struct buffer *out, const char *name, const char *kind,
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

/* Up to the number; `bound` is the label le, or NULL. */
static void begin_sample(struct buffer *out, const char *name, const char *suffix,
                         const struct metrics_labels *labels, const char *bound)
{
    bool has_labels = labels != NULL && labels->length > 0;

    buffer_append_string(out, name);
    buffer_append_string(out, suffix);
    if (has_labels || bound != NULL) {
        buffer_append_char(out, '{');
        if (has_labels)
            buffer_append(out, labels->text, labels->length);
        if (has_labels && bound != NULL)
            buffer_append_char(out, ',');
        if (bound != NULL) {
            buffer_append_string(out, "le=\"");
            buffer_append_string(out, bound);
            buffer_append_char(out, '"');
        }
        buffer_append_char(out, '}');
    }
    buffer_append_char(out, ' ');
}

static void end_sample(struct buffer *out, int64_t value, int64_t unit)
{
    buffer_append_number(out, value / unit);
    if (unit > 1) {
        int64_t rest = value % unit;

        buffer_append_char(out, '.');
        for (int64_t part = unit / 10; part > 0; part /= 10)
            buffer_append_char(out, (char)('0' + rest / part % 10));
    }
    buffer_append_char(out, '\n');
}

void metrics_text_sample(struct buffer *out, const char *name,
                         const struct metrics_labels *labels, int64_t value)
{
    begin_sample(out, name, "", labels, NULL);
    end_sample(out, value, 1);
}

void metrics_text_decimal(struct buffer *out, const char *name,
                          const struct metrics_labels *labels, int64_t value,
                          int64_t unit)
{
    begin_sample(out, name, "", labels, NULL);
    end_sample(out, value, unit);
}

void metrics_text_histogram(struct buffer *out, const char *name,
                            const struct metrics_labels *labels, enum buckets buckets,
                            const struct histogram_sum *sum)
{
    int64_t count = 0;

    for (size_t at = 0; at < buckets_count(buckets); at++) {
        count += sum->counts[at];
        begin_sample(out, name, "_bucket", labels, buckets_bound_text(buckets, at));
        end_sample(out, count, 1);
    }
    count = histogram_count(sum);
    begin_sample(out, name, "_bucket", labels, "+Inf");
    end_sample(out, count, 1);
    begin_sample(out, name, "_sum", labels, NULL);
    end_sample(out, sum->sum, buckets_unit(buckets));
    begin_sample(out, name, "_count", labels, NULL);
    end_sample(out, count, 1);
}
