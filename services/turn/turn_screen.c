/*
 * The filter's verdict on each text of a turn.
 */
#include "turn_internal.h"

#include "clock.h"
#include "private_reveal.h"
#include "words.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define REFUSAL_CHARACTERS     300 /* longest refusal of the model that is passed on */
#define REFUSAL_REPEATED_WORDS 5   /* so many words of the answer in a row are an echo */
#define SHORT_ANSWER_WORDS     30 /* of such an answer any word with content is an echo */
#define FORM_LETTERS           3  /* so many more has a form of a word, ... */
#define FORM_WORD_LETTERS      4  /* ... and of one that is shorter than this, one */

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
    turn->timings.us[TIMING_SAFETY] += clock_monotonic_us() - since_us;
    return verdict;
}

struct filter_verdict turn_screen_answer(struct turn *turn)
{
    int64_t since_us = clock_monotonic_us();
    struct filter_verdict verdict =
        filter_admit(turn->services->filter, &turn->request.transcript);

    turn->timings.us[TIMING_SAFETY] += clock_monotonic_us() - since_us;
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

/* Words that carry no content of their own, and so are no echo: articles, pronouns, prepositions,
 * conjunctions, auxiliaries, negations. */
static bool is_small_word(struct span word)
{
    static const char small[] =
        " a about all also am an and any are as at be because been but by can can't cannot could "
        "did do does doesn't don't for from had has have he her here him his how i i'd i'll i'm "
        "i've if in into is isn't it it's its just let let's may me more my no not of off on one "
        "or our out own please she should so some than that that's the their them then there "
        "these they this those to too up us very was we were what when where which while who why "
        "will with won't would yes you you're your ";
    char wanted[24];

    if (word.length + 2 >= sizeof(wanted))
        return false;
    wanted[0] = ' ';
    for (size_t at = 0; at < word.length; at++)
        wanted[at + 1] = (char)tolower((unsigned char)word.bytes[at]);
    wanted[word.length + 1] = ' ';
    return memmem(small, sizeof(small) - 1, wanted, word.length + 2) != NULL;
}

/* The same word, or one of its forms: "bomb", "bombs", "bombing"; "make", "making". */
static bool is_form_of(struct span one, struct span other)
{
    struct span stem = one.length < other.length ? one : other;
    size_t longer = one.length < other.length ? other.length : one.length;
    size_t most = stem.length < FORM_WORD_LETTERS ? 1 : FORM_LETTERS;

    if (longer - stem.length > most)
        return false;
    if (stem.length >= FORM_WORD_LETTERS && longer > stem.length &&
        tolower((unsigned char)stem.bytes[stem.length - 1]) == 'e')
        stem.length--;
    return strncasecmp(one.bytes, other.bytes, stem.length) == 0;
}

static bool shares_content(struct span words, struct span answer)
{
    struct span word, other;
    size_t at = 0;

    while (words_next(words, &at, &word)) {
        size_t there = 0;

        while (!is_small_word(word) && words_next(answer, &there, &other))
            if (is_form_of(word, other))
                return true;
    }
    return false;
}

static bool accuses(struct span words)
{
    struct span word;
    size_t at = 0;

    while (words_next(words, &at, &word))
        if (span_equals_ignoring_case(word, "flagged") ||
            span_equals_ignoring_case(word, "inappropriate"))
            return true;
    return false;
}

bool turn_refusal_is_calm(struct turn *turn)
{
    const struct private_text *text = &turn->reply.question;
    struct span words = private_reveal(text);
    struct span answer = private_reveal(&turn->request.transcript);

    return !private_text_is_empty(text) &&
           private_text_characters(text) <= REFUSAL_CHARACTERS &&
           turn_screen(turn, text).outcome == FILTER_PASS && !accuses(words) &&
           !words_share_run(words, answer, REFUSAL_REPEATED_WORDS) &&
           (words_count(answer) > SHORT_ANSWER_WORDS || !shares_content(words, answer));
}

bool turn_summary_is_safe(struct turn *turn, const struct summary *summary)
{
    bool is_safe = turn_screen(turn, &summary->overall_assessment).outcome == FILTER_PASS;

    for (size_t at = 0; is_safe && at < SUMMARY_MAX_LINES; at++)
        is_safe = turn_screen(turn, &summary->strengths[at]).outcome == FILTER_PASS &&
                  turn_screen(turn, &summary->improvements[at]).outcome == FILTER_PASS &&
                  turn_screen(turn, &summary->actions[at]).outcome == FILTER_PASS;
    return is_safe;
}
