/*
 * A text as the patterns of the normalised surface see it.
 *
 * Words are lower case, Latin where they look Latin, with the apostrophe inside them (').
 * Between two words stands exactly one byte: ' ', or ',' where a comma or a dash was, or
 * '.' or '?' where a sentence ended.  Fillers (um, uh) and the second of two equal words
 * are gone.  A disguised word stands as the word of the wordbook that it disguises;
 * nothing else is joined or rewritten.
 */
#ifndef NORMALISE_INTERNAL_H
#define NORMALISE_INTERNAL_H

#include "fold_internal.h"
#include "offsets_internal.h"
#include "wordbook_internal.h"

#include <stddef.h>

/* The words that came in a disguise, a space between two of them. */
struct disguised_words {
    char *bytes; /* owned; valid UTF-8 */
    size_t length;
    size_t capacity;
    struct offsets offsets; /* to the normalised text */
};

struct normal_text {
    char *bytes; /* owned; `length` of them, then a NUL; valid UTF-8 */
    size_t length;
    size_t capacity;
    /* To the folded text, or to the text where it needed no folding. */
    struct offsets offsets;
    struct folded_text folded;
    bool is_folded;
    bool is_plain; /* prefilter_is_plain() is true of all its bytes */
    struct disguised_words disguised;
};

/* Nothing but ASCII, no letter three times in a row, no capital I behind a small letter: what most texts
 * are, and quickly found out. */
bool normalise_is_even(const char *text, size_t length);

/* Replaces what `normal` held.  A zeroed one is fine.  The text must be valid UTF-8 and
 * shorter than 4 GiB; `is_even` is normalise_is_even() of it. */
void normalise(struct normal_text *normal, const struct wordbook *book, const char *text,
               size_t length, bool is_even);

/* The offset in the text that the byte at `offset` came from. */
size_t normal_text_origin(const struct normal_text *normal, size_t offset);

/* Wipes and frees. */
void normal_text_done(struct normal_text *normal);

#endif
