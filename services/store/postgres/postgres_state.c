/*
 * The SQLSTATEs that the store tells apart, and those that it tells of.
 */
#include "postgres_state_internal.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

void postgres_state_of(const PGresult *result, char ret_sqlstate[6])
{
    const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);

    if (sqlstate == NULL || strlen(sqlstate) != 5)
        sqlstate = POSTGRES_NO_ANSWER;
    memcpy(ret_sqlstate, sqlstate, 6);
}

/* Whole classes, by their first two characters, or single states. */
static const struct {
    const char *start;
    enum postgres_meaning meaning;
} meanings[] = {
    {"08", MEANS_LEAVE}, /* connection exceptions */
    {POSTGRES_READ_ONLY, MEANS_LEAVE},
    {"57P", MEANS_LEAVE},   /* admin_shutdown, crash_shutdown, cannot_connect_now, ... */
    {"53300", MEANS_LEAVE}, /* too_many_connections */
    {"26000", MEANS_LEAVE}, /* our prepared statements are not there: another server */
    {"0A000",
     MEANS_LEAVE}, /* cached plan must not change result type: tables were changed */
    {"40", MEANS_AGAIN},    /* serialization_failure, deadlock_detected, ... */
    {"55P03", MEANS_AGAIN}, /* lock_not_available */
    {"57014", MEANS_AGAIN}, /* query_canceled: statement_timeout */
    {"23", MEANS_AGAIN}, /* another was quicker with a row: what is there now decides */
};

enum postgres_meaning postgres_state_meaning(const char *sqlstate)
{
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
        if (strncmp(sqlstate, meanings[i].start, strlen(meanings[i].start)) == 0)
            return meanings[i].meaning;
    return MEANS_FAILED;
}

/* Those that an operator may see, by the names of appendix A.  A class, or a single state, speaks of
 * the server itself: what it says then quotes a name, a file or a number, and no value of a row. */
static const struct {
    const char *start;
    const char *condition;
    bool is_of_itself;
} conditions[] = {
    {POSTGRES_UNCONNECTED, "unable_to_connect", true},
    {POSTGRES_NO_ANSWER, "connection_failure", true},
    {"08", "connection_exception", true},
    {"0A000", "feature_not_supported", false},
    {"22", "data_exception", false},
    {"23", "integrity_constraint_violation", false},
    {POSTGRES_READ_ONLY, "read_only_sql_transaction", true},
    {"25", "invalid_transaction_state", false},
    {"26000", "invalid_sql_statement_name", false},
    {"28", "invalid_authorization_specification", true},
    {"3D000", "invalid_catalog_name", true},
    {"40001", "serialization_failure", false},
    {"40P01", "deadlock_detected", false},
    {"42501", "insufficient_privilege", true},
    {"42P01", "undefined_table", false},
    {"42P05", "duplicate_prepared_statement", false},
    {"53100", "disk_full", true},
    {"53200", "out_of_memory", true},
    {"53300", "too_many_connections", true},
    {"53", "insufficient_resources", true},
    {"55P03", "lock_not_available", false},
    {"57014", "query_canceled", false},
    {"57P01", "admin_shutdown", true},
    {"57P02", "crash_shutdown", true},
    {"57P03", "cannot_connect_now", true},
    {"57P", "operator_intervention", true},
    {"58", "system_error", true},
    {"XX001", "data_corrupted", false},
    {"XX", "internal_error", false},
};

static struct store_trouble trouble_of(const PGconn *conn, const char *sqlstate,
                                       bool *ret_is_of_itself)
{
    const char *host = conn != NULL ? PQhost(conn) : NULL;
    struct store_trouble trouble = {.condition = NULL};

    snprintf(trouble.code, sizeof(trouble.code), "%.5s", sqlstate);
    if (host != NULL && *host == '/')
        snprintf(trouble.host, sizeof(trouble.host), "%.100s", host);
    else if (host != NULL)
        snprintf(trouble.host, sizeof(trouble.host), "%.100s:%.6s", host, PQport(conn));
    *ret_is_of_itself = false;
    for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++)
        if (strncmp(sqlstate, conditions[i].start, strlen(conditions[i].start)) == 0) {
            trouble.condition = conditions[i].condition;
            *ret_is_of_itself = conditions[i].is_of_itself;
            break;
        }
    return trouble;
}

void postgres_state_note(struct store_health *health, const PGconn *conn,
                         const char *sqlstate, const PGresult *result)
{
    bool is_of_itself;
    struct store_trouble trouble = trouble_of(conn, sqlstate, &is_of_itself);

    if (result != NULL && is_of_itself)
        trouble.said =
            sentence_quote(PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
    store_trouble_note(health, &trouble);
}

void postgres_state_note_unconnected(struct store_health *health, const PGconn *conn)
{
    bool is_of_itself;
    struct store_trouble trouble = trouble_of(conn, POSTGRES_UNCONNECTED, &is_of_itself);

    trouble.said = sentence_quote(PQerrorMessage(conn));
    store_trouble_note(health, &trouble);
}
