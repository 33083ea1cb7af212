/*
 * The model's answer: parsed leniently, judged strictly.
 */
#include "private_reveal.h"
#include "reply_internal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define TIP "\"tip\":\"Say it shorter.\""
#define DIMENSIONS                                \
    "[{\"label\":\"Clarity\",\"score\":4," TIP    \
    "},{\"label\":\"Relevance\",\"score\":5," TIP \
    "},{\"label\":\"Structure\",\"score\":3," TIP \
    "},{\"label\":\"Filler Words\",\"score\":2," TIP "}]"
#define FEEDBACK          "{\"dimensions\":" DIMENSIONS ",\"summary_tip\":\"Name the result.\"}"
#define QUESTION          "\"follow_up_question\":\"What happened next?\""
#define TWENTY_FIVE_WORDS "a b c d e f g h i j k l m n o p q r s t u v w x y"

static struct reply parse(const char *text)
{
    struct private_text private = private_text_copy(text, strlen(text));
    struct reply reply;

    reply_parse(&private, &reply);
    private_text_free(&private);
    return reply;
}

static void expect_question(const char *text, const char *question)
{
    struct reply reply = parse(text);

    cr_expect_str_eq(private_reveal(&reply.question).bytes, question, "of %s", text);
    cr_expect_not(reply.is_refused);
    reply_free(&reply);
}

static void expect_feedback(const char *feedback, enum feedback_state state)
{
    char text[4096];
    struct reply reply;

    snprintf(text, sizeof(text),
             "{\"refused\":false," QUESTION ",\"coaching_feedback\":%s}", feedback);
    reply = parse(text);
    cr_expect_eq(reply.feedback_state, state, "of %s", feedback);
    cr_expect_str_eq(private_reveal(&reply.question).bytes, "What happened next?");
    reply_free(&reply);
}

static bool is_refused(const char *value)
{
    char text[512];
    struct reply reply;
    bool refused;

    snprintf(text, sizeof(text), "{\"refused\":%s," QUESTION "}", value);
    reply = parse(text);
    refused = reply.is_refused;
    reply_free(&reply);
    return refused;
}

Test(reply, a_whole_answer_is_read)
{
    struct reply reply =
        parse("{\"refused\":false," QUESTION ",\"coaching_feedback\":" FEEDBACK "}");

    cr_expect_eq(reply.feedback_state, FEEDBACK_GOOD);
    cr_expect_eq(reply.feedback.scores[DIMENSION_CLARITY], 4);
    cr_expect_eq(reply.feedback.scores[DIMENSION_FILLER_WORDS], 2);
    cr_expect_str_eq(private_reveal(&reply.feedback.summary_tip).bytes,
                     "Name the result.");
    reply_free(&reply);
}

Test(reply, the_question_is_found_however_the_model_wraps_it)
{
    expect_question("{" QUESTION "}", "What happened next?");
    expect_question("  \n{" QUESTION ",\"unknown\":[1,{\"x\":null}]}\n ",
                    "What happened next?");
    expect_question("```json\n{" QUESTION "}\n```", "What happened next?");
    expect_question("```\n{" QUESTION "}", "What happened next?");
    expect_question("Sure, here it is:\n{" QUESTION "}", "What happened next?");
    expect_question("Sure:\n```json\n{" QUESTION "}\n```\nGood luck!",
                    "What happened next?");
    expect_question("{\"follow_up_question\":\"  Why?\\n \"}", "Why?");
    expect_question("What did you learn?", "What did you learn?");
    expect_question("Use {braces} how?", "Use {braces} how?");
}

Test(reply, of_a_cut_off_answer_what_is_complete_is_used)
{
    expect_question("{" QUESTION
                    ",\"coaching_feedback\":{\"dimensions\":[{\"label\":\"Cla",
                    "What happened next?");
    expect_question("{" QUESTION ",\"coaching", "What happened next?");
    expect_question("{" QUESTION, "What happened next?");
    expect_question("{\"refused\":false,\"follow_up_question\":\"What happ", "");
    expect_question("```json\n{" QUESTION ",\"x\":12", "What happened next?");
    expect_question("{\"a\":\"\\\"}\"," QUESTION ",\"b\":tr", "What happened next?");
}

Test(reply, what_is_no_question_is_none)
{
    expect_question("", "");
    expect_question("   ", "");
    expect_question("{}", "");
    expect_question("{\"follow_up_question\":7}", "");
    expect_question("{\"follow_up_question\":\"  \"}", "");
    expect_question("{\"follow_up_question\":null}", "");
    expect_question("[1,2,3]", "");
    expect_question("{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{", "");
    expect_question("{\"follow_up_question\":\"a\\u0000b\"}", "");
}

Test(reply, only_true_and_the_word_true_refuse)
{
    cr_expect(is_refused("true"));
    cr_expect(is_refused("\"true\""));
    cr_expect(is_refused("\"TRUE\""));
    cr_expect(is_refused("\"True\""));
    cr_expect_not(is_refused("false"));
    cr_expect_not(is_refused("1"));
    cr_expect_not(is_refused("\"yes\""));
    cr_expect_not(is_refused("\" true\""));
    cr_expect_not(is_refused("[true]"));
    cr_expect_not(is_refused("null"));
}

Test(reply, of_two_verdicts_the_graver_one_counts)
{
    cr_expect(is_refused("true,\"refused\":false"));
    cr_expect(is_refused("false,\"refused\":true"));
    cr_expect(is_refused("true,\"refused\":false,\"x\":nothing"));
}

