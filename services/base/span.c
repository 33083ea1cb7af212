#include "span.h"

#include <string.h>
#include <strings.h>

struct span span_of(const char *string)
{
    struct span span = {string, string != NULL ? strlen(string) : 0};

    return span;
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
