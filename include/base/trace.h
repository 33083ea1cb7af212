/*
 * The trace that a request belongs to, as its client or a proxy says in `traceparent` and `tracestate`
 * (https://www.w3.org/TR/trace-context/), or as it was begun here: it is in every log line of the request,
 * and passed on to the providers under a span of our own for each call.
 */
#ifndef TRACE_H
#define TRACE_H

#include "span.h"

#include <stdbool.h>

#define TRACE_SPAN_BYTES 17

struct trace {
    char id[33];                   /* 32 hexadecimal digits, NUL-terminated; "": none */
    char flags[3];                 /* two: whether the caller records it */
    char span[TRACE_SPAN_BYTES];   /* 16: what is being done here */
    char parent[TRACE_SPAN_BYTES]; /* what that is a part of; "": of nothing */
    struct span state;             /* tracestate; borrowed from whoever holds the trace */
};

#define TRACE_HEADER_BYTES 56

/* The header's value: its trace, a new span, and the header's own as the parent.  false, and no trace,
 * where it is not valid, or of version ff. */
bool trace_read(struct span value, struct trace *ret_trace);

/* A new one, which is recorded. */
struct trace trace_begin(void);

/* May this be sent on as a tracestate?  One that is longer than 512 bytes may be dropped whole. */
bool trace_state_is_sound(struct span value);

/* A new span within this one.  Of none: none. */
struct trace trace_child(const struct trace *trace);

/* Is there one, and shall its spans be kept? */
bool trace_is_recorded(const struct trace *trace);

/* The value for a call, whose span it is. */
void trace_write(const struct trace *trace, char ret_value[TRACE_HEADER_BYTES]);

#endif
