/*
 * The four scores.  Each is a few plain rules over what the reading found, in the spirit
 * of an interviewer who wants the candidate to do well: what is there counts, a question
 * is judged by the kind of answer that it asks for, and nobody is crushed for being
 * brief.
 */
#include "rubric_internal.h"

static int score_clarity(const struct reading *reading);
/* A story well told that shares no word with the question: it may be another story, or this
 * one in other words. */
static bool may_be_beside_the_question(const struct reading *reading)
{
    return reading->asked.asks == ASKS_STORY && reading->asked.word_count > 0 &&
           reading->overlap.question + reading->overlap.topic == 0;
}

static int score_relevance(const struct reading *reading);
static int score_structure(const struct reading *reading);
static int score_filler_words(const struct reading *reading);

void rubric_apply(const struct reading *reading, struct rubric *ret_rubric)
{
    *ret_rubric = (struct rubric){0};
    rubric_score(reading, ret_rubric->scores);
    rubric_write_tips(reading, ret_rubric);
}

void rubric_score(const struct reading *reading, int *ret_scores)
{
    ret_scores[DIMENSION_CLARITY] = score_clarity(reading);
    ret_scores[DIMENSION_RELEVANCE] = score_relevance(reading);
    ret_scores[DIMENSION_STRUCTURE] = score_structure(reading);
    ret_scores[DIMENSION_FILLER_WORDS] = score_filler_words(reading);
    for (int dimension = 0; reading->is_foreign && dimension < DIMENSION_COUNT;
         dimension++)
        ret_scores[dimension] = 3;
}

static int at_most(int score, int limit)
{
    return score < limit ? score : limit;
}

static int at_least(int score, int limit)
{
    return score > limit ? score : limit;
}

static int larger(int one, int other)
{
    return one > other ? one : other;
}

/* The best clarity that so many words can have.  An answer to a follow-up, or about
 * oneself, may be shorter than a story. */
static int length_limit(const struct reading *reading)
{
    size_t words = reading->answer.word_count;

    if (reading->asked.reaction != LINE_KIND_COUNT)
        words *= 2;
    else if (reading->asked.asks == ASKS_SELF || reading->asked.asks == ASKS_EXPLAIN)
        words += words / 2;
    if (words < 4)
        return 1;
    if (words < 12)
        return 2;
    if (words < 24)
        return 3;
    if (words < 40)
        return 4;
    if (reading->answer.word_count > 650)
        return 3;
    return reading->answer.word_count > 380 ? 4 : 5;
}

/* Without punctuation the little words that string clauses together must tell. */
static int shape_without_pauses(const struct answer *answer)
{
    size_t connectors = answer->cues[CUE_CONNECTOR].count;

    if (connectors * 6 > answer->word_count || answer->word_count > 300)
        return 2;
    return connectors * 9 > answer->word_count ? 3 : 4;
}

static int sentence_shape(const struct reading *reading)
{
    const struct answer *answer = &reading->answer;
    size_t sentences = answer->sentence_count ? answer->sentence_count : 1;
    size_t average = answer->word_count / sentences;

    if (reading->is_unpunctuated)
        return shape_without_pauses(answer);
    if (answer->longest_sentence > 90 || average > 55)
        return 2;
    if (answer->longest_sentence > 60 || average > 36)
        return 3;
    if (answer->longest_sentence > 42 || average > 27)
        return 4;
    return 5;
}

static int score_clarity(const struct reading *reading)
{
    int score = at_most(sentence_shape(reading), length_limit(reading));
    size_t words = reading->answer.word_count;

    if (words >= 20 && reading->fillers.count * 8 > words)
        score--;
    if (reading->is_noise)
        score = at_most(score, 1);
    if (reading->is_stuck)
        score = 2;
    return at_least(score, 1);
}

/* Mostly phrases that anybody could say of anything. */
static bool is_vague(const struct reading *reading)
{
    const struct answer *answer = &reading->answer;

    return !reading->parts.number && !reading->parts.example && answer->own.count < 2 &&
           answer->cues[CUE_VAGUE].count * 14 >= answer->word_count;
}

/* Did it answer in the way it was asked: with a story, a plan, reasons, something about
 * oneself? */
