/*
 * Other readings of a text, for where the first shows nothing: with misspelt words put right and words
 * that run together parted, and with Cyrillic words whose letters are spaced out or partly Latin.
 */
#ifndef READINGS_INTERNAL_H
#define READINGS_INTERNAL_H

#include "buffer.h"
#include "pattern_file_internal.h"
#include "phrases_internal.h"

struct readings;

/* `words` are those that are put right: of each that has four letters or more the forms with two letters
 * swapped, and of five or more those with one missing, but for those that are words too (`other_words`).  They are also found where they
 * run together with each other and with `small_words`, which are the wordbook's. */
struct readings *readings_new(const struct pattern_texts *words,
                              const struct pattern_texts *other_words,
                              const struct pattern_texts *small_words);
void readings_free(struct readings *readings);

/* Without one of these in a normalised text there is nothing to put right in it. */
struct phrases readings_phrases(const struct readings *readings);

/* A normalised text as it was meant; false, and nothing of use in `out`, where it is that already. */
bool readings_mend(const struct readings *readings, const char *text, size_t length,
                   struct buffer *out);

/* A text with its Cyrillic words whole; likewise. */
bool readings_cyrillic(const char *text, size_t length, struct buffer *out);

#endif
