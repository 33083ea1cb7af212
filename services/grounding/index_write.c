/*
 * Documents into an index: chunks become passages, their stems rows of the full-text table.
 */
#include "index_internal.h"

#include "chunk_internal.h"
#include "intern_internal.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

/* ---- how many passages each stem is in ----
 *
 * Writing every stem of every passage into the database would be most of the work of indexing.  They are
 * added up in memory first, up to a bound, and written out, in the order of the stems, when they are many. */

#define STEMS_MOST      (1 << 17)
#define TEXT_BYTES_MOST (4 << 20)

/* Of the stem of the same number. */
struct counted {
    int32_t change;
    int64_t row; /* the last passage that it was told of */
};

struct stem_counts {
    sqlite3_stmt *add; /* owned, like all here */
    struct intern stems;
    struct counted *counted;
    size_t capacity;
};

static struct stem_counts *stems_new(sqlite3 *database)
{
    struct stem_counts *stems = MEM_NEW(struct stem_counts);

    stems->add = index_statement(
        database, "INSERT INTO stem VALUES (?1, ?2) ON CONFLICT (stem)"
                  " DO UPDATE SET passages = passages + excluded.passages");
    return stems;
}

static void stems_free(struct stem_counts *stems)
{
    if (stems == NULL)
        return;
    sqlite3_finalize(stems->add);
    intern_done(&stems->stems);
    free(stems->counted);
    free(stems);
}

static void stems_count(struct stem_counts *stems, const char *stem, size_t length,
                        int64_t row, int change)
{
    size_t count = stems->stems.count;
    uint32_t number = intern_put(&stems->stems, stem, length);
    struct counted *counted;

    MEM_ROOM(stems->counted, count, stems->capacity, 1);
    counted = &stems->counted[number];
    if (number == count)
        *counted = (struct counted){.row = -1};
    if (counted->row == row)
        return;
    counted->row = row;
    counted->change += change;
}

static int compare_stems(const void *one, const void *other, void *context)
{
    const struct intern *stems = context;
    struct span first = intern_text(stems, *(const uint32_t *)one);
    struct span second = intern_text(stems, *(const uint32_t *)other);
    size_t shorter = first.length < second.length ? first.length : second.length;
    int order = memcmp(first.bytes, second.bytes, shorter);

    return order != 0 ? order
                      : (first.length > second.length) - (first.length < second.length);
}

/* A passage is bounded, and this runs behind each: they are never many more than these. */
static bool stems_flush(struct stem_counts *stems, bool is_all)
{
    bool is_good = stems->add != NULL;
    size_t count = 0;
    uint32_t *numbers;

    if (!is_all && stems->stems.count < STEMS_MOST &&
        stems->stems.length < TEXT_BYTES_MOST)
        return true;
    numbers = mem_zalloc(stems->stems.count * sizeof(*numbers));
    for (uint32_t number = 0; number < stems->stems.count; number++)
        if (stems->counted[number].change != 0)
            numbers[count++] = number;
    qsort_r(numbers, count, sizeof(*numbers), compare_stems, &stems->stems);
    for (size_t i = 0; i < count && is_good; i++) {
        struct span stem = intern_text(&stems->stems, numbers[i]);

        is_good = index_bind_text(stems->add, 1, stem.bytes, stem.length) &&
                  sqlite3_bind_int(stems->add, 2, stems->counted[numbers[i]].change) ==
                      SQLITE_OK &&
                  index_step(stems->add);
    }
    free(numbers);
    intern_keep(&stems->stems, 0);
    return is_good;
}

/* ---- the writer ---- */

/* More than any passage or heading has stems for. */
#define STEM_TEXT_BYTES (1 << 20)

struct index_writer {
    sqlite3 *database;           /* borrowed */
    struct terms_reader *reader; /* owned, like all below */
    struct terms terms;
    struct stem_counts *stems;
    struct buffer head, body; /* stems, with blanks between them */
    sqlite3_stmt *add_file, *end_file, *remove_file;
    sqlite3_stmt *add_passage, *remove_passages, *each_passage;
    sqlite3_stmt *add_words, *remove_words;

    /* The document that is being written. */
    struct chunker *chunker;
    int64_t file, number, next_row;
    int64_t words; /* of all passages' texts */
    bool is_good;
};

struct index_writer *index_writer_new(sqlite3 *database)
{
    struct index_writer *writer = MEM_NEW(struct index_writer);

