#include "sqlite_rows_internal.h"

#include "mem.h"

#include <stdlib.h>

#define LENGTH_BYTES 4 /* in front of each question in `asked` */

bool rows_init(struct sqlite_rows *rows, sqlite3 *db)
{
    static const char *const sql[] = {
#define STATEMENT(symbol, text) [STATEMENT_##symbol] = text,
#include "sqlite_statements.def"
    };

    *rows = (struct sqlite_rows){.db = db};
    for (int which = 0; which < STATEMENT_COUNT; which++)
        if (sqlite3_prepare_v3(db, sql[which], -1, SQLITE_PREPARE_PERSISTENT,
                               &rows->statements[which], NULL) != SQLITE_OK) {
            rows->last_error = sqlite3_extended_errcode(db);
            return false;
        }
    return true;
}

void rows_done(struct sqlite_rows *rows)
{
    for (int which = 0; which < STATEMENT_COUNT; which++)
        sqlite3_finalize(rows->statements[which]);
}

bool rows_begin(struct sqlite_rows *rows, bool for_writing)
{
    return statement_run(rows,
                         statement_use(rows, for_writing ? STATEMENT_BEGIN_WRITING
                                                         : STATEMENT_BEGIN_READING));
}

bool rows_commit(struct sqlite_rows *rows)
{
    return statement_run(rows, statement_use(rows, STATEMENT_COMMIT));
}

void rows_roll_back(struct sqlite_rows *rows)
{
    int error = rows->last_error;

    /* Some errors have rolled back already; then there is nothing to do. */
    if (sqlite3_get_autocommit(rows->db) == 0)
        statement_run(rows, statement_use(rows, STATEMENT_ROLL_BACK));
    rows->last_error = error;
}

static bool read_questions(const unsigned char *bytes, size_t length,
                           struct session *session)
{
    for (size_t at = 0; at < length;) {
        size_t question_length = 0;

        if (length - at < LENGTH_BYTES || session->asked_count == SESSION_MAX_QUESTIONS)
            return false;
        for (int i = 0; i < LENGTH_BYTES; i++)
            question_length = question_length << 8 | bytes[at++];
        if (length - at < question_length)
            return false;
        session->asked[session->asked_count++] =
            private_text_copy((const char *)bytes + at, question_length);
        at += question_length;
    }
    return true;
}

static bool read_turn_rows(const unsigned char *bytes, size_t length,
                           struct stored_session *stored)
{
    unsigned count = stored->session->turn_count;

    if (count > SESSION_MAX_QUESTIONS || length != count * ROW_NUMBER_BYTES)
        return false;
    for (unsigned i = 0; i < count; i++)
        stored->turn_rows[i] = rows_read_row_number(bytes + i * ROW_NUMBER_BYTES);
    return true;
}

enum row_result rows_find_session(struct sqlite_rows *rows, const struct store_id *id,
                                  struct stored_session *ret_stored)
{
    sqlite3_stmt *found = statement_use(rows, STATEMENT_FIND_SESSION);
    struct stored_session stored = {0};
    struct session *session;
    enum row_result result;

    statement_bind_id(found, 1, id);
    result = statement_step(rows, found);
    if (result != ROW_FOUND)
        goto out;

    session = stored.session = MEM_NEW(struct session);
    session->id = store_id_text(id);
    stored.row = sqlite3_column_int64(found, 0);
    session->expires_ms = sqlite3_column_int64(found, 1);
    session->created_ms = sqlite3_column_int64(found, 2);
    session->last_activity_ms = sqlite3_column_int64(found, 3);
    session->difficulty = sqlite3_column_int(found, 4);
    session->total_questions = (unsigned)sqlite3_column_int(found, 5);
    session->turn_count = (unsigned)sqlite3_column_int(found, 6);
    stored.is_delivered = (unsigned)sqlite3_column_int(found, 7) == session->turn_count;
    stored.has_last_audio = statement_column_digest(found, 8, &stored.last_audio);
    stored.has_last_transcript =
        statement_column_digest(found, 9, &stored.last_transcript);
    session->role = statement_column_text(found, 10);
    session->interview_type = statement_column_text(found, 11);
    if (!read_questions(sqlite3_column_blob(found, 12),
                        (size_t)sqlite3_column_bytes(found, 12), session) ||
        !read_turn_rows(sqlite3_column_blob(found, 13),
                        (size_t)sqlite3_column_bytes(found, 13), &stored) ||
        session->asked_count < session->turn_count) {
        session_free(session);
        result = rows_damaged(rows);
        goto out;
    }
    *ret_stored = stored;
out:
    statement_leave(found);
    return result;
}

