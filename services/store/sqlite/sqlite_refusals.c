/*
 * The table of the refusal log: written by the store's thread, and read by a program beside it.
 */
#include "sqlite_file_internal.h"
#include "sqlite_place_internal.h"
#include "sqlite_statement_internal.h"
#include "store_sqlite_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WITH_REFUSALS 3 /* the first version of the file that has the table */

bool rows_insert_refusal(struct sqlite_rows *rows, const struct refusal *refusal,
                         bool *ret_has_evicted)
{
    sqlite3_stmt *insert = statement_use(rows, STATEMENT_INSERT_REFUSAL);
    struct store_id session;

    sqlite3_bind_int64(insert, 1, refusal->at_ms);
    if (*refusal->session_id.text != '\0') {
        session = store_id_of(&refusal->session_id);
        statement_bind_id(insert, 2, &session);
    }
    if (!private_text_is_empty(&refusal->question))
        statement_bind_text(insert, 3, &refusal->question);
    sqlite3_bind_text(insert, 4, refusal->reason, -1, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 5, refusal->chunks_retrieved);
    if (refusal->max_score >= 0)
        sqlite3_bind_double(insert, 6, refusal->max_score);
    if (!statement_run(rows, insert))
        return false;

    /* Rows are numbered upwards: what lies so far behind is over the limit. */
    if (!statement_run_number(rows, STATEMENT_FORGET_REFUSALS,
                              sqlite3_last_insert_rowid(rows->db) - STORE_REFUSALS_MOST))
        return false;
    if (sqlite3_changes(rows->db) > 0)
        *ret_has_evicted = true;
    return true;
}

bool rows_delete_refusals_of(struct sqlite_rows *rows, const struct store_id *id)
{
    return statement_run_id(rows, STATEMENT_DELETE_REFUSALS_OF, id);
}

enum row_result rows_has_old_refusal(struct sqlite_rows *rows, int64_t before_ms)
{
    sqlite3_stmt *found = statement_use(rows, STATEMENT_OLD_REFUSAL);
    enum row_result result;

    sqlite3_bind_int64(found, 1, before_ms);
    result = statement_step(rows, found);
    statement_leave(found);
    return result;
}

bool rows_delete_old_refusals(struct sqlite_rows *rows, int64_t before_ms, int most,
                              int *ret_count)
{
    sqlite3_stmt *delete = statement_use(rows, STATEMENT_DELETE_OLD_REFUSALS);

    sqlite3_bind_int64(delete, 1, before_ms);
    sqlite3_bind_int(delete, 2, most);
    if (!statement_run(rows, delete))
        return false;
    *ret_count = sqlite3_changes(rows->db);
    return true;
}

/* The rows in their order; false: last_error. */
static bool tell_rows(sqlite3 *db, int64_t since_ms, refusal_fn *tell, void *context)
{
    sqlite3_stmt *found = NULL;
    struct store_id session;
    bool goes_on = true;
    int status;

    if (sqlite3_prepare_v2(db,
                           "SELECT at_ms, session, question, reason, chunks, max_score"
                           " FROM refusal WHERE at_ms >= ?1 ORDER BY at_ms, row",
                           -1, &found, NULL) != SQLITE_OK)
        return false;
    sqlite3_bind_int64(found, 1, since_ms);
    while ((status = sqlite3_step(found)) == SQLITE_ROW && goes_on) {
        struct refusal refusal = {
            .at_ms = sqlite3_column_int64(found, 0),
            .question = statement_column_text(found, 2),
            .chunks_retrieved = sqlite3_column_int64(found, 4),
            .max_score = sqlite3_column_type(found, 5) == SQLITE_NULL
                             ? -1
                             : sqlite3_column_double(found, 5),
        };

        if (statement_column_bytes(found, 1, session.bytes, sizeof(session.bytes)))
            refusal.session_id = store_id_text(&session);
        strncpy(refusal.reason, (const char *)sqlite3_column_text(found, 3),
                sizeof(refusal.reason) - 1);
        goes_on = tell(context, &refusal);
        refusal_done(&refusal);
    }
    sqlite3_finalize(found);
    return status == SQLITE_DONE || !goes_on;
}

bool store_sqlite_refusals(const char *url, int64_t since_ms, refusal_fn *tell,
                           void *context, struct buffer *problem)
{
    char *path = sqlite_place_path(url, problem);
    int version;
    bool is_good = false;
    sqlite3 *db;

    if (path == NULL)
        return false;
    if (access(path, R_OK) != 0) {
        sqlite_place_explain(problem, path, "cannot be read", errno);
        free(path);
        return false;
    }
    db = sqlite_file_open_to_read(path, &version, problem);
    if (db != NULL) {
        is_good = version < WITH_REFUSALS || tell_rows(db, since_ms, tell, context);
        if (!is_good)
            sqlite_place_explain(problem, path, "cannot be read", 0);
    }
    sqlite3_close(db);
    free(path);
    return is_good;
}