    writer->database = database;
    writer->reader = terms_reader_new();
    writer->stems = stems_new(database);
    buffer_init(&writer->head, STEM_TEXT_BYTES);
    buffer_init(&writer->body, STEM_TEXT_BYTES);
    /* A row is never used twice in one update: stems_count() knows passages by theirs. */
    writer->next_row = index_number(database, "SELECT max(row) FROM passage", 0) + 1;
    writer->words = index_number(database, "SELECT words FROM corpus", 0);
    writer->add_file =
        index_statement(database, "INSERT INTO file VALUES (NULL, ?1, ?2, x'', 0, 0)");
    writer->end_file = index_statement(
        database, "UPDATE file SET digest = ?2, passages = ?3 WHERE row = ?1");
    writer->remove_file = index_statement(database, "DELETE FROM file WHERE row = ?1");
    writer->add_passage = index_statement(
        database, "INSERT INTO passage VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
    writer->remove_passages =
        index_statement(database, "DELETE FROM passage WHERE file = ?1");
    writer->each_passage = index_statement(
        database, "SELECT row, title, section, text FROM passage WHERE file = ?1");
    writer->add_words = index_statement(
        database, "INSERT INTO words (rowid, head, body) VALUES (?1, ?2, ?3)");
    writer->remove_words = index_statement(
        database,
        "INSERT INTO words (words, rowid, head, body) VALUES ('delete', ?1, ?2, ?3)");
    return writer;
}

void index_writer_free(struct index_writer *writer)
{
    if (writer == NULL)
        return;
    chunker_free(writer->chunker);
    sqlite3_finalize(writer->add_file);
    sqlite3_finalize(writer->end_file);
    sqlite3_finalize(writer->remove_file);
    sqlite3_finalize(writer->add_passage);
    sqlite3_finalize(writer->remove_passages);
    sqlite3_finalize(writer->each_passage);
    sqlite3_finalize(writer->add_words);
    sqlite3_finalize(writer->remove_words);
    stems_free(writer->stems);
    terms_done(&writer->terms);
    terms_reader_free(writer->reader);
    buffer_done(&writer->head);
    buffer_done(&writer->body);
    free(writer);
}

/* Appends the stems of a text, and counts each for the passage of that row. */
static void read_stems(struct index_writer *writer, struct span text, int64_t row,
                       int change, struct buffer *out)
{
    terms_read(writer->reader, text, &writer->terms);
    for (size_t i = 0; i < writer->terms.count; i++) {
        const struct term *term = &writer->terms.all[i];
        const char *stem = term_stem(&writer->terms, term);

        if (term->flags & TERM_STOP)
            continue;
        buffer_append(out, stem, term->stem_length);
        buffer_append_char(out, ' ');
        stems_count(writer->stems, stem, term->stem_length, row, change);
    }
}

/* Adds or takes away a passage's row of the full-text table.  What is taken away must be what was added:
 * both are read from the same text by the same program (INDEX_READING). */
static bool write_words(struct index_writer *writer, sqlite3_stmt *statement, int64_t row,
                        struct span title, struct span section, struct span text,
                        int change)
{
    writer->head.length = writer->body.length = 0;
    read_stems(writer, title, row, change, &writer->head);
    read_stems(writer, section, row, change, &writer->head);
    read_stems(writer, text, row, change, &writer->body);
    writer->words += change * (int64_t)writer->terms.count;
    return sqlite3_bind_int64(statement, 1, row) == SQLITE_OK &&
           index_bind_text(statement, 2, writer->head.bytes, writer->head.length) &&
           index_bind_text(statement, 3, writer->body.bytes, writer->body.length) &&
           index_step(statement) && stems_flush(writer->stems, false);
}

static bool write_passage(void *context, const struct chunk *chunk)
{
    struct index_writer *writer = context;
    sqlite3_stmt *add = writer->add_passage;
    int64_t row = writer->next_row++;

    writer->is_good =
        sqlite3_bind_int64(add, 1, row) == SQLITE_OK &&
        sqlite3_bind_int64(add, 2, writer->file) == SQLITE_OK &&
        sqlite3_bind_int64(add, 3, ++writer->number) == SQLITE_OK &&
        sqlite3_bind_int64(add, 4, chunk->page) == SQLITE_OK &&
        index_bind_text(add, 5, chunk->title.bytes, chunk->title.length) &&
        index_bind_text(add, 6, chunk->section.bytes, chunk->section.length) &&
        index_bind_text(add, 7, chunk->text.bytes, chunk->text.length) &&
        index_step(add) &&
        write_words(writer, writer->add_words, row, chunk->title, chunk->section,
                    chunk->text, 1);
    return writer->is_good;
}

static enum chunk_format format_of(const char *name)
{
    size_t length = strlen(name);

