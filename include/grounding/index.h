/*
 * The index of a corpus: one SQLite file with the passages, a full-text table (FTS5) over them, and
 * how often each stem occurs.
 *
 * It is built by `poise index DIR`, file by file: what has not changed is skipped.  The new index is made
 * beside the old one and takes its place by rename(2), so that a crash leaves the old one and nobody ever
 * writes to a file that is being read.  The service only reads it, on libuv's threads.
 */
#ifndef INDEX_H
#define INDEX_H

#include "buffer.h"
#include "passage.h"
#include "span.h"

#include <stdbool.h>
#include <stdint.h>

struct index_report {
    int64_t files, unchanged_files, removed_files;
    int64_t passages;  /* in the index now */
    int64_t bytes;     /* read */
    int64_t links_out; /* links out of the directory: left out */
};

struct index_progress {
    int64_t files_done, files_total;
    int64_t bytes_done, bytes_total;
};

typedef void index_progress_fn(void *context, const struct index_progress *progress);

/* Builds or updates the index at `path` from the .md, .markdown and .txt files under `directory` (in the
 * order of their names) and its corpus.json.  `progress` may be NULL.  false, with a line for a terminal
 * appended to `problem`, and the old index as it was: also where there is no text at all, which is sooner
 * a disk that is not there than study material. */
bool index_build(const char *directory, const char *path, index_progress_fn *progress,
                 void *context, struct index_report *ret_report, struct buffer *problem);

/* One reader of an index, for one thread at a time.  NULL path: the handbook that is compiled into the
 * program, indexed in memory on the way.  NULL, with a line appended to `problem`, where there is none. */
struct index_reader *index_reader_open(const char *path, struct buffer *problem);
void index_reader_free(struct index_reader *reader); /* NULL is fine */

/* Did the file prove unreadable, or malformed, on the way?  What it told is not to be trusted then. */
bool index_is_broken(const struct index_reader *reader);

/* corpus.json as it was when the index was built, borrowed from the reader. */
struct span index_corpus_json(const struct index_reader *reader);
int64_t index_passage_count(const struct index_reader *reader);

/* Files that have passages. */
int64_t index_file_count(const struct index_reader *reader);

/* Words of a passage on average, stop words included. */
double index_mean_words(const struct index_reader *reader);

/* In how many passages a stem (terms.h) occurs; 0: none. */
int64_t index_stem_passages(struct index_reader *reader, const char *stem);

/* Of the stems at edit distance 1 of a stem of 4 letters or more, with its first letter, the commonest; else one
 * that begins like it.  false: there is none. */
bool index_stem_like(struct index_reader *reader, const char *stem, char *ret_stem,
                     size_t size, int64_t *ret_passages);

/* The rows of the best `limit` passages with any of these stems, by FTS5's bm25(), the best first; of one
 * rank, in the order of their rows.  The corpus order is the passage's `order`. */
size_t index_find(struct index_reader *reader, const char *const *stems,
                  size_t stem_count, size_t limit, int64_t *ret_rows);

/* A passage by its row.  false: there is none.  The caller frees its strings (passages_done()). */
bool index_load(struct index_reader *reader, int64_t row, struct passage *ret_passage);

/* The first row after `row`, which is -1 for the first of all; -1: no more. */
int64_t index_next_row(struct index_reader *reader, int64_t row);

/* Row of a passage's id; -1: there is none. */
int64_t index_row_of(struct index_reader *reader, const char *id);

#endif
