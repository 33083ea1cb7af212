/*
 * The greeting: a new connection shakes hands before libmicrohttpd sees it.
 *
 *   front door: the first record is there > greeting_start > ... > the front door hands it on
 *
 * A signature costs up to a millisecond of the loop, so a tick begins only a few; the others wait,
 * and turns under way go on between them.
 */
#ifndef GREETING_H
#define GREETING_H

#include "connection.h"

/* Handshakes that a loop begins in one tick. */
#define GREETINGS_A_TICK 4

/* Begins, where this tick has room for one; else the caller asks again in the next.  The connection
 * is ARRIVING; when true is returned it may be gone. */
bool greeting_start(struct connection *connection);

/* An end to a session, done or not; the certificate goes with it.  Without one: nothing. */
void greeting_forget(struct connection *connection);

#endif
