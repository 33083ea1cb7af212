/*
 * Sessions, their turns, outcomes under keys, and what is counted so that it can have a cap.
 */
#include "sqlite_statement_internal.h"

#include "mem.h"

#include <stdlib.h>

#define LENGTH_BYTES     4 /* in front of each question in `asked` */
#define ROW_NUMBER_BYTES 8 /* of each turn in `turn_rows`: the question, then the row */

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

/* SQLite itself goes on in a file that has no name any more, or another one's; what is written there is
 * lost.  One stat(2) (documentation of SQLITE_FCNTL_HAS_MOVED). */
static bool has_moved(sqlite3 *db)
{
    int has_moved = 0;

    return sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved) ==
               SQLITE_OK &&
           has_moved != 0;
}

bool rows_begin(struct sqlite_rows *rows, bool for_writing)
{
    if (has_moved(rows->db)) {
        rows->last_error = SQLITE_READONLY_DBMOVED;
        return false;
    }
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

static void write_turn_row(unsigned char *bytes, unsigned number, int64_t row)
{
    for (int at = ROW_NUMBER_BYTES - 1; at > 0; at--, row >>= 8)
        bytes[at] = (unsigned char)(row & 0xff);
    bytes[0] = (unsigned char)number;
}

static int64_t read_row_number(const unsigned char *bytes)
{
    uint64_t number = 0;

    for (int at = 1; at < ROW_NUMBER_BYTES; at++)
        number = number << 8 | bytes[at];
    return (int64_t)number;
}

static bool read_turn_rows(const unsigned char *bytes, size_t length,
                           struct stored_session *stored)
{
    struct session *session = stored->session;
    size_t count = length / ROW_NUMBER_BYTES;

    if (count > SESSION_MAX_COMMITS || length % ROW_NUMBER_BYTES != 0 ||
        count < session->turn_count)
        return false;
    session->commit_count = (unsigned)count;
    for (size_t i = 0; i < count; i++, bytes += ROW_NUMBER_BYTES) {
        unsigned number = bytes[0] == 0 ? (unsigned)i + 1 : bytes[0];

        if (number > session->turn_count)
            return false;
        stored->turn_rows[i] = read_row_number(bytes);
        stored->numbers[i] = (unsigned char)number;
        session->attempt_count += number == session->turn_count;
    }
    return true;
}

/* The columns of FIND_SESSION.  false: they make no sense. */
static bool read_session(sqlite3_stmt *found, struct stored_session *stored)
{
    struct session *session = stored->session;

    stored->row = sqlite3_column_int64(found, 0);
    session->expires_ms = sqlite3_column_int64(found, 1);
    session->created_ms = sqlite3_column_int64(found, 2);
    session->last_activity_ms = sqlite3_column_int64(found, 3);
    session->difficulty = sqlite3_column_int(found, 4);
    session->total_questions = (unsigned)sqlite3_column_int(found, 5);
    session->turn_count = (unsigned)sqlite3_column_int(found, 6);
    stored->has_last_audio = statement_column_digest(found, 8, &stored->last_audio);
    stored->has_last_transcript =
        statement_column_digest(found, 9, &stored->last_transcript);
    session->role = statement_column_text(found, 10);
    session->interview_type = statement_column_text(found, 11);
    if (!read_questions(sqlite3_column_blob(found, 12),
                        (size_t)sqlite3_column_bytes(found, 12), session) ||
        !read_turn_rows(sqlite3_column_blob(found, 13),
                        (size_t)sqlite3_column_bytes(found, 13), stored) ||
        session->asked_count < session->turn_count ||
        session->turn_count > SESSION_MAX_QUESTIONS)
        return false;
    stored->is_delivered =
        (unsigned)sqlite3_column_int(found, 7) == session->commit_count;
    if (sqlite3_column_type(found, 14) != SQLITE_NULL)
        stored->heard = statement_column_text(found, 14);
    stored->has_papers = sqlite3_column_int(found, 15) != 0;
    session->is_finished = sqlite3_column_int(found, 16) != 0;
    return true;
}

enum row_result rows_find_session(struct sqlite_rows *rows, const struct store_id *id,
                                  const struct digest *audio,
                                  struct stored_session *ret_stored)
{
    sqlite3_stmt *found = statement_use(rows, STATEMENT_FIND_SESSION);
    struct stored_session stored = {0};
    enum row_result result;

    statement_bind_id(found, 1, id);
    statement_bind_digest(found, 2, audio != NULL, audio);
    result = statement_step(rows, found);
    if (result == ROW_FOUND) {
        stored.session = MEM_NEW(struct session);
        stored.session->id = store_id_text(id);
        if (read_session(found, &stored)) {
            *ret_stored = stored;
        } else {
            session_free(stored.session);
            result = rows_damaged(rows);
        }
    }
    statement_leave(found);
    return result;
}

void stored_session_done(struct stored_session *stored)
{
    session_free(stored->session);
    private_text_free(&stored->heard);
    stored->session = NULL;
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

static bool insert_papers(struct sqlite_rows *rows, const struct store_id *id,
                          const struct session_papers *papers)
{
    sqlite3_stmt *insert = statement_use(rows, STATEMENT_INSERT_PAPERS);

    statement_bind_id(insert, 1, id);
    statement_bind_text(insert, 2, &papers->job_advert);
    statement_bind_text(insert, 3, &papers->resume);
    statement_bind_text(insert, 4, &papers->demands);
    return statement_run(rows, insert);
}

bool rows_insert_session(struct sqlite_rows *rows, const struct store_id *id,
                         const struct store_new_session *request)
{
    const struct session *session = request->session;
    const struct store_key *key = &request->key;
    bool has_papers = !session_papers_are_empty(&session->papers);
    sqlite3_stmt *insert = statement_use(rows, STATEMENT_INSERT_SESSION);
    struct buffer asked;
    bool is_done;

    buffer_init(&asked, SIZE_MAX);
    for (size_t i = 0; i < session->asked_count; i++)
        statement_append_question(&asked, &session->asked[i]);
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
    sqlite3_bind_int(insert, 13, has_papers);
    is_done = statement_run(rows, insert);
    buffer_done(&asked);
    return is_done && (!has_papers || insert_papers(rows, id, &session->papers));
}

bool rows_delete_session(struct sqlite_rows *rows, const struct stored_session *stored)
{
    for (unsigned i = 0; i < stored->session->commit_count; i++)
        if (!statement_run_number(rows, STATEMENT_DELETE_TURN, stored->turn_rows[i]))
            return false;
    return statement_run_number(rows, STATEMENT_DELETE_DELIVERED, stored->row) &&
           statement_run_number(rows, STATEMENT_DELETE_SESSION, stored->row);
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
                         unsigned commit_number)
{
    sqlite3_stmt *update = statement_use(rows, STATEMENT_MARK_DELIVERED);

    statement_bind_id(update, 1, id);
    sqlite3_bind_int(update, 2, (int)commit_number);
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

/* An outcome is stored without the transcript that stands in it. */
static bool insert_turn(struct sqlite_rows *rows, const struct store_commit *commit,
                        int64_t *ret_turn_row)
{
    sqlite3_stmt *insert = statement_use(rows, STATEMENT_INSERT_TURN);
    int64_t place = statement_find_transcript(&commit->outcome, &commit->transcript);
    unsigned char scores[SESSION_SCORES];
    struct buffer rest;
    bool is_done;

    buffer_init(&rest, SIZE_MAX);
    if (store_write_scores(commit, scores))
        statement_bind_blob(insert, 1, scores, sizeof(scores));
    statement_bind_text(insert, 2, &commit->transcript);
    if (place < 0) {
        statement_bind_text(insert, 3, &commit->outcome);
    } else {
        statement_bind_around(insert, 3, &commit->outcome, place,
                              commit->transcript.length, &rest);
        sqlite3_bind_int64(insert, 4, place);
    }
    sqlite3_bind_int64(insert, 5, commit->now_ms);
    if (commit->is_skipped)
        sqlite3_bind_int(insert, 6, 1);
    is_done = statement_run(rows, insert);
    buffer_done(&rest);
    if (is_done)
        *ret_turn_row = sqlite3_last_insert_rowid(rows->db);
    return is_done;
}

/* Moves the session on, if it is where the turn expects it. */
static enum row_result update_session(struct sqlite_rows *rows, const struct store_id *id,
                                      const struct store_commit *commit, int64_t turn_row)
{
    sqlite3_stmt *update = statement_use(rows, STATEMENT_COMMIT_SESSION);
    const struct store_input *input = &commit->input;
    unsigned char number[ROW_NUMBER_BYTES];
    struct buffer question;
    bool is_done;

    write_turn_row(number, commit->turn_number, turn_row);
    buffer_init(&question, SIZE_MAX);
    if (!private_text_is_empty(&commit->next_question))
        statement_append_question(&question, &commit->next_question);
    statement_bind_id(update, 1, id);
    sqlite3_bind_int(update, 2, (int)commit->turn_number);
    sqlite3_bind_int64(update, 3, commit->now_ms);
    sqlite3_bind_int64(update, 4, commit->expires_ms);
    statement_bind_digest(update, 5, input->has_audio, &input->audio);
    statement_bind_digest(update, 6, input->has_transcript, &input->transcript);
    statement_bind_blob(update, 7, number, sizeof(number));
    statement_bind_blob(update, 8, question.bytes == NULL ? "" : question.bytes,
                        question.length);
    statement_bind_digest(update, 9, input->key.is_there, &input->key.key);
    sqlite3_bind_int(update, 10, (int)(commit->commit_number - 1) * ROW_NUMBER_BYTES);
    sqlite3_bind_int(update, 11, commit->was_finished);
    is_done = statement_run(rows, update);
    buffer_done(&question);
    if (!is_done)
        return ROW_FAILED;
    return sqlite3_changes(rows->db) > 0 ? ROW_FOUND : ROW_NONE;
}

enum row_result rows_commit_turn(struct sqlite_rows *rows, const struct store_id *id,
                                 const struct store_commit *commit)
{
    enum row_result result;
    int64_t turn_row;

    if (!insert_turn(rows, commit, &turn_row))
        return ROW_FAILED;
    result = update_session(rows, id, commit, turn_row);
    if (result == ROW_NONE &&
        !statement_run_number(rows, STATEMENT_DELETE_TURN, turn_row))
        return ROW_FAILED;
    return result;
}

enum row_result rows_finish(struct sqlite_rows *rows, const struct store_id *id,
                            const struct store_finish *finish)
{
    sqlite3_stmt *update = statement_use(rows, STATEMENT_FINISH_SESSION);
    sqlite3_stmt *keep = statement_use(rows, STATEMENT_KEEP_FINISH);

    statement_bind_id(update, 1, id);
    sqlite3_bind_int(update, 2, (int)finish->commit_count * ROW_NUMBER_BYTES);
    sqlite3_bind_int64(update, 3, finish->now_ms);
    sqlite3_bind_int64(update, 4, finish->expires_ms);
    if (!statement_run(rows, update))
        return ROW_FAILED;
    if (sqlite3_changes(rows->db) == 0)
        return ROW_NONE;
    statement_bind_id(keep, 1, id);
    sqlite3_bind_int(keep, 2, (int)finish->commit_count);
    statement_bind_text(keep, 3, &finish->outcome);
    return statement_run(rows, keep) ? ROW_FOUND : ROW_FAILED;
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
        if (statement_column_bytes(found, 0, scores, sizeof(scores)))
            store_read_scores(scores, turn);
        turn->transcript = statement_column_text(found, 1);
        turn->at_ms = sqlite3_column_int64(found, 2);
        turn->is_skipped = sqlite3_column_int(found, 3) != 0;
    }
    statement_leave(found);
    if (result == ROW_NONE)
        rows_damaged(rows);
    return result == ROW_FOUND;
}

static bool is_followed_by_attempt(const struct stored_session *stored, unsigned index)
{
    return index + 1 < stored->session->commit_count &&
           stored->numbers[index] == stored->numbers[index + 1];
}

/* The newest first: each that is long costs a read of the file or two, and those behind what is shown
 * are left as they are. */
static bool read_turns(struct sqlite_rows *rows, const struct stored_session *stored,
                       enum store_extent extent)
{
    struct session *session = stored->session;
    size_t shown = 0;

    session->turns = mem_zalloc(session->commit_count * sizeof(*session->turns));
    for (unsigned i = session->commit_count; i-- > 0;) {
        struct session_turn *turn = &session->turns[i];
        size_t length;

        turn->number = stored->numbers[i];
        if (extent == EXTENT_SHOWN &&
            (shown >= SESSION_SHOWN_BYTES || is_followed_by_attempt(stored, i)))
            continue;
        if (!read_turn(rows, stored->turn_rows[i], turn) ||
            (extent == EXTENT_WHOLE &&
             !rows_read_outcome(rows, stored, i + 1, &turn->outcome)))
            return false;
        length = turn->transcript.length;
        shown +=
            length < SESSION_SHOWN_ANSWER_BYTES ? length : SESSION_SHOWN_ANSWER_BYTES;
    }
    session_number_turns(session);
    return true;
}

static bool read_papers(struct sqlite_rows *rows, const struct stored_session *stored)
{
    sqlite3_stmt *found = statement_use(rows, STATEMENT_READ_PAPERS);
    enum row_result result;

    sqlite3_bind_int64(found, 1, stored->row);
    result = statement_step(rows, found);
    if (result == ROW_FOUND)
        stored->session->papers = (struct session_papers){
            .job_advert = statement_column_text(found, 0),
            .resume = statement_column_text(found, 1),
            .demands = statement_column_text(found, 2),
        };
    statement_leave(found);
    if (result == ROW_NONE)
        rows_damaged(rows);
    return result == ROW_FOUND;
}

static bool read_finish(struct sqlite_rows *rows, const struct stored_session *stored)
{
    sqlite3_stmt *found = statement_use(rows, STATEMENT_READ_FINISH);
    enum row_result result;

    sqlite3_bind_int64(found, 1, stored->row);
    sqlite3_bind_int(found, 2, (int)stored->session->commit_count);
    result = statement_step(rows, found);
    if (result == ROW_FOUND)
        stored->session->finish = statement_column_text(found, 0);
    statement_leave(found);
    return result != ROW_FAILED;
}

bool rows_read_rest(struct sqlite_rows *rows, const struct stored_session *stored,
                    enum store_extent extent)
{
    const struct session *session = stored->session;
    bool is_whole = extent == EXTENT_WHOLE;

    return (!stored->has_papers || read_papers(rows, stored)) &&
           (extent == EXTENT_SESSION || session->commit_count == 0 ||
            read_turns(rows, stored, extent)) &&
           (!is_whole || !session->is_finished || read_finish(rows, stored));
}

bool rows_read_outcome(struct sqlite_rows *rows, const struct stored_session *stored,
                       unsigned commit_number, struct private_text *ret_outcome)
{
    sqlite3_stmt *found = statement_use(rows, STATEMENT_READ_OUTCOME);
    enum row_result result;

    if (commit_number < 1 || commit_number > stored->session->commit_count) {
        rows_damaged(rows);
        return false;
    }
    sqlite3_bind_int64(found, 1, stored->turn_rows[commit_number - 1]);
    result = statement_step(rows, found);
    if (result == ROW_FOUND)
        *ret_outcome = statement_column_whole(found, 0, 1, 2);
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
        ret_record->commit_number = (unsigned)sqlite3_column_int(found, 1);
        if (ret_record->commit_number == 0)
            ret_record->outcome = statement_column_text(found, 2);
        ret_record->is_reply = sqlite3_column_int(found, 3) != 0;
    }
    statement_leave(found);
    if (result == ROW_FOUND && ret_record->commit_number > 0 &&
        !rows_read_outcome(rows, stored, ret_record->commit_number, &ret_record->outcome))
        result = ROW_FAILED;
    return result;
}

bool rows_insert_record(struct sqlite_rows *rows, const struct store_id *id,
                        const struct store_key *key, bool is_lasting,
                        const struct stored_record *record)
{
    sqlite3_stmt *forget = statement_use(rows, STATEMENT_FORGET_RECORDS);
    sqlite3_stmt *insert = statement_use(rows, STATEMENT_INSERT_RECORD);

    statement_bind_id(forget, 1, id);
    sqlite3_bind_int(forget, 2, STORE_MAX_REMEMBERED - 1);
    if (!is_lasting && !statement_run(rows, forget))
        return false;
    statement_bind_id(insert, 1, id);
    statement_bind_digest(insert, 2, true, &key->key);
    statement_bind_digest(insert, 3, true, &key->fingerprint);
    sqlite3_bind_int(insert, 4, (int)record->commit_number);
    sqlite3_bind_int(insert, 5, is_lasting);
    if (record->commit_number == 0)
        statement_bind_text(insert, 6, &record->outcome);
    sqlite3_bind_int(insert, 7, record->is_reply);
    return statement_run(rows, insert);
}

bool rows_read_usage(struct sqlite_rows *rows, int64_t day, struct store_usage *ret_usage)
{
    sqlite3_stmt *found = statement_use(rows, STATEMENT_READ_USAGE);
    struct store_usage usage = {.day = day};
    enum row_result result;

    sqlite3_bind_int64(found, 1, day);
    result = statement_step(rows, found);
    if (result == ROW_FOUND) {
        usage.turns = sqlite3_column_int64(found, 0);
        usage.audio_ms = sqlite3_column_int64(found, 1);
    }
    statement_leave(found);
    if (result == ROW_FAILED)
        return false;
    *ret_usage = usage;
    return true;
}

/* The day before stays: another process may be a little behind. */
bool rows_add_usage(struct sqlite_rows *rows, struct store_usage *usage, int64_t audio_ms)
{
    sqlite3_stmt *add = statement_use(rows, STATEMENT_ADD_USAGE);

    sqlite3_bind_int64(add, 1, usage->day);
    sqlite3_bind_int64(add, 2, audio_ms);
    if (!statement_run(rows, add) ||
        (usage->turns == 0 &&
         !statement_run_number(rows, STATEMENT_FORGET_USAGE, usage->day - 1)))
        return false;
    usage->turns++;
    usage->audio_ms += audio_ms;
    return true;
}

bool rows_count_of_client(struct sqlite_rows *rows, const struct digest *client,
                          int64_t now_ms, int64_t *ret_count)
{
    sqlite3_stmt *found = statement_use(rows, STATEMENT_COUNT_OF_CLIENT);
    enum row_result result;

    statement_bind_digest(found, 1, true, client);
    sqlite3_bind_int64(found, 2, now_ms);
    result = statement_step(rows, found);
    if (result == ROW_FOUND)
        *ret_count = sqlite3_column_int64(found, 0);
    statement_leave(found);
    return result == ROW_FOUND;
}

bool rows_forget_client(struct sqlite_rows *rows, const struct store_id *id)
{
    return statement_run_id(rows, STATEMENT_FORGET_CLIENT, id);
}

bool rows_probe(struct sqlite_rows *rows)
{
    return statement_run(rows, statement_use(rows, STATEMENT_PROBE)) &&
           statement_run(rows, statement_use(rows, STATEMENT_PROBE_GONE));
}
