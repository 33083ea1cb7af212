/*
 * One event loop on a thread of its own, with everything that it lends to its turns.
 */
#ifndef WORKER_INTERNAL_H
#define WORKER_INTERNAL_H

#include "filter.h"
#include "services.h"

struct worker;

/* Takes over the listening socket; the rest is borrowed.  `ruleset` may be NULL: no
 * filter.  NULL, and the socket is closed, where the system has no room for it, or where
 * the index of the study material cannot be opened: then a line is in `problem`. */
struct worker *worker_new(struct shared_services *shared, struct metrics *metrics,
                          struct ruleset *ruleset, int listen_descriptor,
                          struct buffer *problem);

/* The one that is asked first; borrowed from it. */
const struct coach *worker_coach(const struct worker *worker);

/* What it lends to its requests; borrowed from it. */
const struct services *worker_services(const struct worker *worker);

/* Runs the loop on a new thread. */
bool worker_start(struct worker *worker);

/* Stops taking turns, finishes those under way, then stops the loop.  From any thread. */
void worker_drain(struct worker *worker);

/* Uses another rule set from the next turn on, then calls `done` on the loop of the asker.  From any
 * thread. */
void worker_reload(struct worker *worker, struct ruleset *ruleset, struct loop *asker,
                   loop_fn *done, void *context);

/* Calls `done` on the loop of the asker as soon as the worker's loop comes to it.  From any
 * thread. */
void worker_ping(struct worker *worker, struct loop *asker, loop_fn *done, void *context);

/* Waits for the thread to end. */
void worker_join(struct worker *worker);

/* Only after worker_join(), or without a worker_start(): ends the server, which reports
 * to the store for the last time.  The loop stays, for what the store may still answer.
 */
void worker_close(struct worker *worker);

/* The same, and all the rest.  NULL is fine. */
void worker_free(struct worker *worker);

#endif
