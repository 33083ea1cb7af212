/*
 * What the model writes is parsed leniently and judged strictly.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"

TestSuite(model_replies, .timeout = 60);

/* The reply to one answer when the model says this. */
static const struct reply *reply_to(struct world *world, const char *content,
                                    const char *finish_reason)
{
    struct session session = start_session(world, 5);

    upstream_will_say_then_stop(world->upstream, content, finish_reason);
    return answer(world, &session, ANSWER);
}

static void expect_question(const char *content, const char *finish_reason,
                            const char *question)
{
    struct world *world = world_with_groq();
    const struct reply *reply = reply_to(world, content, finish_reason);

    expect_success(reply);
    expect_text(reply, "data.assistant_text", question);
    world_end(world);
}

Test(model_replies, plain_text_is_the_question)
{
    expect_question("And what did you learn?", "stop", "And what did you learn?");
}

Test(model_replies, json_in_a_fence_is_json)
{
    expect_question("```json\n{\"refused\":false,\"follow_up_question\":\"And then?\","
                    "\"coaching_feedback\":null}\n```",
                    "stop", "And then?");
    expect_question("```\n{\"follow_up_question\":\"And then?\"}\n```\n", "stop",
                    "And then?");
}

Test(model_replies, unknown_fields_do_no_harm)
{
    expect_question("{\"thoughts\":[1,{\"x\":null}],\"refused\":false,\"mood\":\"good\","
                    "\"follow_up_question\":\"And then?\",\"coaching_feedback\":null}",
                    "stop", "And then?");
}

Test(model_replies, json_cut_off_at_the_token_limit_gives_what_is_complete)
{
    struct world *world = world_with_groq();
    const struct reply *reply =
        reply_to(world,
                 "{\"refused\":false,\"follow_up_question\":\"And then?\","
                 "\"coaching_feedback\":{\"dimensions\":[{\"label\":\"Clarity\",\"sco",
                 "length");

    expect_success(reply);
    expect_text(reply, "data.assistant_text", "And then?");
    expect_null(reply, "data.coaching_feedback");
    cr_assert(length_at(reply, "data.warnings") == 1);
    world_end(world);
}

Test(model_replies, a_question_that_was_cut_off_is_no_question)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 5);
    upstream_will_say_then_stop(
        world->upstream, "{\"refused\":false,\"follow_up_question\":\"And th", "length");
    upstream_will_ask(world->upstream, "The whole question?");

    const struct reply *reply = answer(world, &session, ANSWER);

    expect_text(reply, "data.assistant_text", "The whole question?");
    world_end(world);
}

Test(model_replies, a_reply_without_a_question_is_asked_for_once_more)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 5);
    upstream_will_say(world->upstream, "{\"refused\":false,\"coaching_feedback\":null}");
    upstream_will_ask(world->upstream, "At last?");

    expect_text(answer(world, &session, ANSWER), "data.assistant_text", "At last?");
    world_end(world);
}

Test(model_replies, twice_without_a_question_is_a_provider_error)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 5);
    upstream_will_say(world->upstream, "{\"refused\":false,\"coaching_feedback\":null}");
    upstream_will_say(world->upstream,
                      "{\"refused\":false,\"follow_up_question\":\"  \"}");

    expect_error(answer(world, &session, ANSWER), ERROR_LLM_PROVIDER_ERROR);
    expect_number(get_session(world, &session), "data.turn_count", 0);
    world_end(world);
}

/* A good reply of which one piece is replaced. */
static const struct reply *reply_to_changed(struct world *world, const char *piece,
                                            const char *by)
{
    char *good = good_reply("And then?");
    char *at = strstr(good, piece);
    cr_assert_not_null(at, "%s is not in %s", piece, good);
    const char *changed =
        words(world, "%.*s%s%s", (int)(at - good), good, by, at + strlen(piece));

    free(good);
    return reply_to(world, changed, "stop");
}

static void expect_mended(const char *piece, const char *by)
{
    struct world *world = world_with_groq();
    const struct reply *reply = reply_to_changed(world, piece, by);

    expect_success(reply);
    expect_warning(reply, NULL);
    expect_text(reply, "data.coaching_feedback.dimensions.0.label", "Clarity");
    expect_number(reply, "data.coaching_feedback.dimensions.0.score", 4);
    expect_text(reply, "data.coaching_feedback.dimensions.3.label", "Filler Words");
    world_end(world);
}

