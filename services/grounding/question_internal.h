/*
 * The words of a question, for those who look for its passages and for its answer.
 */
#ifndef QUESTION_INTERNAL_H
#define QUESTION_INTERNAL_H

#include "span.h"
#include "terms.h"

#include <stdbool.h>
#include <stddef.h>

/* What people say around a question, and of nothing that it is about. */
bool question_is_around(const struct terms *terms, const struct term *term);

/* "get", "make", "thing": in whatever sense. */
bool question_is_light_verb(struct span stem);

/* Does this word only say what is asked for ("how many", "happen", "mean")?  A passage that answers says
 * something else in its place. */
bool question_asks(const struct terms *terms, size_t at);

enum question_kind {
    QUESTION_OTHER,
    QUESTION_NUMBER, /* how many, how long, how much */
    QUESTION_TIME,   /* when, in what year */
    QUESTION_PERSON, /* who */
    QUESTION_PLACE,  /* where */
    QUESTION_REASON  /* why */
};

enum question_kind question_kind(struct span question);

/* 1: the sentence has what is asked for; 0: it has not; less: it hardly says anything. */
double question_fit(enum question_kind kind, const struct terms *question,
                    const struct terms *terms, const struct term_sentence *sentence,
                    struct span text);

#endif