enum row_result rows_find_created(struct sqlite_rows *rows, const struct digest *key,
                                  struct store_id *ret_id, struct digest *ret_fingerprint)
{
    sqlite3_stmt *found = statement_use(rows, STATEMENT_FIND_CREATED);
    enum row_result result;

    statement_bind_digest(found, 1, true, key);
    result = statement_step(rows, found);
    if (result == ROW_FOUND &&
        (!statement_column_bytes(found, 0, ret_id->bytes, sizeof(ret_id->bytes)) ||
         !statement_column_digest(found, 1, ret_fingerprint)))
        result = rows_damaged(rows);
    statement_leave(found);
    return result;
}

bool rows_insert_session(struct sqlite_rows *rows, const struct store_id *id,
                         const struct store_new_session *request)
{
    const struct session *session = request->session;
    const struct store_key *key = &request->key;
    sqlite3_stmt *insert = statement_use(rows, STATEMENT_INSERT_SESSION);
    struct buffer asked;
    bool is_done;

    buffer_init(&asked, SIZE_MAX);
    for (size_t i = 0; i < session->asked_count; i++)
        rows_append_question(&asked, &session->asked[i]);
    statement_bind_id(insert, 1, id);
    sqlite3_bind_int64(insert, 2, session->expires_ms);
    sqlite3_bind_int64(insert, 3, session->created_ms);
    sqlite3_bind_int64(insert, 4, session->last_activity_ms);
    sqlite3_bind_int(insert, 5, session->difficulty);
    sqlite3_bind_int(insert, 6, (int)session->total_questions);
    statement_bind_digest(insert, 7, key->is_there, &key->key);
    statement_bind_digest(insert, 8, key->is_there, &key->fingerprint);
    statement_bind_text(insert, 9, &session->role);
    statement_bind_text(insert, 10, &session->interview_type);
    statement_bind_blob(insert, 11, asked.bytes == NULL ? "" : asked.bytes, asked.length);
    statement_bind_digest(insert, 12, request->client_most > 0, &request->client);
    is_done = statement_run(rows, insert);
    buffer_done(&asked);
    return is_done;
}

bool rows_delete_session(struct sqlite_rows *rows, const struct stored_session *stored)
{
    sqlite3_stmt *delivered = statement_use(rows, STATEMENT_DELETE_DELIVERED);
    sqlite3_stmt *session = statement_use(rows, STATEMENT_DELETE_SESSION);

    sqlite3_bind_int64(delivered, 1, stored->row);
    sqlite3_bind_int64(session, 1, stored->row);
    return rows_delete_turns(rows, stored) && statement_run(rows, delivered) &&
           statement_run(rows, session);
}

bool rows_push_back_expiry(struct sqlite_rows *rows, const struct store_id *id,
                           int64_t expires_ms, int64_t now_ms)
{
    sqlite3_stmt *update = statement_use(rows, STATEMENT_PUSH_BACK_EXPIRY);

    statement_bind_id(update, 1, id);
    sqlite3_bind_int64(update, 2, expires_ms);
    sqlite3_bind_int64(update, 3, now_ms);
    return statement_run(rows, update);
}

bool rows_mark_delivered(struct sqlite_rows *rows, const struct store_id *id,
                         unsigned turn_number)
{
    sqlite3_stmt *update = statement_use(rows, STATEMENT_MARK_DELIVERED);

    statement_bind_id(update, 1, id);
    sqlite3_bind_int(update, 2, (int)turn_number);
    return statement_run(rows, update);
}

enum row_result rows_find_due(struct sqlite_rows *rows, int64_t now_ms,
                              struct store_id *ret_id)
{
    sqlite3_stmt *found = statement_use(rows, STATEMENT_FIND_DUE);
    enum row_result result;

    sqlite3_bind_int64(found, 1, now_ms);
    result = statement_step(rows, found);
    if (result == ROW_FOUND &&
        !statement_column_bytes(found, 0, ret_id->bytes, sizeof(ret_id->bytes)))
        result = rows_damaged(rows);
    statement_leave(found);
    return result;
}

bool rows_look_later(struct sqlite_rows *rows, int64_t row, int64_t sweep_ms)
{
    sqlite3_stmt *update = statement_use(rows, STATEMENT_LOOK_LATER);

    sqlite3_bind_int64(update, 1, row);
    sqlite3_bind_int64(update, 2, sweep_ms);
    return statement_run(rows, update);
}

bool rows_probe(struct sqlite_rows *rows)
{
    return statement_run(rows, statement_use(rows, STATEMENT_PROBE)) &&
           statement_run(rows, statement_use(rows, STATEMENT_PROBE_GONE));
}
