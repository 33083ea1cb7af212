/*
 * The thread that may wait: it makes connections for the loops, makes them again with back-off
 * where that fails, and sweeps.
 */
#ifndef POSTGRES_CONNECTOR_INTERNAL_H
#define POSTGRES_CONNECTOR_INTERNAL_H

#include "loop.h"
#include "postgres_connect_internal.h"
#include "postgres_operation_internal.h"

struct postgres_connector;

/* On the loop's thread; the connection belongs to whom it is given to. */
typedef void postgres_made_fn(void *context, int index, PGconn *conn);

/* `conn` (taken; NULL: there is none yet) is one for USE_BLOCKING.  Trouble is noted with
 * `health`.  NULL, with a line in `problem`. */
struct postgres_connector *postgres_connector_start(const char *url, PGconn *conn,
                                                    struct postgres_ground *ground,
                                                    struct store_health *health,
                                                    struct buffer *problem);

/* Makes a connection, sooner or later, and calls `made` on the loop. */
void postgres_connector_want(struct postgres_connector *connector, struct loop *loop,
                             enum postgres_use use, int index, postgres_made_fn *made,
                             void *context);

void postgres_connector_sweep(struct postgres_connector *connector, int64_t now_ms,
                              int64_t refusals_before_ms);

/* Ends the thread: at once, or when the attempt under way to connect has failed.  The loops must
 * have stopped. */
void postgres_connector_stop(struct postgres_connector *connector);

/* When it has stopped: makes one here and now.  NULL where that fails. */
PGconn *postgres_connector_make(struct postgres_connector *connector,
                                enum postgres_use use);

/* When it has stopped: takes the process out of the table, and frees everything. */
void postgres_connector_free(struct postgres_connector *connector);

#endif
