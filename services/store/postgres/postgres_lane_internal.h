/*
 * A loop's way to PostgreSQL: its queues and its connections.
 *
 * Of the connections one is quick: what it commits is in the server's log a moment later only, so
 * that what it is asked need not wait for a disk.  It does what a crash may undo: reading, claims,
 * reports.  The others commit durably, the end of a claim too: a crash that undid nothing but that
 * would leave its session claimed by a process that lives.  Each of these has one
 * transaction under way at a time; what comes meanwhile gathers, and goes out together.
 *
 * Operations on one session keep their order, on whatever connection they are.
 */
#ifndef POSTGRES_LANE_INTERNAL_H
#define POSTGRES_LANE_INTERNAL_H

#include "postgres_connector_internal.h"

struct postgres_lane;

/* What the lanes of a store share. */
struct postgres_store_state {
    struct postgres_connector *connector; /* owned by the store */
    struct postgres_ground ground;
    _Atomic int64_t beat_us; /* when the process's row was last beaten for (monotonic) */
    _Atomic int64_t came_us; /* when a connection was last made */
    /* Connections from before lead to a server that may not write any more: what it says
     * may be old. */
    _Atomic int64_t left_us;
    _Atomic int64_t commits;
    _Atomic int64_t operations;
    struct store_health *health; /* borrowed: the backend's */
};

/* On the loop's thread, like the next. */
struct postgres_lane *postgres_lane_new(struct loop *loop,
                                        struct postgres_store_state *state);
void postgres_lane_push(struct postgres_lane *lane, struct postgres_operation *operation);

/* When the loop has stopped and the connector too: finishes what was asked for until
 * `deadline_us`, tells nobody, and frees the lane. */
void postgres_lane_close(struct postgres_lane *lane, int64_t deadline_us);

#endif
