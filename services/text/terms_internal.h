/*
 * What the reader of terms is made of: letters, the words of a sentence, and numbers that are written in
 * several words.
 */
#ifndef TERMS_INTERNAL_H
#define TERMS_INTERNAL_H

#include "span.h"
#include "terms.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a stem; what a longer word has beyond is left out. */
#define STEM_BYTES_MOST 64

enum letter {
    LETTER_NONE,
    LETTER_LOWER, /* and scripts without case */
    LETTER_UPPER,
    LETTER_DIGIT,
    LETTER_MARK,      /* goes on a letter */
    LETTER_IDEOGRAPH, /* a word by itself */
};

enum letter terms_letter(uint32_t code_point);

enum word_shape {
    WORD_DIGITS = 1,   /* a number in digits; `folded` is its plain form */
    WORD_CAPITAL = 2,  /* starts with a capital */
    WORD_CAPITALS = 4, /* two letters or more, all capitals */
    WORD_MIXED = 8,    /* a capital behind a small letter, or capitals and digits */
    WORD_SMALL = 16,   /* has no capital */
    WORD_FIRST = 32,   /* where a sentence, or what is quoted in it, begins */
    WORD_NOT = 64,     /* ends in n't */
};

/* A word as it stands in the text, before numbers are put together. */
struct word {
    size_t start, end;
    unsigned shape;
    size_t length;
    char folded[STEM_BYTES_MOST + 1];
};

/* The next word of a sentence of `text` at or after `*offset`, which moves past it; false: no more. */
bool word_next(struct span text, struct span sentence, size_t *offset,
               struct word *ret_word);

/* Flags of a folded word by the lists: stop words and negations. */
uint32_t word_flags(const char *folded);

/* "write" for "wrote", where the stemmer would not bring the two together; else the word itself. */
const char *word_plain_form(const char *folded);

/* How many of these words, from the first on, are one number ("twenty-five", "2.5 million", "third"), its
 * plain digits then in `ret_digits`; 0: they begin with none. */
size_t number_of_words(struct span text, const struct word *words, size_t count,
                       char ret_digits[STEM_BYTES_MOST + 1], bool *ret_is_number);

/* The plain form of a number in digits, of which `length` bytes are read: "1,200.50" is "1200.5". */
size_t number_of_digits(struct span text, size_t at,
                        char ret_digits[STEM_BYTES_MOST + 1]);

#endif
