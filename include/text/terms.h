/*
 * A text read for search and comparison: its sentences, and in each its words by their stems.
 *
 * Words are folded (utf8proc) and stemmed by Porter's algorithm, the one that FTS5's `porter`
 * tokenizer has, so that what is counted here and what the index finds are the same words.
 */
#ifndef TERMS_H
#define TERMS_H

#include "span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum term_flag {
    TERM_STOP = 1, /* one of about 40 words that say nothing of the subject */
    TERM_NUMBER =
        2, /* digits, or a number in words from three up; the stem of both is the digits */
    TERM_NAME =
        4, /* written like a name: a capital inside a sentence, or capitals and digits */
    TERM_NEGATION = 8, /* not, no, never, n't, without, ... */
};

struct term {
    uint32_t start, end; /* its bytes in the text */
    uint32_t stem;       /* offset in terms->stems of a NUL-terminated string */
    uint32_t stem_length;
    uint32_t sentence; /* its number, from 0 */
    uint32_t flags;    /* enum term_flag */
};

/* What a sentence stands in. */
enum term_place { TERM_PROSE, TERM_HEADING, TERM_TABLE, TERM_CODE };

struct term_sentence {
    uint32_t start, end; /* bytes of the text, without white space around them */
    uint32_t first_term, term_count;
    enum term_place place;
};

struct terms {
    struct term *all; /* owned, in order */
    size_t count, capacity;
    struct term_sentence *sentences; /* owned, in order; none is empty of words */
    size_t sentence_count, sentence_capacity;
    char *stems; /* owned; wiped when it goes, for it may be a person's */
    size_t stems_length, stems_capacity;
};

/* A stemmer, for one thread at a time. */
struct terms_reader;

struct terms_reader *terms_reader_new(void);
void terms_reader_free(struct terms_reader *reader); /* NULL is fine */

/* Reads a text of valid UTF-8, at most 4 GB; `terms` is zeroed or from an earlier read, whose
 * memory is used again.  Markdown's own signs are no words; the lines of a list and the rows of
 * a table are sentences of their own. */
void terms_read(struct terms_reader *reader, struct span text, struct terms *terms);

/* Frees and wipes.  Zeroed is fine. */
void terms_done(struct terms *terms);

static inline const char *term_stem(const struct terms *terms, const struct term *term)
{
    return terms->stems + term->stem;
}

/* Letters that two stems begin with, where those are enough to make them one family ("describ", "descript"); 0:
 * they are not. */
enum { STEMS_SHARED_LEAST = 5 };
size_t stems_share(struct span one, struct span other);

bool term_equals(const struct terms *one, const struct term *first,
                 const struct terms *other, const struct term *second);

#endif
