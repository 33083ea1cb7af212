/*
 * What a question asks for, and whether a sentence has it.
 */
#ifndef EXTRACT_INTERNAL_H
#define EXTRACT_INTERNAL_H

#include "span.h"
#include "terms.h"

enum question_kind {
    QUESTION_OTHER,
    QUESTION_NUMBER, /* how many, how long, how much */
    QUESTION_TIME,   /* when, in what year */
    QUESTION_PERSON, /* who */
    QUESTION_PLACE,  /* where */
    QUESTION_REASON  /* why */
};

enum question_kind question_kind(struct span question, const struct terms *terms);

/* A word of the question that says only what is asked for: "many", "year". */
bool question_word_asks(const struct terms *question, const struct term *term);

/* 1: the sentence has what is asked for; 0: it has not; less: it hardly says anything. */
double sentence_fit(enum question_kind kind, const struct terms *question,
                    const struct terms *terms, const struct term_sentence *sentence,
                    struct span text);

#endif
