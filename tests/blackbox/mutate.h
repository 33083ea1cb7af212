/*
 * Changing bytes at random, always in the same way: the seed is fixed, so what failed
 * once fails again.
 */
#ifndef BLACKBOX_MUTATE_H
#define BLACKBOX_MUTATE_H

#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

struct generator {
    uint64_t state; /* not 0 */
};

/* A number from 0 up to, and without, the limit. */
size_t below(struct generator *generator, size_t limit);

/* One change: a bit, a byte, a few bytes gone, doubled or replaced by one of the pieces.
 */
struct pieces {
    const char *const *texts; /* borrowed */
    size_t count;
};
void mutate(struct generator *generator, struct bytes *bytes, struct pieces pieces);

/* The rest is gone, from somewhere on. */
void cut_off(struct generator *generator, struct bytes *bytes);

#endif
