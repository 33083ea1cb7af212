/*
 * The filter's verdict on each text of a turn.
 */
#include "turn_internal.h"

#include "clock.h"
#include "private_reveal.h"
#include "words.h"

#define REFUSAL_CHARACTERS     300 /* longest refusal of the model that is passed on */
#define REFUSAL_REPEATED_WORDS 5   /* so many words of the answer in a row are an echo */

struct filter_verdict turn_screen(struct turn *turn, const struct private_text *text)
{
    struct filter_verdict passed = {.outcome = FILTER_PASS};
    struct span span = private_reveal(text);
    struct filter_verdict verdict;
    int64_t since_us;

    if (turn->services->filter == NULL || span.length == 0)
        return passed;
    since_us = clock_monotonic_us();
    verdict = filter_check(turn->services->filter, span.bytes, span.length);
    turn->timings.safety_us += clock_monotonic_us() - since_us;
    return verdict;
}

struct filter_verdict turn_screen_answer(struct turn *turn)
{
    int64_t since_us = clock_monotonic_us();
    struct filter_verdict verdict =
        filter_admit(turn->services->filter, &turn->request.transcript);

    turn->timings.safety_us += clock_monotonic_us() - since_us;
    return verdict;
}

struct filter_verdict turn_screen_feedback(struct turn *turn)
{
    struct filter_verdict verdict = {.outcome = FILTER_PASS};

    if (turn->reply.feedback_state != FEEDBACK_GOOD)
        return verdict;
    for (int at = 0; at < DIMENSION_COUNT && verdict.outcome == FILTER_PASS; at++)
        verdict = turn_screen(turn, &turn->reply.feedback.tips[at]);
    if (verdict.outcome == FILTER_PASS)
        verdict = turn_screen(turn, &turn->reply.feedback.summary_tip);
    return verdict;
}

void turn_check_quotes(struct turn *turn)
{
    struct span answer = private_reveal(&turn->request.transcript);

    for (int at = 0; at < DIMENSION_COUNT; at++) {
        struct private_text *quote = &turn->reply.feedback.quotes[at];
        struct span words = private_reveal(quote), word;
        size_t count = 0, offset = 0;

        while (words_next(words, &offset, &word))
            count++;
        if (count == 0 || !words_share_run(words, answer, count))
            private_text_free(quote);
    }
}

bool turn_refusal_is_calm(struct turn *turn)
{
    const struct private_text *words = &turn->reply.question;

    return !private_text_is_empty(words) &&
           private_text_characters(words) <= REFUSAL_CHARACTERS &&
           turn_screen(turn, words).outcome == FILTER_PASS &&
           !words_share_run(private_reveal(words),
                            private_reveal(&turn->request.transcript),
                            REFUSAL_REPEATED_WORDS);
}

bool turn_summary_is_safe(struct turn *turn)
{
    const struct summary *summary = &turn->summary;
    bool is_safe = turn_screen(turn, &summary->overall_assessment).outcome == FILTER_PASS;

    for (size_t at = 0; is_safe && at < SUMMARY_MAX_LINES; at++)
        is_safe = turn_screen(turn, &summary->strengths[at]).outcome == FILTER_PASS &&
                  turn_screen(turn, &summary->improvements[at]).outcome == FILTER_PASS &&
                  turn_screen(turn, &summary->actions[at]).outcome == FILTER_PASS;
    return is_safe;
}
