/*
 * What a client of POST /turn wants to read: one envelope, or events while the turn runs
 * (RFC 9110 12.5.1).
 */
#ifndef ACCEPT_H
#define ACCEPT_H

#include "span.h"

#include <stdbool.h>

/* Weights in thousandths; 0: not named, or not wanted. */
struct accept {
    int events; /* of text/event-stream */
    int json;   /* of application/json */
};

/* Takes note of one Accept line: a client may send several. */
void accept_add(struct accept *accept, struct span value);

/* Events are asked for by name and with no less weight than JSON.  Wildcards ask for
 * nothing in particular: that is an envelope. */
bool accept_wants_events(const struct accept *accept);

#endif
