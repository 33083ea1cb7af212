/*
 * Prepared statements: what goes in, and what comes out.
 */
#include "sqlite_statement_internal.h"

#include "private_reveal.h"

#include <string.h>

#define LENGTH_BYTES    4
#define BEGINNING_BYTES 16 /* a shorter transcript is stored twice */

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

bool statement_run_number(struct sqlite_rows *rows, enum statement which, int64_t number)
{
    sqlite3_stmt *statement = statement_use(rows, which);

    sqlite3_bind_int64(statement, 1, number);
    return statement_run(rows, statement);
}

bool statement_run_id(struct sqlite_rows *rows, enum statement which,
                      const struct store_id *id)
{
    sqlite3_stmt *statement = statement_use(rows, which);

    statement_bind_id(statement, 1, id);
    return statement_run(rows, statement);
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

void statement_append_question(struct buffer *asked, const struct private_text *question)
{
    struct span text = private_reveal(question);
    unsigned char length[LENGTH_BYTES];

    for (int at = 0; at < LENGTH_BYTES; at++)
        length[at] = (unsigned char)(text.length >> (8 * (LENGTH_BYTES - 1 - at)));
    buffer_append(asked, length, LENGTH_BYTES);
    buffer_append(asked, text.bytes, text.length);
}

/* Looked for by its beginning: memmem() prepares itself for long texts at length. */
int64_t statement_find_transcript(const struct private_text *outcome,
                                  const struct private_text *transcript)
{
    struct span whole = private_reveal(outcome);
    struct span part = private_reveal(transcript);
    const char *found =
        part.length < BEGINNING_BYTES
            ? NULL
            : memmem(whole.bytes, whole.length, part.bytes, BEGINNING_BYTES);

    if (found == NULL || whole.length - (size_t)(found - whole.bytes) < part.length ||
        memcmp(found, part.bytes, part.length) != 0)
        return -1;
    return found - whole.bytes;
}

void statement_bind_around(sqlite3_stmt *statement, int at,
                           const struct private_text *outcome, int64_t transcript_at,
                           size_t transcript_length, struct buffer *rest)
{
    struct span whole = private_reveal(outcome);
    size_t before = (size_t)transcript_at;
    size_t after = before + transcript_length;

    buffer_append(rest, whole.bytes, before);
    buffer_append(rest, whole.bytes + after, whole.length - after);
    sqlite3_bind_text64(statement, at, rest->bytes == NULL ? "" : rest->bytes,
                        rest->length, SQLITE_STATIC, SQLITE_UTF8);
}

struct private_text statement_column_whole(sqlite3_stmt *statement, int outcome_at,
                                           int transcript_at, int place_at)
{
    const char *rest = (const char *)sqlite3_column_text(statement, outcome_at);
    size_t length = (size_t)sqlite3_column_bytes(statement, outcome_at);
    const char *part = (const char *)sqlite3_column_text(statement, transcript_at);
    size_t part_length = (size_t)sqlite3_column_bytes(statement, transcript_at);
    size_t place = (size_t)sqlite3_column_int64(statement, place_at);
    struct buffer whole;

    if (sqlite3_column_type(statement, place_at) == SQLITE_NULL || place > length)
        return statement_column_text(statement, outcome_at);
    buffer_init(&whole, length + part_length);
    buffer_append(&whole, rest, place);
    buffer_append(&whole, part, part_length);
    buffer_append(&whole, rest + place, length - place);
    return private_text_take(&whole);
}
