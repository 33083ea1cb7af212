/*
 * Texts by number: each different one is kept once, and has the next number from 0 on.
 */
#ifndef INTERN_INTERNAL_H
#define INTERN_INTERNAL_H

#include "span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed is empty. */
struct intern {
    struct interned {
        uint32_t start, length; /* in `bytes` */
    } * all;                    /* owned, like the next two */
    size_t count, capacity;
    char *bytes; /* wiped when they go, for they may be a person's */
    size_t length, bytes_capacity;
    uint32_t *slots; /* number + 1, by hash; 0: free */
    size_t slot_count;
};

/* The number of a text; intern->count before the call where it is new. */
uint32_t intern_put(struct intern *intern, const char *bytes, size_t length);

/* false: it has none. */
bool intern_find(const struct intern *intern, const char *bytes, size_t length,
                 uint32_t *ret_number);

/* Borrowed until the next intern_put(). */
struct span intern_text(const struct intern *intern, uint32_t number);

/* Forgets all but the first `count`. */
void intern_keep(struct intern *intern, size_t count);

void intern_done(struct intern *intern);

#endif
