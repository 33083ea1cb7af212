/*
 * What was heard and what was spoken: one text for a session, and sounds until they
 * expire.
 */
#include "sqlite_statement_internal.h"

#include <assert.h>
#include <string.h>

bool rows_keep_heard(struct sqlite_rows *rows, const struct store_id *id,
                     const struct digest *audio, const struct private_text *heard)
{
    sqlite3_stmt *keep = statement_use(rows, STATEMENT_KEEP_HEARD);

    statement_bind_id(keep, 1, id);
    statement_bind_digest(keep, 2, true, audio);
    statement_bind_text(keep, 3, heard);
    return statement_run(rows, keep);
}

bool rows_forget_heard(struct sqlite_rows *rows, const struct store_id *id,
                       bool *ret_has_deleted)
{
    if (!statement_run_id(rows, STATEMENT_FORGET_HEARD, id))
        return false;
    if (sqlite3_changes(rows->db) > 0)
        *ret_has_deleted = true;
    return true;
}

static enum row_result find_speech(struct sqlite_rows *rows, sqlite3_stmt *found,
                                   struct stored_speech *ret_speech)
{
    enum row_result result = statement_step(rows, found);

    if (result == ROW_FOUND)
        *ret_speech = (struct stored_speech){
            .row = sqlite3_column_int64(found, 0),
            .length_bytes = sqlite3_column_int64(found, 1),
            .expires_ms = sqlite3_column_int64(found, 2),
        };
    statement_leave(found);
    return result;
}

enum row_result rows_find_speech_to_expire(struct sqlite_rows *rows,
                                           struct stored_speech *ret_speech)
{
    return find_speech(rows, statement_use(rows, STATEMENT_FIRST_SPEECH_TO_EXPIRE),
                       ret_speech);
}

bool rows_delete_speech(struct sqlite_rows *rows, const struct stored_speech *speech)
{
    return statement_run_number(rows, STATEMENT_DELETE_SPEECH, speech->row);
}

static bool read_total(struct sqlite_rows *rows, int64_t *ret_bytes)
{
    sqlite3_stmt *found = statement_use(rows, STATEMENT_SPEECH_TOTAL);
    enum row_result result = statement_step(rows, found);

    if (result == ROW_FOUND)
        *ret_bytes = sqlite3_column_int64(found, 0);
    statement_leave(found);
    if (result == ROW_NONE)
        rows_damaged(rows);
    return result == ROW_FOUND;
}

/* The oldest go until there is room for so many bytes. */
static bool make_room(struct sqlite_rows *rows, int64_t bytes, int64_t most_bytes,
                      bool *ret_has_evicted)
{
    int64_t total_bytes;

    if (!read_total(rows, &total_bytes))
        return false;
    while (total_bytes + bytes > most_bytes) {
        struct stored_speech oldest;
        enum row_result result =
            find_speech(rows, statement_use(rows, STATEMENT_OLDEST_SPEECH), &oldest);

        if (result == ROW_NONE)
            rows_damaged(rows);
        if (result != ROW_FOUND || !rows_delete_speech(rows, &oldest))
            return false;
        *ret_has_evicted = true;
        total_bytes -= oldest.length_bytes;
    }
    return true;
}

bool rows_insert_speech(struct sqlite_rows *rows, const struct store_id *id,
                        const struct store_id *request_id,
                        const struct store_speech *speech, bool *ret_has_evicted)
{
    sqlite3_stmt *insert = statement_use(rows, STATEMENT_INSERT_SPEECH);
    int64_t bytes = (int64_t)speech->audio.length;

    assert(store_content_type(speech->content_type) != NULL);
    if (bytes > speech->max_total_bytes)
        return true;
    if (!make_room(rows, bytes, speech->max_total_bytes, ret_has_evicted))
        return false;
    statement_bind_id(insert, 1, id);
    statement_bind_id(insert, 2, request_id);
    sqlite3_bind_int64(insert, 3, speech->expires_ms);
    sqlite3_bind_int64(insert, 4, bytes);
    sqlite3_bind_text(insert, 5, speech->content_type, -1, SQLITE_STATIC);
    statement_bind_sound(insert, 6, &speech->audio);
    return statement_run(rows, insert);
}

enum row_result rows_read_speech(struct sqlite_rows *rows, const struct store_id *id,
                                 const struct store_id *request_id, int64_t now_ms,
                                 struct store_speech *ret_speech)
{
    sqlite3_stmt *found = statement_use(rows, STATEMENT_READ_SPEECH);
    const char *content_type = NULL;
    enum row_result result;

    statement_bind_id(found, 1, request_id);
    statement_bind_id(found, 2, id);
    sqlite3_bind_int64(found, 3, now_ms);
    result = statement_step(rows, found);
    if (result == ROW_FOUND) {
        content_type = store_content_type((const char *)sqlite3_column_text(found, 1));
        if (content_type == NULL)
            result = rows_damaged(rows);
    }
    if (result == ROW_FOUND)
        *ret_speech = (struct store_speech){
            .audio = statement_column_sound(found, 2),
            .content_type = content_type,
            .expires_ms = sqlite3_column_int64(found, 0),
        };
    statement_leave(found);
    return result;
}
