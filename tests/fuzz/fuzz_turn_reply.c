/*
 * The parsers of the model's answers: no input may crash them, and what they let through
 * keeps the contract's bounds.
 */
#include "fuzz.h"
#include "private_reveal.h"
#include "reply_internal.h"
#include "utf8.h"
#include "words.h"

#include <math.h>

static void check_text(const struct private_text *text, size_t max_words)
{
    struct span span = private_reveal(text);

    must(utf8_is_valid(span.bytes, span.length) && !private_text_is_blank(text));
    must(words_count(span) <= max_words);
}

/* Averages lie between the scores that they are of, and have two decimals. */
static void check_averages(struct span scores)
{
    struct coach_turn turns[8] = {{.is_scored = false}};
    double average;

    for (size_t i = 0; i < 8 && i < scores.length; i++) {
        turns[i].is_scored = scores.bytes[i] & 8;
        for (int at = 0; at < DIMENSION_COUNT; at++)
            turns[i].scores[at] = (scores.bytes[i] >> at & 3) + 1;
    }
    for (int at = 0; at < DIMENSION_COUNT; at++)
        if (summary_average(turns, 8, (enum dimension)at, &average))
            must(average >= 1 && average <= 5 &&
                 fabs(average * 100 - round(average * 100)) < 1e-6);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct private_text text = private_text_copy((const char *)bytes, length);
    struct summary summary = {.strength_count = 0};
    struct reply reply;

    if (!private_text_is_valid(&text)) {
        private_text_free(&text); /* what is no UTF-8 never gets as far as here */
        return 0;
    }
    reply_parse(&text, &reply);
    if (reply.feedback_state == FEEDBACK_GOOD) {
        for (int at = 0; at < DIMENSION_COUNT; at++) {
            must(reply.feedback.scores[at] >= 1 && reply.feedback.scores[at] <= 5);
            check_text(&reply.feedback.tips[at], REPLY_TIP_WORDS);
        }
        check_text(&reply.feedback.summary_tip, REPLY_SUMMARY_TIP_WORDS);
    }
    reply_free(&reply);
    if (summary_parse(&text, &summary)) {
        must(summary.strength_count >= 1 && summary.strength_count <= 3);
        must(summary.action_count <= 4);
        for (size_t i = 0; i < summary.strength_count; i++)
            check_text(&summary.strengths[i], 20);
        for (size_t i = 0; i < summary.improvement_count; i++)
            check_text(&summary.improvements[i], 20);
        for (size_t i = 0; i < summary.action_count; i++)
            check_text(&summary.actions[i], 25);
        check_text(&summary.overall_assessment, 60);
    }
    summary_free(&summary);
    check_averages(private_reveal(&text));
    private_text_free(&text);
    return 0;
}
