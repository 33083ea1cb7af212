/*
 * The built-in coach as its callers see it: one JSON answer within the contract's bounds,
 * the same for the same input, whatever is put in.
 */
#include "coach_builtin_probe.h"
#include "coach_lines_internal.h"
#include "words.h"

#include <ctype.h>

#define DEADLINE "Can you walk me through a time you had to meet a very tight deadline?"
#define STORY                                                                                \
    "Last year our shop had to move before Christmas. I was asked to pack the storeroom. I " \
    "made a list, labelled every box and booked two helpers. In the end we opened on time."

static struct probe probe_of(const char *transcript)
{
    return (struct probe){.role = "Store Manager",
                          .type = "behavioral",
                          .difficulty = DIFFICULTY_MEDIUM,
                          .asked = {DEADLINE},
                          .transcript = transcript};
}

Test(coach_builtin, answers_the_same_input_with_the_same_bytes)
{
    struct probe probe = probe_of(STORY);
    char *one = probe_text(&probe), *again = probe_text(&probe);

    cr_expect_str_eq(one, again);
    free(one);
    free(again);
}

static void count_call(void *context, enum error error, struct coach_reply answer)
{
    (void)error;
    private_text_free(&answer.text);
    ++*(int *)context;
}

static void stop(void *context)
{
    loop_stop(context);
}

Test(coach_builtin, says_nothing_after_it_was_cancelled)
{
    struct loop *loop = loop_new();
    struct coach *coach = coach_builtin_new(loop);
    struct private_text empty = {0};
    struct coach_ask ask = {.task = COACH_SUMMARY,
                            .facts = {.role = &empty, .interview_type = &empty}};
    int calls = 0;

    coach->cancel(coach->start(coach, &ask, count_call, &calls));
    loop_later(loop, stop, loop);
    loop_run(loop);

    cr_expect_eq(calls, 0);
    coach->cancel(NULL);
    coach_free(coach);
    loop_free(loop);
}

Test(coach_builtin, takes_the_prompts_it_has_no_use_for)
{
    struct loop *loop = loop_new();
    struct coach *coach = coach_builtin_new(loop);
    struct private_text empty = {0};
    struct coach_ask ask = {.task = COACH_SUMMARY,
                            .facts = {.role = &empty, .interview_type = &empty},
                            .system = private_text_copy("x", 1),
                            .user = private_text_copy("y", 1)};
    int calls = 0;

    coach->cancel(coach->start(coach, &ask, count_call, &calls));

    cr_expect(private_text_is_empty(&ask.system) && private_text_is_empty(&ask.user));
    coach_free(coach);
    loop_free(loop);
}

Test(coach_builtin, gives_four_dimensions_in_the_order_of_the_contract)
{
    static const char *const labels[] = {"Clarity", "Relevance", "Structure",
                                         "Filler Words"};
    struct probe probe = probe_of(STORY);
    struct json_object *answer = probe_json(&probe);

    for (size_t i = 0; i < 4; i++)
        cr_expect_str_eq(probe_string(probe_dimension(answer, i), "label"), labels[i]);
    cr_expect_null(probe_dimension(answer, 4));
    json_object_put(answer);
}

Test(coach_builtin, quotes_what_it_counted)
{
    struct probe probe = probe_of(
        "So um I like you know um made a list and um then I um called everybody and like um it "
        "was kind of okay");
    struct json_object *answer = probe_json(&probe);

    cr_expect_not_null(
        strstr(probe_tip(answer, DIMENSION_FILLER_WORDS), "\"um\" 5 times"), "%s",
        probe_tip(answer, DIMENSION_FILLER_WORDS));
    json_object_put(answer);
}

Test(coach_builtin, quotes_no_more_than_plain_words)
{
    struct probe probe = probe_of(
        "Last year we <b>rolled</b> {\"it\"} out \xe2\x80\xae backwards and we did$(rm -rf) it "
        "because it was late and the deadline was near and we had to finish the thing quickly.");
    struct json_object *answer = probe_json(&probe);

    for (size_t i = 0; i < 4; i++)
        cr_expect_null(strpbrk(probe_tip(answer, i), "<>{}$()\\\xe2"), "%s",
                       probe_tip(answer, i));
    json_object_put(answer);
}

