/*
 * The trace that a request belongs to, as its client or a proxy says in `traceparent`
 * (https://www.w3.org/TR/trace-context/): it is in the request's log line, and passed on to
 * the providers under a span of our own for each call.
 */
#ifndef TRACE_H
#define TRACE_H

#include "span.h"

#include <stdbool.h>

struct trace {
    char id[33];   /* 32 hexadecimal digits, NUL-terminated; "": none */
    char flags[3]; /* two: whether the caller records it */
};

#define TRACE_HEADER_BYTES 56

/* The header's value.  false, and no trace, where it is not valid, or of version ff. */
bool trace_read(struct span value, struct trace *ret_trace);

/* The value for a call: the same trace, a new span. */
void trace_write(const struct trace *trace, char ret_value[TRACE_HEADER_BYTES]);

#endif
