/*
 * The Prometheus text format, version 0.0.4
 * (https://prometheus.io/docs/instrumenting/exposition_formats).
 */
#ifndef METRICS_TEXT_H
#define METRICS_TEXT_H

#include "buffer.h"
#include "histogram.h"

/* The labels of one sample; longer ones are cut off. */
struct metrics_labels {
    char text[768]; /* as between the braces */
    size_t length;
};

/* Adds one, its value escaped.  An empty value is no label. */
void metrics_label(struct metrics_labels *labels, const char *name, const char *value);

/* The two lines before the samples; `kind` is counter, gauge or histogram. */
void metrics_text_head(struct buffer *out, const char *name, const char *kind,
                       const char *help);

/* `labels` may be NULL: none. */
void metrics_text_sample(struct buffer *out, const char *name,
                         const struct metrics_labels *labels, int64_t value);

/* A number that is kept in parts of `unit`: a million of them are 1. */
void metrics_text_decimal(struct buffer *out, const char *name,
                          const struct metrics_labels *labels, int64_t value,
                          int64_t unit);

void metrics_text_histogram(struct buffer *out, const char *name,
                            const struct metrics_labels *labels, enum buckets buckets,
                            const struct histogram_sum *sum);

#endif
