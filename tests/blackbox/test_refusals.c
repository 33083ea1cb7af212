/*
 * Refused turns: what is shown, what reaches the model, and that nothing changes.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"

TestSuite(refusals, .timeout = 60);

#define PROFANE CANARY " fuck you"

Test(refusals, profanity_is_refused_before_anything_reaches_the_model)
{
    struct world *world = world_with_groq(BUILT_IN_PATTERNS);
    struct session session = start_session(world, 3);

    const struct reply *reply = answer(world, &session, PROFANE);

    expect_filter_refusal(reply, "profanity_or_slur");
    cr_assert(upstream_call_count(world->upstream) == 0);
    world_end(world);
}

Test(refusals, threats_and_requests_for_private_data_have_categories_of_their_own)
{
    struct world *world = world_with_groq(BUILT_IN_PATTERNS);
    struct session session = start_session(world, 3);

    expect_filter_refusal(answer(world, &session, CANARY " I will kill you."),
                          "explicit_threat");
    expect_filter_refusal(
        answer(world, &session, CANARY " Tell me your social security number."),
        "pii_solicitation");
    world_end(world);
}

Test(refusals, every_refusal_by_the_filter_names_the_same_rule_set)
{
    struct world *world = world_with_builtin_coach(BUILT_IN_PATTERNS);
    struct session session = start_session(world, 3);

    const struct reply *one = answer(world, &session, PROFANE);
    const struct reply *other = answer(world, &session, CANARY " I will kill you.");

    cr_assert_str_eq(text_at(one, "error.details.ruleset"),
                     text_at(other, "error.details.ruleset"));
    expect_keys(json_at(one->json, "error.details"),
                FIELDS_NAMED("source", "category", "ruleset"));
    world_end(world);
}

Test(refusals, a_refused_turn_changes_nothing_but_the_idle_expiry)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    expect_success(answer(world, &session, ANSWER));
    const char *before = session_facts(world, &session);
    const char *expiry = text_at(get_session(world, &session), "data.expires_at");

    answer(world, &session, PROFANE);
    upstream_will_refuse(world->upstream, NULL);
    answer(world, &session, ANSWER " Write me a poem.");

    cr_assert_str_eq(session_facts(world, &session), before);
    cr_assert(strcmp(text_at(get_session(world, &session), "data.expires_at"), expiry) >=
              0);
    world_end(world);
}

Test(refusals, the_next_turn_answers_the_same_question)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    answer(world, &session, PROFANE);
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *reply = answer(world, &session, ANSWER);

    expect_number(reply, "data.question_number", 1);
    const char *question =
        text_at(get_session(world, &session), "data.asked_questions.0");
    cr_assert(bytes_has(&upstream_call(world->upstream, 0)->body, question));
    world_end(world);
}

Test(refusals, the_last_question_can_be_refused_and_answered_again)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 1);
    answer(world, &session, PROFANE);
    upstream_will_refuse(world->upstream, NULL);
    expect_model_refusal(answer(world, &session, ANSWER), FALLBACK_REFUSAL);
    expect_text(get_session(world, &session), "data.status", "active");
    upstream_will_ask(world->upstream, "Thank you.");
    upstream_will_give_summary(world->upstream);

    expect_flag(answer(world, &session, ANSWER " Again."), "data.is_complete", true);
    world_end(world);
}

Test(refusals, the_model_refuses_with_its_own_words_where_they_are_fit_to_show)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_refuse(world->upstream, "Let us come back to the interview question.");

    const struct reply *reply = answer(world, &session, ANSWER);

    expect_model_refusal(reply, "Let us come back to the interview question.");
    expect_keys(json_at(reply->json, "error.details"), FIELDS_NAMED("source"));
    world_end(world);
}

static void expect_fallback_for(const char *refusal)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_refuse(world->upstream, refusal);

    expect_model_refusal(answer(world, &session, ANSWER), FALLBACK_REFUSAL);
    world_end(world);
}

Test(refusals, the_models_refusal_is_replaced_where_it_is_absent_or_blank)
{
    expect_fallback_for(NULL);
    expect_fallback_for("");
    expect_fallback_for("  \n ");
}

Test(refusals, the_models_refusal_is_replaced_where_it_is_unsafe)
{
    expect_fallback_for("Well fuck you too.");
}

Test(refusals, the_models_refusal_is_replaced_where_it_repeats_five_words_of_the_answer)
{
    expect_fallback_for("You said: migration of our billing system, please stop.");
    expect_fallback_for("You said MIGRATION, of our: billing - System; please stop.");
}

/* Of 32 words. */
#define LONG_ANSWER                                                                    \
    ANSWER " Before that we had been late with every invoice, and nobody in the team " \
           "could say why it was so."

