/*
 * Where refusals are kept: a table of the store, or the file that REFUSAL_LOG names.
 */
#ifndef REFUSAL_LOG_INTERNAL_H
#define REFUSAL_LOG_INTERNAL_H

#include "settings.h"
#include "store.h"

/* Keeps a refusal, without its question where REFUSAL_LOG_QUESTIONS is false.  The question is taken.
 * Without a store (NULL) it is kept nowhere.  `done` is called exactly once, from the loop: OK, or STORE_UNAVAILABLE.  The file is written on a thread
 * of libuv's, never on the loop. */
void refusal_log_note(const struct settings *settings, struct store *store,
                      struct loop *loop, struct refusal *refusal, store_done_fn *done,
                      void *context);

#endif