static size_t fitting_manner(const struct reading *reading)
{
    const struct parts *parts = &reading->parts;

    switch (reading->asked.asks) {
    case ASKS_STORY:
        return parts->action ? 2
                             : parts->situation || reading->answer.cues[CUE_PLAN].count;
    case ASKS_PLAN:
        return reading->answer.cues[CUE_PLAN].count >= 2 ? 2
                                                         : parts->plan || parts->action;
    case ASKS_EXPLAIN:
        return (size_t)(parts->reason || parts->contrast) +
               (parts->example || parts->check);
    case ASKS_SELF: return parts->fit ? 2 : reading->answer.cues[CUE_OWN].count > 0;
    }
    return 0;
}

static size_t up_to(size_t count, size_t limit)
{
    return count < limit ? count : limit;
}

/* A follow-up is answered by giving what it asks for, in whatever words. */
static bool answers_reaction(const struct reading *reading)
{
    const struct parts *parts = &reading->parts;

    if (reading->is_stuck || reading->is_noise)
        return false;
    switch (reading->asked.reaction) {
    case LINE_OUTCOME: return parts->result || parts->number;
    case LINE_OWN_PART: return parts->own_action;
    case LINE_EXAMPLE: return parts->situation && parts->action;
    case LINE_REASON: return parts->reason || parts->sequence || parts->check;
    case LINE_STUCK: return parts->action || parts->plan;
    case LINE_CLOSING:
    case LINE_REFUSAL:
    case LINE_KIND_COUNT: break;
    }
    return false;
}

static int score_relevance(const struct reading *reading)
{
    const struct overlap *overlap = &reading->overlap;
    size_t words = reading->answer.word_count;
    size_t common = 2 * overlap->question + 2 * up_to(overlap->topic, 3) +
                    up_to(overlap->role, 3) + up_to(overlap->work, 3);
    size_t evidence = common > 0 ? common + fitting_manner(reading) : 0;
    int score;

    if (reading->is_stuck || reading->is_noise)
        return reading->is_stuck ? 2 : 1;
    score = evidence >= 6 ? 5 : evidence >= 3 ? 4 : evidence >= 1 ? 3 : 2;
    if (words >= 20 && fitting_manner(reading) == 2)
        score = at_least(score, 3);
    if (words >= 12 && reading->asked.asks != ASKS_STORY)
        score = at_least(score, 3);
    if (reading->asked.asks == ASKS_SELF && words >= 12 &&
        (fitting_manner(reading) == 2 || reading->answer.cues[CUE_OWN].count >= 2))
        score = at_least(score, 4);
    if (is_vague(reading))
        score = at_most(score, 3);
    if (may_be_beside_the_question(reading))
        score = at_most(score, 4);
    if (answers_reaction(reading))
        score = at_least(score + 1, 4);
    if (words < 6)
        score = at_most(score, 2);
    else if (words < 12)
        score = at_most(score, 3);
    return at_most(score, 5);
}

/* Situation, task, action, result. */
static int structure_of_story(const struct reading *reading)
{
    const struct parts *parts = &reading->parts;
    bool has_steps = reading->answer.own.count >= 3;
    int found =
        parts->situation + (parts->task || has_steps) + parts->action + parts->result;
    int score = found == 4 ? 5 : found == 3 ? 4 : found == 2 ? 3 : found == 1 ? 2 : 1;

    if (found == 3 && (!parts->action || !parts->result))
        score = 3;
    if (found == 3 && score == 4 && reading->answer.word_count >= 45 &&
        (parts->sequence || parts->number))
        score = 5;
    if (found == 2 && parts->own_action && parts->result &&
        (parts->sequence || parts->number))
        score = 4;
    if (!parts->own_action)
        score = at_most(score, 4);
    if (reading->answer.word_count < 15)
        score = at_most(score, 2);
    else if (reading->answer.word_count < 35)
        score = at_most(score, 4);
    return score;
}

static int structure_of_plan(const struct reading *reading)
{
    const struct parts *parts = &reading->parts;
    const struct answer *answer = &reading->answer;
    int kinds = parts->plan + (parts->sequence || answer->cues[CUE_PLAN].count >= 4) +
                parts->reason + parts->check +
                (parts->example || parts->contrast || parts->number);
    int score = kinds >= 4 ? 5 : kinds == 3 ? 4 : kinds == 2 ? 3 : 2;

    if (answer->word_count < 12)
        score = at_most(score, 2);
    else if (answer->word_count < 30)
        score = at_most(score, 4);
    return kinds == 0 && answer->word_count < 25 ? 1 : score;
}

