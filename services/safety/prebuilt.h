/*
 * Vectorscan's databases of the built-in list, compiled when Poise was built: compiling them takes
 * half a second.
 *
 * A database is found by what it was compiled from, so one of another list is never taken.
 */
#ifndef PREBUILT_H
#define PREBUILT_H

#include <hs.h>
#include <stddef.h>
#include <stdint.h>

/* What hs_compile_multi() gets. */
struct prebuilt_source {
    const char *const *expressions; /* borrowed, as the others */
    const unsigned *flags;
    const unsigned *ids;
    unsigned count;
};

/* Stands before each database in the data; both are padded to a multiple of 16 bytes. */
struct prebuilt_header {
    unsigned char key[16];
    uint64_t length;
    uint64_t padding;
};

void prebuilt_key(const struct prebuilt_source *source, unsigned char *key);

/* The database of the key, for hs_free_database(); NULL: there is none, or none that this machine
 * and its Vectorscan can use. */
hs_database_t *prebuilt_find(const unsigned char *key);

#endif
