/*
 * One connection: its parameters, its settings, its tables, its statements.
 */
#include "postgres_connect_internal.h"

#include "postgres_schema_internal.h"
#include "postgres_state_internal.h"
#include "postgres_values_internal.h"

#include <stdlib.h>
#include <string.h>

/*
 * What a connection is made with where the URL does not say otherwise.  A connection whose other
 * end is gone without a word is noticed in some eleven seconds by the kernel, and sooner by who
 * waits for an answer.  The server must be one that can be written: of several hosts the primary.
 */
static const char *const names[] = {
    "connect_timeout",
    "fallback_application_name",
    "target_session_attrs",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_count",
    "tcp_user_timeout",
    "client_encoding",
    "dbname",
    NULL,
};
enum { ATTRIBUTES_AT = 2, URL_AT = 8 };
static const char *const defaults[] = {
    "3", "poise", "read-write", "5", "2", "3", "6000", "UTF8", NULL, NULL,
};

/* Set on every connection; without them the store does not work as it must. */
static const char settings[] = "SET default_transaction_isolation = 'read committed';"
                               "SET statement_timeout = 5000;"
                               "SET idle_in_transaction_session_timeout = 10000;";
static const char quick_settings[] = "SET synchronous_commit = off;";
static const char durable_settings[] =
    "SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') = 'off';";

/* Good to have where the server knows them: each statement finds its rows by an index, and is
 * planned once, also while the tables are still empty. */
static const char *const wishes[] = {
    "SET plan_cache_mode = force_generic_plan",
    "SET enable_seqscan = off",
    "SET jit = off",
};

static void explain(struct buffer *problem, const char *what, const char *detail)
{
    if (problem == NULL)
        return;
    buffer_append_string(problem, "store: PostgreSQL: ");
    buffer_append_string(problem, what);
    for (; *detail != '\0' && strcmp(detail, "\n") != 0; detail++)
        buffer_append_char(problem, *detail == '\n' ? ' ' : *detail);
    buffer_append_char(problem, '\n');
}

/* An error message of libpq's as one line.  While a connection is made it names hosts, users and
 * databases, and never the password. */
static void explain_libpq(struct buffer *problem, const char *message,
                          enum postgres_trouble trouble)
{
    size_t length = strlen(message);

    while (length > 0 && message[length - 1] == '\n')
        length--;
    buffer_append_string(problem, "store: PostgreSQL: ");
    for (size_t at = 0; at < length; at++)
        buffer_append_char(problem,
                           (unsigned char)message[at] < 0x20 ? ' ' : message[at]);
    buffer_append_string(problem,
                         trouble == TROUBLE_AWAY ? "; it is tried again\n" : "\n");
}

bool postgres_connect_check(const char *url, struct buffer *problem)
{
    char *message = NULL;
    PQconninfoOption *options = PQconninfoParse(url, &message);

    /* libpq's message quotes the URL, and with it the password. */
    if (options == NULL)
        explain(problem,
                "STORE_URL is no URL that libpq takes: postgresql://user@host/database",
                "");
    PQconninfoFree(options);
    PQfreemem(message);
    return options != NULL;
}

static PGconn *open_with(const char *url, const char *attributes)
{
    const char *values[sizeof(defaults) / sizeof(defaults[0])];

    memcpy(values, defaults, sizeof(values));
    values[URL_AT] = url; /* expanded, it goes over what stands before it */
    if (attributes != NULL)
        values[ATTRIBUTES_AT] = attributes;
    return PQconnectdbParams(names, values, 1);
}

/* Does a server answer that may become ours, or is it one that turns us away? */
static enum postgres_trouble trouble_of(const char *url, const PGconn *failed)
{
    const char *values[sizeof(defaults) / sizeof(defaults[0])];
    const char *message = PQerrorMessage(failed);

    memcpy(values, defaults, sizeof(values));
    values[URL_AT] = url;
    if (PQpingParams(names, values, 1) != PQPING_OK)
        return TROUBLE_AWAY;
    /* It answers.  In the middle of a failover nobody can be written, and a server may have no
     * connection left for us: these pass. */
    if (strstr(message, "read-only") != NULL || strstr(message, "standby") != NULL ||
        strstr(message, "too many") != NULL || strstr(message, "timeout") != NULL ||
        strstr(message, "remaining connection slots") != NULL)
        return TROUBLE_AWAY;
    return TROUBLE_REFUSED;
}

