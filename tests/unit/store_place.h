/*
 * Where the store of one test is: in a file of SQLite's in a directory of its own, or, where
 * POISE_TEST_STORE_URL names a PostgreSQL database ("postgresql:///test?host=/tmp/pg&user=me"), in
 * a schema of its own of that database.
 */
#ifndef STORE_PLACE_H
#define STORE_PLACE_H

#include "store.h"

#include <criterion/criterion.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct place {
    char directory[64];
    char url[512];
};

/* NULL: the tests run on SQLite. */
static inline const char *postgres_url(void)
{
    const char *url = getenv("POISE_TEST_STORE_URL");

    return url != NULL && store_is_postgres(url) ? url : NULL;
}

/* One command to the test database, beside the store. */
static inline void run_in_postgres(const char *sql)
{
    PGconn *conn = PQconnectdb(postgres_url());
    PGresult *result = PQexec(conn, sql);

    cr_assert(PQresultStatus(result) == PGRES_COMMAND_OK ||
                  PQresultStatus(result) == PGRES_TUPLES_OK,
              "%s", PQerrorMessage(conn));
    PQclear(result);
    PQfinish(conn);
}

/* For what is so of one store alone; first thing in the test. */
#define ONLY_ON_SQLITE()                    \
    do {                                    \
        if (postgres_url() != NULL)         \
            cr_skip_test("only on SQLite"); \
    } while (false)

/* The schema has the name of the directory, which nobody else has. */
static inline const char *schema_of(const struct place *place)
{
    return place->directory + strlen("/tmp/");
}

static inline void make_schema(struct place *place)
{
    char sql[128];

    snprintf(sql, sizeof(sql), "CREATE SCHEMA \"%s\"", schema_of(place));
    run_in_postgres(sql);
    snprintf(place->url, sizeof(place->url),
             "%s%coptions=-csearch_path%%3D%%22%s%%22&application_name=%s",
             postgres_url(), strchr(postgres_url(), '?') != NULL ? '&' : '?',
             schema_of(place), schema_of(place));
}

static inline void drop_schema(const struct place *place)
{
    char sql[256];

    snprintf(sql, sizeof(sql),
             "SET client_min_messages = error; DROP SCHEMA \"%s\" CASCADE",
             schema_of(place));
    run_in_postgres(sql);
}

static inline void remove_files(const struct place *place)
{
    static const char *const names[] = {"poise.db", "poise.db-wal", "poise.db-shm",
                                        "poise.db-journal"};
    char path[128];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", place->directory, names[i]);
        unlink(path);
    }
    rmdir(place->directory);
}

static inline struct place place_new(void)
{
    struct place place = {.directory = "/tmp/poise-store-XXXXXX"};

    cr_assert_not_null(mkdtemp(place.directory));
    if (postgres_url() != NULL)
        make_schema(&place);
    else
        snprintf(place.url, sizeof(place.url), "sqlite:///%s/poise.db", place.directory);
    return place;
}

static inline void place_remove(const struct place *place)
{
    if (postgres_url() != NULL)
        drop_schema(place);
    remove_files(place);
}

#endif
