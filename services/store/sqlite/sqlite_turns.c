#include "sqlite_rows_internal.h"

#include "mem.h"

#include <stdlib.h>

/* The scores as one byte each; NULL for a turn without. */
static void bind_scores(sqlite3_stmt *statement, int at,
                        const struct store_commit *commit,
                        unsigned char bytes[SESSION_SCORES])
{
    for (int i = 0; i < SESSION_SCORES; i++)
        bytes[i] = (unsigned char)commit->scores[i];
    if (commit->is_scored)
        statement_bind_blob(statement, at, bytes, SESSION_SCORES);
}

static bool insert_turn(struct sqlite_rows *rows, const struct store_commit *commit,
                        int64_t *ret_turn_row)
{
    sqlite3_stmt *insert = statement_use(rows, STATEMENT_INSERT_TURN);
    unsigned char scores[SESSION_SCORES];

    bind_scores(insert, 1, commit, scores);
    statement_bind_text(insert, 2, &commit->transcript);
    statement_bind_text(insert, 3, &commit->outcome);
    if (!statement_run(rows, insert))
        return false;
    *ret_turn_row = sqlite3_last_insert_rowid(rows->db);
    return true;
}

static bool delete_turn(struct sqlite_rows *rows, int64_t turn_row)
{
    sqlite3_stmt *turn = statement_use(rows, STATEMENT_DELETE_TURN);

    sqlite3_bind_int64(turn, 1, turn_row);
    return statement_run(rows, turn);
}

static enum row_result find_row(struct sqlite_rows *rows, const struct store_id *id,
                                int64_t *ret_row)
{
    sqlite3_stmt *found = statement_use(rows, STATEMENT_FIND_ROW);
    enum row_result result;

    statement_bind_id(found, 1, id);
    result = statement_step(rows, found);
    if (result == ROW_FOUND)
        *ret_row = sqlite3_column_int64(found, 0);
    statement_leave(found);
    return result;
}

/* Moves the session on, if it is where the turn expects it. */
static enum row_result update_session(struct sqlite_rows *rows, int64_t row,
                                      const struct store_commit *commit, int64_t turn_row)
{
    sqlite3_stmt *update = statement_use(rows, STATEMENT_COMMIT_SESSION);
    const struct store_input *input = &commit->input;
    unsigned char number[ROW_NUMBER_BYTES];
    struct buffer question;
    bool is_done;

    rows_write_row_number(number, turn_row);
    buffer_init(&question, SIZE_MAX);
    if (!private_text_is_empty(&commit->next_question))
        rows_append_question(&question, &commit->next_question);
    sqlite3_bind_int64(update, 1, row);
    sqlite3_bind_int(update, 2, (int)commit->turn_number);
    sqlite3_bind_int64(update, 3, commit->now_ms);
    sqlite3_bind_int64(update, 4, commit->expires_ms);
    statement_bind_digest(update, 5, input->has_audio, &input->audio);
    statement_bind_digest(update, 6, input->has_transcript, &input->transcript);
    statement_bind_blob(update, 7, number, sizeof(number));
    statement_bind_blob(update, 8, question.bytes == NULL ? "" : question.bytes,
                        question.length);
    is_done = statement_run(rows, update);
    buffer_done(&question);
    if (!is_done)
        return ROW_FAILED;
    return sqlite3_changes(rows->db) > 0 ? ROW_FOUND : ROW_NONE;
}

enum row_result rows_commit_turn(struct sqlite_rows *rows, const struct store_id *id,
                                 const struct store_commit *commit, int64_t *ret_row)
{
    enum row_result result = find_row(rows, id, ret_row);
    int64_t turn_row;

    if (result != ROW_FOUND)
        return result;
    if (!insert_turn(rows, commit, &turn_row))
        return ROW_FAILED;
    result = update_session(rows, *ret_row, commit, turn_row);
    if (result == ROW_NONE && !delete_turn(rows, turn_row))
        return ROW_FAILED;
    return result;
}

bool rows_delete_turns(struct sqlite_rows *rows, const struct stored_session *stored)
{
    for (unsigned i = 0; i < stored->session->turn_count; i++)
        if (!delete_turn(rows, stored->turn_rows[i]))
            return false;
    return true;
}

