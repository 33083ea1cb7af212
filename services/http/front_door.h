/*
 * The front door: a new connection waits here until its first line can be seen.
 *
 * libmicrohttpd closes a connection whose first line is no HTTP request line without a
 * word.  Here the first bytes are looked at without taking them (MSG_PEEK): what cannot
 * become a request line is answered 400 bad_request, the rest is handed on.
 */
#ifndef FRONT_DOOR_H
#define FRONT_DOOR_H

#include "server_internal.h"

#include <stddef.h>

struct addresses_entry;

enum first_line {
    FIRST_LINE_GOOD,   /* a request line (RFC 9112 3) */
    FIRST_LINE_BAD,    /* none, and none that it could become */
    FIRST_LINE_PARTIAL /* good so far */
};

/* Judges what has been sent so far. */
enum first_line front_door_judge(const char *bytes, size_t length);

/* Lets a new connection in, or has it wait.  Takes over the descriptor, and what the client
 * is counted by, which may be NULL. */
void front_door_enter(struct server *server, int descriptor,
                      struct addresses_entry *client);

#endif
