/*
 * One use of a prepared statement, for the files of rows (sqlite_rows_internal.h), which is
 *
 *     statement_use() > sqlite3_bind_...() or statement_bind_...() > statement_step() as often as
 *     there are rows, column_...() > statement_leave()
 *
 * Bound bytes belong to the caller; they are not looked at after statement_leave().
 */
#ifndef SQLITE_STATEMENT_INTERNAL_H
#define SQLITE_STATEMENT_INTERNAL_H

#include "sqlite_rows_internal.h"

sqlite3_stmt *statement_use(struct sqlite_rows *rows, enum statement which);
enum row_result statement_step(struct sqlite_rows *rows, sqlite3_stmt *statement);
void statement_leave(sqlite3_stmt *statement);

/* statement_step() and statement_leave(), of a statement that gives no rows; how many rows it
 * changed is in sqlite3_changes(). */
bool statement_run(struct sqlite_rows *rows, sqlite3_stmt *statement);

/* The same of one that has a number, or an id, and nothing else. */
bool statement_run_number(struct sqlite_rows *rows, enum statement which, int64_t number);
bool statement_run_id(struct sqlite_rows *rows, enum statement which,
                      const struct store_id *id);

void statement_bind_blob(sqlite3_stmt *statement, int at, const void *bytes,
                         size_t length);
void statement_bind_id(sqlite3_stmt *statement, int at, const struct store_id *id);
void statement_bind_text(sqlite3_stmt *statement, int at,
                         const struct private_text *text);

/* Bytes that are no text. */
void statement_bind_sound(sqlite3_stmt *statement, int at,
                          const struct private_text *sound);

/* NULL where there is none. */
void statement_bind_digest(sqlite3_stmt *statement, int at, bool is_there,
                           const struct digest *digest);

/* A copy, owned by the caller. */
struct private_text statement_column_text(sqlite3_stmt *statement, int at);
struct private_text statement_column_sound(sqlite3_stmt *statement, int at);

/* false, and the destination untouched, where the value is not of that length. */
bool statement_column_bytes(sqlite3_stmt *statement, int at, void *bytes, size_t length);
bool statement_column_digest(sqlite3_stmt *statement, int at, struct digest *digest);

/* What is stored makes no sense: ROW_FAILED. */
enum row_result rows_damaged(struct sqlite_rows *rows);

/* Appends a text behind its length in four bytes, big endian: an entry of `asked`. */
void statement_append_question(struct buffer *asked, const struct private_text *question);

/* Where the transcript stands in an outcome, word for word; -1: nowhere.  What is left without it
 * can be bound, and made whole again. */
int64_t statement_find_transcript(const struct private_text *outcome,
                                  const struct private_text *transcript);
void statement_bind_around(sqlite3_stmt *statement, int at,
                           const struct private_text *outcome, int64_t transcript_at,
                           size_t transcript_length, struct buffer *rest);
struct private_text statement_column_whole(sqlite3_stmt *statement, int outcome_at,
                                           int transcript_at, int place_at);

#endif
