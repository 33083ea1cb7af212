/*
 * The store in PostgreSQL, for any number of processes on any number of machines.
 *
 * What is stored is in tables called poise_..., which are made and brought up to date by the first
 * process that finds them missing or old; the schema and the statements are in
 * postgres_schema.c and postgres_statements.def.  Only what any server of
 * PostgreSQL's protocol has is used: tables, indexes, single statements.
 *
 * Of two turns of one session at the same time one commits: a commit moves the session on only
 * from where the turn began.  Claims only spare the other one the work.  A claim is the session's
 * row naming a process, and a process is a row that it beats for each second; one that was not
 * seen for five seconds is gone, and its claims with it.
 *
 * While the server is away what is asked waits for three seconds and is tried again, also on
 * another server where the URL names several; then it fails with ERROR_STORE_UNAVAILABLE, and from
 * then on at once, until the server is back.  No turn happens twice by that; a request that was
 * being taken out of its rate may be counted twice.
 *
 * What is deleted is gone for every query at once.  PostgreSQL itself keeps the bytes of deleted
 * rows in its files until vacuum comes by, and in its write-ahead log, archives and replicas for
 * as long as those are kept; libpq's buffers in our memory are written over, not wiped.
 */
#ifndef STORE_POSTGRES_INTERNAL_H
#define STORE_POSTGRES_INTERNAL_H

#include "buffer.h"
#include "refusal.h"
#include "store.h"

/* Opens the database of `url` (libpq's connection URI, as PostgreSQL's manual has it in 34.1.1.2).
 * NULL where that will not do as it is: a bad URL, a server that turns us away, tables that cannot
 * be made.  Where nobody answers the store is there, is tried again, and works once somebody does.
 * In both cases a line for a terminal is appended to `problem`; it has no password. */
struct store_backend *store_postgres_open(const char *url, struct buffer *problem);

/* store_is_older(). */
bool store_postgres_is_older(const char *url);

/* Like store_sqlite_refusals(). */
bool store_postgres_refusals(const char *url, int64_t since_ms, refusal_fn *tell,
                             void *context, struct buffer *problem);

#endif
