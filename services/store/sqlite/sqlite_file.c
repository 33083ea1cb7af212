/*
 * The schema of the file, its migrations, and how it is opened.
 */
#include "sqlite_file_internal.h"

#include "clock.h"
#include "sqlite_place_internal.h"
#include "sqlite_scrub_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APPLICATION_ID 0x506f6973 /* "Pois": how file(1) and we know our own */

/* While another process writes, SQLite asks again after each nap: in all about three
 * seconds. */
#define BUSY_NAP_NS 500000
#define BUSY_NAPS   5000

#define EMPTY_LOG_US 3000000

/* A commit writes whole pages: small ones, since what a turn changes lies in a few places. */
#define PAGE_BYTES 2048

#define TEXT_OF(macro)    TEXT_OF_(macro)
#define TEXT_OF_(written) #written

/*
 * Migrations: entry n brings a file from version n (PRAGMA user_version) to n + 1.  What
 * was released is never edited, only added to.
 *
 * Turns are only ever added behind the last: however many sessions take part, the turns
 * of one transaction lie in few pages.  `turn_rows` of a session says which are its own, other
 * attempts among them (eight bytes each: the number of the question, 0 where it is the number in
 * this list, then the row, big endian), and `asked` is one question after the other, each
 * behind its length in four bytes. What changes often, the reports of delivery, is apart
 * from what is long, and what the candidate brought (`papers`) is read where it is needed.
 * `last_...` belong to the last commit, whose number `delivered` has.  `sweep_ms` is when
 * to look whether the session has expired: it stays put while a session is used, so that
 * its index costs nothing then.
 *
 * `heard` is what was heard in the recording `heard_audio` that came last, until a turn is
 * committed or refused.  `finish` is what a finish was answered with, while no other attempt came
 * behind it.  An outcome mostly has the transcript in it, word for word: it is stored
 * without, and `transcript_at` says where it belongs.
 *
 * A refusal names the session that the client named: it need not be there, and goes
 * without it only by itself or with a deletion.
 *
 * `speech_total` is what all speech takes together, kept by the two triggers, which see
 * rows that go with their session as well.
 *
 * `client` is there while the session is open, and only where the sessions of one client
 * are counted; `usage` has a row for each of the last days on which a cap of the day held.
 */
