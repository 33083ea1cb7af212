/*
 * What a client wants to read (RFC 9110 12.5): of POST /turn one envelope, or events while
 * the turn runs; of a report an envelope or Markdown; of the page plain or compressed bytes.
 */
#ifndef ACCEPT_INTERNAL_H
#define ACCEPT_INTERNAL_H

#include "span.h"

#include <stdbool.h>

/* Weights in thousandths; 0: not named, or not wanted. */
struct accept {
    int events;   /* of text/event-stream */
    int json;     /* of application/json */
    int markdown; /* of text/markdown */
    int gzip;     /* of the content coding gzip */
};

/* Takes note of one Accept line: a client may send several. */
void accept_add(struct accept *accept, struct span value);

/* The same of one Accept-Encoding line. */
void accept_add_encoding(struct accept *accept, struct span value);

/* gzip is asked for by name.  Who asks for anything gets what is always good: identity. */
bool accept_takes_gzip(const struct accept *accept);

/* Events are asked for by name and with no less weight than JSON.  Wildcards ask for
 * nothing in particular: that is an envelope. */
bool accept_wants_events(const struct accept *accept);

/* The same of Markdown. */
bool accept_wants_markdown(const struct accept *accept);

#endif
