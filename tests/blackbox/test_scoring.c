/*
 * No score for what was not heard, and coaching that can be checked: where the ears were
 * not sure, or there is too little to judge, feedback is null and the interview goes on;
 * a quote is the candidate's own, or is not there.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "voice.h"

TestSuite(scoring, .timeout = 60);

static struct world *world_that_hears(void)
{
    return world_with_groq("STT_PROVIDER=deepgram");
}

static void expect_unscored(const struct reply *turn, const char *warning,
                            const char *stage)
{
    expect_success(turn);
    expect_null(turn, "data.coaching_feedback");
    expect_warning(turn, warning);
    expect_text(turn, "data.warnings.0.stage", stage);
    expect_text(turn, "data.assistant_text", "Please go on.");
}

Test(scoring, what_was_hardly_understood_is_not_scored)
{
    struct world *world = world_that_hears();
    struct session session = start_session(world, 3);
    deepgram_will_hear(world, (struct heard){.text = ANSWER, .confidence = 0.31});
    upstream_will_ask(world->upstream, "Please go on.");

    const struct reply *turn = say(world, &session, recording_of(world, "opus.webm"));

    expect_unscored(turn, "low_confidence", "stt");
    expect_number(turn, "data.delivery.stt_confidence", 0.31);
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(world);
}

Test(scoring, what_whisper_hardly_understood_is_not_scored)
{
    struct world *world = world_with_groq("STT_PROVIDER=groq");
    struct session session = start_session(world, 3);
    whisper_will_hear(world, (struct heard){.text = ANSWER, .log_probability = -1.6});
    upstream_will_ask(world->upstream, "Please go on.");

    expect_unscored(say(world, &session, recording_of(world, "opus.webm")),
                    "low_confidence", "stt");
    world_end(world);
}

Test(scoring, what_was_clearly_heard_is_scored)
{
    struct world *world = world_that_hears();
    struct session session = start_session(world, 3);
    deepgram_will_hear(world, (struct heard){.text = ANSWER, .confidence = 0.93});
    upstream_will_ask(world->upstream, "Please go on.");

    const struct reply *turn = say(world, &session, recording_of(world, "opus.webm"));

    expect_warning(turn, NULL);
    expect_number(turn, "data.coaching_feedback.dimensions.0.score", 4);
    world_end(world);
}

Test(scoring, a_word_or_two_are_too_short_to_judge_typed_or_spoken)
{
    static const char *const SHORT[] = {"Yes.", "Um, me too.", "Uh, well, um, no.",
                                        "\u00a0Maybe not."};
    struct world *world = world_that_hears();

    for (size_t i = 0; i < sizeof SHORT / sizeof *SHORT; i++) {
        struct session session = start_session(world, 3);
        upstream_will_ask(world->upstream, "Please go on.");
        expect_unscored(answer(world, &session, SHORT[i]), "too_short", "llm");
        struct session spoken = start_session(world, 3);
        deepgram_will_hear(world, (struct heard){.text = SHORT[i]});
        upstream_will_ask(world->upstream, "Please go on.");
        expect_unscored(say(world, &spoken, new_recording(world, (int)i)), "too_short",
                        "llm");
    }
    world_end(world);
}

Test(scoring, the_embedded_coach_scores_no_word_either)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    const struct reply *turn = answer(world, &session, "Yes.");

    expect_success(turn);
    expect_null(turn, "data.coaching_feedback");
    expect_warning(turn, "too_short");
    cr_assert(strlen(text_at(turn, "data.assistant_text")) > 10);
    world_end(world);
}

/* Scores of 4, 3, 5, 4 in the first turn, none in the second. */
Test(scoring, what_is_not_scored_is_in_no_average)
{
    struct world *world = world_that_hears();
    struct session session = start_session(world, 2);
    upstream_will_ask(world->upstream, "Please go on.");
    expect_warning(answer(world, &session, ANSWER), NULL);
    deepgram_will_hear(world, (struct heard){.text = ANSWER, .confidence = 0.2});
    upstream_will_ask(world->upstream, "Please go on.");
    upstream_will_give_summary(world->upstream);

    const struct reply *last = say(world, &session, recording_of(world, "opus.webm"));

    expect_unscored(last, "low_confidence", "stt");
    expect_number(last, "data.session_summary.average_scores.clarity", 4);
    expect_number(last, "data.session_summary.average_scores.relevance", 3);
    world_end(world);
}

Test(scoring, where_no_turn_was_scored_there_are_no_averages)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 1);
    upstream_will_ask(world->upstream, "Please go on.");
    upstream_will_give_summary(world->upstream);

    const struct reply *last = answer(world, &session, "Yes.");

    expect_unscored(last, "too_short", "llm");
    expect_keys(json_at(last->json, "data.session_summary.average_scores"),
                FIELDS_NAMED(NULL));
    world_end(world);
}

/* ---- quotes ---- */

/* A reply whose first tip has this quote; NULL: null. */
static void will_quote(struct world *world, const char *quote)
{
    char *content = good_reply("Please go on.");
    struct json_object *reply = json_tokener_parse(content);

    json_object_object_add(json_at(reply, "coaching_feedback.dimensions.0"), "quote",
                           quote ? json_object_new_string(quote) : NULL);
    upstream_will_say(world->upstream, json_object_to_json_string(reply));
    json_object_put(reply);
    free(content);
}

static const struct reply *turn_with_quote(struct world *world, const char *quote)
{
    struct session session = start_session(world, 3);

    will_quote(world, quote);
    const struct reply *turn = answer(world, &session, ANSWER);
    expect_warning(turn, NULL);
    return turn;
}

Test(scoring, a_quote_of_the_candidates_words_stays)
{
    static const char *const QUOTES[] = {"migration of our billing system",
                                         "Migration of our BILLING system,",
                                         "errors fell by half", "I led the"};
    struct world *world = world_with_groq();

    for (size_t i = 0; i < sizeof QUOTES / sizeof *QUOTES; i++)
        expect_text(turn_with_quote(world, QUOTES[i]),
                    "data.coaching_feedback.dimensions.0.quote", QUOTES[i]);
    world_end(world);
}

Test(scoring, a_quote_that_nobody_said_is_dropped_and_its_tip_stays)
{
    static const char *const QUOTES[] = {"I doubled the revenue",
                                         "migration of your billing system",
                                         "billing errors",
                                         "  ",
                                         "...",
                                         ""};
    struct world *world = world_with_groq();

    for (size_t i = 0; i < sizeof QUOTES / sizeof *QUOTES; i++) {
        const struct reply *turn = turn_with_quote(world, QUOTES[i]);
        expect_null(turn, "data.coaching_feedback.dimensions.0.quote");
        expect_number(turn, "data.coaching_feedback.dimensions.0.score", 4);
        cr_assert(strlen(text_at(turn, "data.coaching_feedback.dimensions.0.tip")) > 0);
    }
    world_end(world);
}

Test(scoring, every_dimension_has_a_quote_or_null)
{
    struct world *world = world_with_groq();

    const struct reply *turn = turn_with_quote(world, NULL);

    cr_assert(length_at(turn, "data.coaching_feedback.dimensions") == 4);
    for (size_t i = 0; i < 4; i++) {
        struct json_object *dimension =
            json_at(turn->json, words(world, "data.coaching_feedback.dimensions.%zu", i));
        expect_keys(dimension, FIELDS_NAMED("label", "score", "tip", "quote"));
        cr_assert_null(json_at(dimension, "quote"));
    }
    world_end(world);
}
