/*
 * Where the database file is: from STORE_URL, or in the default place.
 */
#ifndef SQLITE_PLACE_INTERNAL_H
#define SQLITE_PLACE_INTERNAL_H

#include "buffer.h"

/* The path of `url`, owned by the caller.  NULL, with a line in `problem`. */
char *sqlite_place_path(const char *url, struct buffer *problem);

/* The same, after making the file (mode 0600) where it does
 * not exist, and in the default place its directories (0700).  NULL, with a line in
 * `problem`. */
char *sqlite_place(const char *url, struct buffer *problem);

/* Appends a line for a terminal, with the words for an errno where that is not 0. */
void sqlite_place_explain(struct buffer *problem, const char *path, const char *what,
                          int number);

#endif
