/*
 * The traceparent header (W3C Trace Context), read and written; spans of our own.
 */
#include "trace.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

/* "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" */
enum { VERSION_AT = 0, TRACE_AT = 3, SPAN_AT = 36, FLAGS_AT = 53, LENGTH = 55 };

#define STATE_BYTES 512

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

static void make_hex(char *digits, size_t size)
{
    unsigned char bytes[16];
    size_t length = (size - 1) / 2;

    do
        randombytes_buf(bytes, length);
    while (sodium_is_zero(bytes, length));
    sodium_bin2hex(digits, size, bytes, length);
}

bool trace_read(struct span value, struct trace *ret_trace)
{
    *ret_trace = (struct trace){0};
    if (!is_sound(value))
        return false;
    memcpy(ret_trace->id, value.bytes + TRACE_AT, 32);
    memcpy(ret_trace->parent, value.bytes + SPAN_AT, 16);
    memcpy(ret_trace->flags, value.bytes + FLAGS_AT, 2);
    make_hex(ret_trace->span, sizeof(ret_trace->span));
    return true;
}

struct trace trace_begin(void)
{
    struct trace trace = {.flags = "01"};

    make_hex(trace.id, sizeof(trace.id));
    make_hex(trace.span, sizeof(trace.span));
    return trace;
}

bool trace_state_is_sound(struct span value)
{
    for (size_t at = 0; at < value.length; at++)
        if (value.bytes[at] < ' ' || value.bytes[at] > '~')
            return false;
    return value.length > 0 && value.length <= STATE_BYTES;
}

struct trace trace_child(const struct trace *trace)
{
    struct trace child = *trace;

    if (trace->id[0] != '\0') {
        memcpy(child.parent, trace->span, sizeof(child.parent));
        make_hex(child.span, sizeof(child.span));
    }
    return child;
}

bool trace_is_recorded(const struct trace *trace)
{
    return trace->id[0] != '\0' && strchr("13579bdf", trace->flags[1]) != NULL;
}

void trace_write(const struct trace *trace, char ret_value[TRACE_HEADER_BYTES])
{
    snprintf(ret_value, TRACE_HEADER_BYTES, "00-%s-%s-%s", trace->id, trace->span,
             trace->flags);
}