static const char *const migrations[] = {
    "CREATE TABLE session ("
    "  row INTEGER PRIMARY KEY,"
    "  id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),"
    "  expires_ms INTEGER NOT NULL,"
    "  sweep_ms INTEGER NOT NULL,"
    "  created_ms INTEGER NOT NULL,"
    "  last_activity_ms INTEGER NOT NULL,"
    "  difficulty INTEGER NOT NULL,"
    "  total_questions INTEGER NOT NULL,"
    "  turn_count INTEGER NOT NULL,"
    "  last_audio BLOB,"
    "  last_transcript BLOB,"
    "  create_key BLOB,"
    "  create_fingerprint BLOB,"
    "  role TEXT NOT NULL,"
    "  interview_type TEXT NOT NULL,"
    "  asked BLOB NOT NULL,"
    "  turn_rows BLOB NOT NULL"
    ") STRICT;"
    "CREATE INDEX session_sweep ON session (sweep_ms);"
    "CREATE UNIQUE INDEX session_create_key ON session (create_key)"
    "  WHERE create_key IS NOT NULL;"
    "CREATE TABLE delivered ("
    "  session INTEGER PRIMARY KEY,"
    "  turn_number INTEGER NOT NULL"
    ") STRICT;"
    "CREATE TABLE turn ("
    "  row INTEGER PRIMARY KEY,"
    "  scores BLOB,"
    "  transcript TEXT NOT NULL,"
    "  outcome TEXT NOT NULL"
    ") STRICT;"
    "CREATE TABLE remembered ("
    "  row INTEGER PRIMARY KEY,"
    "  session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,"
    "  key BLOB NOT NULL,"
    "  fingerprint BLOB NOT NULL,"
    "  turn_number INTEGER NOT NULL,"
    "  is_lasting INTEGER NOT NULL,"
    "  outcome TEXT,"
    "  UNIQUE (session, key)"
    ") STRICT;"
    "CREATE TABLE probe (beat INTEGER PRIMARY KEY) STRICT;",

    "CREATE TABLE heard ("
    "  session INTEGER PRIMARY KEY REFERENCES session ON DELETE CASCADE,"
    "  audio BLOB NOT NULL,"
    "  text TEXT NOT NULL"
    ") STRICT;"
    "CREATE TABLE speech ("
    "  row INTEGER PRIMARY KEY,"
    "  request BLOB NOT NULL CHECK (length(request) = 16),"
    "  session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,"
    "  expires_ms INTEGER NOT NULL,"
    "  length_bytes INTEGER NOT NULL,"
    "  content_type TEXT NOT NULL,"
    "  audio BLOB NOT NULL"
    ") STRICT;"
    "CREATE INDEX speech_request ON speech (request);"
    "CREATE INDEX speech_session ON speech (session);"
    "CREATE INDEX speech_expires ON speech (expires_ms);"
    "CREATE TABLE speech_total (bytes INTEGER NOT NULL) STRICT;"
    "INSERT INTO speech_total (bytes) VALUES (0);"
    "CREATE TRIGGER speech_added AFTER INSERT ON speech BEGIN"
    "  UPDATE speech_total SET bytes = bytes + new.length_bytes;"
    "END;"
    "CREATE TRIGGER speech_removed AFTER DELETE ON speech BEGIN"
    "  UPDATE speech_total SET bytes = bytes - old.length_bytes;"
    "END;",

    "CREATE TABLE refusal ("
    "  row INTEGER PRIMARY KEY,"
    "  at_ms INTEGER NOT NULL,"
    "  session BLOB CHECK (length(session) = 16),"
    "  question TEXT,"
    "  reason TEXT NOT NULL,"
    "  chunks INTEGER NOT NULL,"
    "  max_score REAL"
    ") STRICT;"
    "CREATE INDEX refusal_at ON refusal (at_ms);"
    "CREATE INDEX refusal_session ON refusal (session) WHERE session IS NOT NULL;",

    "ALTER TABLE session ADD COLUMN client BLOB;"
    "CREATE INDEX session_client ON session (client) WHERE client IS NOT NULL;"
    "CREATE TABLE usage ("
    "  day INTEGER PRIMARY KEY,"
    "  turns INTEGER NOT NULL,"
    "  audio_ms INTEGER NOT NULL"
    ") STRICT;",

    "ALTER TABLE session ADD COLUMN heard_audio BLOB;"
    "ALTER TABLE session ADD COLUMN heard TEXT;"
    "UPDATE session SET (heard_audio, heard) ="
    "  (SELECT audio, text FROM heard WHERE heard.session = session.row);"
    "DROP TABLE heard;"
    "ALTER TABLE turn ADD COLUMN transcript_at INTEGER;",

    "ALTER TABLE session ADD COLUMN has_papers INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE session ADD COLUMN is_finished INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE turn ADD COLUMN at_ms INTEGER;"
    "ALTER TABLE turn ADD COLUMN is_skipped INTEGER;"
    "ALTER TABLE remembered ADD COLUMN is_reply INTEGER NOT NULL DEFAULT 0;"
    "CREATE TABLE papers ("
    "  session INTEGER PRIMARY KEY REFERENCES session ON DELETE CASCADE,"
    "  job_advert TEXT NOT NULL,"
    "  resume TEXT NOT NULL,"
    "  demands TEXT NOT NULL"
    ") STRICT;"
    "CREATE TABLE finish ("
    "  session INTEGER PRIMARY KEY REFERENCES session ON DELETE CASCADE,"
    "  commit_count INTEGER NOT NULL,"
    "  outcome TEXT NOT NULL"
    ") STRICT;",
};

#define LATEST_VERSION ((int)(sizeof(migrations) / sizeof(migrations[0])))

