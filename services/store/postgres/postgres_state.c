/*
 * The SQLSTATEs that the store tells apart.
 */
#include "postgres_state_internal.h"

#include <stddef.h>
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

int postgres_state_pack(const char *sqlstate)
{
    int number = 0;

    for (int at = 0; at < 5; at++) {
        char character = sqlstate[at];
        int digit = character >= '0' && character <= '9'   ? character - '0'
                    : character >= 'A' && character <= 'Z' ? character - 'A' + 10
                                                           : 0;

        number = number * 36 + digit;
    }
    return number;
}
