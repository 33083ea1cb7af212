/*
 * The four scores.  Each adds up a few things that the reading counted, in points, and a table
 * says from how many points on a score is given; the tips name the same things.
 *
 * The weights were found on labelled answers (tests/corpus/coach): what people mind most in speech
 * are hesitations, and what they like is a full answer in many different words.  Nobody is judged
 * by full stops, or by how many "and" and "so" string an answer together: speech has no full stops.
 */
#include "rubric_internal.h"

#include <math.h>

#define ONE_SLIP     0.6 /* is hardly held against anybody */
#define MANY_WORDS   20  /* of a topic */
#define LIGHT_WEIGHT 0.2 /* of "so", "actually", "you know" beside an "um" */

/* From which points on a score of 2, 3, 4, 5 is given. */
typedef double ladder[4];

static int climb(const ladder steps, double points)
{
    int score = 1;

    while (score < 5 && points >= steps[score - 1])
        score++;
    return score;
}

static int at_most(int score, int limit)
{
    return score < limit ? score : limit;
}

static int at_least(int score, int limit)
{
    return score > limit ? score : limit;
}

static double within(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

/* Of a short answer as if it were of some length: two slips in ten words are no fifth of all. */
static double per_hundred(double count, const struct answer *answer)
{
    return 100 * count / fmax((double)answer->word_count, 60);
}

/* The best clarity that so many words can have.  An answer to a follow-up, or about
 * oneself, may be shorter than a story. */
static int length_limit(const struct reading *reading)
{
    size_t words = reading->flow.words;

    if (reading->asked.reaction != LINE_KIND_COUNT)
        words *= 2;
    else if (reading->asked.asks != ASKS_STORY)
        words += words / 2;
    if (words < 4)
        return 1;
    if (words < 12)
        return 2;
    if (words < 24)
        return 3;
    return words < 40 ? 4 : 5;
}

/* How many words more or less are different than in most people's speech of that length, in
 * percent.  Longer texts repeat more: different words grow as about the 0.7th power. */
static double variety(const struct flow *flow)
{
    double usual = 65 * pow((double)flow->words / 100, 0.7);

    return flow->words < 30 ? 0 : 100 * ((double)flow->different / usual - 1);
}

/* Stumbles and words without sense, in a hundred words. */
static double stumbles(const struct reading *reading)
{
    const struct fillers *fillers = &reading->fillers;
    const struct answer *answer = &reading->answer;
    double light = (double)(fillers->count - fillers->heavy);

    return per_hundred(fmax((double)fillers->heavy + LIGHT_WEIGHT * light +
                                (double)reading->flow.restarts +
                                (double)answer->cues[CUE_VAGUE].count - ONE_SLIP,
                            0),
                       answer);
}

/* The first stumbles are heard most, so their doublings count. */
static int score_clarity(const struct reading *reading)
{
    static const ladder steps = {1.5, 2.5, 3.25, 4.5};
    double words = fmax((double)reading->flow.words, 1);
    double points =
        4.1 - 0.45 * log2(1 + stumbles(reading)) +
        0.05 * fmin(words / 80, 1) * within(variety(&reading->flow), -30, 15) +
        0.4 * within(log2(words / 60), -2, 4);

    if (reading->flow.said_again * 4 > reading->flow.rows && reading->flow.rows > 8)
        points -= 1.5;
    return at_most(climb(steps, points), length_limit(reading));
}

bool rubric_is_vague(const struct reading *reading)
{
    const struct cue_hits *cues = reading->answer.cues;
    size_t empty = 2 * cues[CUE_CLICHE].count + cues[CUE_VAGUE].count;

    return !reading->parts.number && reading->answer.own.count < 2 &&
           empty * 16 >= reading->answer.word_count;
}

/* Did it answer in the way it was asked: with a story, a plan, reasons, something about
 * oneself? */
static int fitting_manner(const struct reading *reading)
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
        return (parts->reason || parts->contrast) + (parts->example || parts->check);
    case ASKS_SELF: return parts->fit ? 2 : reading->answer.cues[CUE_OWN].count > 0;
    }
    return 0;
}

static double up_to(size_t count, size_t limit)
{
    return (double)(count < limit ? count : limit);
}

