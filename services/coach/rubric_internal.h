/*
 * The rubric of the built-in coach: four scores for an answer, and a tip for each that
 * quotes or counts what it saw.
 */
#ifndef RUBRIC_INTERNAL_H
#define RUBRIC_INTERNAL_H

#include "buffer.h"
#include "coach.h"
#include "reading_internal.h"

#define TIP_BYTES COACH_TIP_BYTES

struct rubric {
    int scores[DIMENSION_COUNT]; /* 1-5 */
    char tips[DIMENSION_COUNT]
             [TIP_BYTES];        /* at most 25 words each; may quote the answer */
    char summary_tip[TIP_BYTES]; /* at most 30 words */
};

/* What an answer lacks most, and a next question could ask for. */
enum lack {
    LACK_NOTHING,
    LACK_WORDS,
    LACK_EXAMPLE,
    LACK_OWN_PART,
    LACK_RESULT,
    LACK_REASON
};

/* What the words alone do not say. */
struct manner {
    unsigned number; /* of the answer in its interview: wordings change with it */
    int64_t words_per_minute; /* -1: not known, or not spoken */
};

void rubric_apply(const struct reading *reading, const struct manner *manner,
                  struct rubric *ret_rubric);

enum lack rubric_lack(const struct reading *reading);

/* Mostly phrases that anybody could say of anything. */
bool rubric_is_vague(const struct reading *reading);

/* The common question that the answer answers better than its own; THEME_COUNT: none, or it was asked
 * none. */
enum theme rubric_rival(const struct reading *reading);

/* The steps of rubric_apply(): scores first, then the tips that explain them. */
void rubric_score(const struct reading *reading, int *ret_scores);
void rubric_write_tips(const struct reading *reading, const struct manner *manner,
                       struct rubric *rubric);

/* Of an answer whose rubric was applied: says instead of advice how it differs from the attempt before,
 * which reads so and is what the session has of it. */
void rubric_compare(const struct reading *before, const struct reading *now,
                    const struct coach_turn *previous, struct rubric *rubric);

/* Appends the JSON object of COACH_SUMMARY: the summary of a whole session. */
void coach_summary_write(const struct lexicon *lexicon, const struct coach_facts *facts,
                         struct buffer *out);

#endif
