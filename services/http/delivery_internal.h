/*
 * Did the reply of a committed turn reach the client?  The store asks, because an answer
 * that is sent again after a lost reply must not make a second turn.
 *
 * A reply has arrived when the client's side has acknowledged its last byte (TCP_INFO,
 * tcp(7)).  A client that was gone when the reply was due, a write that failed, a
 * connection that was reset, or five seconds without the acknowledgement: it has not.
 */
#ifndef DELIVERY_INTERNAL_H
#define DELIVERY_INTERNAL_H

#include "id.h"
#include "server_internal.h"

/* The reply is written: reports it with turn_note_arrival() exactly once, now or
 * within a few seconds.  The descriptor stays the caller's, who may close it meanwhile.
 */
void delivery_watch(struct server *server, int descriptor, const struct id *session_id,
                    unsigned commit_number);

/* The reply could not be written. */
void delivery_failed(struct server *server, const struct id *session_id,
                     unsigned commit_number);

/* Reports all that are still watched as not delivered. */
void delivery_end_all(struct server *server);

#endif
