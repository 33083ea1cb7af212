/*
 * What expires, in the order in which it goes.
 */
#include "postgres_sweep_internal.h"

#include "postgres_state_internal.h"

#include <stdlib.h>

#define AT_ONCE        256
#define SPEECH_AT_ONCE 32 /* up to a megabyte each */
#define DAYS_KEPT      2  /* clocks differ */
#define PROCESS_S      3600
#define RATE_US        INT64_C(60000000)

/* One statement, until it finds no more than it may.  false: trouble. */
static bool run(PGconn *conn, enum postgres_statement which, int64_t value,
                int64_t at_once, bool (*goes_on)(void *context), void *context,
                char ret_sqlstate[6])
{
    int64_t count = at_once;

    while (count == at_once && goes_on(context)) {
        struct postgres_values values = {0};
        PGresult *result;

        postgres_value_number(&values, value);
        postgres_value_number(&values, at_once);
        result = postgres_ask(conn, which, &values);
        count = atoll(PQcmdTuples(result));
        if (PQresultStatus(result) != PGRES_COMMAND_OK) {
            postgres_state_of(result, ret_sqlstate);
            PQclear(result);
            /* Another process swept at the same time: what it left is for the next sweep. */
            return postgres_state_meaning(ret_sqlstate) == MEANS_AGAIN;
        }
        PQclear(result);
    }
    return true;
}

static bool sum_speech(PGconn *conn, struct postgres_ground *ground, char ret_sqlstate[6])
{
    struct postgres_values none = {0};
    PGresult *result = postgres_ask(conn, POSTGRES_SPEECH_TOTAL, &none);
    bool is_good = PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1;

    if (is_good) {
        struct postgres_row row = postgres_row_of(result, 0);

        atomic_store_explicit(&ground->speech_bytes, postgres_row_number(&row),
                              memory_order_relaxed);
    } else {
        postgres_state_of(result, ret_sqlstate);
    }
    PQclear(result);
    return is_good;
}

bool postgres_sweep(PGconn *conn, struct postgres_ground *ground, int64_t now_ms,
                    int64_t refusals_before_ms, bool (*goes_on)(void *context),
                    void *context, char ret_sqlstate[6])
{
    const struct {
        enum postgres_statement which;
        int64_t value;
        int64_t at_once;
    } steps[] = {
        {POSTGRES_SWEEP_SPEECH, now_ms, SPEECH_AT_ONCE},
        {POSTGRES_LOOK_LATER, now_ms, AT_ONCE},
        {POSTGRES_SWEEP_SESSIONS, now_ms, AT_ONCE},
        {POSTGRES_SWEEP_REFUSALS, refusals_before_ms, AT_ONCE},
        {POSTGRES_CROWD_OUT_REFUSALS, STORE_REFUSALS_MOST, AT_ONCE},
        {POSTGRES_SWEEP_DAYS, store_day(now_ms) - DAYS_KEPT, AT_ONCE},
        {POSTGRES_SWEEP_RATES, RATE_US, AT_ONCE},
        {POSTGRES_SWEEP_PROCESSES, PROCESS_S, AT_ONCE},
    };

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        if (!run(conn, steps[i].which, steps[i].value, steps[i].at_once, goes_on, context,
                 ret_sqlstate))
            return false;
    return sum_speech(conn, ground, ret_sqlstate);
}
