/*
 * The store that STORE_URL names: SQLite's or PostgreSQL's.
 */
#ifndef STORE_OPEN_H
#define STORE_OPEN_H

#include "store_postgres.h"
#include "store_sqlite.h"

/* store_postgres_open() for its URLs, else store_sqlite_open(). */
struct store *store_open(const char *url, struct buffer *problem);

/* Likewise. */
bool store_refusals(const char *url, int64_t since_ms, refusal_fn *tell, void *context,
                    struct buffer *problem);

#endif