/* SQLite's messages name no contents here: no statement with values has run yet. */
static bool explain_sqlite(struct buffer *problem, const char *path, sqlite3 *db)
{
    switch (sqlite3_errcode(db)) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        sqlite_place_explain(problem, path, "is locked by another program", 0);
        break;
    case SQLITE_NOTADB:
        sqlite_place_explain(problem, path, "is not an SQLite database", 0);
        break;
    case SQLITE_CORRUPT: sqlite_place_explain(problem, path, "is damaged", 0); break;
    case SQLITE_READONLY:
        sqlite_place_explain(problem, path, "cannot be written", 0);
        break;
    case SQLITE_CANTOPEN:
        sqlite_place_explain(problem, path, "cannot be opened", sqlite3_system_errno(db));
        break;
    case SQLITE_FULL:
        sqlite_place_explain(problem, path, "cannot be written", ENOSPC);
        break;
    default:
        sqlite_place_explain(problem, path, sqlite3_errmsg(db), sqlite3_system_errno(db));
        break;
    }
    return false;
}

static int nap(void *context, int naps)
{
    static const struct timespec length = {.tv_nsec = BUSY_NAP_NS};

    (void)context;
    if (naps >= BUSY_NAPS)
        return 0;
    nanosleep(&length, NULL);
    return 1;
}

static bool run(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* The single value of a query; false on any error. */
static bool ask_number(sqlite3 *db, const char *sql, int *ret_number)
{
    sqlite3_stmt *statement = NULL;
    bool is_known = sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
                    sqlite3_step(statement) == SQLITE_ROW;

    if (is_known)
        *ret_number = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return is_known;
}

/* Pages of another size are made anew: in a new file by that, in one that an earlier version of
 * the program made by VACUUM, which takes the file out of WAL mode for it.  Where another process
 * has it open it keeps its pages. */
static void resize_pages(sqlite3 *db)
{
    int bytes;

    sqlite3_busy_handler(db, NULL, NULL);
    if (ask_number(db, "PRAGMA page_size", &bytes) && bytes != PAGE_BYTES &&
        run(db, "PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY;"
                "PRAGMA journal_mode=DELETE; PRAGMA page_size=" TEXT_OF(PAGE_BYTES) ";"))
        run(db, "VACUUM");
    sqlite3_busy_handler(db, nap, NULL);
}

/* temp_store: nothing of ours in temporary files.  wal_autocheckpoint: the store decides
 * when. */
static bool configure(sqlite3 *db)
{
    return sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) == SQLITE_OK &&
           sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) == SQLITE_OK &&
           run(db, "PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY;"
                   "PRAGMA foreign_keys=ON; PRAGMA cell_size_check=ON;"
                   "PRAGMA journal_mode=WAL;"
                   "PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0;"
                   "PRAGMA max_page_count=" TEXT_OF(SQLITE_SCRUB_PAGES_MOST) ";");
}

static bool is_ours(sqlite3 *db, const char *path, int *ret_version,
                    struct buffer *problem)
{
    int application_id;
    int tables;

    if (!ask_number(db, "PRAGMA application_id", &application_id) ||
        !ask_number(db, "PRAGMA user_version", ret_version) ||
        !ask_number(db, "SELECT count(*) FROM sqlite_schema", &tables))
        return explain_sqlite(problem, path, db);

    if (application_id != APPLICATION_ID && (application_id != 0 || tables > 0)) {
        sqlite_place_explain(problem, path, "is a database of another program", 0);
        return false;
    }
    if (*ret_version > LATEST_VERSION || *ret_version < 0) {
        sqlite_place_explain(problem, path,
                             "was written by a newer version of this program", 0);
        return false;
    }
    return true;
}

/* All steps in one transaction; the version is read inside it, as two processes may start
 * at once. */
static bool migrate(sqlite3 *db, const char *path, struct buffer *problem)
{
    int version;
    bool is_good = true;

    if (!run(db, "BEGIN IMMEDIATE"))
        return explain_sqlite(problem, path, db);
    if (!is_ours(db, path, &version, problem)) {
        run(db, "ROLLBACK");
        return false;
    }
    for (; is_good && version < LATEST_VERSION; version++) {
        char *marks = sqlite3_mprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;",
                                      APPLICATION_ID, version + 1);

        is_good = run(db, migrations[version]) && marks != NULL && run(db, marks);
        sqlite3_free(marks);
    }
    if (is_good && run(db, "COMMIT"))
        return true;
    explain_sqlite(problem, path, db);
    run(db, "ROLLBACK");
    return false;
}

