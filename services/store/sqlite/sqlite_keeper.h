/*
 * Runs operations in batches: one transaction and one fsync for all that write.
 *
 * The keeper belongs to the store's thread.  It has no thread, queue or clock of its own:
 * it is called with what has come, and says when it wants to be called though nothing
 * came.
 */
#ifndef SQLITE_KEEPER_H
#define SQLITE_KEEPER_H

#include "sqlite_operation.h"

struct sqlite_keeper;

/* On the file at `path`, which is opened.  NULL, with a line in `problem`. */
struct sqlite_keeper *sqlite_keeper_open(const char *path, struct buffer *problem);

/* Closes the database.  Nothing may be left waiting: sqlite_keeper_finish().  NULL is
 * fine. */
void sqlite_keeper_free(struct sqlite_keeper *keeper);

/* Takes what has come, and runs at once what only reads; the rest is held back for
 * sqlite_keeper_write().  What is finished is put in `answered`; what has to come again
 * at once, in `again`. */
void sqlite_keeper_read(struct sqlite_keeper *keeper, struct store_list *come,
                        int64_t now_us, struct store_list *answered,
                        struct store_list *again);

/* Runs what was held back in one transaction, likewise; what it answers is durable.
 * Returns how many operations that were. */
size_t sqlite_keeper_write(struct sqlite_keeper *keeper, int64_t now_us,
                           struct store_list *answered, struct store_list *again);

/* When to call them at the latest, though nothing comes; INT64_MAX: need not be.  0: at
 * once, something is held back. */
int64_t sqlite_keeper_read_due_us(const struct sqlite_keeper *keeper);
int64_t sqlite_keeper_write_due_us(const struct sqlite_keeper *keeper);

/* Between batches: keeps the write-ahead log short. */
void sqlite_keeper_tend(struct sqlite_keeper *keeper);

/* The end: nothing waits any longer, and what was reported is written down. */
void sqlite_keeper_finish(struct sqlite_keeper *keeper, int64_t now_us,
                          struct store_list *answered);

struct store_stats sqlite_keeper_stats(struct sqlite_keeper *keeper);

#endif
