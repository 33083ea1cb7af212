/*
 * A stretch of bytes that is owned elsewhere.
 */
#ifndef SPAN_H
#define SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct span {
    const char *bytes; /* borrowed; NULL where there is none */
    size_t length;
};

/* The span of a C string; NULL gives the empty span. */
static inline struct span span_of(const char *string)
{
    struct span span = {string, string != NULL ? strlen(string) : 0};

    return span;
}

/* A number in decimal digits, which are written to the end of `digits`. */
#define SPAN_NUMBER_BYTES 24
struct span span_of_number(int64_t number, char digits[SPAN_NUMBER_BYTES]);

bool span_equals(struct span span, const char *string);

/* ASCII case is ignored. */
bool span_equals_ignoring_case(struct span span, const char *string);

#endif
