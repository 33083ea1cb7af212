/*
 * Cuts a document into passages: at headings first, then to about 800 tokens with 100 of overlap,
 * never inside a code block, a table or a list, unless one is longer than four chunks.  A token is taken for
 * four characters.
 *
 * Inside, bytes go in as they are read and chunks come out:
 *
 *   chunk_lines.c  bytes > lines
 *   chunk.c        lines > blocks: paragraphs, lists, tables, code
 *   chunk_pack.c   blocks > units (sentences, whole blocks) > chunks
 *   chunk_head.c   headings and titles
 *
 * What is kept is the chunk that is being filled and the block that is open, so that memory does not grow
 * with the document: at most 150 KB, whatever it holds.
 */
#ifndef CHUNK_INTERNAL_H
#define CHUNK_INTERNAL_H

#include "buffer.h"
#include "markdown.h"
#include "span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Tells the chunks in order.  The text need not be valid UTF-8: bytes that are none become U+FFFD.
 * false where `tell` returned false. */
bool chunk_document(const char *file_name, enum chunk_format format, struct span text,
                    chunk_fn *tell, void *context);

/* A token is taken for four characters, which is what models' tokenizers make of English. */
#define CHUNK_TOKENS 800
/* What two neighbours share, and what a last piece may add. */
#define CHUNK_TOKENS_OVER 100
/* A list, table or code block longer than so many chunks is cut. */
#define CHUNK_BLOCK_TIMES   4
#define CHARACTERS_A_TOKEN  4
#define CHUNK_LINE_BYTES    32768 /* a longer line is read in pieces */
#define CHUNK_HEADING_BYTES 240
#define CHUNK_LEVELS        6

/* What is never cut inside, but between two of them. */
struct chunk_unit {
    size_t start, end; /* in the text */
    size_t characters;
    int64_t page;
    bool is_prose; /* a sentence, which may stand in two chunks */
};

enum chunk_block { BLOCK_NONE, BLOCK_PARAGRAPH, BLOCK_LIST, BLOCK_TABLE, BLOCK_CODE };

enum chunk_front { FRONT_NOT_YET, FRONT_OPENED, FRONT_INSIDE, FRONT_PAST };

struct chunker {
    enum chunk_format format;
    chunk_fn *tell;
    void *context;   /* borrowed, for tell */
    bool is_stopped; /* tell returned false */
    int64_t page;    /* from 1; -1: the document has none */

    /* chunk_lines.c */
    struct buffer held;  /* the line that has not ended */
    struct buffer clean; /* a line in valid UTF-8 */
    bool is_mid_line;    /* the start of this line was read as a line of its own */
    bool has_begun;

    /* chunk.c */
    enum chunk_front front;
    enum chunk_block block;
    bool is_indented_code;
    bool has_blank;     /* blank lines since the block's last */
    bool is_quote;      /* the last line was quoted */
    bool is_long_block; /* it has been cut already */
    size_t block_start;
    struct markdown_line fence; /* its kind is MARKDOWN_FENCE inside one */

    /* chunk_pack.c */
    struct buffer text;       /* what has not been told, and what the next chunk shares */
    struct chunk_unit *units; /* owned */
    size_t unit_count, unit_capacity;
    size_t fresh; /* the first unit that no chunk has told */

    /* chunk_head.c */
    char heading[CHUNK_LEVELS][CHUNK_HEADING_BYTES + 1]; /* "": none */
    bool has_chunk[CHUNK_LEVELS];                        /* something was told below it */
    char file_title[CHUNK_HEADING_BYTES + 1];
};

struct chunker *chunker_new(const char *file_name, enum chunk_format format,
                            chunk_fn *tell, void *context);

/* The document's next bytes, cut anywhere.  false where `tell` returned false. */
bool chunker_add(struct chunker *chunker, struct span bytes);

/* The document ends: tells the rest. */
bool chunker_end(struct chunker *chunker);
void chunker_free(struct chunker *chunker); /* NULL is fine */

/* One line in valid UTF-8, or where it is too long the first part of one. */
void chunk_take_line(struct chunker *chunker, struct span line);
void chunk_close_block(struct chunker *chunker);

/* Makes units of the text from block_start on, which is one block of a kind; prose by its sentences, the last
 * of which stays open where `is_open`. */
void chunk_settle(struct chunker *chunker, bool is_open);

/* Tells what is full; all of it where the section ends. */
void chunk_pack(struct chunker *chunker, bool is_end);

/* The section ends, and a heading begins the next. */
void chunk_head(struct chunker *chunker, int level, struct span heading);

/* All sections end. */
void chunk_head_end(struct chunker *chunker);

/* The title of what stands under no top heading. */
void chunk_title(struct chunker *chunker, struct span title);

/* Tells one chunk under the present headings. */
void chunk_tell(struct chunker *chunker, struct span text, int64_t page);

#endif