static int structure_of_explanation(const struct reading *reading)
{
    const struct parts *parts = &reading->parts;
    size_t words = reading->answer.word_count;
    int kinds = parts->reason + parts->example + parts->contrast + parts->sequence +
                (parts->check || parts->number);
    int score = kinds >= 3 ? 5 : kinds == 2 ? 4 : kinds == 1 ? 3 : 2;

    if (words < 10)
        score = at_most(score, 2);
    else if (words < 25)
        score = at_most(score, 4);
    return score;
}

static int structure_about_oneself(const struct reading *reading)
{
    const struct parts *parts = &reading->parts;
    size_t words = reading->answer.word_count, fit = reading->answer.cues[CUE_FIT].count;
    int kinds = (fit >= 1) + (fit >= 3) + (parts->own_action || parts->example) +
                (parts->reason || parts->contrast) + (parts->number || parts->sequence);
    int score = kinds >= 4 ? 5 : kinds == 3 ? 4 : kinds >= 1 ? 3 : 2;

    if (words >= 30 && (kinds == 2 || (kinds == 3 && words >= 45)))
        score++;
    if (words < 10)
        score = at_most(score, 2);
    else if (words < 25)
        score = at_most(score, 4);
    return kinds == 0 && words < 10 ? 1 : score;
}

static int structure_of_reaction(const struct reading *reading)
{
    const struct parts *parts = &reading->parts;
    size_t words = reading->answer.word_count;
    int score = answers_reaction(reading) ? 4 : words >= 15 ? 3 : 2;

    if (score == 4 && words >= 20 &&
        (parts->number || parts->reason || parts->sequence ||
         reading->answer.own.count >= 2))
        score = 5;
    return words < 5 ? at_most(score, 2) : score;
}

/* The kind that was asked for; where another kind was given and well, it counts nearly as
 * much. */
static int score_structure(const struct reading *reading)
{
    int story = structure_of_story(reading);
    int score = story;

    if (reading->is_stuck || reading->is_noise)
        return 1;
    switch (reading->asked.asks) {
    case ASKS_STORY: score = larger(story, structure_of_plan(reading) - 2); break;
    case ASKS_PLAN:
        score =
            larger(structure_of_plan(reading), reading->parts.result ? story : story - 1);
        break;
    case ASKS_EXPLAIN:
        score = larger(larger(structure_of_explanation(reading), story),
                       structure_of_plan(reading) - 1);
        break;
    case ASKS_SELF: score = larger(structure_about_oneself(reading), story); break;
    }
    if (reading->asked.reaction != LINE_KIND_COUNT)
        score = larger(score, structure_of_reaction(reading));
    if (is_vague(reading))
        score = at_most(score, 2);
    return at_least(score, 1);
}

/* By fillers in a hundred words; a single one is never held against anybody. */
static int score_filler_words(const struct reading *reading)
{
    size_t words = reading->answer.word_count, fillers = reading->fillers.count;

    if (words < 6)
        return 3;
    if (fillers <= 1 && words >= 12)
        return 5;
    if (fillers * 100 < words * 2)
        return 5;
    if (fillers * 100 < words * 4)
        return 4;
    if (fillers * 100 < words * 8)
        return 3;
    return fillers * 100 < words * 14 ? 2 : 1;
}

static enum lack lack_of_story(const struct reading *reading)
{
    const struct parts *parts = &reading->parts;
    const struct answer *answer = &reading->answer;

    if (answer->word_count < 4)
        return LACK_WORDS;
    if (answer->word_count < 15 || (!parts->action && !parts->result) ||
        is_vague(reading))
        return LACK_EXAMPLE;
    if (!parts->own_action && answer->shared.count > 0 &&
        answer->cues[CUE_OWN].count <= answer->cues[CUE_WE].count)
        return LACK_OWN_PART;
    if (!parts->result)
        return LACK_RESULT;
    return LACK_NOTHING;
}

enum lack rubric_lack(const struct reading *reading)
{
    const struct parts *parts = &reading->parts;
    size_t words = reading->answer.word_count;

    if (reading->is_foreign || reading->has_declined || answers_reaction(reading))
        return LACK_NOTHING;
    if (reading->is_stuck || reading->is_noise)
        return LACK_WORDS;
    switch (reading->asked.asks) {
    case ASKS_STORY: return lack_of_story(reading);
    case ASKS_PLAN:
        if (words < 20 ||
            !(parts->reason || parts->check || parts->sequence || parts->contrast))
            return LACK_REASON;
        return LACK_NOTHING;
    case ASKS_EXPLAIN:
    case ASKS_SELF:
        if (words < 12 || is_vague(reading))
            return LACK_EXAMPLE;
        return LACK_NOTHING;
    }
    return LACK_NOTHING;
}