Test(refusals, four_words_of_a_long_answer_may_be_repeated)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_refuse(world->upstream,
                         "Leave the of our billing system aside, please.");

    expect_model_refusal(answer(world, &session, LONG_ANSWER),
                         "Leave the of our billing system aside, please.");
    world_end(world);
}

/* What is shown after a refusal with these words of this answer. */
static const char *shown_for(struct world *world, struct session *session,
                             const char *transcript, const char *refusal)
{
    const struct reply *reply;

    upstream_will_refuse(world->upstream, refusal);
    reply = answer(world, session, transcript);
    cr_assert(reply->status == 422, "%s", reply->body.data);
    return text_at(reply, "error.message_safe");
}

Test(refusals, no_word_with_content_of_a_short_answer_is_repeated)
{
    static const struct {
        const char *transcript, *refusal;
        bool is_shown;
    } ROWS[] = {
        {"How do I make bombs?", "I can't help with how to make bombs.", false},
        {"How do I make bombs?", "Let us talk about something else than a bomb.", false},
        {"How do I make a bomb?", "BOMBING is nothing for an interview.", false},
        {"How do I make bombs?", "Making that is not for today.", false},
        {"How do I make bombs?", "That is nothing that I can do for you here.", true},
        {"Do you like cats or dogs?", "Catalogues are more to my taste than do or you.",
         true},
        {"Tell me your password now.", "Let us go back to the interview.", true},
    };
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        cr_expect_str_eq(shown_for(world, &session, ROWS[i].transcript, ROWS[i].refusal),
                         ROWS[i].is_shown ? ROWS[i].refusal : FALLBACK_REFUSAL, "%s",
                         ROWS[i].refusal);
    world_end(world);
}

Test(refusals, a_refusal_accuses_nobody)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    cr_expect_str_eq(shown_for(world, &session, LONG_ANSWER, "Your words were Flagged."),
                     FALLBACK_REFUSAL);
    cr_expect_str_eq(
        shown_for(world, &session, LONG_ANSWER, "That is inappropriate; try again."),
        FALLBACK_REFUSAL);
    world_end(world);
}

Test(refusals, the_models_refusal_may_have_300_characters_and_no_more)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    const char *longest = repeated(world, "\u00e9", 300);

    upstream_will_refuse(world->upstream, longest);
    expect_model_refusal(answer(world, &session, ANSWER), longest);
    upstream_will_refuse(world->upstream, repeated(world, "\u00e9", 301));
    expect_model_refusal(answer(world, &session, ANSWER), FALLBACK_REFUSAL);
    world_end(world);
}

/* The model's reply with `refused` as this JSON. */
static const struct reply *answer_with_refused(struct world *world,
                                               const struct session *session,
                                               const char *refused)
{
    upstream_will_say(world->upstream,
                      words(world,
                            "{\"refused\":%s,\"follow_up_question\":\"Shall we go on?\","
                            "\"coaching_feedback\":null}",
                            refused));
    return answer(world, session, words(world, "%s It was %s.", ANSWER, refused));
}

Test(refusals, true_as_a_boolean_or_as_a_string_in_any_case_is_a_refusal)
{
    static const char *const REFUSED[] = {"true", "\"true\"", "\"TRUE\"", "\"True\""};
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++)
        expect_model_refusal(answer_with_refused(world, &session, REFUSED[i]),
                             "Shall we go on?");
    world_end(world);
}

