/*
 * What a program beside the service reads: the refusal log, page by page, in the order of time; and which
 * version the tables are of.
 */
#include "store_postgres_internal.h"

#include "postgres_connect_internal.h"
#include "postgres_schema_internal.h"
#include "postgres_state_internal.h"
#include "postgres_values_internal.h"

#include <string.h>

#define PAGE_ROWS 500

struct place {
    int64_t at_ms;
    struct store_id id;
};

/* Where the reading has come to is left in `place`. */
static bool tell_row(const PGresult *result, int at, struct place *place,
                     refusal_fn *tell, void *context)
{
    struct postgres_row row = postgres_row_of(result, at);
    struct refusal refusal = {.at_ms = postgres_row_number(&row)};
    struct store_id session;
    bool goes_on;

    *place = (struct place){refusal.at_ms, postgres_row_id(&row)};
    if (postgres_row_bytes(&row, session.bytes, sizeof(session.bytes)))
        refusal.session_id = store_id_text(&session);
    refusal.question = postgres_row_text(&row);
    postgres_row_word(&row, refusal.reason, sizeof(refusal.reason));
    refusal.chunks_retrieved = postgres_row_number(&row);
    refusal.max_score = postgres_row_is_null(&row) ? -1 : postgres_row_double(&row);
    goes_on = tell(context, &refusal);
    refusal_done(&refusal);
    return goes_on;
}

/* false: the server did not answer. */
static bool tell_pages(PGconn *conn, struct place place, refusal_fn *tell, void *context)
{
    int count = PAGE_ROWS;
    bool goes_on = true;

    while (goes_on && count == PAGE_ROWS) {
        struct postgres_values values = {0};
        PGresult *result;
        bool is_good;

        postgres_value_number(&values, place.at_ms);
        postgres_value_id(&values, &place.id);
        postgres_value_number(&values, PAGE_ROWS);
        result = postgres_ask(conn, POSTGRES_READ_REFUSALS, &values);
        is_good = PQresultStatus(result) == PGRES_TUPLES_OK;
        count = PQntuples(result);
        for (int at = 0; goes_on && at < count; at++)
            goes_on = tell_row(result, at, &place, tell, context);
        postgres_rows_wipe(result);
        PQclear(result);
        if (!is_good)
            return false;
    }
    return true;
}

bool store_postgres_is_older(const char *url)
{
    struct buffer problem;
    PGconn *conn = NULL;
    char sqlstate[6];
    bool is_older;

    buffer_init(&problem, 1024);
    if (postgres_connect_check(url, &problem))
        conn = postgres_connect_to_read(url, &problem);
    buffer_done(&problem);
    is_older = conn != NULL && postgres_schema_look(conn, sqlstate) == SCHEMA_OLDER;
    PQfinish(conn);
    return is_older;
}

bool store_postgres_refusals(const char *url, int64_t since_ms, refusal_fn *tell,
                             void *context, struct buffer *problem)
{
    struct place place = {.at_ms = since_ms - 1}; /* before the first of that moment */
    char sqlstate[6];
    bool is_good = true;
    PGconn *conn;

    if (!postgres_connect_check(url, problem))
        return false;
    conn = postgres_connect_to_read(url, problem);
    if (conn == NULL)
        return false;
    memset(place.id.bytes, 0xff, sizeof(place.id.bytes));
    switch (postgres_schema_look(conn, sqlstate)) {
    case SCHEMA_CURRENT:
    case SCHEMA_OLDER: is_good = tell_pages(conn, place, tell, context); break;
    case SCHEMA_NONE: break; /* nothing is noted there */
    case SCHEMA_NEWER:
        buffer_append_string(
            problem, "store: PostgreSQL: the tables are those of a newer version of "
                     "this program\n");
        is_good = false;
        break;
    case SCHEMA_TROUBLE:
        buffer_append_string(problem, "store: PostgreSQL: the tables cannot be read\n");
        is_good = false;
        break;
    }
    PQfinish(conn);
    return is_good;
}
