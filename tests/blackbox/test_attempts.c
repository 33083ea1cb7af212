/*
 * Another attempt at the question before: feedback beside the first one's, nothing else moves, and
 * exactly once like any turn.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "voice.h"

TestSuite(attempts, .timeout = 60);

#define KEY "Idempotency-Key: 7f1c\r\n"
#define BETTER                                             \
    "At the clinic I led the " CANARY                      \
    " migration myself. First I tested each step, then I " \
    "moved one ward a night. As a result errors fell by 50 percent in a month."

/* A model's good reply, with these scores. */
static void will_score(struct world *world, int clarity, int relevance, int structure,
                       int fillers)
{
    upstream_will_say(
        world->upstream,
        words(world,
              "{\"refused\":false,\"kind\":\"answer\",\"follow_up_question\":"
              "\"Not asked " MODEL_CANARY "?\",\"coaching_feedback\":{\"dimensions\":["
              "{\"label\":\"Clarity\",\"score\":%d,\"tip\":\"a\"},"
              "{\"label\":\"Relevance\",\"score\":%d,\"tip\":\"b\"},"
              "{\"label\":\"Structure\",\"score\":%d,\"tip\":\"c\"},"
              "{\"label\":\"Filler Words\",\"score\":%d,\"tip\":\"d\"}],"
              "\"summary_tip\":\"e\"}}",
              clarity, relevance, structure, fillers));
}

Test(attempts, one_gets_feedback_and_what_is_pending_and_moves_nothing)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then, " MODEL_CANARY "?");
    expect_success(answer(world, &session, ANSWER));
    will_score(world, 5, 5, 4, 4);

    const struct reply *again = answer_again(world, &session, BETTER);

    expect_success(again);
    expect_text(again, "data.assistant_text", "And then, " MODEL_CANARY "?");
    expect_text(again, "data.transcript", BETTER);
    expect_text(again, "data.kind", "answer");
    expect_number(again, "data.attempt", 2);
    expect_number(again, "data.previous_scores.clarity", 4);
    expect_number(again, "data.previous_scores.relevance", 3);
    expect_number(again, "data.previous_scores.structure", 5);
    expect_number(again, "data.previous_scores.filler_words", 4);
    expect_number(again, "data.coaching_feedback.dimensions.0.score", 5);
    expect_number(again, "data.question_number", 1);
    expect_flag(again, "data.is_complete", false);
    expect_null(again, "data.session_summary");
    const struct reply *got = get_session(world, &session);
    expect_number(got, "data.turn_count", 1);
    cr_assert_eq(length_at(got, "data.asked_questions"), 2);
    world_end(world);
}

Test(attempts, an_ordinary_turn_has_no_attempt)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    const struct reply *first = answer(world, &session, ANSWER);

    expect_text(first, "data.kind", "answer");
    cr_assert_not(json_has(first->json, "data.attempt"));
    cr_assert_not(json_has(first->json, "data.previous_scores"));
    world_end(world);
}

Test(attempts, the_model_gets_the_attempt_before_as_data)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    expect_success(answer(world, &session, ANSWER));
    will_score(world, 5, 5, 4, 4);
    expect_success(answer_again(world, &session, BETTER));

    const struct call *call = upstream_call(world->upstream, 1);
    const char *user = json_object_get_string(json_at(call->json, "messages.1.content"));
    struct json_object *data = json_tokener_parse(user);

    cr_assert_str_eq(
        json_object_get_string(json_at(data, "previous_attempt.candidate_answer")),
        ANSWER);
    cr_assert_eq(json_object_get_int(json_at(data, "previous_attempt.scores.structure")),
                 5);
    cr_assert_str_eq(json_object_get_string(json_at(data, "candidate_answer")), BETTER);
    json_object_put(data);
    world_end(world);
}

Test(attempts, the_built_in_coach_says_what_got_better)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    const struct reply *first = answer(
        world, &session, "Um, we had a " CANARY " migration, um, and it was hard.");

    const struct reply *again = answer_again(world, &session, BETTER);

    cr_assert(strstr(text_at(again, "data.coaching_feedback.summary_tip"),
                     "Better than before: you say what came of it"),
              "%s", text_at(again, "data.coaching_feedback.summary_tip"));
    expect_text(again, "data.assistant_text", text_at(first, "data.assistant_text"));
    const struct reply *worse = answer_again(
        world, &session, "Um, it was a " CANARY " migration, uh, and, um, hard work.");
    cr_assert(strstr(text_at(worse, "data.coaching_feedback.summary_tip"),
                     "Not as strong as before"),
              "%s", text_at(worse, "data.coaching_feedback.summary_tip"));
    expect_number(worse, "data.attempt", 3);
    world_end(world);
}

Test(attempts, the_best_one_counts_and_of_equals_the_later)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 2);
    will_score(world, 2, 2, 2, 2);
    expect_success(answer(world, &session, ANSWER));
    will_score(world, 5, 4, 3, 4);
    expect_success(answer_again(world, &session, ANSWER " Second."));
    will_score(world, 4, 4, 4, 4);
    expect_success(answer_again(world, &session, ANSWER " Third."));
    will_score(world, 1, 1, 1, 1);
    expect_success(answer_again(world, &session, ANSWER " Fourth."));
    will_score(world, 2, 2, 2, 2);
    upstream_will_give_summary(world->upstream);

    const struct reply *last = answer(world, &session, ANSWER " Last.");

    expect_number(last, "data.session_summary.average_scores.clarity", 3);
    expect_number(last, "data.session_summary.average_scores.structure", 3);
    const char *user = json_object_get_string(json_at(
        upstream_call_as(world->upstream, ROLE_SUMMARY, 0)->json, "messages.1.content"));
    cr_assert(strstr(user, "Third.") && !strstr(user, "Second.") &&
              !strstr(user, "Fourth."));
    world_end(world);
}

