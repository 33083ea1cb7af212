/*
 * What the writer and the reader of an index share: how the file is laid out, and small help with SQLite.
 *
 * Words stand in the full-text table as the stems of terms.h, without the stop words, so that what is asked
 * for and what is found are the same words by construction; its own tokenizer only parts them at blanks.
 * The table holds no text of its own (content=''): the passages do.
 */
#ifndef INDEX_INTERNAL_H
#define INDEX_INTERNAL_H

#include "buffer.h"
#include "chunk_internal.h"
#include "digest.h"
#include "index.h"
#include "terms.h"

#include <sqlite3.h>

#define INDEX_APPLICATION_ID 0x506f4978 /* "PoIx": how file(1) and we know our own */
#define INDEX_VERSION        2          /* of the tables and their stems */

/* Of what stands in them.  Raised when terms.c or chunk.c read a text differently: an index of another
 * reading is built anew. */
#define INDEX_READING 1

#define INDEX_PROBLEM_BYTES 4096

/* Runs statements without results. */
bool index_run(sqlite3 *database, const char *sql);

/* The first column of the first row of a query; `otherwise` where there is none. */
int64_t index_number(sqlite3 *database, const char *sql, int64_t otherwise);

sqlite3_stmt *index_statement(sqlite3 *database, const char *sql);

bool index_bind_text(sqlite3_stmt *statement, int at, const char *text, size_t length);

/* Runs a statement that gives no rows, and resets it. */
bool index_step(sqlite3_stmt *statement);

/* Tables and settings of a new index. */
bool index_make_tables(sqlite3 *database);

/* A name, or another text, with everything but visible ASCII, and what ids are made with, as %XX. */
void index_append_visible(struct buffer *out, struct span name);

/* Writes documents into an open database, within a transaction of the caller's. */
struct index_writer;

struct index_writer *index_writer_new(sqlite3 *database);
void index_writer_free(struct index_writer *writer); /* NULL is fine */

/* One document: begin, its bytes, end.  `ret_row` is its file's. */
bool index_writer_begin(struct index_writer *writer, const char *name, const char *label);
bool index_writer_add(struct index_writer *writer, struct span bytes);
bool index_writer_end(struct index_writer *writer, const struct digest *digest);
bool index_writer_remove(struct index_writer *writer, int64_t file);

/* What is counted in memory goes into the database; then the passages have their order, and `json` is the
 * corpus's own. */
bool index_writer_finish(struct index_writer *writer, struct span json,
                         bool is_optimised);

/* The files of a corpus. */
struct index_file {
    char *name;  /* owned; relative to the directory */
    char *label; /* owned; what its passages' ids begin with */
    int64_t bytes;
    int64_t old_row;   /* in the old index; -1: it was not there */
    bool is_unchanged; /* since */
};

struct index_files {
    struct index_file *all; /* owned; in the order of their names */
    size_t count, capacity;
    int64_t bytes;
    int64_t links_out; /* links out of the directory: left out */
};

/* Lists the .md, .markdown and .txt files below a directory, but nothing hidden; links to files of
 * it are followed, those that lead out of it and those to directories are not.  false, with a line appended to `problem`. */
bool index_files_list(const char *directory, struct index_files *ret_files,
                      struct buffer *problem);
void index_files_done(struct index_files *files);

/* Told a file's bytes as they are read; false ends it. */
typedef bool index_bytes_fn(void *context, struct span bytes);

/* Reads a file and digests it.  false, with a line appended to `problem`, where it cannot be read. */
bool index_file_read(const char *directory, const char *name, index_bytes_fn *tell,
                     void *context, struct digest *ret_digest, struct buffer *problem);

/* The directory's corpus.json, or one with the directory's name as its title; held to corpus.h. */
bool index_corpus_read(const char *directory, struct buffer *ret_json,
                       struct buffer *problem);

/* "poise index: NAME: what\n", for problems. */
void index_complain(struct buffer *problem, const char *name, const char *what);

/* The handbook that is compiled in, written into an empty database. */
bool index_handbook(sqlite3 *database);

#endif
