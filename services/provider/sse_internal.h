/*
 * A reader of server-sent events, as they come
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html, 9.2.6): it gives on
 * the data of each event.  Types, ids and times to wait, which no provider of ours gives a
 * meaning, are read over.
 */
#ifndef SSE_INTERNAL_H
#define SSE_INTERNAL_H

#include "buffer.h"
#include "span.h"

#include <stdbool.h>
#include <stddef.h>

/* The data of one event, its lines joined by LF; borrowed during the call. */
typedef void sse_event_fn(void *context, struct span data);

struct sse {
    sse_event_fn *on_event;
    void *context;      /* borrowed, for on_event */
    struct buffer line; /* owned: the beginning of a line whose end has not come */
    struct buffer data; /* owned: of the event under way, an LF behind each line */
    size_t begun;       /* bytes of a byte order mark that were seen; 4: past that */
    bool skips_lf;      /* the last byte was a CR: an LF now belongs to it */
};

/* No line and no event may be longer than `ceiling`. */
void sse_init(struct sse *sse, size_t ceiling, sse_event_fn *on_event, void *context);

/* Takes the next bytes; what they complete is given on before this returns.  false: a line
 * or an event is too long, and everything from then on is ignored. */
bool sse_feed(struct sse *sse, struct span bytes);

/* Wipes and frees what it holds; an event without its blank line was none.  A zeroed one
 * is fine. */
void sse_done(struct sse *sse);

#endif
