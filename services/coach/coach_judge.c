/*
 * One answer, read and judged by the rubric.
 */
#include "coach_judge.h"

#include "lexicon_internal.h"
#include "mem.h"
#include "question_bank_internal.h"
#include "rubric_internal.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

struct coach_judge {
    struct lexicon *lexicon; /* owned */
};

struct coach_judge *coach_judge_new(void)
{
    struct coach_judge *judge = MEM_NEW(struct coach_judge);

    judge->lexicon = lexicon_new();
    return judge;
}

void coach_judge_free(struct coach_judge *judge)
{
    if (judge == NULL)
        return;
    lexicon_free(judge->lexicon);
    free(judge);
}

void coach_judge_answer(const struct coach_judge *judge, struct span role,
                        struct span question, struct span answer,
                        struct judgement *ret_judgement)
{
    const struct manner manner = {.number = 1, .words_per_minute = -1};
    struct reading reading;
    struct rubric rubric;

    *ret_judgement = (struct judgement){0};
    reading_make(&reading, judge->lexicon, question_bank_role(role), question, answer);
    if (redirect_is_attempt(&reading, judge->lexicon))
        reading.no_answer = IS_INSULT;
    rubric_apply(&reading, &manner, &rubric);
    ret_judgement->kind = reading.kind;
    ret_judgement->is_scored = reading.kind == ANSWER_KIND_ANSWER && !reading.is_foreign;
    memcpy(ret_judgement->scores, rubric.scores, sizeof(rubric.scores));
    memcpy(ret_judgement->tips, rubric.tips, sizeof(rubric.tips));
    sodium_memzero(&rubric, sizeof(rubric));
    reading_done(&reading);
}

const char *answer_kind_name(enum answer_kind kind)
{
    static const char *const names[] = {
        [ANSWER_KIND_ANSWER] = "answer",
        [ANSWER_KIND_REPEAT] = "repeat",
        [ANSWER_KIND_SKIP] = "skip",
    };

    return names[kind];
}
