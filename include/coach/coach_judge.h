/*
 * What the built-in coach makes of one answer by itself, outside an interview: for `poise coach`,
 * which holds its scores to people's.
 */
#ifndef COACH_JUDGE_H
#define COACH_JUDGE_H

#include "coach.h"
#include "span.h"

#include <stdbool.h>

/* What was said in place of an answer, if it was none (the contract's data.kind). */
enum answer_kind { ANSWER_KIND_ANSWER, ANSWER_KIND_REPEAT, ANSWER_KIND_SKIP };

enum { COACH_TIP_BYTES = 400 };

struct judgement {
    enum answer_kind kind;
    bool is_scored; /* false: it is no answer, or in a language that is not read */
    int scores[DIMENSION_COUNT]; /* 1-5; with is_scored */
    char tips[DIMENSION_COUNT]
             [COACH_TIP_BYTES]; /* at most 25 words each; may quote the answer */
};

struct coach_judge;

struct coach_judge *coach_judge_new(void);
void coach_judge_free(struct coach_judge *judge); /* NULL is fine */

/* Texts in valid UTF-8.  The caller wipes the judgement, which may quote the answer. */
void coach_judge_answer(const struct coach_judge *judge, struct span role,
                        struct span question, struct span answer,
                        struct judgement *ret_judgement);

/* "answer", "repeat", "skip". */
const char *answer_kind_name(enum answer_kind kind);

#endif