/* A follow-up is answered by giving what it asks for, in whatever words. */
static bool answers_reaction(const struct reading *reading)
{
    const struct parts *parts = &reading->parts;

    if (reading->no_answer != IS_ANSWER)
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

/* How much an answer says of one of the common questions. */
static double theme_strength(const struct answer *answer, enum theme theme)
{
    size_t own = answer->own.count, shared = answer->shared.count;
    double manner = 0;

    switch (theme) {
    case THEME_LEADERSHIP: manner = 1 + 2 * (own >= 2) + (own > shared); break;
    case THEME_TEAM: manner = 2 * (shared >= 2) + (shared >= own && shared > 0); break;
    case THEME_BACKGROUND:
    case THEME_WEAKNESS: manner = 2 * (own + shared <= 2); break;
    case THEME_HIRE: manner = own + shared <= 2 ? 1 : -2; break;
    case THEME_COUNT: break;
    }
    return 3 * up_to(answer->tells[theme], 6) + up_to(answer->hints[theme], 6) + manner;
}

/* How much is told, in doublings of what a sentence or two says. */
static double fullness(const struct reading *reading)
{
    return log2(fmax((double)reading->overlap.told, 6) / 6);
}

/* How much an answer has to say, and in how few words: what one on the point can have at best. */
static int substance_of_piece(const struct reading *reading)
{
    double told = fmax((double)reading->overlap.told, 6),
           words = fmax((double)reading->flow.words, 1);
    const ladder steps = {0, 0, fmin(1.2, 0.0125 * words), 2.5};
    int score = climb(steps, fmax(log2(told * sqrt(told / words) / 3), 0));

    return rubric_is_vague(reading) ? at_most(score, 4) : score;
}

/* How whole a long answer is beside others, in scores: more was said. */
static double surplus(const struct reading *reading)
{
    return 0.8 * within(log2((double)reading->flow.words / 300), 0, 2);
}

/* Of an answer of minutes the mean of its pieces: somewhere in so many words everything is found. */
static int score_in_pieces(const struct reading *reading,
                           int (*score)(const struct reading *reading))
{
    double sum = 0;

    if (reading->piece_count == 0)
        return score(reading);
    for (size_t i = 0; i < reading->piece_count; i++)
        sum += score(&reading->pieces[i]);
    return (int)within(sum / (double)reading->piece_count + surplus(reading) + 0.5, 1, 5);
}

static int substance(const struct reading *reading)
{
    return score_in_pieces(reading, substance_of_piece);
}

static double strength_of_own(const struct reading *reading)
{
    return theme_strength(&reading->answer, reading->asked.theme) +
           2 * up_to(reading->overlap.question, 2);
}

enum theme rubric_rival(const struct reading *reading)
{
    enum theme asked = reading->asked.theme, rival = THEME_COUNT;
    double best = asked == THEME_COUNT ? INFINITY : strength_of_own(reading);

    for (enum theme theme = 0; theme < THEME_COUNT; theme++) {
        double strength = theme_strength(&reading->answer, theme);

        if (theme != asked && strength > best) {
            best = strength;
            rival = theme;
        }
    }
    return rival;
}

/* A question about one trade, and an answer in the words of another; or spare time where work
 * was asked for. */
static bool is_beside_the_question(const struct reading *reading)
{
    const struct overlap *overlap = &reading->overlap;
    size_t at_home = overlap->family + overlap->role + overlap->topic + overlap->question;

    return (reading->asked.families != 0 && overlap->alien >= 3 &&
            overlap->question == 0 && overlap->alien > 2 * at_home) ||
           (overlap->leisure >= 3 && overlap->leisure > at_home);
}

/* Of a subject with many words, as a patient is, an answer that has none of them tells of something else. */
static bool misses_the_subject(const struct reading *reading)
{
    const struct bank_topic *topic = reading->asked.topic;
    const struct overlap *overlap = &reading->overlap;

    return topic != NULL && topic->words.count >= MANY_WORDS &&
           overlap->question + overlap->topic == 0;
}

/* Several deeds, or steps of a plan, in some detail; fewer where its words are at home here. */
static bool is_developed(const struct reading *reading, size_t at_home)
{
    size_t deeds = reading->answer.own.count + reading->answer.shared.count;
    size_t enough = at_home > 0 ? 2 : 3;

    return reading->flow.words >= 30 &&
           (deeds >= enough || (reading->asked.asks != ASKS_STORY &&
                                reading->answer.cues[CUE_PLAN].count >= enough));
}

/* The best that the manner of an answer allows: a story that was asked for has deeds, the candidate's
 * own; a view has reasons or examples. */
static int manner_limit(const struct reading *reading)
{
    if (reading->flow.words < 20)
        return 5;
    switch (reading->asked.asks) {
    case ASKS_STORY: return reading->parts.own_action ? 5 : reading->parts.action ? 4 : 2;
    case ASKS_EXPLAIN: return fitting_manner(reading) > 0 ? 5 : 2;
    case ASKS_PLAN:
    case ASKS_SELF: break;
    }
    return 5;
}

static int relevance_to_question(const struct reading *reading)
{
    const struct overlap *overlap = &reading->overlap;
    double common = 2 * up_to(overlap->question, 4) + 2 * up_to(overlap->topic, 3) +
                    1.5 * up_to(overlap->family, 3) + up_to(overlap->role, 3) +
                    0.5 * up_to(overlap->work, 4);
    double points = common > 0 ? common + fitting_manner(reading) : 0;
    static const ladder steps = {0, 2, 4.5, 7.5};
    size_t at_home = overlap->family + overlap->role + overlap->topic + overlap->question;
    int score = climb(steps, points);

    if (fitting_manner(reading) == 2 && reading->flow.words >= 20)
        score = at_least(
            score,
            at_home + overlap->work >= 3 || is_developed(reading, at_home) ? 4 : 3);
    else if (reading->flow.words >= 12)
        score = at_least(score, 3);
    score = at_most(score, manner_limit(reading));
    return is_beside_the_question(reading) || misses_the_subject(reading)
               ? at_most(score, 2)
               : at_most(score, substance(reading));
}

/* By what it says of its own question and of the other common ones; where it says little of any,
 * also by what is common to it and this question. */
static int relevance_to_theme(const struct reading *reading)
{
    enum theme other = rubric_rival(reading);
    double own = strength_of_own(reading);
    double rival = other == THEME_COUNT ? 0 : theme_strength(&reading->answer, other);
    int score = 2;

    if ((own >= 4 && own >= rival) || (own >= 10 && reading->piece_count > 0))
        score = substance(reading);
    else if (own >= 4 && own >= 0.8 * rival)
        score = substance(reading) - 1;
    else if (own >= 4 && own >= 0.5 * rival)
        score = at_most(substance(reading) - 2, 3);
    else if (own < 4 && rival >= 8)
        score = 1;
    if (own < 8 && rival < 8)
        score = at_least(score,
                         at_most(relevance_to_question(reading), own >= rival ? 4 : 3));
    return score;
}

static int score_relevance(const struct reading *reading)
{
    size_t words = reading->flow.words;
    int score = reading->asked.theme != THEME_COUNT ? relevance_to_theme(reading)
                                                    : relevance_to_question(reading);

    if (rubric_is_vague(reading))
        score = at_most(score, 3);
    if (answers_reaction(reading))
        score = at_least(score + 1, 4);
    if (words < 6)
        score = at_most(score, 2);
    else if (words < 12)
        score = at_most(score, 3);
    return at_most(score, 5);
}

/* A beginning: it says where this was, or takes up the question at once. */
static bool has_opening(const struct reading *reading)
{
    const struct overlap *overlap = &reading->overlap;

    return reading->parts.situation ||
           (overlap->shown_count > 0 && overlap->shown[0] < 15);
}

/* What an answer has, as points for its structure if it is meant as one of the kinds: of a story the
 * situation, the deeds and the result, and in that order; of a plan its steps; of a view the reasons; of
 * what is said about oneself what there is to show for it. */
static double points_as(const struct reading *reading, enum asks asks)
{
    static const struct {
        double start, opening, task, deeds, own, result, order, number, example, steps,
            reason, contrast, check, plan, fit;
    } weights[] = {
        [ASKS_STORY] = {0, 0.5, 0.5, 0.5, 1, 1.5, 0.5, 0.5, 0.5, 1, 0, 0, 0, 0, 0},
        [ASKS_PLAN] = {2.7, 0, 0, 0, 0, 0.5, 0, 0.3, 0.3, 1, 1, 1, 1, 1, 0},
        [ASKS_EXPLAIN] = {1, 0.5, 0, 0, 0, 0, 0, 0.5, 1, 0.5, 1.5, 1, 1, 0, 0},
        [ASKS_SELF] = {1, 0, 0, 0, 1, 0.5, 0, 0.5, 1, 0.5, 1, 0.5, 0, 0, 1},
    };
    const struct parts *parts = &reading->parts;
    const struct cue_hits *cues = reading->answer.cues;
    bool has_steps =
        parts->sequence || (asks == ASKS_STORY && reading->answer.own.count >= 3);

    return weights[asks].start + weights[asks].opening * has_opening(reading) +
           weights[asks].task * parts->task + weights[asks].deeds * parts->action +
           weights[asks].own * parts->own_action + weights[asks].result * parts->result +
           weights[asks].order * parts->in_order + weights[asks].number * parts->number +
           weights[asks].example * parts->example + weights[asks].steps * has_steps +
           weights[asks].reason * parts->reason +
           weights[asks].contrast * parts->contrast + weights[asks].check * parts->check +
           weights[asks].plan * log2(1 + up_to(cues[CUE_PLAN].count, 3)) +
           weights[asks].fit * log2(1 + up_to(cues[CUE_FIT].count, 3)) / 1.5;
}

/* What a short answer that is no story needs: a point, and one thing more. */
static int structure_of_short(const struct reading *reading)
{
    const struct parts *parts = &reading->parts;
    int more = parts->reason + parts->example + parts->contrast + parts->sequence +
               parts->check + parts->number + parts->own_action;

    if (reading->asked.asks == ASKS_STORY || reading->flow.words > 40 ||
        reading->flow.words < 10 || parts->trails_off || stumbles(reading) > 6)
        return 1;
    if (more == 0 || rubric_is_vague(reading))
        return 2;
    return more < 3 || reading->flow.words < 25 ? 3 : 4;
}

/* A story needs few words: what the candidate did and how it ended, and better where it was, too. */
static int structure_of_story(const struct reading *reading)
{
    const struct parts *parts = &reading->parts;

    if (!parts->own_action || !parts->result || reading->flow.words < 20)
        return 1;
    return parts->situation && !parts->trails_off && reading->flow.words >= 30 ? 4 : 3;
}

/* The kind that was asked for; another kind that was given well counts nearly as much. */
static int score_structure(const struct reading *reading)
{
    static const ladder steps = {2.2, 4.8, 7.6, 9.5};
    enum asks asks = reading->asked.asks;
    double points = fmax(points_as(reading, asks), points_as(reading, ASKS_STORY) - 1);
    int score;

    if (asks == ASKS_EXPLAIN) /* with what one would do */
        points = fmax(points, points_as(reading, ASKS_PLAN) - 1.7);
    points += 0.4 + 1.4 * fullness(reading) - 1.2 * reading->parts.trails_off -
              (rubric_is_vague(reading) ? 2 : 0);
    score = climb(steps, points);
    score = at_least(score, structure_of_short(reading));
    score = at_least(score, structure_of_story(reading));
    if (answers_reaction(reading))
        score = at_least(score, reading->flow.words >= 20 ? 5 : 4);
    return reading->flow.words < 10 ? at_most(score, 2) : score;
}

/* By fillers in a hundred words. */
static int score_filler_words(const struct reading *reading)
{
    static const ladder steps = {-12, -6, -2.7, -1};
    const struct fillers *fillers = &reading->fillers;
    double light = (double)(fillers->count - fillers->heavy);
    double rate = 100 * ((double)fillers->heavy + LIGHT_WEIGHT * light) /
                  fmax((double)reading->answer.word_count, 20);

    if (reading->flow.words < 6)
        return 3;
    if (fillers->count <= 1)
        return reading->flow.words >= 35 || fillers->count == 0 ? 5 : 4;
    return climb(steps, -rate);
}

/* "I don't know" is clear and honest at least; of the rest nothing but fillers could be judged. */
static int no_answer_score(enum no_answer no_answer, enum dimension dimension)
{
    switch (dimension) {
    case DIMENSION_CLARITY:
    case DIMENSION_RELEVANCE: return no_answer == IS_STUCK ? 2 : 1;
    case DIMENSION_FILLER_WORDS: return 2;
    case DIMENSION_STRUCTURE:
    case DIMENSION_COUNT: break;
    }
    return 1;
}

void rubric_score(const struct reading *reading, int *ret_scores)
{
    ret_scores[DIMENSION_CLARITY] = score_in_pieces(reading, score_clarity);
    ret_scores[DIMENSION_RELEVANCE] = score_relevance(reading);
    ret_scores[DIMENSION_STRUCTURE] = score_in_pieces(reading, score_structure);
    ret_scores[DIMENSION_FILLER_WORDS] = score_filler_words(reading);
    for (int dimension = 0; dimension < DIMENSION_COUNT; dimension++)
        if (reading->no_answer != IS_ANSWER)
            ret_scores[dimension] =
                no_answer_score(reading->no_answer, (enum dimension)dimension);
}

void rubric_apply(const struct reading *reading, const struct manner *manner,
                  struct rubric *ret_rubric)
{
    *ret_rubric = (struct rubric){0};
    rubric_score(reading, ret_rubric->scores);
    rubric_write_tips(reading, manner, ret_rubric);
}

static enum lack lack_of_story(const struct reading *reading)
{
    const struct parts *parts = &reading->parts;
    const struct answer *answer = &reading->answer;

    if (answer->word_count < 4)
        return LACK_WORDS;
    if (answer->word_count < 15 || (!parts->action && !parts->result) ||
        rubric_is_vague(reading))
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

    if (reading->is_foreign || reading->kind == ANSWER_KIND_SKIP ||
        answers_reaction(reading))
        return LACK_NOTHING;
    if (reading->no_answer != IS_ANSWER)
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
        if (words < 12 || rubric_is_vague(reading))
            return LACK_EXAMPLE;
        return LACK_NOTHING;
    }
    return LACK_NOTHING;
}
