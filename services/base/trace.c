/*
 * The traceparent header (W3C Trace Context), read and written.
 */
#include "trace.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

/* "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" */
enum { VERSION_AT = 0, TRACE_AT = 3, SPAN_AT = 36, FLAGS_AT = 53, LENGTH = 55 };

/* Lower-case hexadecimal digits, and not all of them 0. */
static bool is_hex(const char *digits, size_t length, bool may_be_zero)
{
    size_t zeros = 0;

    for (size_t i = 0; i < length; i++) {
        if (strchr("0123456789abcdef", digits[i]) == NULL || digits[i] == '\0')
            return false;
        zeros += digits[i] == '0';
    }
    return may_be_zero || zeros < length;
}

/* A later version may have more behind a dash. */
static bool is_sound(struct span value)
{
    const char *text = value.bytes;

    if (value.length < LENGTH || text[TRACE_AT - 1] != '-' || text[SPAN_AT - 1] != '-' ||
        text[FLAGS_AT - 1] != '-' || !is_hex(text + VERSION_AT, 2, true) ||
        memcmp(text, "ff", 2) == 0)
        return false;
    if (value.length > LENGTH && (memcmp(text, "00", 2) == 0 || text[LENGTH] != '-'))
        return false;
    return is_hex(text + TRACE_AT, 32, false) && is_hex(text + SPAN_AT, 16, false) &&
           is_hex(text + FLAGS_AT, 2, true);
}

bool trace_read(struct span value, struct trace *ret_trace)
{
    *ret_trace = (struct trace){0};
    if (!is_sound(value))
        return false;
    memcpy(ret_trace->id, value.bytes + TRACE_AT, 32);
    memcpy(ret_trace->flags, value.bytes + FLAGS_AT, 2);
    return true;
}

void trace_write(const struct trace *trace, char ret_value[TRACE_HEADER_BYTES])
{
    unsigned char span[8];
    char digits[17];

    do
        randombytes_buf(span, sizeof(span));
    while (sodium_is_zero(span, sizeof(span)));
    sodium_bin2hex(digits, sizeof(digits), span, sizeof(span));
    snprintf(ret_value, TRACE_HEADER_BYTES, "00-%s-%s-%s", trace->id, digits,
             trace->flags);
}