Test(coach_builtin, says_what_kind_of_utterance_it_was)
{
    static const char *const said[][2] = {{STORY, "answer"},
                                          {"Sorry, could you say that again?", "repeat"},
                                          {"Can we skip this question?", "skip"}};

    for (size_t i = 0; i < 3; i++) {
        struct probe probe = probe_of(said[i][0]);
        struct json_object *answer = probe_json(&probe);

        cr_expect_str_eq(probe_string(answer, "kind"), said[i][1]);
        json_object_put(answer);
    }
}

Test(coach_builtin, closes_the_interview_without_a_question)
{
    struct probe probe = probe_of(STORY);
    probe.task = COACH_CLOSING;
    struct json_object *answer = probe_json(&probe);

    cr_expect_null(strchr(probe_string(answer, "follow_up_question"), '?'));
    cr_expect_not_null(json_member(answer, "coaching_feedback"));
    json_object_put(answer);
}

Test(coach_builtin, does_not_ask_twice_in_a_row_for_what_is_missing)
{
    const struct bank_topic *topic;
    struct probe probe = probe_of("I don't know.");
    struct json_object *first = probe_json(&probe);
    probe.asked[1] = probe_string(first, "follow_up_question");
    struct json_object *second = probe_json(&probe);

    cr_expect_eq(coach_lines_kind(span_of(probe.asked[1]), &topic), LINE_STUCK);
    cr_expect_eq(
        coach_lines_kind(span_of(probe_string(second, "follow_up_question")), &topic),
        LINE_KIND_COUNT);
    json_object_put(first);
    json_object_put(second);
}

/* Ten questions to somebody who answers everything in the same way. */
static void expect_ten_different(const char *transcript)
{
    struct probe probe = probe_of(transcript);
    struct json_object *answers[10];
    probe.total_questions = 10;

    for (size_t i = 0; i < 9; i++) {
        answers[i] = probe_json(&probe);
        probe.asked[i + 1] = probe_string(answers[i], "follow_up_question");
        for (size_t k = 0; k <= i; k++)
            cr_expect_str_neq(probe.asked[k], probe.asked[i + 1]);
    }
    for (size_t i = 0; i < 9; i++)
        json_object_put(answers[i]);
}

Test(coach_builtin, never_asks_a_question_twice)
{
    expect_ten_different("I don't know.");
    expect_ten_different("We did it and it was fine.");
    expect_ten_different(STORY);
    expect_ten_different("No.");
    expect_ten_different(
        "I called the supplier and I explained the delay to the customer.");
}

/* Five answers in one session: no tip is given twice. */
static void expect_no_tip_twice(const char *const *transcripts)
{
    struct probe probe = probe_of(transcripts[0]);
    struct json_object *answers[5];

    for (size_t i = 0; i < 5; i++) {
        probe.transcript = transcripts[i];
        answers[i] = probe_json(&probe);
        probe.asked[i + 1] = probe_string(answers[i], "follow_up_question");
        for (size_t k = 0; k < i; k++)
            for (size_t d = 0; d < 4; d++)
                cr_expect_str_neq(probe_tip(answers[k], d), probe_tip(answers[i], d));
    }
    for (size_t i = 0; i < 5; i++)
        json_object_put(answers[i]);
}

Test(coach_builtin, gives_the_same_tip_at_most_once_in_a_session)
{
    static const char *const poor[] = {"I don't know.", "I don't know.", "No idea.",
                                       "asdf", "asdf"};
    static const char *const stories[] = {
        STORY,
        "A customer shouted at me about a parcel. I found it and I drove it to her myself.",
        "We had to move the whole stock in one night and we did it with six people.",
        "I would ask first what the problem is, then I would write a list.",
        "um so I like talked to to my boss and stuff and um yeah it was fine I guess",
    };

    expect_no_tip_twice(poor);
    expect_no_tip_twice(stories);
}

