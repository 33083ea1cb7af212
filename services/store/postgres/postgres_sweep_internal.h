/*
 * The sweep: what has expired goes, a bounded number of rows in each statement, from however many
 * processes at the same time.
 */
#ifndef POSTGRES_SWEEP_INTERNAL_H
#define POSTGRES_SWEEP_INTERNAL_H

#include "postgres_operation_internal.h"

/* Blocks.  `goes_on` is asked between two statements.  false: the connection is of no use, and the
 * SQLSTATE is in `ret_sqlstate`. */
bool postgres_sweep(PGconn *conn, struct postgres_ground *ground, int64_t now_ms,
                    int64_t refusals_before_ms, bool (*goes_on)(void *context),
                    void *context, char ret_sqlstate[6]);

#endif
