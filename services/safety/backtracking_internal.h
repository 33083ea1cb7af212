/*
 * Reading a pattern for how far its matching can go back on itself.
 */
#ifndef BACKTRACKING_INTERNAL_H
#define BACKTRACKING_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

struct backtracking {
    /* A repeat without an upper limit can also match what may follow it.  Then the place
     * where it ends is a matter of trying, once for every character it took: a.*b, (a+)+,
     * \w+\d.  Back references, recursion and conditions count as such a repeat, since
     * they cannot be read here. */
    bool is_unbounded;
    size_t offset;    /* where that repeat ends in the pattern */
    unsigned choices; /* repeats with an upper limit of which the same is true */
};

/* Reads a pattern, which must compile. */
struct backtracking backtracking_of(const char *pattern);

/* May it take very many steps, from one place in a text? */
bool backtracking_is_costly(struct backtracking backtracking);

#endif
