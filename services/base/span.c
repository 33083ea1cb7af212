/*
 * Spans: numbers as text, and comparing.
 */
#include "span.h"

#include <strings.h>

struct span span_of_number(int64_t number, char digits[SPAN_NUMBER_BYTES])
{
    size_t at = SPAN_NUMBER_BYTES;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;

    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0)
        digits[--at] = '-';
    return (struct span){digits + at, SPAN_NUMBER_BYTES - at};
}

bool span_equals(struct span span, const char *string)
{
    size_t length = strlen(string);

    return span.length == length &&
           (length == 0 || memcmp(span.bytes, string, length) == 0);
}

bool span_equals_ignoring_case(struct span span, const char *string)
{
    size_t length = strlen(string);

    return span.length == length &&
           (length == 0 || strncasecmp(span.bytes, string, length) == 0);
}