static bool run(PGconn *conn, const char *sql)
{
    PGresult *result = PQexec(conn, sql);
    ExecStatusType status = PQresultStatus(result);

    PQclear(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

static enum postgres_trouble explain_schema(enum postgres_schema schema,
                                            const char *sqlstate, struct buffer *problem)
{
    if (schema == SCHEMA_NEWER) {
        explain(problem, "the tables are those of a newer version of this program", "");
        return TROUBLE_REFUSED;
    }
    if (strcmp(sqlstate, "42501") == 0) { /* insufficient_privilege */
        explain(problem,
                "the user may not make or use the tables (GRANT CREATE ON SCHEMA ...)",
                "");
        return TROUBLE_REFUSED;
    }
    if (postgres_state_meaning(sqlstate) == MEANS_FAILED) {
        explain(problem, "the tables cannot be made, SQLSTATE ", sqlstate);
        return TROUBLE_REFUSED;
    }
    explain(problem, "the tables cannot be made now, SQLSTATE ", sqlstate);
    return TROUBLE_AWAY;
}

static bool prepare(PGconn *conn)
{
    bool is_good = PQenterPipelineMode(conn) == 1 && postgres_send_prepare(conn) &&
                   PQpipelineSync(conn) == 1;
    bool is_synced = false;
    unsigned nulls = 0;

    while (is_good && !is_synced && nulls < 2) {
        PGresult *result = PQgetResult(conn);
        ExecStatusType status = PQresultStatus(result);

        nulls = result == NULL ? nulls + 1 : 0;
        is_synced = status == PGRES_PIPELINE_SYNC;
        is_good = result == NULL || is_synced || status == PGRES_COMMAND_OK;
        PQclear(result);
    }
    return is_good && is_synced && PQsetnonblocking(conn, 1) == 0;
}

static bool beat(PGconn *conn, const struct postgres_process *process)
{
    struct postgres_values values = {0};
    PGresult *result;
    bool is_good;

    postgres_process_values(&values, process);
    result = postgres_ask(conn, POSTGRES_BEAT, &values);
    is_good = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    return is_good;
}

static enum postgres_trouble set_up(PGconn *conn, enum postgres_use use,
                                    const struct postgres_process *process,
                                    struct buffer *problem)
{
    char sqlstate[6] = POSTGRES_NO_ANSWER;
    enum postgres_schema schema = postgres_schema_migrate(conn, sqlstate);

    if (schema != SCHEMA_CURRENT)
        return explain_schema(schema, sqlstate, problem);
    for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
        run(conn, wishes[i]);
    if (run(conn, settings) &&
        run(conn, use == USE_DURABLE ? durable_settings : quick_settings) &&
        beat(conn, process) && (use == USE_BLOCKING || prepare(conn)))
        return TROUBLE_NONE;
    explain(problem, "the connection cannot be set up: ", PQerrorMessage(conn));
    return PQstatus(conn) == CONNECTION_BAD ? TROUBLE_AWAY : TROUBLE_REFUSED;
}

/* Warnings and notices may quote values, and have no place to go. */
static void ignore_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

/* The number of the server's process behind a connection; -1: no answer. */
static int ask_process(PGconn *conn)
{
    PGresult *result = PQexec(conn, "SELECT pg_backend_pid()");
    int number = PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1
                     ? atoi(PQgetvalue(result, 0, 0))
                     : -1;

    PQclear(result);
    return number;
}

/* A pooler gives its clients process numbers of its own.  Two of its clients at the same time have
 * two sessions, but where it lends them out for a transaction at a time: then both are told of the
 * same one, which was given back in between. */
static bool is_pooled_by_transaction(PGconn *conn, const char *url)
{
    int number = ask_process(conn);
    PGconn *second;
    bool is_pooled;

    if (number < 0 || number == PQbackendPID(conn))
        return false;
    second = open_with(url, NULL);
    is_pooled = PQstatus(second) == CONNECTION_OK &&
                (ask_process(second) == number || ask_process(conn) != number);
    PQfinish(second);
    return is_pooled;
}

PGconn *postgres_connect(const char *url, enum postgres_use use,
                         const struct postgres_process *process,
                         struct store_health *health, enum postgres_trouble *ret_trouble,
                         struct buffer *problem)
{
    PGconn *conn = open_with(url, NULL);

    if (PQstatus(conn) == CONNECTION_OK) {
        PQsetNoticeReceiver(conn, ignore_notice, NULL);
        if (problem != NULL && is_pooled_by_transaction(conn, url)) {
            explain(
                problem,
                "a pooler such as PgBouncer is in between and pools transactions; sessions "
                "are needed: pool_mode = session, or the server's own address",
                "");
            *ret_trouble = TROUBLE_REFUSED;
        } else {
            *ret_trouble = set_up(conn, use, process, problem);
            if (*ret_trouble != TROUBLE_NONE)
                postgres_state_note(health, conn, POSTGRES_NO_ANSWER, NULL);
        }
    } else {
        postgres_state_note_unconnected(health, conn);
        /* Only who tells somebody needs to know which it is. */
        *ret_trouble = problem == NULL ? TROUBLE_AWAY : trouble_of(url, conn);
        if (problem != NULL)
            explain_libpq(problem, PQerrorMessage(conn), *ret_trouble);
    }
    if (*ret_trouble == TROUBLE_NONE)
        return conn;
    PQfinish(conn);
    return NULL;
}

PGconn *postgres_connect_to_read(const char *url, struct buffer *problem)
{
    PGconn *conn = open_with(url, "any");

    if (PQstatus(conn) == CONNECTION_OK) {
        PQsetNoticeReceiver(conn, ignore_notice, NULL);
        return conn;
    }
    explain_libpq(problem, PQerrorMessage(conn), TROUBLE_REFUSED);
    PQfinish(conn);
    return NULL;
}
