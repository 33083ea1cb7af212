/*
 * Uploads in progress: how much memory all of them take, and which one is a session's.
 *
 * A session has one at a time, and the newest wins: a phone that starts over has given up the
 * connection before, which nobody has told us of yet.  The older one is answered
 * 409 turn_in_progress, where it still ends, and what came of it is forgotten at once.
 */
#ifndef UPLOADS_INTERNAL_H
#define UPLOADS_INTERNAL_H

#include "request_internal.h"

struct uploads;

/* May a body of `announced` bytes be read (less than 0: nobody knows how long it is)?  Not where
 * those that are read already leave no room for it (UPLOADS_MAX_BYTES). */
bool uploads_have_room(const struct server *server, int64_t announced);

/* What the request's endpoint keeps of its body is so much by now.  false: there is no room for it. */
bool uploads_hold(struct request *request, size_t bytes);

/* They are kept no longer, or by somebody who counts them by himself. */
void uploads_release(struct request *request);

/* The request's body is its session's upload from now on. */
void uploads_enter(struct request *request);

/* Its body is complete, or it ends without.  Again, or without uploads_enter(): does nothing. */
void uploads_leave(struct request *request);

#endif
