/*
 * The store in one SQLite file: write-ahead log, one thread of its own, group commit.
 */
#ifndef STORE_SQLITE_INTERNAL_H
#define STORE_SQLITE_INTERNAL_H

#include "buffer.h"
#include "store.h"

/* Opens, creates, migrates and checks the file of `url` ("sqlite:///path", three slashes
 * and a path relative to the working directory, four for an absolute one; empty: the
 * default place, made with its directories, mode 0700).  NULL on failure, with one line
 * for a terminal appended to `problem`. */
struct store_backend *store_sqlite_open(const char *url, struct buffer *problem);

/* Tells the refusals in the store of `url` that are not older than `since_ms`, the oldest
 * first.  It reads beside whatever uses the file, changes nothing, and makes no file.
 * false, with a line in `problem`, where it cannot be read. */
bool store_sqlite_refusals(const char *url, int64_t since_ms, refusal_fn *tell,
                           void *context, struct buffer *problem);

/* store_is_older(), store_presence(), store_backup() and store_restore(). */
bool store_sqlite_is_older(const char *url);
enum store_presence store_sqlite_presence(const char *url);
bool store_sqlite_backup(const char *url, const char *file, bool may_replace,
                         struct store_copy *ret_copy, struct buffer *problem);
bool store_sqlite_restore(const char *url, const char *file, bool may_replace,
                          struct store_copy *ret_copy, struct buffer *problem);

#endif
