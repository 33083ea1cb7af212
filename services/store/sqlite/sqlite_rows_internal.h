/*
 * The rows of the database, read and written by prepared statements: what is stored, and
 * no rules.
 *
 * Functions that can fail say so (ROW_FAILED, false) for trouble of the database alone,
 * and leave the reason in `last_error`; the transaction is then to be rolled back.
 */
#ifndef SQLITE_ROWS_INTERNAL_H
#define SQLITE_ROWS_INTERNAL_H

#include "store_operation_internal.h"

#include <sqlite3.h>

enum statement {
#define STATEMENT(symbol, sql) STATEMENT_##symbol,
#include "sqlite_statements.def"
    STATEMENT_COUNT
};

struct sqlite_rows {
    sqlite3 *db;                               /* borrowed */
    sqlite3_stmt *statements[STATEMENT_COUNT]; /* owned */
    int last_error; /* SQLite's extended code; SQLITE_OK: none so far */
};

enum row_result { ROW_FAILED = -1, ROW_NONE, ROW_FOUND };

/* A session's row: the session, and what only the store knows of it. */
struct stored_session {
    int64_t row;
    struct session *session; /* owned; without its turns */
    /* Of its commits: the row of each, and the question. */
    int64_t turn_rows[SESSION_MAX_COMMITS];
    unsigned char numbers[SESSION_MAX_COMMITS];
    bool has_papers;
    bool is_delivered;
    bool has_last_audio;
    struct digest last_audio;
    bool has_last_transcript;
    struct digest last_transcript;
    /* Owned; in the recording that was asked for; mostly empty. */
    struct private_text heard;
};

/* An outcome that is stored under a key. */
struct stored_record {
    struct digest fingerprint;
    unsigned commit_number; /* 0: it is of no commit, but a refusal or a reply */
    bool is_reply;
    struct private_text outcome; /* owned */
};

/* Speech without its sound. */
struct stored_speech {
    int64_t row;
    int64_t length_bytes;
    int64_t expires_ms;
};

/* false: last_error.  rows_done() either way. */
bool rows_init(struct sqlite_rows *rows, sqlite3 *db);
void rows_done(struct sqlite_rows *rows);

bool rows_begin(struct sqlite_rows *rows, bool for_writing);
bool rows_commit(struct sqlite_rows *rows);
void rows_roll_back(struct sqlite_rows *rows);

/* Sessions.  `audio`: of the recording that something may have been heard in; NULL: none.
 * stored_session_done() where one is found. */
enum row_result rows_find_session(struct sqlite_rows *rows, const struct store_id *id,
                                  const struct digest *audio,
                                  struct stored_session *ret_stored);
void stored_session_done(struct stored_session *stored);
enum row_result rows_find_created(struct sqlite_rows *rows, const struct digest *key,
                                  struct store_id *ret_id,
                                  struct digest *ret_fingerprint);
bool rows_insert_session(struct sqlite_rows *rows, const struct store_id *id,
                         const struct store_new_session *request);
bool rows_delete_session(struct sqlite_rows *rows, const struct stored_session *stored);
bool rows_push_back_expiry(struct sqlite_rows *rows, const struct store_id *id,
                           int64_t expires_ms, int64_t now_ms);
bool rows_mark_delivered(struct sqlite_rows *rows, const struct store_id *id,
                         unsigned commit_number);

/* The session whose turn it is to be looked at by the sweep. */
enum row_result rows_find_due(struct sqlite_rows *rows, int64_t now_ms,
                              struct store_id *ret_id);
bool rows_look_later(struct sqlite_rows *rows, int64_t row, int64_t sweep_ms);

/* Turns.  ROW_NONE from the commit: the session is gone, has expired, or is not at this
 * turn, or something is stored under the key. */
enum row_result rows_commit_turn(struct sqlite_rows *rows, const struct store_id *id,
                                 const struct store_commit *commit);
enum row_result rows_finish(struct sqlite_rows *rows, const struct store_id *id,
                            const struct store_finish *finish);

/* Fills in so much of the session. */
bool rows_read_rest(struct sqlite_rows *rows, const struct stored_session *stored,
                    enum store_extent extent);
bool rows_read_outcome(struct sqlite_rows *rows, const struct stored_session *stored,
                       unsigned commit_number, struct private_text *ret_outcome);

/* Outcomes under keys.  A lasting one stays as long as its session; of the others the
 * oldest make room.  What is stored under a key is never replaced.  The outcome of a commit is
 * stored with that. */
enum row_result rows_find_record(struct sqlite_rows *rows,
                                 const struct stored_session *stored,
                                 const struct digest *key,
                                 struct stored_record *ret_record);
bool rows_insert_record(struct sqlite_rows *rows, const struct store_id *id,
                        const struct store_key *key, bool is_lasting,
                        const struct stored_record *record);

/* What was heard in a recording, one for each session.  `ret_has_deleted` becomes true, and is
 * untouched otherwise, where there was something to forget. */
bool rows_keep_heard(struct sqlite_rows *rows, const struct store_id *id,
                     const struct digest *audio, const struct private_text *heard);
bool rows_forget_heard(struct sqlite_rows *rows, const struct store_id *id,
                       bool *ret_has_deleted);

/* Speech of a session.  `ret_has_evicted` becomes true, and is untouched
 * otherwise, where older speech made room. */
bool rows_insert_speech(struct sqlite_rows *rows, const struct store_id *id,
                        const struct store_id *request_id,
                        const struct store_speech *speech, bool *ret_has_evicted);
enum row_result rows_read_speech(struct sqlite_rows *rows, const struct store_id *id,
                                 const struct store_id *request_id, int64_t now_ms,
                                 struct store_speech *ret_speech);
enum row_result rows_find_speech_to_expire(struct sqlite_rows *rows,
                                           struct stored_speech *ret_speech);
bool rows_delete_speech(struct sqlite_rows *rows, const struct stored_speech *speech);

/* Refusals.  `ret_has_evicted` as above. */
bool rows_insert_refusal(struct sqlite_rows *rows, const struct refusal *refusal,
                         bool *ret_has_evicted);
bool rows_delete_refusals_of(struct sqlite_rows *rows, const struct store_id *id);
enum row_result rows_has_old_refusal(struct sqlite_rows *rows, int64_t before_ms);
bool rows_delete_old_refusals(struct sqlite_rows *rows, int64_t before_ms, int most,
                              int *ret_count);

/* What a day used up, and one turn more in it. */
bool rows_read_usage(struct sqlite_rows *rows, int64_t day,
                     struct store_usage *ret_usage);
bool rows_add_usage(struct sqlite_rows *rows, struct store_usage *usage,
                    int64_t audio_ms);

/* Sessions that a client has open.  One that is complete is nobody's any more. */
bool rows_count_of_client(struct sqlite_rows *rows, const struct digest *client,
                          int64_t now_ms, int64_t *ret_count);
bool rows_forget_client(struct sqlite_rows *rows, const struct store_id *id);

/* Writes something that is gone again. */
bool rows_probe(struct sqlite_rows *rows);

#endif
