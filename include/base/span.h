/*
 * A stretch of bytes that somebody else owns.
 */
#ifndef SPAN_H
#define SPAN_H

#include <stdbool.h>
#include <stddef.h>

struct span {
    const char *bytes; /* borrowed; NULL where there is none */
    size_t length;
};

/* The span of a C string; NULL gives the empty span. */
struct span span_of(const char *string);

bool span_equals(struct span span, const char *string);

/* ASCII case is ignored. */
bool span_equals_ignoring_case(struct span span, const char *string);

#endif
