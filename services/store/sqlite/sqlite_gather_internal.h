/*
 * Writes to SQLite's write-ahead log, gathered until they matter.
 *
 * SQLite appends to the log page by page, in two writes each, and only then asks for all
 * of it to be on the disk; a commit of a dozen turns makes fifty writes.  What was
 * written is kept here and goes to the file in one piece when SQLite wants it synced, or
 * looks at the file.
 *
 * Nobody else can miss it: other connections read only as far as the log's index says,
 * and the index is brought up to date behind the sync (walFrames() in SQLite's wal.c,
 * with PRAGMA synchronous=FULL).  A write that fails is told by the sync, as a disk does
 * that notices late, and the transaction is rolled back.  Nothing may be left when the
 * lock for writing is given up, though: after a rollback another process writes in the
 * same place.
 */
#ifndef SQLITE_GATHER_INTERNAL_H
#define SQLITE_GATHER_INTERNAL_H

#include <sqlite3.h>
#include <stddef.h>

/* Stands in for the methods of one open log, in memory of the file object itself. */
struct sqlite_gather {
    sqlite3_io_methods methods;         /* the system's, but for some */
    const sqlite3_io_methods *original; /* borrowed from the system's VFS */
    char *bytes;                        /* owned, wiped; NULL: nothing was written yet */
    size_t length;
    sqlite3_int64 offset; /* of the bytes in the file */
    sqlite3_file **place; /* borrowed: where the database has its log; NULL when closed */
};

/* Puts itself between SQLite and an open log, which is remembered in `place`. */
void sqlite_gather_begin(struct sqlite_gather *gather, sqlite3_file *file,
                         sqlite3_file **place);

/* Writes what was gathered for an open log; NULL is fine.  SQLite's code. */
int sqlite_gather_put(sqlite3_file *file);

#endif
