/*
 * Closing slowly.  A connection that is closed while bytes of it are unread is reset, and
 * the reset can overtake the reply (RFC 9112 9.6).  So after an early reply our side is
 * shut, and what still comes is read and thrown away for a bounded time and number of
 * bytes.
 */
#ifndef LINGER_INTERNAL_H
#define LINGER_INTERNAL_H

#include "server_internal.h"

/* Ends what we say, and lingers on a duplicate of the descriptor, which the caller closes. */
void linger_start(struct server *server, int descriptor);

/* Ends all that are under way. */
void linger_end_all(struct server *server);

#endif
