/*
 * Operations in batches: one transaction for all of them, and one fsync where it writes.
 */
#ifndef SQLITE_BATCH_INTERNAL_H
#define SQLITE_BATCH_INTERNAL_H

#include "sqlite_operation_internal.h"

/* Runs all in one transaction of ground->rows, which writes where ground->is_writing.  Where that
 * fails and hope is left each is run in one of its own.  Afterwards each has its step: what is
 * done is durable, and settled in the claims; and ground->delivered_count is 0 where those are
 * written down. */
void sqlite_batch_run(struct operation_ground *ground, struct store_list *batch);

#endif
