/*
 * Where the store of one world is: in a file of the world's directory, or, where
 * POISE_TEST_STORE_URL names a PostgreSQL, in a schema of its own there.  The only part of
 * the harness that knows which.
 */
#ifndef BLACKBOX_STORE_PLACE_H
#define BLACKBOX_STORE_PLACE_H

#include <stdbool.h>

#include "bytes.h"

struct store_place;

/* Does this run of the stories use PostgreSQL?  For a story about a property of one store. */
bool store_is_postgres(void);

struct store_place *store_place_make(const char *directory);

/* "STORE_URL=..."; borrowed. */
const char *store_place_setting(const struct store_place *place);

/* Appends every byte that is kept: the files in the world's directory, and the rows of all
 * tables of PostgreSQL, both as they are and as text. */
void store_place_read(struct store_place *place, struct bytes *contents);

/* Nobody can change a session until the store is unlocked. */
void store_place_lock(struct store_place *place);
void store_place_unlock(struct store_place *place);

/* PostgreSQL: as before the program's first start. */
void store_place_empty(struct store_place *place);

/* Removes the schema; the file goes with its directory.  NULL is fine. */
void store_place_remove(struct store_place *place);

#endif