static bool read_turn(struct sqlite_rows *rows, int64_t turn_row,
                      struct session_turn *turn)
{
    sqlite3_stmt *found = statement_use(rows, STATEMENT_READ_TURN);
    unsigned char scores[SESSION_SCORES];
    enum row_result result;

    sqlite3_bind_int64(found, 1, turn_row);
    result = statement_step(rows, found);
    if (result == ROW_FOUND) {
        turn->is_scored = statement_column_bytes(found, 0, scores, SESSION_SCORES);
        for (int i = 0; turn->is_scored && i < SESSION_SCORES; i++)
            turn->scores[i] = scores[i];
        turn->transcript = statement_column_text(found, 1);
    }
    statement_leave(found);
    if (result == ROW_NONE)
        rows_damaged(rows);
    return result == ROW_FOUND;
}

bool rows_read_turns(struct sqlite_rows *rows, const struct stored_session *stored)
{
    struct session *session = stored->session;

    session->turns = mem_zalloc(session->turn_count * sizeof(*session->turns));
    for (unsigned i = 0; i < session->turn_count; i++) {
        if (!read_turn(rows, stored->turn_rows[i], &session->turns[i]))
            return false;
        session->turns[i].question = private_text_clone(&session->asked[i]);
    }
    return true;
}

bool rows_read_outcome(struct sqlite_rows *rows, const struct stored_session *stored,
                       unsigned turn_number, struct private_text *ret_outcome)
{
    sqlite3_stmt *found = statement_use(rows, STATEMENT_READ_OUTCOME);
    enum row_result result;

    if (turn_number < 1 || turn_number > stored->session->turn_count) {
        rows_damaged(rows);
        return false;
    }
    sqlite3_bind_int64(found, 1, stored->turn_rows[turn_number - 1]);
    result = statement_step(rows, found);
    if (result == ROW_FOUND)
        *ret_outcome = statement_column_text(found, 0);
    statement_leave(found);
    if (result == ROW_NONE)
        rows_damaged(rows);
    return result == ROW_FOUND;
}

enum row_result rows_find_record(struct sqlite_rows *rows,
                                 const struct stored_session *stored,
                                 const struct digest *key,
                                 struct stored_record *ret_record)
{
    sqlite3_stmt *found = statement_use(rows, STATEMENT_FIND_RECORD);
    enum row_result result;

    sqlite3_bind_int64(found, 1, stored->row);
    statement_bind_digest(found, 2, true, key);
    result = statement_step(rows, found);
    if (result == ROW_FOUND &&
        !statement_column_digest(found, 0, &ret_record->fingerprint))
        result = rows_damaged(rows);
    if (result == ROW_FOUND) {
        ret_record->turn_number = (unsigned)sqlite3_column_int(found, 1);
        if (ret_record->turn_number == 0)
            ret_record->outcome = statement_column_text(found, 2);
    }
    statement_leave(found);
    if (result == ROW_FOUND && ret_record->turn_number > 0 &&
        !rows_read_outcome(rows, stored, ret_record->turn_number, &ret_record->outcome))
        result = ROW_FAILED;
    return result;
}

bool rows_insert_record(struct sqlite_rows *rows, int64_t row,
                        const struct store_key *key, unsigned turn_number,
                        bool is_lasting, const struct private_text *outcome)
{
    sqlite3_stmt *forget = statement_use(rows, STATEMENT_FORGET_RECORDS);
    sqlite3_stmt *insert = statement_use(rows, STATEMENT_INSERT_RECORD);

    sqlite3_bind_int64(forget, 1, row);
    sqlite3_bind_int(forget, 2, STORE_MAX_REMEMBERED - 1);
    if (!is_lasting && !statement_run(rows, forget))
        return false;
    sqlite3_bind_int64(insert, 1, row);
    statement_bind_digest(insert, 2, true, &key->key);
    statement_bind_digest(insert, 3, true, &key->fingerprint);
    sqlite3_bind_int(insert, 4, (int)turn_number);
    sqlite3_bind_int(insert, 5, is_lasting);
    if (turn_number == 0)
        statement_bind_text(insert, 6, outcome);
    return statement_run(rows, insert);
}
