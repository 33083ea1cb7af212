/*
 * The layout of an index, and help with SQLite.
 */
#include "index_internal.h"

#include <stdio.h>
#include <string.h>

/*
 * A passage's order in the corpus is its file's first_order and its number, so that a file that comes or goes
 * changes one row for each file behind it and none of their passages.
 */
static const char tables[] =
    "CREATE TABLE corpus (json TEXT NOT NULL, reading INTEGER NOT NULL,"
    "  passages INTEGER NOT NULL, words INTEGER NOT NULL) STRICT;"
    "CREATE TABLE file (row INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    "  label TEXT NOT NULL, digest BLOB NOT NULL, passages INTEGER NOT NULL,"
    "  first_order INTEGER NOT NULL) STRICT;"
    "CREATE INDEX file_label ON file (label);"
    "CREATE TABLE passage (row INTEGER PRIMARY KEY, file INTEGER NOT NULL,"
    "  number INTEGER NOT NULL, page INTEGER NOT NULL, title TEXT NOT NULL,"
    "  section TEXT NOT NULL, text TEXT NOT NULL) STRICT;"
    "CREATE UNIQUE INDEX passage_place ON passage (file, number);"
    "CREATE TABLE stem (stem TEXT PRIMARY KEY, passages INTEGER NOT NULL)"
    "  STRICT, WITHOUT ROWID;"
    "CREATE VIRTUAL TABLE words USING fts5 (head, body, content='',"
    "  tokenize=\"ascii tokenchars '.+#'\");"
    /* Segments are merged sixteen at a time and at the end, not on the way. */
    "INSERT INTO words (words, rank) VALUES ('automerge', 0);"
    "INSERT INTO words (words, rank) VALUES ('hashsize', 4194304);";

bool index_run(sqlite3 *database, const char *sql)
{
    return sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK;
}

sqlite3_stmt *index_statement(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                           NULL) != SQLITE_OK)
        return NULL;
    return statement;
}

int64_t index_number(sqlite3 *database, const char *sql, int64_t otherwise)
{
    sqlite3_stmt *statement = index_statement(database, sql);
    int64_t number = otherwise;

    if (statement != NULL && sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

bool index_bind_text(sqlite3_stmt *statement, int at, const char *text, size_t length)
{
    return sqlite3_bind_text64(statement, at, text == NULL ? "" : text, length,
                               SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK;
}

bool index_step(sqlite3_stmt *statement)
{
    bool is_done = statement != NULL && sqlite3_step(statement) == SQLITE_DONE;

    sqlite3_reset(statement);
    return is_done;
}

bool index_make_tables(sqlite3 *database)
{
    char ours[128];

    snprintf(ours, sizeof(ours), "PRAGMA application_id = %d; PRAGMA user_version = %d;",
             INDEX_APPLICATION_ID, INDEX_VERSION);
    return index_run(database, ours) && index_run(database, tables);
}

void index_append_visible(struct buffer *out, struct span name)
{
    static const char hex[] = "0123456789ABCDEF";

    for (size_t i = 0; i < name.length; i++) {
        unsigned char c = (unsigned char)name.bytes[i];

        if (c > ' ' && c < 0x7f && strchr("%#:\"\\[],", c) == NULL)
            buffer_append_char(out, (char)c);
        else
            buffer_append(out, (char[]){'%', hex[c >> 4], hex[c & 15]}, 3);
    }
}
