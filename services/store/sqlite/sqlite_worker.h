/*
 * The store's thread and the way to it and back.
 *
 * Loops put operations into one queue; the thread takes all that is there, runs it as one
 * batch, and posts the results back, one call for each loop.
 */
#ifndef SQLITE_WORKER_H
#define SQLITE_WORKER_H

#include "sqlite_keeper.h"

struct sqlite_worker;

/* Takes the keeper over.  NULL, with a line in `problem`, and the keeper freed. */
struct sqlite_worker *sqlite_worker_start(struct sqlite_keeper *keeper,
                                          struct buffer *problem);

/* Takes the operation over.  From its loop's thread, at the end of whose tick the store's
 * thread is woken; from any where it has no loop, and the thread is woken at once. */
void sqlite_worker_push(struct sqlite_worker *worker, struct sqlite_operation *operation);

/* Runs what is in the queue, then ends the thread and frees everything.  The loops that
 * wait for results must not run any more; they are not called. */
void sqlite_worker_stop(struct sqlite_worker *worker);

struct store_stats sqlite_worker_stats(struct sqlite_worker *worker);

#endif
