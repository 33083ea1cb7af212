/*
 * The walk over a text that normalise.c makes, and what it has written so far, which
 * normalise_write.c looks after.
 */
#ifndef NORMALISE_WALK_INTERNAL_H
#define NORMALISE_WALK_INTERNAL_H

#include "normalise_internal.h"

#include <stdbool.h>
#include <stdint.h>

/* Classes of characters. */
enum {
    LETTER = 1,
    DIGIT = 2,
    HIGH = 4, /* a byte of a character past ASCII */
    QUOTE = 8,
    SYMBOL = 16, /* may stand for a letter */
    JOINER = 32, /* may stand between the letters of a word */
    SPACE = 64,
    BREAK = 128, /* ends a token */
    WORD = LETTER | DIGIT | HIGH,
};

/* What a piece showed beside its characters' classes. */
enum { DRAWN_OUT = 256, CAPITAL_I = 512 };

enum { ROW_SHORTEST = 3, ROW_LONGEST = WORDBOOK_LONGEST * 4 };

extern const uint8_t normalise_classes[256];

/* A row of single letters: where it started, here and there. */
struct row {
    char letters[ROW_LONGEST];
    size_t count;
    size_t out_start; /* of the normalised text, with the gap before it */
    size_t text_start;
    char gap; /* what stood before it */
};

struct walk {
    const struct wordbook *book; /* borrowed */
    struct normal_text *normal;  /* borrowed */
    const char *text;            /* borrowed */
    size_t length;
    size_t at;
    char gap;          /* between the last word written and the next; 0 at the start */
    bool after_filler; /* the comma behind a filler is none */
    size_t word_start; /* the last word written */
    bool is_even;      /* no letter of the text is drawn out */
    bool has_odd_byte; /* one that prefilter_is_plain() is false of */
    bool is_lookalike; /* the token has letters that fold.c took for Latin ones */
    struct row row;
    const char *read_word; /* borrowed: what the last disguise was read as */
    size_t read_start;
    size_t read_length; /* 0: there was none */
    unsigned rewrites;  /* rows that became words: places within them are none any more */
};

/* A place to go back to. */
struct place {
    size_t out;
    char gap;
    size_t word_start;
    size_t row_count;
    unsigned rewrites;
};

static inline char walk_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

/* White space past the end. */
static inline unsigned walk_class_at(const struct walk *walk, size_t at)
{
    return at < walk->length ? normalise_classes[(unsigned char)walk->text[at]] : SPACE;
}

static inline struct place walk_here(const struct walk *walk)
{
    return (struct place){walk->normal->length, walk->gap, walk->word_start,
                          walk->row.count, walk->rewrites};
}

/* Writes the word of the text, unless it is a filler or says the last one again. */
void walk_write(struct walk *walk, size_t start, size_t end);

/* Writes the gap and a word, in small letters, that came from the offset `from`.  A gap of 1 is none:
 * the word belongs to the last one. */
void walk_put(struct walk *walk, const char *word, size_t length, size_t from);

/* Notes the last word written as one that came in a disguise. */
void walk_note_disguise(struct walk *walk);

/* Takes back what was written since, which must not be a place before a row that became words. */
void walk_go_back(struct walk *walk, const struct place *place);

/* A single letter, which may belong to a row that spells words; and the end of the row, which becomes
 * those words if it does. */
void walk_row_add(struct walk *walk, char letter, size_t from, const struct place *place);
void walk_row_end(struct walk *walk);

/* um, uh. */
bool walk_is_filler(const char *word, size_t length);

/* "I 'm", "do n't", "i m", "what s", "don t": the end of a word that stands apart. */
bool walk_is_clitic(const struct walk *walk, size_t start, size_t length);

#endif