/* `check` is a PRAGMA that says "ok". */
static bool is_sound(sqlite3 *db, const char *check, const char *path,
                     struct buffer *problem)
{
    sqlite3_stmt *statement = NULL;
    bool is_ok = false;

    if (sqlite3_prepare_v2(db, check, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        is_ok = strcmp((const char *)sqlite3_column_text(statement, 0), "ok") == 0;
    sqlite3_finalize(statement);
    if (!is_ok)
        sqlite_place_explain(problem, path,
                             "is damaged (PRAGMA quick_check, integrity_check)", 0);
    return is_ok;
}

sqlite3 *sqlite_file_open(const char *path, struct buffer *problem)
{
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    int version;

    if (sqlite3_open_v2(path, &db, flags, sqlite_scrub_vfs()) != SQLITE_OK) {
        explain_sqlite(problem, path, db);
        goto fail;
    }
    sqlite3_busy_handler(db, nap, NULL);
    if (sqlite3_db_readonly(db, "main") != 0) {
        sqlite_place_explain(problem, path, "cannot be written", 0);
        goto fail;
    }
    if (!is_ours(db, path, &version, problem)) /* before anything is changed in it */
        goto fail;
    resize_pages(db);
    if (!configure(db)) {
        explain_sqlite(problem, path, db);
        goto fail;
    }
    if (!is_sound(db, "PRAGMA quick_check(1)", path, problem) ||
        !migrate(db, path, problem))
        goto fail;
    return db;

fail:
    sqlite3_close(db);
    return NULL;
}

bool sqlite_file_is_older(int version)
{
    return version > 0 && version < LATEST_VERSION;
}

sqlite3 *sqlite_file_open_to_read(const char *path, int *ret_version,
                                  struct buffer *problem)
{
    sqlite3 *db = NULL;

    /* Not read-only: who reads a write-ahead log takes its locks in the file beside it. */
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        sqlite_scrub_vfs()) == SQLITE_OK) {
        sqlite3_busy_handler(db, nap, NULL);
        if (is_ours(db, path, ret_version, problem) &&
            sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL) == SQLITE_OK)
            return db;
    } else {
        explain_sqlite(problem, path, db);
    }
    sqlite3_close(db);
    return NULL;
}

bool sqlite_file_is_whole(sqlite3 *db, const char *path, int *ret_version,
                          int64_t *ret_sessions, struct buffer *problem)
{
    int sessions = 0;

    if (!is_ours(db, path, ret_version, problem) ||
        !is_sound(db, "PRAGMA integrity_check(1)", path, problem))
        return false;
    if (*ret_version > 0 && !ask_number(db, "SELECT count(*) FROM session", &sessions))
        return explain_sqlite(problem, path, db);
    *ret_sessions = sessions;
    return true;
}

sqlite3 *sqlite_file_open_again(const char *path, struct buffer *problem)
{
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;

    if (sqlite3_open_v2(path, &db, flags, sqlite_scrub_vfs()) == SQLITE_OK) {
        sqlite3_busy_handler(db, nap, NULL);
        /* What it keeps is void after each commit of the other connection. */
        if (configure(db) && run(db, "PRAGMA cache_size=-512;"))
            return db;
    }
    explain_sqlite(problem, path, db);
    sqlite3_close(db);
    return NULL;
}

int sqlite_file_page_bytes(sqlite3 *db)
{
    int bytes = PAGE_BYTES;

    ask_number(db, "PRAGMA page_size", &bytes);
    return bytes;
}

void sqlite_file_checkpoint(sqlite3 *db)
{
    sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

bool sqlite_file_empty_log(sqlite3 *db)
{
    /* Where another process is in the middle of a checkpoint, SQLite says "busy" at once
     * and does not ask the busy handler (documentation of sqlite3_wal_checkpoint_v2()).
     */
    int64_t deadline_us = clock_monotonic_us() + EMPTY_LOG_US;
    int status;

    do
        status =
            sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    while (status == SQLITE_BUSY && clock_monotonic_us() < deadline_us && nap(NULL, 0));
    if (status != SQLITE_OK)
        return false;
    sqlite3_db_release_memory(
        db); /* pages in memory may hold what was cleaned in the file */
    return true;
}
