/*
 * The tip for an answer's structure: the part that is missing, named beside the part that
 * is there.
 */
#include "tips_internal.h"

static void tip_story(const struct reading *reading, int score, char *tip);
static void tip_plan(const struct reading *reading, int score, char *tip);
static void tip_explanation(const struct reading *reading, int score, char *tip);
static void tip_oneself(const struct reading *reading, int score, char *tip);

void tips_structure(const struct reading *reading, int score, char *tip)
{
    bool is_story = reading->asked.asks == ASKS_STORY;

    if (reading->is_stuck)
        SAY(tip,
            "When nothing comes to mind: name a situation, one thing you did, and how it "
            "ended.");
    else if (reading->is_noise)
        SAY(tip, "Try three sentences: the situation, what you did, how it ended.");
    else if (reading->asked.reaction != LINE_KIND_COUNT && !is_story && score >= 4)
        SAY(tip, "A direct answer to a direct question. Good.");
    else if (reading->asked.reaction == LINE_OUTCOME && score >= 4)
        SAY(tip, "%s",
            reading->parts.number
                ? "Good: the outcome, with a figure to hold on to."
                : "Good: now the outcome is clear. A figure would make it stronger still.");
    else if (reading->asked.reaction == LINE_OWN_PART && score >= 4)
        SAY(tip, "Good: now your own part is clear. End with what it led to.");
    else if (is_story || (reading->parts.own_action && reading->parts.result))
        tip_story(reading, score, tip);
    else if (reading->asked.asks == ASKS_PLAN)
        tip_plan(reading, score, tip);
    else if (reading->asked.asks == ASKS_EXPLAIN)
        tip_explanation(reading, score, tip);
    else
        tip_oneself(reading, score, tip);
}

/* "we rolled it out": which part was yours? */
static void tip_own_part(const struct answer *answer, char *tip)
{
    char quote[QUOTE_BYTES];

    if (answer_quote(answer, answer->shared.first, QUOTED_WORDS, quote, sizeof quote))
        SAY(tip, "You said \"%s\". Say which part was yours: what did you do yourself?",
            quote);
    else
        SAY(tip, "You said \"we\" throughout. Say which part was yours, with \"I\".");
}

static void tip_missing_result(const struct answer *answer, char *tip)
{
    char quote[QUOTE_BYTES];

    if (answer->own.count > 0 &&
        answer_quote(answer, answer->own.last, QUOTED_WORDS, quote, sizeof quote))
        SAY(tip,
            "\"%s\" shows what you did. Close with the result: what changed, and by how much?",
            quote);
    else
        SAY(tip,
            "The ending is missing. Close with the result: what changed, and by how much?");
}

static void tip_whole_story(const struct reading *reading, char *tip)
{
    const struct cue_hits *result = &reading->answer.cues[CUE_RESULT];
    char quote[QUOTE_BYTES];

    if (result->count > 0 && result->last * 5 >= reading->answer.word_count * 3 &&
        answer_quote(&reading->answer, result->last, QUOTED_WORDS, quote, sizeof quote))
        SAY(tip,
            "A clear line from the start to the result, and \"%s\" makes the ending concrete.",
            quote);
    else
        SAY(tip, "A clear line from the situation to what you did and how it ended.");
}

static void tip_story(const struct reading *reading, int score, char *tip)
{
    const struct parts *parts = &reading->parts;

    if (!parts->action)
        SAY(tip,
            "Tell one real event step by step: where it was, what you did, how it ended.");
    else if (!parts->own_action)
        tip_own_part(&reading->answer, tip);
    else if (!parts->result)
        tip_missing_result(&reading->answer, tip);
    else if (!parts->situation)
        SAY(tip,
            "Good action and result. Open with one sentence on where and when this was.");
    else if (score == 5)
        tip_whole_story(reading, tip);
    else if (!parts->task)
        SAY(tip,
            "The story holds together. Add what you had to achieve, so that the result weighs "
            "more.");
    else
        SAY(tip,
            "All the parts are there. A little more on what you did would carry the story.");
}

static void tip_plan(const struct reading *reading, int score, char *tip)
{
    const struct parts *parts = &reading->parts;

    if (score == 5)
        SAY(tip,
            "Clear steps with reasons behind them. That is what an interviewer listens for.");
    else if (!parts->sequence)
        SAY(tip,
            "Put your steps in order: what first, what next, and what if that fails?");
    else if (!parts->reason)
        SAY(tip, "The steps are clear. Add a \"because\" to the one that matters most.");
    else
        SAY(tip, "Good reasoning. Say also how you would check that it worked.");
}

static void tip_explanation(const struct reading *reading, int score, char *tip)
{
    const struct parts *parts = &reading->parts;

    if (score == 5)
        SAY(tip, "Well built: a point, the reason for it and something to hold on to.");
    else if (!parts->example)
        SAY(tip, "Add one example from your own work; it makes the idea stick.");
    else if (!parts->reason)
        SAY(tip,
            "The example helps. Add a sentence with \"because\" to say why it is so.");
    else
        SAY(tip,
            "Solid. Say also when you would do it differently; that shows judgement.");
}

static void tip_oneself(const struct reading *reading, int score, char *tip)
{
    const struct parts *parts = &reading->parts;

    if (score == 5)
        SAY(tip,
            "Well built: who you are, something to show for it, and where it leads.");
    else if (!parts->own_action && !parts->example)
        SAY(tip,
            "Back it up with one thing you did; a claim with an example is believed.");
    else if (!parts->reason)
        SAY(tip,
            "Add a \"because\": why that matters to you, and why it fits this role.");
    else
        SAY(tip, "Good. End by linking it to this role in one sentence.");
}