    return length >= 4 && strcasecmp(name + length - 4, ".txt") == 0 ? CHUNK_PLAIN_TEXT
                                                                     : CHUNK_MARKDOWN;
}

bool index_writer_begin(struct index_writer *writer, const char *name, const char *label)
{
    writer->chunker = chunker_new(name, format_of(name), write_passage, writer);
    writer->number = 0;
    writer->is_good = index_bind_text(writer->add_file, 1, name, strlen(name)) &&
                      index_bind_text(writer->add_file, 2, label, strlen(label)) &&
                      index_step(writer->add_file);
    writer->file = sqlite3_last_insert_rowid(writer->database);
    return writer->is_good;
}

bool index_writer_add(struct index_writer *writer, struct span bytes)
{
    return chunker_add(writer->chunker, bytes);
}

bool index_writer_end(struct index_writer *writer, const struct digest *digest)
{
    bool is_told = chunker_end(writer->chunker);

    chunker_free(writer->chunker);
    writer->chunker = NULL;
    return is_told && writer->is_good &&
           sqlite3_bind_int64(writer->end_file, 1, writer->file) == SQLITE_OK &&
           sqlite3_bind_blob(writer->end_file, 2, digest->bytes, DIGEST_BYTES,
                             SQLITE_STATIC) == SQLITE_OK &&
           sqlite3_bind_int64(writer->end_file, 3, writer->number) == SQLITE_OK &&
           index_step(writer->end_file);
}

static struct span column(sqlite3_stmt *statement, int at)
{
    const char *text = (const char *)sqlite3_column_text(statement, at);

    return (struct span){text == NULL ? "" : text,
                         (size_t)sqlite3_column_bytes(statement, at)};
}

bool index_writer_remove(struct index_writer *writer, int64_t file)
{
    sqlite3_stmt *each = writer->each_passage;
    bool is_good = sqlite3_bind_int64(each, 1, file) == SQLITE_OK;
    int step = SQLITE_DONE;

    while (is_good && (step = sqlite3_step(each)) == SQLITE_ROW)
        is_good = write_words(writer, writer->remove_words, sqlite3_column_int64(each, 0),
                              column(each, 1), column(each, 2), column(each, 3), -1);
    sqlite3_reset(each);
    return is_good && step == SQLITE_DONE &&
           sqlite3_bind_int64(writer->remove_passages, 1, file) == SQLITE_OK &&
           index_step(writer->remove_passages) &&
           sqlite3_bind_int64(writer->remove_file, 1, file) == SQLITE_OK &&
           index_step(writer->remove_file);
}

/* Gives every file the order of its first passage. */
static bool put_in_order(struct index_writer *writer)
{
    sqlite3_stmt *each =
        index_statement(writer->database, "SELECT row, passages, first_order FROM file"
                                          " ORDER BY name");
    sqlite3_stmt *set = index_statement(
        writer->database, "UPDATE file SET first_order = ?2 WHERE row = ?1");
    int64_t order = 0;
    int step = SQLITE_DONE;
    bool is_good = each != NULL && set != NULL;

    while (is_good && (step = sqlite3_step(each)) == SQLITE_ROW) {
        if (sqlite3_column_int64(each, 2) != order)
            is_good =
                sqlite3_bind_int64(set, 1, sqlite3_column_int64(each, 0)) == SQLITE_OK &&
                sqlite3_bind_int64(set, 2, order) == SQLITE_OK && index_step(set);
        order += sqlite3_column_int64(each, 1);
    }
    sqlite3_finalize(each);
    sqlite3_finalize(set);
    return is_good && step == SQLITE_DONE;
}

bool index_writer_finish(struct index_writer *writer, struct span json, bool is_optimised)
{
    sqlite3_stmt *set;
    bool is_good;

    if (!stems_flush(writer->stems, true) ||
        !index_run(writer->database, "DELETE FROM stem WHERE passages <= 0") ||
        !put_in_order(writer) ||
        (is_optimised &&
         !index_run(writer->database, "INSERT INTO words (words) VALUES ('optimize')")) ||
        !index_run(writer->database, "DELETE FROM corpus"))
        return false;
    set = index_statement(writer->database,
                          "INSERT INTO corpus SELECT ?1, ?2, count(*), ?3 FROM passage");
    is_good = set != NULL && index_bind_text(set, 1, json.bytes, json.length) &&
              sqlite3_bind_int(set, 2, INDEX_READING) == SQLITE_OK &&
              sqlite3_bind_int64(set, 3, writer->words) == SQLITE_OK && index_step(set);
    sqlite3_finalize(set);
    return is_good;
}
