/*
 * Where the bytes of a rewritten text came from: kept as the places where the distance
 * between the two changes, because most bytes follow the one before them in both.
 */
#ifndef OFFSETS_INTERNAL_H
#define OFFSETS_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

struct offset_step {
    uint32_t to;   /* from this offset of the rewritten text on ... */
    uint32_t from; /* ... the bytes come from here on */
};

struct offsets {
    struct offset_step *steps; /* owned; `to` grows strictly */
    size_t count;
    size_t capacity;
    size_t distance; /* from - to, modulo the size of a size_t, of the last step */
};

/* The byte at `to` came from `from`; offsets of `to` must not fall. */
static inline void offsets_add(struct offsets *offsets, size_t to, size_t from);

/* Forgets what was noted for `to` and after it. */
void offsets_cut(struct offsets *offsets, size_t to);

void offsets_clear(struct offsets *offsets);

/* Where the byte at `to` came from. */
size_t offsets_origin(const struct offsets *offsets, size_t to);

/* A zeroed one is fine. */
void offsets_done(struct offsets *offsets);

void offsets_add_step(struct offsets *offsets, size_t to, size_t from);

static inline void offsets_add(struct offsets *offsets, size_t to, size_t from)
{
    if (from - to != offsets->distance)
        offsets_add_step(offsets, to, from);
}

#endif
