#include "store_place.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <libpq-fe.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

struct store_place {
    const char *directory; /* borrowed */
    struct bytes setting;  /* owned */
    PGconn *database;    /* owned: a connection of our own to PostgreSQL; NULL: SQLite */
    struct bytes schema; /* owned */
    sqlite3 *lock;       /* owned: holds the lock of the file; NULL: nobody does */
};

bool store_is_postgres(void)
{
    return getenv("POISE_TEST_STORE_URL") != NULL;
}

/* --- PostgreSQL ------------------------------------------------------------------------- */

static PGresult *run_sql(struct store_place *place, const char *sql, int format)
{
    PGresult *result =
        PQexecParams(place->database, sql, 0, NULL, NULL, NULL, NULL, format);
    ExecStatusType status = PQresultStatus(result);

    cr_assert(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK, "%s: %s", sql,
              PQerrorMessage(place->database));
    return result;
}

__attribute__((format(printf, 2, 3))) static void do_sql(struct store_place *place,
                                                         const char *format, ...)
{
    char *sql = NULL;
    va_list arguments;

    va_start(arguments, format);
    cr_assert(vasprintf(&sql, format, arguments) >= 0);
    va_end(arguments);
    PQclear(run_sql(place, sql, 0));
    free(sql);
}

/* Process ids come again, and a story that failed has left its schema. */
static void make_schema(struct store_place *place, const char *url)
{
    static int made;

    place->database = PQconnectdb(url);
    cr_assert(PQstatus(place->database) == CONNECTION_OK, "%s",
              PQerrorMessage(place->database));
    bytes_addf(&place->schema, "story_%ld_%d", (long)getpid(), ++made);
    do_sql(place, "SET client_min_messages = warning");
    do_sql(place, "DROP SCHEMA IF EXISTS %s CASCADE", place->schema.data);
    do_sql(place, "CREATE SCHEMA %s", place->schema.data);
    do_sql(place, "SET search_path = %s", place->schema.data);
    bytes_addf(&place->setting, "STORE_URL=%s%coptions=-csearch_path%%3D%s", url,
               strchr(url, '?') ? '&' : '?', place->schema.data);
}

static PGresult *tables_of(struct store_place *place)
{
    return run_sql(place,
                   "SELECT quote_ident(tablename) FROM pg_tables "
                   "WHERE schemaname = current_schema ORDER BY 1",
                   0);
}

static void read_table(struct store_place *place, const char *table, int format,
                       struct bytes *contents)
{
    struct bytes sql = {0};

    bytes_addf(&sql, "SELECT * FROM %s", table);
    PGresult *rows = run_sql(place, sql.data, format);
    for (int row = 0; row < PQntuples(rows); row++) {
        for (int column = 0; column < PQnfields(rows); column++)
            bytes_add(contents, PQgetvalue(rows, row, column),
                      (size_t)PQgetlength(rows, row, column));
        bytes_add_text(contents, "\n");
    }
    PQclear(rows);
    bytes_free(&sql);
}

static void read_tables(struct store_place *place, struct bytes *contents)
{
    PGresult *tables = tables_of(place);

    cr_assert(PQntuples(tables) > 0, "the program made no table in %s",
              place->schema.data);
    for (int i = 0; i < PQntuples(tables); i++) {
        read_table(place, PQgetvalue(tables, i, 0), 0, contents);
        read_table(place, PQgetvalue(tables, i, 0), 1, contents);
    }
    PQclear(tables);
}

/* What is done for a client changes a session.  (To lock all tables, one after another, would
 * be a deadlock with a statement that has some of them.) */
static void lock_table(struct store_place *place)
{
    do_sql(place, "BEGIN");
    do_sql(place, "LOCK TABLE poise_session IN EXCLUSIVE MODE");
}

/* --- SQLite ----------------------------------------------------------------------------- */

static void lock_file(struct store_place *place)
{
    struct bytes path = {0};

    bytes_addf(&path, "%s/poise.db", place->directory);
    cr_assert(sqlite3_open(path.data, &place->lock) == SQLITE_OK);
    cr_assert(sqlite3_exec(place->lock, "BEGIN IMMEDIATE", NULL, NULL, NULL) ==
              SQLITE_OK);
    bytes_free(&path);
}

/* --- Either ----------------------------------------------------------------------------- */

static void read_files(const struct store_place *place, struct bytes *contents)
{
    DIR *directory = opendir(place->directory);
    struct dirent *entry;

    cr_assert_not_null(directory);
    while ((entry = readdir(directory)) != NULL) {
        struct bytes path = {0};
        bytes_addf(&path, "%s/%s", place->directory, entry->d_name);
        bytes_add_file(contents, path.data);
        bytes_free(&path);
    }
    closedir(directory);
}

struct store_place *store_place_make(const char *directory)
{
    struct store_place *place = calloc(1, sizeof *place);

    cr_assert_not_null(place);
    place->directory = directory;
    if (store_is_postgres())
        make_schema(place, getenv("POISE_TEST_STORE_URL"));
    else
        bytes_addf(&place->setting, "STORE_URL=sqlite:///%s/poise.db", directory);
    return place;
}

const char *store_place_setting(const struct store_place *place)
{
    return place->setting.data;
}

void store_place_read(struct store_place *place, struct bytes *contents)
{
    bytes_add_text(contents, "");
    read_files(place, contents);
    if (place->database)
        read_tables(place, contents);
}

void store_place_lock(struct store_place *place)
{
    if (place->database)
        lock_table(place);
    else
        lock_file(place);
}

void store_place_unlock(struct store_place *place)
{
    if (place->database) {
        do_sql(place, "ROLLBACK");
    } else {
        sqlite3_exec(place->lock, "ROLLBACK", NULL, NULL, NULL);
        sqlite3_close(place->lock);
        place->lock = NULL;
    }
}

void store_place_empty(struct store_place *place)
{
    do_sql(place, "DROP SCHEMA %s CASCADE", place->schema.data);
    do_sql(place, "CREATE SCHEMA %s", place->schema.data);
}

void store_place_remove(struct store_place *place)
{
    if (!place)
        return;
    if (place->database) {
        do_sql(place, "DROP SCHEMA %s CASCADE", place->schema.data);
        PQfinish(place->database);
    }
    bytes_free(&place->schema);
    bytes_free(&place->setting);
    free(place);
}
