/*
 * Reads server-sent events as they come.
 *
 *   feed > a line at a time > its field > at a blank line, the event
 *
 * A line that arrives whole is read where it lies; only the pieces of a split one are
 * collected.
 */
#include "sse_internal.h"

#include <string.h>

static const char byte_order_mark[] = "\xEF\xBB\xBF";

#define MARK_BYTES 3
#define BEGUN      (MARK_BYTES + 1)

void sse_init(struct sse *sse, size_t ceiling, sse_event_fn *on_event, void *context)
{
    memset(sse, 0, sizeof(*sse));
    sse->on_event = on_event;
    sse->context = context;
    buffer_init(&sse->line, ceiling);
    buffer_init(&sse->data, ceiling);
}

/* The offset of the first CR or LF, or the length. */
static size_t line_length(struct span bytes)
{
    const char *end = memchr(bytes.bytes, '\n', bytes.length);
    size_t length = end != NULL ? (size_t)(end - bytes.bytes) : bytes.length;
    const char *earlier = memchr(bytes.bytes, '\r', length);

    return earlier != NULL ? (size_t)(earlier - bytes.bytes) : length;
}

static struct span rest_of(struct span bytes, size_t from)
{
    return (struct span){bytes.bytes + from, bytes.length - from};
}

/* One byte order mark may stand in front.  Bytes that only began like one belong to the
 * first line. */
static struct span skip_mark(struct sse *sse, struct span bytes)
{
    while (sse->begun < BEGUN && bytes.length > 0) {
        if (sse->begun == MARK_BYTES) {
            sse->begun = BEGUN;
        } else if (bytes.bytes[0] == byte_order_mark[sse->begun]) {
            sse->begun++;
            bytes = rest_of(bytes, 1);
        } else {
            buffer_append(&sse->line, byte_order_mark, sse->begun);
            sse->begun = BEGUN;
        }
    }
    return bytes;
}

/* A comment is a field without a name. */
static void take_field(struct sse *sse, struct span name, struct span value)
{
    if (!span_equals(name, "data"))
        return;
    if (buffer_append(&sse->data, value.bytes, value.length))
        buffer_append_char(&sse->data, '\n');
}

static void dispatch(struct sse *sse)
{
    if (sse->data.length == 0)
        return;
    sse->on_event(sse->context, (struct span){sse->data.bytes, sse->data.length - 1});
    buffer_clear(&sse->data);
}

static void take_line(struct sse *sse, struct span line)
{
    const char *colon;
    struct span value = {NULL, 0};

    if (line.length == 0) {
        dispatch(sse);
        return;
    }
    colon = memchr(line.bytes, ':', line.length);
    if (colon != NULL) {
        value = rest_of(line, (size_t)(colon - line.bytes) + 1);
        line.length = (size_t)(colon - line.bytes);
        if (value.length > 0 && value.bytes[0] == ' ')
            value = rest_of(value, 1);
    }
    take_field(sse, line, value);
}

bool sse_feed(struct sse *sse, struct span bytes)
{
    bytes = skip_mark(sse, bytes);
    while (bytes.length > 0 && !sse->line.is_over && !sse->data.is_over) {
        struct span line = {bytes.bytes, 0};

        if (sse->skips_lf && bytes.bytes[0] == '\n') {
            sse->skips_lf = false;
            bytes = rest_of(bytes, 1);
            continue;
        }
        sse->skips_lf = false;
        line.length = line_length(bytes);
        if (line.length == bytes.length || sse->line.length > 0)
            buffer_append(&sse->line, line.bytes, line.length);
        if (line.length == bytes.length)
            break; /* its end has not come */

        sse->skips_lf = bytes.bytes[line.length] == '\r';
        bytes = rest_of(bytes, line.length + 1);
        if (sse->line.is_over)
            break;
        if (sse->line.length > 0)
            line = (struct span){sse->line.bytes, sse->line.length};
        take_line(sse, line);
        buffer_clear(&sse->line);
    }
    return !sse->line.is_over && !sse->data.is_over;
}

void sse_done(struct sse *sse)
{
    buffer_done(&sse->line);
    buffer_done(&sse->data);
}
