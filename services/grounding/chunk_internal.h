/*
 * Cuts a document into passages: at headings first, then to about 800 tokens with 100 of overlap,
 * never inside a code block, a table or a list, unless one is longer than four chunks.  A token is taken for
 * four characters.
 */
#ifndef CHUNK_INTERNAL_H
#define CHUNK_INTERNAL_H

#include "buffer.h"
#include "markdown.h"
#include "span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A token is taken for four characters, which is what models' tokenizers make of English. */
#define CHUNK_TOKENS 800
/* What two neighbours share, and what a last piece may add. */
#define CHUNK_TOKENS_OVER 100
/* A list, table or code block longer than so many chunks is cut. */
#define CHUNK_BLOCK_TIMES  4
#define CHARACTERS_A_TOKEN 4

enum chunk_format { CHUNK_MARKDOWN, CHUNK_PLAIN_TEXT };

/* Borrowed during the call. */
struct chunk {
    /* The top heading above; where there is none, the document's: its front matter's,
     * else its file name without the ending. */
    struct span title;
    struct span section; /* the lower headings above, joined by " > "; may be "" */
    struct span text;
    int64_t page; /* counted by form feeds in plain text; -1: there are none */
};

/* false ends the cutting. */
typedef bool chunk_fn(void *context, const struct chunk *chunk);

struct chunker;

/* Tells the chunks in order. */
struct chunker *chunker_new(const char *file_name, enum chunk_format format,
                            chunk_fn *tell, void *context);

/* The document's next bytes, cut anywhere, which need not be valid UTF-8: those that are none become U+FFFD.
 * false where `tell` returned false. */
bool chunker_add(struct chunker *chunker, struct span bytes);

/* The document ends: tells the rest. */
bool chunker_end(struct chunker *chunker);
void chunker_free(struct chunker *chunker); /* NULL is fine */

#endif
