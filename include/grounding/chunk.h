/*
 * Cuts a document into passages: at headings first, then to about 800 tokens with 100 of overlap,
 * never inside a code block, a table or a list, unless one is longer than four chunks.  A token is taken for
 * four characters.
 */
#ifndef CHUNK_H
#define CHUNK_H

#include "span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum chunk_format { CHUNK_MARKDOWN, CHUNK_PLAIN_TEXT };

/* Borrowed during the call. */
struct chunk {
    struct span
        title; /* the top heading above; where there is none, the document's: its front
                          matter's, else its file name without the ending */
    struct span section; /* the lower headings above, joined by " > "; may be "" */
    struct span text;
    int64_t page; /* counted by form feeds in plain text; -1: there are none */
};

/* false ends the cutting. */
typedef bool chunk_fn(void *context, const struct chunk *chunk);

/* Tells the chunks in order.  The text need not be valid UTF-8: bytes that are none become U+FFFD.
 * false where `tell` returned false. */
bool chunk_document(const char *file_name, enum chunk_format format, struct span text,
                    chunk_fn *tell, void *context);

#endif
