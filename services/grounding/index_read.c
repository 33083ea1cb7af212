/*
 * Reading an index.  A file that was tampered with, or is cut short, makes a reader that says it is broken,
 * and nothing worse: SQLite checks its pages, and no schema of a file's own is trusted.
 */
#include "index_internal.h"

#include "mem.h"
#include "utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LIKE_LETTERS_LEAST = 4, LIKE_LETTERS_MOST = 24, STEMS_ASKED_MOST = 32 };

struct index_reader {
    char *path;        /* owned; NULL: the handbook */
    sqlite3 *database; /* owned, like all below */
    sqlite3_stmt *stem, *family, *find, *load, *next, *row_of;
    struct buffer json;
    int64_t passages, words, files;
    bool is_broken;
};

/* Opens without locks: a file that has its place is never written to. */
static bool open_file(struct index_reader *reader, struct buffer *problem)
{
    struct stat status;
    const char *what = NULL;

    if (stat(reader->path, &status) != 0)
        what = strerror(errno);
    else if (!S_ISREG(status.st_mode))
        what = "not a file";
    else if (sqlite3_open_v2(reader->path, &reader->database, SQLITE_OPEN_READONLY,
                             "unix-none") != SQLITE_OK)
        what = "cannot be opened";
    else if (index_number(reader->database, "PRAGMA application_id", -1) !=
             INDEX_APPLICATION_ID)
        what = "not an index of Poise";
    else if (index_number(reader->database, "PRAGMA user_version", -1) != INDEX_VERSION ||
             index_number(reader->database, "SELECT reading FROM corpus", -1) !=
                 INDEX_READING)
        what = "an index of another version of Poise; build it again with poise index";
    if (what != NULL) {
        index_complain(problem, reader->path, what);
        return false;
    }
    return true;
}

static bool open_handbook(struct index_reader *reader)
{
    return sqlite3_open_v2(":memory:", &reader->database,
                           SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY,
                           NULL) == SQLITE_OK &&
           index_handbook(reader->database);
}

static bool read_corpus(struct index_reader *reader)
{
    sqlite3_stmt *statement =
        index_statement(reader->database, "SELECT json, passages, words FROM corpus");
    bool is_good = statement != NULL && sqlite3_step(statement) == SQLITE_ROW;

    if (is_good) {
        const char *json = (const char *)sqlite3_column_text(statement, 0);

        is_good =
            json != NULL && buffer_append(&reader->json, json,
                                          (size_t)sqlite3_column_bytes(statement, 0));
        reader->passages = sqlite3_column_int64(statement, 1);
        reader->words = sqlite3_column_int64(statement, 2);
        is_good &= reader->passages >= 0 && reader->words >= 0;
    }
    sqlite3_finalize(statement);
    reader->files =
        index_number(reader->database, "SELECT count(*) FROM file WHERE passages > 0", 0);
    return is_good;
}

static bool prepare(struct index_reader *reader)
{
    sqlite3 *database = reader->database;

    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    if (!index_run(database, "PRAGMA query_only = ON; PRAGMA cell_size_check = ON;"
                             "PRAGMA cache_size = -8192;"))
        return false;
    reader->stem = index_statement(database, "SELECT passages FROM stem WHERE stem = ?1");
    reader->family = index_statement(
        database, "SELECT stem, passages FROM stem WHERE stem >= ?1 AND stem < ?2");
    reader->find =
        index_statement(database, "SELECT rowid FROM words WHERE words MATCH ?1"
                                  " ORDER BY bm25(words), rowid LIMIT ?2");
    reader->load =
        index_statement(database, "SELECT file.label, number, title, section, page, text,"
                                  " first_order + number - 1"
                                  " FROM passage JOIN file ON file.row = passage.file"
                                  " WHERE passage.row = ?1");
    reader->next = index_statement(
        database, "SELECT row FROM passage WHERE row > ?1 ORDER BY row LIMIT 1");
    reader->row_of = index_statement(
        database, "SELECT passage.row FROM file JOIN passage ON passage.file = file.row"
                  " WHERE file.label = ?1 AND number = ?2");
    return reader->stem != NULL && reader->family != NULL && reader->find != NULL &&
           reader->load != NULL && reader->next != NULL && reader->row_of != NULL &&
           read_corpus(reader);
}

struct index_reader *index_reader_open(const char *path, struct buffer *problem)
{
    struct index_reader *reader = MEM_NEW(struct index_reader);

