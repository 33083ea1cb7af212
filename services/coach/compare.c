/*
 * Another attempt at a question beside the one before: what is there now that was not, what is gone,
 * and how the scores moved.  It takes the place of the advice, of which there was enough by then.
 */
#include "rubric_internal.h"

#include "span.h"
#include "words.h"

#include <stdio.h>
#include <string.h>

enum { FILLERS_TOLD = 2, WORDS_TOLD = 20, CHANGES_MOST = 2, TIP_WORDS = 25 };

/* Something that an answer has or has not. */
struct trait {
    bool was, is;
    const char *gained, *lost;
};

/* Up to two of what was gained, or of what was lost. */
struct changes {
    char texts[CHANGES_MOST][TIP_BYTES / 4];
    size_t count;
};

static void note(struct changes *changes, const char *text)
{
    if (changes->count < CHANGES_MOST)
        snprintf(changes->texts[changes->count++], sizeof(changes->texts[0]), "%s", text);
}

static void note_fillers(size_t before, size_t now, struct changes *gains,
                         struct changes *losses)
{
    char text[TIP_BYTES / 4];

    if (before >= now + FILLERS_TOLD) {
        snprintf(text, sizeof(text), "%zu filler words instead of %zu", now, before);
        note(gains, text);
    } else if (now >= before + FILLERS_TOLD) {
        snprintf(text, sizeof(text), "%zu filler words where there were %zu", now,
                 before);
        note(losses, text);
    }
}

static void find_changes(const struct reading *before, const struct reading *now,
                         struct changes *gains, struct changes *losses)
{
    const struct parts *was = &before->parts, *is = &now->parts;
    const size_t words_before = before->flow.words, words_now = now->flow.words;
    const struct trait traits[] = {
        {was->result, is->result, "you say what came of it",
         "what came of it is missing"},
        {was->own_action, is->own_action, "you say what you did yourself",
         "your own part is missing"},
        {was->number, is->number, "you give a figure", "the figure is gone"},
        /* The same one told without "for example" is not gone. */
        {was->example, is->example, "you give an example", NULL},
        {was->situation, is->situation, "you say where it was",
         "where it was is not said"},
        {was->reason, is->reason, "you give a reason", "the reason is gone"},
        {words_before >= WORDS_TOLD, words_now >= WORDS_TOLD, "you say more",
         "it is very short"},
    };

    for (size_t i = 0; i < sizeof(traits) / sizeof(*traits); i++) {
        if (traits[i].is && !traits[i].was)
            note(gains, traits[i].gained);
        if (traits[i].was && !traits[i].is && traits[i].lost != NULL)
            note(losses, traits[i].lost);
    }
    note_fillers(before->fillers.count, now->fillers.count, gains, losses);
}

/* "Up from 2. " before the tip of a score that moved, where there is room. */
static void mark_tip(char *tip, int before, int now)
{
    char marked[TIP_BYTES + 16];

    snprintf(marked, sizeof(marked), "%s from %d. %s", now > before ? "Up" : "Down",
             before, tip);
    if (now != before && strlen(marked) < TIP_BYTES &&
        words_count(span_of(marked)) <= TIP_WORDS)
        memcpy(tip, marked, strlen(marked) + 1);
}

static int sum_of(const int *scores)
{
    int sum = 0;

    for (int dimension = 0; dimension < DIMENSION_COUNT; dimension++)
        sum += scores[dimension];
    return sum;
}

/* First what the scores went by; `is_worse`: they fell. */
static size_t say_changes(const struct changes *gains, const struct changes *losses,
                          bool is_worse, char *text)
{
    const char *gained = gains->count > 0 ? gains->texts[0] : "";
    const char *lost = losses->count > 0 ? losses->texts[0] : "";
    int length;

    if (gains->count > 0 && losses->count > 0)
        length = is_worse ? snprintf(text, TIP_BYTES,
                                     "Not as strong as before: %s. Better, though: %s.",
                                     lost, gained)
                          : snprintf(text, TIP_BYTES, "Better than before: %s. But %s.",
                                     gained, lost);
    else if (gains->count > 0)
        length = snprintf(text, TIP_BYTES, "Better than before: %s%s%s.", gained,
                          gains->count > 1 ? ", and " : "",
                          gains->count > 1 ? gains->texts[1] : "");
    else if (losses->count > 0)
        length = snprintf(text, TIP_BYTES, "Not as strong as before: %s.", lost);
    else
        length = snprintf(text, TIP_BYTES, "Much the same answer as before.");
    return (size_t)length;
}

void rubric_compare(const struct reading *before, const struct reading *now,
                    const struct coach_turn *previous, struct rubric *rubric)
{
    struct changes gains = {.count = 0}, losses = {.count = 0};
    int sum = sum_of(rubric->scores), sum_before = sum_of(previous->scores);
    size_t length;

    if (now->no_answer != IS_ANSWER || now->is_foreign || before->is_foreign)
        return;
    if (before->no_answer != IS_ANSWER)
        note(&gains, "this time you answered");
    else
        find_changes(before, now, &gains, &losses);
    length = say_changes(&gains, &losses, previous->is_scored && sum < sum_before,
                         rubric->summary_tip);
    if (!previous->is_scored)
        return;
    for (int dimension = 0; dimension < DIMENSION_COUNT; dimension++)
        mark_tip(rubric->tips[dimension], previous->scores[dimension],
                 rubric->scores[dimension]);
    snprintf(rubric->summary_tip + length, TIP_BYTES - length,
             " Your scores: %d of 20, after %d.", sum, sum_before);
}