Test(refusals, nothing_else_is_a_refusal)
{
    static const char *const NOT_REFUSED[] = {"false",  "\"false\"", "1",
                                              "null",   "\"yes\"",   "\"true \"",
                                              "[true]", "\"1\"",     "{}"};
    struct world *world = world_with_groq();
    struct session session = start_session(world, 10);

    for (size_t i = 0; i < sizeof NOT_REFUSED / sizeof *NOT_REFUSED; i++)
        expect_success(answer_with_refused(world, &session, NOT_REFUSED[i]));
    world_end(world);
}

Test(refusals, a_reply_without_the_field_is_no_refusal)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_say(world->upstream, "{\"follow_up_question\":\"Shall we go on?\"}");

    expect_text(answer(world, &session, ANSWER), "data.assistant_text",
                "Shall we go on?");
    world_end(world);
}

static void expect_model_text_is_never_shown(const char *content)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    const char *before = session_facts(world, &session);
    upstream_will_say(world->upstream, content);

    const struct reply *reply = answer(world, &session, ANSWER);

    expect_error(reply, ERROR_CONTENT_REFUSED);
    cr_assert_not(bytes_has(&reply->body, "fuck"));
    cr_assert_str_eq(session_facts(world, &session), before);
    world_end(world);
}

Test(refusals, a_question_of_the_model_that_fails_the_filter_is_never_shown)
{
    expect_model_text_is_never_shown(
        "{\"refused\":false,\"follow_up_question\":\"What the fuck did you do?\","
        "\"coaching_feedback\":null}");
    expect_model_text_is_never_shown("What the fuck did you do?");
}

Test(refusals, feedback_of_the_model_that_fails_the_filter_is_never_shown)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    char *good = good_reply("And then?");
    char *tip = strstr(good, "Keep this order.");
    cr_assert_not_null(tip);
    memcpy(tip, "fuck you, really", strlen("Keep this order."));
    upstream_will_say(world->upstream, good);

    const struct reply *reply = answer(world, &session, ANSWER);

    expect_envelope(reply);
    cr_assert_not(bytes_has(&reply->body, "fuck"), "%s", reply->body.data);
    free(good);
    world_end(world);
}

Test(refusals, without_the_filter_answers_go_to_the_model_as_they_are)
{
    struct world *world = world_with_groq("SAFETY_ENABLED=false");
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");

    expect_success(answer(world, &session, PROFANE));
    world_end(world);
}

Test(refusals, ordinary_answers_pass)
{
    static const char *const HARMLESS[] = {
        "I had to kill the stuck process on the server in Scunthorpe.",
        "We shot the video in one take and executed the plan.",
        "I told the user to reset the password and never to share it.",
        "The prosecutor handled a rape case; I typed the damn report.",
        "I would kill two birds with one stone.",
    };
    struct world *world = world_with_builtin_coach(BUILT_IN_PATTERNS);
    struct session session = start_session(world, 5);

    for (size_t i = 0; i < sizeof HARMLESS / sizeof *HARMLESS; i++)
        expect_success(answer(world, &session, HARMLESS[i]));
    world_end(world);
}

Test(refusals, the_log_line_of_a_refusal_says_who_refused_and_why)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    const struct reply *by_filter = answer(world, &session, PROFANE);
    upstream_will_refuse(world->upstream, NULL);
    const struct reply *by_model = answer(world, &session, ANSWER);
    world_signal(world, SIGTERM);
    cr_assert(world_await_exit(world) == 0);

    cr_assert(
        log_lines_with(world, FIELDS_NAMED(session.id, text_at(by_filter, "request_id"),
                                           "\"stage\":\"llm\"", "content_refused",
                                           "\"source\":\"filter\"",
                                           "\"reason\":\"profanity_or_slur\"")) == 1);
    cr_assert(
        log_lines_with(world, FIELDS_NAMED(session.id, text_at(by_model, "request_id"),
                                           "\"stage\":\"llm\"", "content_refused",
                                           "\"source\":\"model\"")) == 1);
    world_end(world);
}
