/*
 * How well a passage answers a question, from 0 to 1, by its words: a logistic of a few features, each
 * stem of the question weighted by its rarity.  A pure function of question, passage and corpus.
 *
 * A word that the corpus does not have keeps the highest weight, which is what drives refusal; one of four
 * letters or more may stand for a word at edit distance 1, which counts for a little less.  A word that anything
 * may be phrased with weighs half, and another word for the same is half a hit.
 */
#ifndef RELEVANCE_INTERNAL_H
#define RELEVANCE_INTERNAL_H

#include "passage.h"
#include "span.h"
#include "terms.h"
#include "thesaurus_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RELEVANCE_STEM_BYTES = 72, RELEVANCE_WORDS_MOST = 256 };

/* What a corpus says of a stem.  Without one every word weighs the same. */
struct relevance_corpus {
    int64_t passages;
    double mean_words; /* of a passage, stop words included */
    int64_t (*passages_with)(void *context, const char *stem);
    bool (*stem_like)(void *context, const char *stem, char *ret_stem, size_t size,
                      int64_t *ret_passages);
    void *context; /* borrowed, for both */
};

struct relevance_word {
    char stem[RELEVANCE_STEM_BYTES]; /* the one that is looked for */
    char asked
        [RELEVANCE_STEM_BYTES]; /* the question's own, which the corpus may not have */
    int64_t passages;           /* that have it */
    double weight;
    double credit; /* of a hit: 1, or less where the stem is only like the question's */
    bool is_fact;  /* a name or a number */
    bool asks;     /* says only what is asked for, and weighs little */
    bool is_plain; /* anything may be phrased with it */
    bool has_left; /* the word before it in the list stands before it in the question */
};

/* A question, read: its distinct stems without stop words, in their order. */
struct relevance_question {
    struct relevance_word *words; /* owned; wiped when it goes */
    size_t count;
    double weight;         /* of all words */
    struct word_hits hits; /* their stems, and those of other words for the same */
};

struct relevance_features {
    double window; /* largest share of the weight inside 2 consecutive sentences; stems of
                      the headings count everywhere */
    double bm25;   /* over its ceiling; a heading counts as one more occurrence */
    double neighbours; /* share of the question's neighbours found within 3 words */
    double headings;   /* share of the weight in title and headings */
    double missing;    /* share of names and numbers that are nowhere */
    double words;      /* distinct stems of the question */
    double margin; /* how far it is ahead of what other files have; set by who compares */
};

/* What passages are compared by. */
static inline double relevance_rank(const struct relevance_features *features)
{
    return features->window + features->bm25;
}

/* What a reading needs again and again; for one thread at a time. */
struct relevance;

struct relevance *relevance_new(void);
void relevance_free(struct relevance *relevance); /* NULL is fine */

/* `corpus` may be NULL.  relevance_question_done() afterwards. */
void relevance_ask(struct relevance *relevance, struct span question,
                   const struct relevance_corpus *corpus,
                   struct relevance_question *ret_question);
void relevance_question_done(struct relevance_question *question);

/* The rarest words that the corpus has, at most `limit`, the rarest first: what to search
 * for.  Behind the second it ends before a word with which they would be in more than
 * `passages_most` passages together, for reading those takes long.  Borrowed from the question. */
size_t relevance_rarest(const struct relevance_question *question, size_t limit,
                        int64_t passages_most, const char **ret_stems);

struct relevance_features relevance_read(struct relevance *relevance,
                                         const struct relevance_question *question,
                                         const struct relevance_corpus *corpus,
                                         const struct passage *passage);

/* 0 for a question without words. */
double relevance_score(const struct relevance_features *features);

/* Share of the question's weight that a text carries, 0 to 1. */
double relevance_coverage(struct relevance *relevance,
                          const struct relevance_question *question, struct span text);

#endif
