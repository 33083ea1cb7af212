/*
 * What is counted so that it can have a cap: the turns of a day, the open sessions of a
 * client.
 */
#include "sqlite_rows_internal.h"

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
    sqlite3_stmt *forget = statement_use(rows, STATEMENT_FORGET_USAGE);

    sqlite3_bind_int64(add, 1, usage->day);
    sqlite3_bind_int64(add, 2, audio_ms);
    sqlite3_bind_int64(forget, 1, usage->day - 1);
    if (!statement_run(rows, add) || (usage->turns == 0 && !statement_run(rows, forget)))
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

bool rows_forget_client(struct sqlite_rows *rows, int64_t row)
{
    sqlite3_stmt *update = statement_use(rows, STATEMENT_FORGET_CLIENT);

    sqlite3_bind_int64(update, 1, row);
    return statement_run(rows, update);
}
