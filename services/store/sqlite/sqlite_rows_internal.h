/*
 * For sqlite_rows.c, sqlite_turns.c and sqlite_speech.c: one use of a prepared statement,
 * which is
 *
 *     statement_use() > bind_...() > statement_step() as often as there are rows,
 * column_...() > statement_leave()
 *
 * Bound bytes belong to the caller; they are not looked at after statement_leave().
 */
#ifndef SQLITE_ROWS_INTERNAL_H
#define SQLITE_ROWS_INTERNAL_H

#include "sqlite_rows.h"

sqlite3_stmt *statement_use(struct sqlite_rows *rows, enum statement which);
enum row_result statement_step(struct sqlite_rows *rows, sqlite3_stmt *statement);
void statement_leave(sqlite3_stmt *statement);

/* statement_step() and statement_leave(), of a statement that gives no rows. */
bool statement_run(struct sqlite_rows *rows, sqlite3_stmt *statement);

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

/* A number as eight bytes, big endian: an entry of `turn_rows`. */
#define ROW_NUMBER_BYTES 8
void rows_write_row_number(unsigned char *bytes, int64_t number);
int64_t rows_read_row_number(const unsigned char *bytes);

/* Appends a text behind its length in four bytes, big endian: an entry of `asked`. */
void rows_append_question(struct buffer *asked, const struct private_text *question);

#endif
