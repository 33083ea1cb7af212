/*
 * What the files that write metrics share: metrics.c (the table) and metrics_meters.c (the
 * providers).
 */
#ifndef METRICS_INTERNAL_H
#define METRICS_INTERNAL_H

#include "metrics.h"

/* What was seen of each provider, and the same in the names of OpenTelemetry's conventions
 * for generative AI, as OpenTelemetry writes them for Prometheus. */
void metrics_write_meters(struct metrics *const *loops, size_t count, struct buffer *out);

#endif
