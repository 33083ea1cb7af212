/*
 * The search of the embedded index: the rarest words of a question pick candidates by full text, and
 * every candidate is read and scored (relevance_internal.h).  It blocks, so it runs on a thread that may.
 *
 * A search notices when another file has taken the place of its index, and goes on with that one.
 */
#ifndef SEARCH_INTERNAL_H
#define SEARCH_INTERNAL_H

#include "buffer.h"
#include "passage.h"
#include "span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which state of a file an index was read from.  Equal bytes are the same state. */
struct search_version {
    uint64_t device, inode, bytes, modified_ns;
};

/* For one thread at a time. */
struct search;

/* NULL path: the handbook that is compiled in.  Opens nothing yet. */
struct search *search_new(const char *path);
void search_free(struct search *search); /* NULL is fine */

/* Opens the index, or the one that has taken its place.  Where that one cannot be read, the
 * search keeps the one it has.  false, with a line appended to `problem`: it has none. */
bool search_refresh(struct search *search, struct buffer *problem);

struct search_version search_version(const struct search *search);
bool search_version_equals(struct search_version one, struct search_version other);

/* After search_refresh(), like what follows.  Borrowed until the next one. */
struct span search_corpus_json(const struct search *search);

/* The best `limit` passages, the best first; those of one score in document order.  false: the
 * index is broken, and the search has none until another one can be opened. */
bool search_find(struct search *search, struct span question, size_t limit,
                 struct passages *ret_passages);

/* Share of the question's weight that the selection carries, 0 to 1.  false: as above. */
bool search_coverage(struct search *search, struct span question, struct span selection,
                     double *ret_coverage);

#endif