Test(model_replies, harmless_differences_in_feedback_are_mended)
{
    expect_mended("\"score\":4", "\"score\":4.0");
    expect_mended("\"Clarity\"", "\"clarity\"");
    expect_mended("\"Filler Words\"", "\"FILLER WORDS\"");
}

Test(model_replies, dimensions_in_another_order_are_put_in_order)
{
    struct world *world = world_with_groq();
    const struct reply *reply = reply_to(
        world,
        "{\"refused\":false,\"follow_up_question\":\"And?\",\"coaching_feedback\":"
        "{\"dimensions\":[{\"label\":\"Structure\",\"score\":3,\"tip\":\"s\"},"
        "{\"label\":\"Filler Words\",\"score\":4,\"tip\":\"f\"},"
        "{\"label\":\"Relevance\",\"score\":2,\"tip\":\"r\"},"
        "{\"label\":\"Clarity\",\"score\":1,\"tip\":\"c\"}],\"summary_tip\":\"x\"}}",
        "stop");

    for (int i = 0; i < 4; i++)
        expect_number(
            reply, words(world, "data.coaching_feedback.dimensions.%d.score", i), i + 1);
    world_end(world);
}

static void expect_invalid(const char *piece, const char *by)
{
    struct world *world = world_with_groq();
    const struct reply *reply = reply_to_changed(world, piece, by);

    expect_success(reply);
    expect_text(reply, "data.assistant_text", "And then?");
    expect_null(reply, "data.coaching_feedback");
    expect_warning(reply, "feedback_invalid");
    expect_text(reply, "data.warnings.0.stage", "llm");
    world_end(world);
}

#define FIVE_WORDS "one two three four five "
#define WORDS_26   FIVE_WORDS FIVE_WORDS FIVE_WORDS FIVE_WORDS FIVE_WORDS "six"
#define WORDS_31   FIVE_WORDS WORDS_26

Test(model_replies, feedback_with_a_score_out_of_bounds_is_not_passed_on)
{
    expect_invalid("\"score\":4", "\"score\":0");
    expect_invalid("\"score\":4", "\"score\":6");
    expect_invalid("\"score\":4", "\"score\":4.5");
    expect_invalid("\"score\":4", "\"score\":\"high\"");
    expect_invalid("\"score\":4", "\"score\":null");
}

Test(model_replies, feedback_with_another_label_or_one_twice_is_not_passed_on)
{
    expect_invalid("\"Clarity\"", "\"Charm\"");
    expect_invalid("\"Clarity\"", "\"Relevance\"");
}

Test(model_replies, feedback_that_is_too_long_is_not_passed_on)
{
    expect_invalid("Keep this order.", WORDS_26);
    expect_invalid("Say what changed because of you.", WORDS_31);
}

Test(model_replies, feedback_at_its_bounds_is_passed_on)
{
    struct world *world = world_with_groq();
    const char *most =
        FIVE_WORDS FIVE_WORDS FIVE_WORDS FIVE_WORDS "one two three four five";
    const struct reply *reply = reply_to_changed(world, "Keep this order.", most);

    expect_text(reply, "data.coaching_feedback.dimensions.2.tip", most);
    world_end(world);
}

Test(model_replies, feedback_that_is_missing_has_a_warning_of_its_own)
{
    struct world *world = world_with_groq();
    const struct reply *reply = reply_to(
        world, "{\"refused\":false,\"follow_up_question\":\"And then?\"}", "stop");

    expect_null(reply, "data.coaching_feedback");
    expect_warning(reply, "feedback_missing");
    world_end(world);
}

/* The last turn of a session, with this as the answer to the summary call. */
static const struct reply *last_turn(struct world *world, struct saying summary)
{
    struct session session = start_session(world, 1);

    upstream_will_ask(world->upstream, "Thank you.");
    upstream_will_summarise(world->upstream, summary);
    const struct reply *reply = answer(world, &session, ANSWER);
    expect_success(reply);
    expect_flag(reply, "data.is_complete", true);
    return reply;
}

static const struct reply *last_turn_with_summary(struct world *world,
                                                  const char *content)
{
    char *body = completion(content, "stop");
    const struct reply *reply = last_turn(world, (struct saying){.body = body});

    free(body);
    return reply;
}

