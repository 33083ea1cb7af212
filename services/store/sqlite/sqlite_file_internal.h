/*
 * The database file itself: opened, checked, brought up to date; its write-ahead log kept
 * short.
 */
#ifndef SQLITE_FILE_INTERNAL_H
#define SQLITE_FILE_INTERNAL_H

#include "buffer.h"

#include <sqlite3.h>
#include <stdbool.h>

/* NULL, with a line in `problem`, for a file that cannot be used. */
sqlite3 *sqlite_file_open(const char *path, struct buffer *problem);

/* An older version of the program wrote it. */
bool sqlite_file_is_older(int version);

/* A connection that only reads, beside whatever uses the file, and changes nothing: a
 * file that an earlier version of the program wrote stays at its version. */
sqlite3 *sqlite_file_open_to_read(const char *path, int *ret_version,
                                  struct buffer *problem);

/* Is the database sound in every page, and ours?  false, with a line in `problem`; else its version and how
 * many sessions it has. */
bool sqlite_file_is_whole(sqlite3 *db, const char *path, int *ret_version,
                          int64_t *ret_sessions, struct buffer *problem);

/* A second connection to a file that is open already, set up alike. */
sqlite3 *sqlite_file_open_again(const char *path, struct buffer *problem);

int sqlite_file_page_bytes(sqlite3 *db);

/* Copies what is in the log into the database, as far as no reader is in the way. */
void sqlite_file_checkpoint(sqlite3 *db);

/* The same for all of it, and cuts the log to nothing: deleted text is gone from it.
 * Waits for other processes; false where one did not give way. */
bool sqlite_file_empty_log(sqlite3 *db);

#endif
