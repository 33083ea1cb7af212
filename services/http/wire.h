/*
 * A connection's socket behind libmicrohttpd's back, whether it speaks TLS or not: last words, the
 * end of them, and whether the client is still there.
 *
 * Of a connection that speaks TLS nobody can look at the next byte without taking it, so what is
 * asked in the middle of things asks the socket only, and what takes a byte is for the end.
 */
#ifndef WIRE_H
#define WIRE_H

#include "connection.h"
#include "span.h"

/* Writes without waiting; what does not fit into the socket's buffer is lost.  Only while nothing
 * else is being written.  false: not all of it went, or the connection has no language yet. */
bool wire_write(struct connection *connection, struct span bytes);

/* Nothing more will be written: says so, in TLS too (RFC 8446 6.1).  Again: does nothing. */
void wire_end(struct connection *connection);

/* Is the client still there?  A client that has closed its side is not: HTTP clients that wait
 * for a reply do not. */
bool wire_client_is_there(const struct connection *connection);

/* Has the client closed its side, with all that it sent read?  Of TLS libmicrohttpd finds that out
 * by itself: false. */
bool wire_is_cut(const struct connection *connection);

/* The same after libmicrohttpd has read its last: may take a byte. */
bool wire_has_ended(struct connection *connection);

/* Records of TLS that have come, the goodbye among them.  After the handshake this is where words
 * begin. */
uint64_t wire_records(const struct connection *connection);

#endif