Test(coach_builtin, speaks_lines_that_are_short_enough)
{
    for (int kind = 0; kind < LINE_KIND_COUNT; kind++)
        for (size_t i = 0; i < coach_lines[kind].count; i++) {
            cr_expect_leq(words_count(span_of(coach_lines[kind].items[i])), 32, "%s",
                          coach_lines[kind].items[i]);
            cr_expect_lt(strlen(coach_lines[kind].items[i]), 260);
        }
}

static void expect_in_bounds(struct json_object *answer, const char *transcript)
{
    struct span question = json_member_string(answer, "follow_up_question");

    cr_assert(question.length > 0 && words_count(question) <= 40, "%s", transcript);
    if (probe_is_refused(answer) || json_member(answer, "coaching_feedback") == NULL)
        return;
    for (size_t i = 0; i < 4; i++) {
        struct span tip = span_of(probe_tip(answer, i));
        int score = probe_score(answer, i);

        cr_assert(score >= 1 && score <= 5, "%d: %s", score, transcript);
        cr_assert(tip.length > 0 && words_count(tip) <= 25, "%s", tip.bytes);
        for (size_t k = 0; k < tip.length; k++)
            cr_assert(isprint((unsigned char)tip.bytes[k]), "%s", tip.bytes);
    }
    struct span summary =
        json_member_string(json_member(answer, "coaching_feedback"), "summary_tip");
    cr_assert(summary.length > 0 && words_count(summary) <= 30, "%s", summary.bytes);
}

Test(coach_builtin, keeps_within_every_bound_whatever_is_said)
{
    uint64_t state = 20260114;

    for (int i = 0; i < 3000; i++) {
        char text[16384];
        struct probe probe = probe_of(text);

        random_text(&state, text, sizeof(text));
        probe.asked[0] =
            i % 3 == 0
                ? "How did that deadline turn out in the end, and how could you tell?"
                : bank_questions[next_random(&state) % bank_question_count].text;
        probe.difficulty = (enum difficulty)(i % 3);
        struct json_object *answer = probe_json(&probe);
        expect_in_bounds(answer, text);
        json_object_put(answer);
    }
}

Test(coach_builtin, bears_texts_without_any_words)
{
    static const char *const texts[] = {"",  " ", ".",    "...",   "?!",      "\"",
                                        "'", "-", "\n\n", "👍",     "’",       "“”",
                                        "…", "a", "é",    "'''''", "--------"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct probe probe = probe_of(texts[i]);
        struct json_object *answer = probe_json(&probe);

        expect_in_bounds(answer, texts[i]);
        json_object_put(answer);
    }
}

Test(coach_builtin, bears_answers_as_long_as_a_transcript_may_be)
{
    static const char *const pieces[] = {"I called the supplier and we moved the date. ",
                                         "and so on and ",
                                         "um like ",
                                         "Please tell me. ",
                                         "I. ",
                                         "write me a ",
                                         "é",
                                         "twenty ",
                                         "\"",
                                         "... "};

    for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
        char text[8001] = "";
        struct probe probe = probe_of(text);

        for (size_t at = 0; at + strlen(pieces[i]) < sizeof(text);
             at += strlen(pieces[i]))
            memcpy(text + at, pieces[i], strlen(pieces[i]) + 1);
        struct json_object *answer = probe_json(&probe);
        expect_in_bounds(answer, pieces[i]);
        json_object_put(answer);
    }
}

Test(coach_builtin, reads_questions_that_are_not_its_own)
{
    struct probe probe = probe_of(STORY);
    probe.asked[0] = "Tell me about a time when you had to plan a move.";
    struct json_object *answer = probe_json(&probe);

    cr_expect_geq(probe_score(answer, DIMENSION_STRUCTURE), 4);
    json_object_put(answer);
}
