/*
 * Overload: when a loop, or the store behind it, keeps everybody waiting, new work is
 * turned away at its head, so that turns under way go on as if nothing were.
 */
#ifndef OVERLOAD_H
#define OVERLOAD_H

#include "metrics.h"
#include "saturation.h"
#include "server_internal.h"

struct overload {
    struct loop_timer *pulse; /* owned; NULL: not watching */
    int64_t due_us;           /* monotonic; when the pulse should come */
    struct saturation loop;
    struct saturation store;
};

/* Watches from now on. */
void overload_start(struct server *server);

/* Again, and before the start: does nothing. */
void overload_stop(struct server *server);

/* Why nothing new may be begun now; SHEDDING_COUNT: it may. */
enum shedding overload_reason(const struct server *server);

#endif