    buffer_init(&reader->json, 1 << 21);
    if (path != NULL)
        reader->path = mem_copy_string(path);
    if (path != NULL && !open_file(reader, problem)) {
        index_reader_free(reader);
        return NULL;
    }
    if ((path == NULL && !open_handbook(reader)) || !prepare(reader)) {
        index_complain(problem, path == NULL ? "the handbook" : path,
                       "the index is malformed; build it again with poise index");
        index_reader_free(reader);
        return NULL;
    }
    return reader;
}

void index_reader_free(struct index_reader *reader)
{
    if (reader == NULL)
        return;
    sqlite3_finalize(reader->stem);
    sqlite3_finalize(reader->family);
    sqlite3_finalize(reader->find);
    sqlite3_finalize(reader->load);
    sqlite3_finalize(reader->next);
    sqlite3_finalize(reader->row_of);
    sqlite3_close(reader->database);
    buffer_done(&reader->json);
    free(reader->path);
    free(reader);
}

bool index_is_broken(const struct index_reader *reader)
{
    return reader->is_broken;
}

struct span index_corpus_json(const struct index_reader *reader)
{
    return (struct span){reader->json.bytes, reader->json.length};
}

int64_t index_passage_count(const struct index_reader *reader)
{
    return reader->passages;
}

int64_t index_file_count(const struct index_reader *reader)
{
    return reader->files;
}

double index_mean_words(const struct index_reader *reader)
{
    return reader->passages > 0 ? (double)reader->words / (double)reader->passages : 0;
}

/* Runs a statement to its next row, and notes what should not have happened. */
static bool has_row(struct index_reader *reader, sqlite3_stmt *statement)
{
    int step = sqlite3_step(statement);

    reader->is_broken |= step != SQLITE_ROW && step != SQLITE_DONE;
    return step == SQLITE_ROW;
}

static int64_t number_of(struct index_reader *reader, sqlite3_stmt *statement,
                         int64_t otherwise)
{
    int64_t number = otherwise;

    if (has_row(reader, statement))
        number = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return number;
}

static int64_t passages_of(struct index_reader *reader, const char *stem, size_t length)
{
    if (!index_bind_text(reader->stem, 1, stem, length))
        return 0;
    return number_of(reader, reader->stem, 0);
}

int64_t index_stem_passages(struct index_reader *reader, const char *stem)
{
    return passages_of(reader, stem, strlen(stem));
}

/* The best of the stems that were tried. */
struct like {
    struct index_reader *reader;
    char stem[LIKE_LETTERS_MOST + 2];
    int64_t passages;
};

static void try_stem(struct like *like, const char *stem, size_t length)
{
    int64_t passages = passages_of(like->reader, stem, length);

    if (passages < like->passages || passages == 0)
        return;
    if (passages == like->passages && memcmp(like->stem, stem, length + 1) <= 0)
        return;
    like->passages = passages;
    memcpy(like->stem, stem, length);
    like->stem[length] = '\0';
}

/* All that can be made of a stem by taking a letter out, putting another in its place, putting one in, or
 * swapping two neighbours, a common slip; but few misspell how a word begins.  At most 1,250 look-ups, for 24
 * letters, however large the index is. */
static void try_all(struct like *like, const char *stem, size_t length)
{
    char other[LIKE_LETTERS_MOST + 2] = {0};

    for (size_t at = 1; at < length; at++) {
        memcpy(other, stem, at);
        memcpy(other + at, stem + at + 1, length - at);
        try_stem(like, other, length - 1);
    }
    for (size_t at = 1; at + 1 < length; at++) {
        memcpy(other, stem, length + 1);
        other[at] = stem[at + 1];
        other[at + 1] = stem[at];
        try_stem(like, other, length);
    }
    for (size_t at = 1; at <= length; at++) {
        for (char letter = 'a'; letter <= 'z'; letter++) {
            memcpy(other, stem, length + 1);
            if (at < length && stem[at] != letter) {
                other[at] = letter;
                try_stem(like, other, length);
            }
            memcpy(other + at + 1, stem + at, length - at + 1);
            other[at] = letter;
            memcpy(other, stem, at);
            try_stem(like, other, length + 1);
        }
    }
}

/* The stem that shares most of its beginning with this one: of several the commonest. */
static void try_family(struct like *like, const char *stem, size_t length)
{
    char past[LIKE_LETTERS_MOST + 2];
    size_t best = 0;

    memcpy(past, stem, STEMS_SHARED_LEAST);
    past[STEMS_SHARED_LEAST] = '{'; /* behind z */
    if (!index_bind_text(like->reader->family, 1, stem, STEMS_SHARED_LEAST) ||
        !index_bind_text(like->reader->family, 2, past, STEMS_SHARED_LEAST + 1))
        return;
    while (has_row(like->reader, like->reader->family)) {
        const char *other = (const char *)sqlite3_column_text(like->reader->family, 0);
        int64_t passages = sqlite3_column_int64(like->reader->family, 1);
        size_t same = stems_share(span_of(other), (struct span){stem, length});

        if (same == 0 || same < best || strlen(other) > LIKE_LETTERS_MOST ||
            (same == best && passages <= like->passages))
            continue;
        best = same;
        like->passages = passages;
        strcpy(like->stem, other);
    }
    sqlite3_reset(like->reader->family);
}

