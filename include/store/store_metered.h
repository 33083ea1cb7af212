/*
 * A store as one loop uses it, which counts what it asks, how long that takes and how much
 * of it has no answer yet, and says in the log when the store goes away and when it is back
 * (`store_away` with the store's own code, `store_back`).  Otherwise it is the store behind it.
 */
#ifndef STORE_METERED_H
#define STORE_METERED_H

#include "log.h"
#include "metrics.h"
#include "store.h"

/* All are borrowed.  For the loop of these metrics and this log alone, and nobody else's. */
struct store *store_metered_new(struct store *store, struct metrics *metrics,
                                struct log *log);

/* Only after the store behind it was closed: what it has not answered by then is dropped.
 * NULL is fine.  It has no use for store_close(). */
void store_metered_free(struct store *store);

/* How long the one has waited that has waited longest, of those that somebody waits for
 * with a turn; 0: nobody waits. */
int64_t store_metered_oldest_us(const struct store *store);

#endif
