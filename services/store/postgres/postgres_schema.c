/*
 * The tables, and how they are brought up to date.
 */
#include "postgres_schema_internal.h"

#include "postgres_state_internal.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TRIES        40
#define NAP_LEAST_MS 20
#define NAP_MORE_MS  80

/*
 * Migrations: entry n brings the tables from version n to n + 1.  What was released is never
 * edited, only added to.
 *
 * What a turn changes in its session is narrow and in no index, so that PostgreSQL can write the
 * new row beside the old (heap-only tuples; half of each page is left free for that).  What is
 * long, the turns, the speech, is written once.
 *
 *   changes        moves with whatever a decision about a turn rests on
 *   delivered      the last commit whose reply reached the client
 *   sender         the process that is sending the last commit's reply
 *   request, process, key, fingerprint, claimed    the turn that is running, if `request` is there
 *   commit_count   turns, and other attempts at their questions; each is a poise_turn, whose
 *                  question_number, where it is NULL, is its number
 *   attempt_count  at the question of the last committed turn
 *   last_...       belong to the last commit
 *   client         who started it; only kept where sessions are counted
 *
 * A gate is passed by who makes a session for a client whose sessions are counted, one after the
 * other; a client always has the same one, many share it, and nothing of a client is in it.
 *
 * A refusal names the session that the client named: it need not be there, and goes without it
 * only by itself or with a deletion.
 */
static const char *const migrations[] = {
    "CREATE TABLE poise_process (id uuid PRIMARY KEY, seen timestamptz NOT NULL,"
    "  place bytea NOT NULL, number bigint NOT NULL, born bigint NOT NULL);"
    "CREATE TABLE poise_session ("
    "  id uuid PRIMARY KEY,"
    "  expires_ms bigint NOT NULL,"
    "  sweep_ms bigint NOT NULL,"
    "  created_ms bigint NOT NULL,"
    "  last_activity_ms bigint NOT NULL,"
    "  difficulty bigint NOT NULL,"
    "  total_questions bigint NOT NULL,"
    "  turn_count bigint NOT NULL DEFAULT 0,"
    "  delivered bigint NOT NULL DEFAULT 0,"
    "  changes bigint NOT NULL DEFAULT 0,"
    "  claimed timestamptz,"
    "  sender uuid,"
    "  request uuid,"
    "  process uuid,"
    "  key bytea,"
    "  fingerprint bytea,"
    "  last_audio bytea,"
    "  last_transcript bytea,"
    "  create_key bytea UNIQUE,"
    "  create_fingerprint bytea,"
    "  client bytea,"
    "  role text NOT NULL,"
    "  interview_type text NOT NULL,"
    "  opening text NOT NULL"
    ") WITH (fillfactor = 50);"
    "CREATE INDEX poise_session_sweep ON poise_session (sweep_ms);"
    "CREATE INDEX poise_session_client ON poise_session (client) WHERE client IS NOT NULL;"
    "CREATE TABLE poise_turn ("
    "  session uuid NOT NULL REFERENCES poise_session ON DELETE CASCADE,"
    "  number bigint NOT NULL,"
    "  request uuid NOT NULL,"
    "  scores bytea,"
    "  transcript text NOT NULL,"
    "  outcome text NOT NULL,"
    "  next_question text,"
    "  PRIMARY KEY (session, number)"
    ");"
    "CREATE TABLE poise_record ("
    "  session uuid NOT NULL REFERENCES poise_session ON DELETE CASCADE,"
    "  key bytea NOT NULL,"
    "  fingerprint bytea NOT NULL,"
    "  turn_number bigint NOT NULL,"
    "  is_lasting boolean NOT NULL,"
    "  at_change bigint NOT NULL,"
    "  outcome text,"
    "  PRIMARY KEY (session, key)"
    ");"
    "CREATE TABLE poise_heard ("
    "  session uuid PRIMARY KEY REFERENCES poise_session ON DELETE CASCADE,"
    "  audio bytea NOT NULL,"
    "  heard text NOT NULL"
    ");"
    "CREATE TABLE poise_speech ("
    "  session uuid NOT NULL REFERENCES poise_session ON DELETE CASCADE,"
    "  request uuid NOT NULL,"
    "  expires_ms bigint NOT NULL,"
    "  stored timestamptz NOT NULL DEFAULT now(),"
    "  length_bytes bigint NOT NULL,"
    "  content_type text NOT NULL,"
    "  audio bytea NOT NULL,"
    "  PRIMARY KEY (session, request)"
    ");"
    "CREATE INDEX poise_speech_expires ON poise_speech (expires_ms);"
    "CREATE INDEX poise_speech_stored ON poise_speech (stored, length_bytes);"
    "CREATE TABLE poise_refusal ("
    "  id uuid PRIMARY KEY,"
    "  at_ms bigint NOT NULL,"
    "  session uuid,"
    "  question text,"
    "  reason text NOT NULL,"
    "  chunks bigint NOT NULL,"
    "  max_score double precision"
    ");"
    "CREATE INDEX poise_refusal_at ON poise_refusal (at_ms, id);"
    "CREATE INDEX poise_refusal_session ON poise_refusal (session)"
    "  WHERE session IS NOT NULL;"
    "CREATE TABLE poise_gate (number bigint PRIMARY KEY, passed bigint NOT NULL);"
    "CREATE TABLE poise_day (day bigint PRIMARY KEY, turns bigint NOT NULL,"
    "  audio_ms bigint NOT NULL);"
    "CREATE TABLE poise_rate (key bytea PRIMARY KEY, whole_us bigint NOT NULL);",

    "ALTER TABLE poise_session ADD COLUMN commit_count bigint NOT NULL DEFAULT 0,"
    "  ADD COLUMN attempt_count bigint NOT NULL DEFAULT 0,"
    "  ADD COLUMN is_finished boolean NOT NULL DEFAULT false,"
    "  ADD COLUMN has_papers boolean NOT NULL DEFAULT false;"
    "UPDATE poise_session SET commit_count = turn_count, attempt_count = 1"
    "  WHERE turn_count > 0;"
    "ALTER TABLE poise_turn ADD COLUMN question_number bigint,"
    "  ADD COLUMN at_ms bigint NOT NULL DEFAULT 0,"
    "  ADD COLUMN is_skipped boolean NOT NULL DEFAULT false;"
    "ALTER TABLE poise_record ADD COLUMN is_reply boolean NOT NULL DEFAULT false;"
    "CREATE TABLE poise_papers ("
    "  session uuid PRIMARY KEY REFERENCES poise_session ON DELETE CASCADE,"
    "  job_advert text NOT NULL,"
    "  resume text NOT NULL,"
    "  demands text NOT NULL"
    ");"
    "CREATE TABLE poise_finish ("
    "  session uuid PRIMARY KEY REFERENCES poise_session ON DELETE CASCADE,"
    "  request uuid NOT NULL,"
    "  commit_count bigint NOT NULL,"
    "  outcome text NOT NULL"
    ");",
};

