/*
 * What a thesaurus tells of words by their stems, and the words of a question, to be found in texts.
 */
#ifndef THESAURUS_INTERNAL_H
#define THESAURUS_INTERNAL_H

#include "intern_internal.h"
#include "span.h"
#include "thesaurus.h"

#include <stdbool.h>
#include <stddef.h>

/* Anything may be phrased with it: a text may say the same without it. */
bool thesaurus_is_plain(const struct thesaurus *thesaurus, struct span stem);

/* What a stem of a text is to a question. */
struct word_hit {
    uint16_t word; /* its number; WORD_NONE: it is none */
    bool is_kin;   /* another word for the same */
};

enum { WORD_NONE = UINT16_MAX };

/* The stems that hit a question's words.  Zeroed is empty. */
struct word_hits {
    struct intern stems;  /* owned, like the next */
    struct word_hit *all; /* by the numbers of `stems` */
    size_t capacity;
};

/* A stem is taken for what it was added as first: so all words are added before their kin. */
void word_hits_add(struct word_hits *hits, struct span stem, uint16_t word);
void word_hits_add_kin(struct word_hits *hits, const struct thesaurus *thesaurus,
                       struct span stem, uint16_t word);
void word_hits_done(struct word_hits *hits);

struct word_hit word_hits_find(const struct word_hits *hits, const struct terms *terms,
                               const struct term *term);

#endif
