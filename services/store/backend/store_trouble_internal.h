/*
 * What all loops of a process know of how their store is: what went wrong last, and whether turns
 * can be kept.
 */
#ifndef STORE_TROUBLE_INTERNAL_H
#define STORE_TROUBLE_INTERNAL_H

#include "store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* All zeros is a store that is well. */
struct store_health {
    pthread_mutex_t lock;
    struct store_trouble trouble; /* under the lock: the latest */
    _Atomic int64_t failed_us; /* when somebody was last told ERROR_STORE_UNAVAILABLE */
    _Atomic bool is_down;      /* nothing has been written since */
    _Atomic bool is_away;      /* as the log has it */
    _Atomic bool is_full;      /* there is hardly any room on its disk */
};

/* From any thread. */
void store_trouble_note(struct store_health *health, const struct store_trouble *trouble);
struct store_trouble store_trouble_latest(struct store_health *health);

#endif
