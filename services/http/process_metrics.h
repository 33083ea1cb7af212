/*
 * The process in the names that all Prometheus clients have for one
 * (https://prometheus.io/docs/instrumenting/writing_clientlibs, Process metrics).
 */
#ifndef PROCESS_METRICS_H
#define PROCESS_METRICS_H

#include "buffer.h"

/* Looks at the process as it is now; what the system does not tell is left out. */
void process_metrics_write(struct buffer *out);

#endif