bool index_stem_like(struct index_reader *reader, const char *stem, char *ret_stem,
                     size_t size, int64_t *ret_passages)
{
    struct like like = {.reader = reader};
    size_t length = strlen(stem);

    if (length < LIKE_LETTERS_LEAST || length > LIKE_LETTERS_MOST)
        return false;
    for (size_t i = 0; i < length; i++)
        if (stem[i] < 'a' || stem[i] > 'z')
            return false;
    try_all(&like, stem, length);
    if (like.passages == 0 && length >= STEMS_SHARED_LEAST)
        try_family(&like, stem, length);
    if (like.passages == 0 || strlen(like.stem) >= size)
        return false;
    strcpy(ret_stem, like.stem);
    *ret_passages = like.passages;
    return true;
}

size_t index_find(struct index_reader *reader, const char *const *stems,
                  size_t stem_count, size_t limit, int64_t *ret_rows)
{
    struct buffer query;
    size_t found = 0;

    if (stem_count == 0 || limit == 0)
        return 0;
    buffer_init(&query, 65536);
    for (size_t i = 0; i < stem_count && i < STEMS_ASKED_MOST; i++) {
        if (strchr(stems[i], '"') != NULL)
            continue; /* no stem has one */
        buffer_append_string(&query, query.length > 0 ? " OR \"" : "\"");
        buffer_append_string(&query, stems[i]);
        buffer_append_char(&query, '"');
    }
    if (query.length > 0 && index_bind_text(reader->find, 1, query.bytes, query.length) &&
        sqlite3_bind_int64(reader->find, 2, (int64_t)limit) == SQLITE_OK) {
        while (found < limit && has_row(reader, reader->find))
            ret_rows[found++] = sqlite3_column_int64(reader->find, 0);
        sqlite3_reset(reader->find);
        sqlite3_clear_bindings(reader->find);
    }
    buffer_done(&query);
    return found;
}

/* SQLite gives bytes back as they stand in the file; what is no text makes it a broken one. */
static struct span column(struct index_reader *reader, int at)
{
    const char *text = (const char *)sqlite3_column_text(reader->load, at);
    struct span span = {text != NULL ? text : "",
                        (size_t)sqlite3_column_bytes(reader->load, at)};

    reader->is_broken |= !utf8_is_valid(span.bytes, span.length);
    return span;
}

static char *id_of(struct span label, int64_t number)
{
    struct buffer id;
    size_t length;

    buffer_init(&id, 65536);
    buffer_append(&id, label.bytes, label.length);
    buffer_append_char(&id, '#');
    buffer_append_number(&id, number);
    return buffer_take(&id, &length);
}

static char *copy(struct span text)
{
    return mem_copy(text.bytes, text.length);
}

bool index_load(struct index_reader *reader, int64_t row, struct passage *ret_passage)
{
    sqlite3_stmt *load = reader->load;
    bool is_there =
        sqlite3_bind_int64(load, 1, row) == SQLITE_OK && has_row(reader, load);

    if (is_there) {
        struct span label = column(reader, 0), title = column(reader, 2),
                    section = column(reader, 3), text = column(reader, 5);

        is_there = !reader->is_broken;
        if (is_there)
            *ret_passage =
                (struct passage){.id = id_of(label, sqlite3_column_int64(load, 1)),
                                 .chapter = copy(title),
                                 .section = copy(section),
                                 .page = sqlite3_column_int64(load, 4),
                                 .text = copy(text),
                                 .order = sqlite3_column_int64(load, 6)};
    }
    sqlite3_reset(load);
    return is_there;
}

int64_t index_next_row(struct index_reader *reader, int64_t row)
{
    if (sqlite3_bind_int64(reader->next, 1, row) != SQLITE_OK)
        return -1;
    return number_of(reader, reader->next, -1);
}

int64_t index_row_of(struct index_reader *reader, const char *id)
{
    const char *number = strrchr(id, '#');

    if (number == NULL || number[1] < '0' || number[1] > '9' ||
        !index_bind_text(reader->row_of, 1, id, (size_t)(number - id)) ||
        sqlite3_bind_int64(reader->row_of, 2, strtoll(number + 1, NULL, 10)) != SQLITE_OK)
        return -1;
    return number_of(reader, reader->row_of, -1);
}