Test(model_replies, a_summary_that_cannot_be_made_leaves_the_turn_standing)
{
    struct world *world = world_with_groq();
    const struct reply *reply = last_turn(world, (struct saying){.status = 500});

    expect_null(reply, "data.session_summary");
    expect_warning(reply, "summary_missing");
    world_end(world);
}

Test(model_replies, a_summary_out_of_bounds_is_not_passed_on)
{
    static const char *const BAD[] = {
        "{\"overall_assessment\":\"Fine.\",\"strengths\":[],\"improvements\":[\"b\"],"
        "\"recommended_actions\":[]}",
        "{\"overall_assessment\":\"Fine.\",\"strengths\":[\"a\",\"b\",\"c\",\"d\"],"
        "\"improvements\":[\"b\"],\"recommended_actions\":[]}",
        "{\"overall_assessment\":\"Fine.\",\"strengths\":[\"" WORDS_26 "\"],"
        "\"improvements\":[\"b\"],\"recommended_actions\":[]}",
        "{\"overall_assessment\":\"" WORDS_31 " " WORDS_31 "\",\"strengths\":[\"a\"],"
        "\"improvements\":[\"b\"],\"recommended_actions\":[]}",
        "{\"overall_assessment\":\"Fine.\",\"strengths\":[\"a\"],\"improvements\":[\"b\"],"
        "\"recommended_actions\":[\"a\",\"b\",\"c\",\"d\",\"e\"]}",
    };

    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct world *world = world_with_groq();
        const struct reply *reply = last_turn_with_summary(world, BAD[i]);
        expect_null(reply, "data.session_summary");
        expect_warning(reply, "summary_invalid");
        world_end(world);
    }
}

/* As long as the bounds allow: so many words, and each of many characters. */
static const char *long_words(struct world *world, int count)
{
    struct bytes text = {0};

    for (int at = 0; at < count; at++)
        for (int sign = 0; sign < 1990 / count; sign++)
            bytes_add_text(&text, sign > 0 ? "\xF0\x9D\x94\xBC" : at > 0 ? " " : "");
    return world_keep(world, text.data, free);
}

Test(model_replies, the_longest_that_a_model_may_write_is_told_whole)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 10);
    const char *line = long_words(world, 20);
    const char *summary =
        words(world,
              "{\"overall_assessment\":\"%s\",\"strengths\":[\"%s\",\"%s\",\"%s\"],"
              "\"improvements\":[\"%s\",\"%s\",\"%s\"],"
              "\"recommended_actions\":[\"%s\",\"%s\",\"%s\",\"%s\"]}",
              long_words(world, 60), line, line, line, line, line, line, line, line, line,
              line);
    char *body = completion(summary, "stop");

    for (int turn = 1; turn <= 9; turn++) {
        upstream_will_ask(world->upstream, long_words(world, 100));
        expect_success(answer(world, &session, words(world, "%s %d", ANSWER, turn)));
    }
    expect_text(get_session(world, &session), "data.asked_questions.9",
                long_words(world, 100));
    upstream_will_summarise(world->upstream, (struct saying){.body = body});
    expect_text(finish_session(world, &session), "data.session_summary.strengths.2",
                line);
    free(body);
    world_end(world);
}

Test(model_replies, a_summary_without_actions_is_good)
{
    struct world *world = world_with_groq();
    const struct reply *reply = last_turn_with_summary(
        world, "{\"overall_assessment\":\"Fine.\",\"strengths\":[\"a\"],"
               "\"improvements\":[\"b\"],\"recommended_actions\":[]}");

    expect_warning(reply, NULL);
    cr_assert(length_at(reply, "data.session_summary.recommended_actions") == 0);
    world_end(world);
}

Test(model_replies, a_summary_that_fails_the_filter_is_never_shown)
{
    struct world *world = world_with_groq();
    const struct reply *reply = last_turn_with_summary(
        world, "{\"overall_assessment\":\"Fine.\",\"strengths\":[\"fuck you\"],"
               "\"improvements\":[\"b\"],\"recommended_actions\":[]}");

    cr_assert_not(bytes_has(&reply->body, "fuck"), "%s", reply->body.data);
    expect_null(reply, "data.session_summary");
    world_end(world);
}
