/*
 * The front door: a new connection waits here until its first line can be seen, and one that was
 * parked (parking.h) until that of its next request can.
 *
 * libmicrohttpd closes a connection whose first line is no HTTP request line without a
 * word.  Here the first bytes are looked at without taking them (MSG_PEEK): what cannot
 * become a request line is answered 400 bad_request, the rest is handed on.
 *
 * Where the port speaks TLS the first bytes are to be a TLS record.  When all of it is there the
 * handshake begins (greeting.h): who sends less costs no memory but his place.  Plain HTTP is
 * answered in plain HTTP, 400 with the reason `https_required`, and not sent elsewhere: a client
 * that followed would go on to send its token unencrypted first.
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

/* What can be a method (RFC 9110 5.6.2).  Who comes by TLS was not judged by his first bytes. */
bool front_door_is_method(const char *text);

enum hello {
    HELLO_WHOLE,   /* a first record of TLS, of a handshake */
    HELLO_PARTIAL, /* the beginning of one */
    HELLO_NONE     /* something else */
};

/* The same for TLS (RFC 8446 5.1).  `ret_whole`: the length of the whole record; 5, that of its
 * head, where less than that is known. */
enum hello front_door_judge_hello(const char *bytes, size_t length, size_t available,
                                  size_t *ret_whole);

/* Lets a new connection in, or has it wait.  Takes over the descriptor, and what the client
 * is counted by, which may be NULL. */
void front_door_enter(struct server *server, int descriptor,
                      struct addresses_entry *client);

/* Gives a connection to libmicrohttpd: it speaks plain HTTP, or its handshake is done. */
void front_door_hand_on(struct connection *connection);

/* Lets a parked connection in again when it says something.  It is gone where that cannot be
 * waited for. */
void front_door_await(struct connection *connection);

#endif
