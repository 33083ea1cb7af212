/*
 * The phrases of a regular expression: a text in which none of them stands is not matched by it.
 */
#ifndef PHRASES_INTERNAL_H
#define PHRASES_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

enum { PHRASE_BYTES = 28 };

/* Stands in a phrase, alone, for any character past ASCII. */
#define PHRASE_FOREIGN '\x80'

struct phrase {
    char bytes[PHRASE_BYTES]; /* in small letters; not terminated */
    unsigned char length;     /* at least 1 in what phrases_of() returns */
    bool starts_word, ends_word;
    bool ends_text; /* stands at its end, or before its last byte */
    bool is_inside; /* is part of a longer word, of seven letters or more */
};

struct phrases {
    struct phrase *all; /* owned */
    size_t count;       /* 0: nothing is known, a match may be anywhere */
    bool is_exact;      /* every match is one of them, and not just holds one */
};

struct phrases phrases_of(const char *pattern);

void phrases_add(struct phrases *phrases, const struct phrase *phrase);

/* A zeroed one is fine. */
void phrases_done(struct phrases *phrases);

#endif
