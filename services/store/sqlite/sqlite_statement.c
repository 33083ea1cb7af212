#include "sqlite_rows_internal.h"

#include "private_reveal.h"

#include <string.h>

#define LENGTH_BYTES 4

sqlite3_stmt *statement_use(struct sqlite_rows *rows, enum statement which)
{
    return rows->statements[which];
}

enum row_result statement_step(struct sqlite_rows *rows, sqlite3_stmt *statement)
{
    switch (sqlite3_step(statement)) {
    case SQLITE_ROW: return ROW_FOUND;
    case SQLITE_DONE: return ROW_NONE;
    default: break; /* SQLite's codes, not ours */
    }
    rows->last_error = sqlite3_extended_errcode(rows->db);
    return ROW_FAILED;
}

void statement_leave(sqlite3_stmt *statement)
{
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

bool statement_run(struct sqlite_rows *rows, sqlite3_stmt *statement)
{
    enum row_result result = statement_step(rows, statement);

    statement_leave(statement);
    return result == ROW_NONE;
}

void statement_bind_blob(sqlite3_stmt *statement, int at, const void *bytes,
                         size_t length)
{
    sqlite3_bind_blob64(statement, at, bytes, length, SQLITE_STATIC);
}

void statement_bind_id(sqlite3_stmt *statement, int at, const struct store_id *id)
{
    statement_bind_blob(statement, at, id->bytes, sizeof(id->bytes));
}

void statement_bind_digest(sqlite3_stmt *statement, int at, bool is_there,
                           const struct digest *digest)
{
    if (is_there)
        statement_bind_blob(statement, at, digest->bytes, sizeof(digest->bytes));
}

void statement_bind_text(sqlite3_stmt *statement, int at, const struct private_text *text)
{
    struct span span = private_reveal(text);

    sqlite3_bind_text64(statement, at, span.bytes, span.length, SQLITE_STATIC,
                        SQLITE_UTF8);
}

void statement_bind_sound(sqlite3_stmt *statement, int at,
                          const struct private_text *sound)
{
    struct span span = private_reveal(sound);

    statement_bind_blob(statement, at, span.bytes, span.length);
}

struct private_text statement_column_sound(sqlite3_stmt *statement, int at)
{
    const void *bytes = sqlite3_column_blob(statement, at);

    return private_text_copy(bytes == NULL ? "" : bytes,
                             (size_t)sqlite3_column_bytes(statement, at));
}

struct private_text statement_column_text(sqlite3_stmt *statement, int at)
{
    const char *bytes = (const char *)sqlite3_column_text(statement, at);

    return private_text_copy(bytes == NULL ? "" : bytes,
                             (size_t)sqlite3_column_bytes(statement, at));
}

bool statement_column_bytes(sqlite3_stmt *statement, int at, void *bytes, size_t length)
{
    const void *value = sqlite3_column_blob(statement, at);

    if (value == NULL || (size_t)sqlite3_column_bytes(statement, at) != length)
        return false;
    memcpy(bytes, value, length);
    return true;
}

bool statement_column_digest(sqlite3_stmt *statement, int at, struct digest *digest)
{
    return statement_column_bytes(statement, at, digest->bytes, sizeof(digest->bytes));
}

enum row_result rows_damaged(struct sqlite_rows *rows)
{
    rows->last_error = SQLITE_CORRUPT;
    return ROW_FAILED;
}

void rows_append_question(struct buffer *asked, const struct private_text *question)
{
    struct span text = private_reveal(question);
    unsigned char length[LENGTH_BYTES];

    for (int at = 0; at < LENGTH_BYTES; at++)
        length[at] = (unsigned char)(text.length >> (8 * (LENGTH_BYTES - 1 - at)));
    buffer_append(asked, length, LENGTH_BYTES);
    buffer_append(asked, text.bytes, text.length);
}

void rows_write_row_number(unsigned char *bytes, int64_t number)
{
    for (int at = ROW_NUMBER_BYTES - 1; at >= 0; at--, number >>= 8)
        bytes[at] = (unsigned char)(number & 0xff);
}

int64_t rows_read_row_number(const unsigned char *bytes)
{
    uint64_t number = 0;

    for (int at = 0; at < ROW_NUMBER_BYTES; at++)
        number = number << 8 | bytes[at];
    return (int64_t)number;
}
