/*
 * Copies the write-ahead log back into the database on a thread and a connection of its
 * own, so that no turn waits for it: SQLite lets a checkpoint run beside readers and
 * writers.
 */
#ifndef SQLITE_CHECKPOINTER_INTERNAL_H
#define SQLITE_CHECKPOINTER_INTERNAL_H

#include "buffer.h"

#include <stdbool.h>

struct sqlite_checkpointer;

/* NULL, with a line in `problem`. */
struct sqlite_checkpointer *sqlite_checkpointer_new(const char *path,
                                                    struct buffer *problem);

/* Waits for a checkpoint under way.  NULL is fine. */
void sqlite_checkpointer_free(struct sqlite_checkpointer *checkpointer);

/* Starts one, unless one is under way. */
void sqlite_checkpointer_start(struct sqlite_checkpointer *checkpointer);

bool sqlite_checkpointer_is_busy(struct sqlite_checkpointer *checkpointer);

#endif