Test(reply, what_was_said_before_the_text_went_wrong_stands)
{
    struct reply reply = parse("{\"refused\":false,\"kind\":\"repeat\"," QUESTION
                               ",\"coaching_feedback\":{]}");

    cr_expect_eq(reply.kind, ANSWER_KIND_REPEAT);
    cr_expect_eq(reply.feedback_state, FEEDBACK_INVALID);
    cr_expect_str_eq(private_reveal(&reply.question).bytes, "What happened next?");
    reply_free(&reply);
}

Test(reply, harmless_differences_of_feedback_are_mended)
{
    expect_feedback(FEEDBACK, FEEDBACK_GOOD);
    expect_feedback("{\"dimensions\":[{\"label\":\"filler words\",\"score\":2.0," TIP
                    "},{\"label\":\"STRUCTURE\",\"score\":3," TIP
                    "},{\"label\":\"Clarity\",\"score\":4," TIP
                    "},{\"label\":\"Relevance\",\"score\":5,\"tip\":\"" TWENTY_FIVE_WORDS
                    "\"}],\"summary_tip\":\"Good.\"}",
                    FEEDBACK_GOOD);
}

Test(reply, feedback_that_breaks_a_bound_is_not_passed_on)
{
    expect_feedback("null", FEEDBACK_MISSING);
    expect_feedback("\"good\"", FEEDBACK_INVALID);
    expect_feedback("{\"dimensions\":[{},{},{},{},{\"label\":\"Clarity\",\"score\":4," TIP
                    "},{\"score\":1}],\"summary_tip\":\"x\"}",
                    FEEDBACK_INVALID);
    expect_feedback("{}", FEEDBACK_INVALID);
    expect_feedback("{\"dimensions\":" DIMENSIONS "}", FEEDBACK_INVALID);
    expect_feedback("{\"dimensions\":[],\"summary_tip\":\"x\"}", FEEDBACK_INVALID);
    expect_feedback("{\"dimensions\":[{\"label\":\"Clarity\",\"score\":4," TIP
                    "},{\"label\":\"Clarity\",\"score\":4," TIP
                    "},{\"label\":\"Structure\",\"score\":3," TIP
                    "},{\"label\":\"Filler Words\",\"score\":2," TIP
                    "}],\"summary_tip\":\"x\"}",
                    FEEDBACK_INVALID);
}

Test(reply, a_score_is_a_whole_number_from_1_to_5)
{
    static const char *const bad[] = {"0",    "6",  "4.5", "\"4\"",
                                      "null", "-1", "1e9", "true"};

    for (size_t at = 0; at < sizeof(bad) / sizeof(bad[0]); at++) {
        char feedback[1024];

        snprintf(feedback, sizeof(feedback),
                 "{\"dimensions\":[{\"label\":\"Clarity\",\"score\":%s," TIP
                 "},{\"label\":\"Relevance\",\"score\":5," TIP
                 "},{\"label\":\"Structure\",\"score\":3," TIP
                 "},{\"label\":\"Filler Words\",\"score\":2," TIP
                 "}],\"summary_tip\":\"x\"}",
                 bad[at]);
        expect_feedback(feedback, FEEDBACK_INVALID);
    }
}

Test(reply, a_tip_has_at_most_25_words)
{
    expect_feedback(
        "{\"dimensions\":[{\"label\":\"Clarity\",\"score\":4,\"tip\":\"" TWENTY_FIVE_WORDS
        " z\"},{\"label\":\"Relevance\",\"score\":5," TIP
        "},{\"label\":\"Structure\",\"score\":3," TIP
        "},{\"label\":\"Filler Words\",\"score\":2," TIP "}],\"summary_tip\":\"x\"}",
        FEEDBACK_INVALID);
}

static bool summary_is_good(const char *text)
{
    struct private_text private = private_text_copy(text, strlen(text));
    struct summary summary = {.strength_count = 0};
    bool is_good = summary_parse(&private, &summary);

    summary_free(&summary);
    private_text_free(&private);
    return is_good;
}

Test(summary, bounds_are_kept)
{
    cr_expect(summary_is_good(
        "{\"overall_assessment\":\"Good.\",\"strengths\":[\"a\"],"
        "\"improvements\":[\"b\",\"c\",\"d\"],\"recommended_actions\":[]}"));
    cr_expect_not(
        summary_is_good("{\"overall_assessment\":\"Good.\",\"strengths\":[],"
                        "\"improvements\":[\"b\"],\"recommended_actions\":[]}"));
    cr_expect_not(
        summary_is_good("{\"overall_assessment\":\"Good.\",\"strengths\":[\"a\"],"
                        "\"improvements\":[\"b\"]}"));
    cr_expect_not(
        summary_is_good("{\"overall_assessment\":\"Good.\",\"strengths\":[\"a\"],"
                        "\"improvements\":[\"b\"],\"recommended_actions\":"
                        "[\"1\",\"2\",\"3\",\"4\",\"5\"]}"));
    cr_expect_not(
        summary_is_good("{\"overall_assessment\":\"\",\"strengths\":[\"a\"],"
                        "\"improvements\":[\"b\"],\"recommended_actions\":[]}"));
    cr_expect_not(summary_is_good("A fine session."));
}

Test(summary, averages_are_over_the_scored_turns)
{
    struct coach_turn turns[3] = {
        {.is_scored = true, .scores = {4, 1, 2, 5}},
        {.is_scored = false},
        {.is_scored = true, .scores = {3, 2, 2, 5}},
    };
    double average;

    cr_assert(summary_average(turns, 3, DIMENSION_CLARITY, &average));
    cr_expect_float_eq(average, 3.5, 1e-9);
    cr_expect_not(summary_average(turns + 1, 1, DIMENSION_CLARITY, &average));
}