#define LATEST_VERSION ((long)(sizeof(migrations) / sizeof(migrations[0])))

static bool run(PGconn *conn, const char *sql, char ret_sqlstate[6])
{
    PGresult *result = PQexec(conn, sql);
    ExecStatusType status = PQresultStatus(result);
    bool is_good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;

    if (!is_good)
        postgres_state_of(result, ret_sqlstate);
    PQclear(result);
    return is_good;
}

/* The version that a query gives. */
static enum postgres_schema ask_version(PGconn *conn, const char *sql, long *ret_version,
                                        char ret_sqlstate[6])
{
    PGresult *result = PQexec(conn, sql);
    enum postgres_schema schema = SCHEMA_TROUBLE;

    if (PQresultStatus(result) == PGRES_TUPLES_OK) {
        *ret_version = PQntuples(result) == 1 ? atol(PQgetvalue(result, 0, 0)) : 0;
        schema = *ret_version == LATEST_VERSION  ? SCHEMA_CURRENT
                 : *ret_version > LATEST_VERSION ? SCHEMA_NEWER
                                                 : SCHEMA_OLDER;
    } else {
        postgres_state_of(result, ret_sqlstate);
        if (strcmp(ret_sqlstate, "42P01") == 0) /* undefined_table */
            schema = SCHEMA_NONE;
    }
    PQclear(result);
    return schema;
}

enum postgres_schema postgres_schema_look(PGconn *conn, char ret_sqlstate[6])
{
    long version;

    return ask_version(conn, "SELECT version FROM poise_version", &version, ret_sqlstate);
}

/* One try: the row of the version is locked, so that of several processes one makes the tables
 * and the others find them made. */
static enum postgres_schema try_migrate(PGconn *conn, char ret_sqlstate[6])
{
    enum postgres_schema schema;
    char mark[80];
    long version;

    if (!run(conn,
             "CREATE TABLE IF NOT EXISTS poise_version"
             " (row bigint PRIMARY KEY, version bigint NOT NULL)",
             ret_sqlstate) ||
        !run(
            conn,
            "INSERT INTO poise_version (row, version) VALUES (1, 0) ON CONFLICT DO NOTHING",
            ret_sqlstate) ||
        !run(conn, "BEGIN", ret_sqlstate))
        return SCHEMA_TROUBLE;
    schema = ask_version(conn, "SELECT version FROM poise_version FOR UPDATE", &version,
                         ret_sqlstate);
    for (; schema == SCHEMA_OLDER && version < LATEST_VERSION; version++) {
        snprintf(mark, sizeof(mark), "UPDATE poise_version SET version = %ld",
                 version + 1);
        if (!run(conn, migrations[version], ret_sqlstate) ||
            !run(conn, mark, ret_sqlstate))
            schema = SCHEMA_TROUBLE;
    }
    if (schema == SCHEMA_OLDER && run(conn, "COMMIT", ret_sqlstate))
        return SCHEMA_CURRENT;
    if (schema == SCHEMA_OLDER)
        schema = SCHEMA_TROUBLE;
    PQclear(PQexec(conn, "ROLLBACK"));
    return schema;
}

/* Another process was at it at the same moment: CREATE TABLE IF NOT EXISTS itself is not safe
 * from that (unique_violation, duplicate_table, duplicate_object), nor is a serializable server. */
static bool was_overtaken(const char *sqlstate)
{
    return strcmp(sqlstate, "23505") == 0 || strcmp(sqlstate, "42P07") == 0 ||
           strcmp(sqlstate, "42710") == 0 || strcmp(sqlstate, "40001") == 0 ||
           strcmp(sqlstate, "40P01") == 0 || strcmp(sqlstate, "XX000") == 0;
}

enum postgres_schema postgres_schema_migrate(PGconn *conn, char ret_sqlstate[6])
{
    enum postgres_schema schema = postgres_schema_look(conn, ret_sqlstate);

    for (int tries = 0;
         tries < TRIES && schema != SCHEMA_CURRENT && schema != SCHEMA_NEWER; tries++) {
        struct timespec nap = {
            .tv_nsec = (NAP_LEAST_MS + randombytes_uniform(NAP_MORE_MS)) * 1000000L};

        if (tries > 0)
            nanosleep(&nap, NULL);
        schema = try_migrate(conn, ret_sqlstate);
        if (schema == SCHEMA_TROUBLE && !was_overtaken(ret_sqlstate))
            break;
    }
    return schema;
}