Test(attempts, one_at_a_complete_session_gets_a_new_summary)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 1);
    upstream_will_ask(world->upstream, "Thank you, " MODEL_CANARY ", and goodbye.");
    upstream_will_give_summary(world->upstream);
    const struct reply *last = answer(world, &session, ANSWER);
    will_score(world, 5, 5, 5, 5);
    upstream_will_give_summary(world->upstream);

    const struct reply *again = answer_again(world, &session, BETTER);

    expect_flag(again, "data.is_complete", true);
    expect_text(again, "data.assistant_text", text_at(last, "data.assistant_text"));
    expect_number(again, "data.session_summary.average_scores.clarity", 5);
    expect_error(answer(world, &session, ANSWER " More."), ERROR_SESSION_COMPLETE);
    world_end(world);
}

Test(attempts, a_refused_one_leaves_everything_as_it_was)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    expect_success(answer(world, &session, ANSWER));
    const char *before = session_facts(world, &session);
    upstream_will_refuse(world->upstream, "Back to the interview, please.");
    expect_model_refusal(answer_again(world, &session, ANSWER " Bad."),
                         "Back to the interview, please.");
    expect_filter_refusal(answer_again(world, &session, CANARY " fuck you"),
                          "profanity_or_slur");

    cr_assert_str_eq(session_facts(world, &session), before);
    cr_assert_eq(length_at(report_of(world, &session, NULL), "data.questions.0.attempts"),
                 1);
    will_score(world, 5, 5, 4, 4);
    expect_number(answer_again(world, &session, BETTER), "data.attempt", 2);
    world_end(world);
}

Test(attempts, the_same_key_gets_the_same_attempt_and_the_field_is_part_of_the_request)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    expect_success(answer(world, &session, ANSWER));
    will_score(world, 5, 5, 4, 4);
    struct request request = {.method = "POST",
                              .path = "/turn",
                              .token = session.token,
                              .headers = KEY,
                              .content_type = "application/json",
                              .body = words(world,
                                            "{\"session_id\":\"%s\",\"transcript\":"
                                            "\"%s\",\"attempt\":\"again\"}",
                                            session.id, BETTER)};

    expect_number(ask(world, request), "data.attempt", 2);
    const struct reply *again = ask(world, request);

    expect_number(again, "data.attempt", 2);
    expect_header(again, "Idempotent-Replayed", "true");
    expect_error(answer_with(world, &session, BETTER, KEY), ERROR_IDEMPOTENCY_KEY_REUSE);
    world_end(world);
}

Test(attempts, a_recording_makes_one_attempt_however_often_it_comes)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    struct form first = form_with_recording(world, 1, ANSWER);
    struct form second = form_with_recording(world, 2, BETTER);
    expect_success(send_form(world, &session, first));
    second.attempt = "again";

    expect_number(send_form(world, &session, second), "data.attempt", 2);
    expect_header(send_form(world, &session, second), "Idempotent-Replayed", "true");
    expect_success(answer(world, &session, ANSWER " Next question."));
    const struct reply *late = send_form(world, &session, second);

    expect_header(late, "Idempotent-Replayed", "true");
    expect_number(late, "data.attempt", 2);
    expect_number(get_session(world, &session), "data.turn_count", 2);
    world_end(world);
}

/* The attempt is a wish of its own; that it has the bytes of the turn changes nothing. */
Test(attempts, the_recording_of_the_turn_may_be_sent_as_an_attempt)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    struct form form = form_with_recording(world, 1, ANSWER);
    expect_success(send_form(world, &session, form));
    form.attempt = "again";

    const struct reply *again = send_form(world, &session, form);

    expect_no_header(again, "Idempotent-Replayed");
    expect_number(again, "data.attempt", 2);
    form.attempt = NULL;
    const struct reply *first = send_form(world, &session, form);
    expect_header(first, "Idempotent-Replayed", "true");
    cr_assert_not(json_has(first->json, "data.attempt"));
    world_end(world);
}

Test(attempts, a_spoken_one_is_heard_once_though_its_first_try_fails)
{
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    struct form form = new_recording(world, 1);
    upstream_will_ask(world->upstream, "And then?");
    expect_success(answer(world, &session, ANSWER));
    form.attempt = "again";
    deepgram_will_hear(world, (struct heard){.text = BETTER});
    upstream_will(world->upstream, (struct saying){.status = 500});
    will_score(world, 5, 5, 4, 4);
    expect_error(say(world, &session, form), ERROR_LLM_PROVIDER_ERROR);

    const struct reply *again = say(world, &session, form);

    expect_number(again, "data.attempt", 2);
    expect_text(again, "data.transcript", BETTER);
    cr_assert_eq(upstream_call_count_as(world->upstream, ROLE_HEARING), 1);
    world_end(world);
}

Test(attempts, any_other_word_is_a_bad_field)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    expect_bad_fields(
        send_form(world, &session, (struct form){.transcript = ANSWER, .attempt = "2"}),
        FIELDS_NAMED("attempt:not_a_choice"));
    world_end(world);
}

Test(attempts, a_stranger_is_turned_away)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    struct session other = start_session(world, 3);
    expect_success(answer(world, &session, ANSWER));
    session.token = other.token;

    expect_error(answer_again(world, &session, BETTER), ERROR_SESSION_ID_MISMATCH);
    world_end(world);
}
