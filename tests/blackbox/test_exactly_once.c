/*
 * Exactly once, by key: the first outcome again, and never a second turn.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "play.h"

TestSuite(exactly_once, .timeout = 60);

#define KEY       "Idempotency-Key: 7f1c\r\n"
#define OTHER_KEY "Idempotency-Key: 8a2d\r\n"

/* data or error, without what belongs to one request. */
static const char *outcome(struct world *world, const struct reply *reply)
{
    struct json_object *copy = json_tokener_parse(reply->body.data);
    const char *text;

    json_object_object_del(copy, "request_id");
    text = words(world, "%d %s", reply->status, json_object_to_json_string(copy));
    json_object_put(copy);
    return text;
}

Test(exactly_once, the_same_key_and_answer_get_the_first_success_again)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *first = answer_with(world, &session, ANSWER, KEY);
    const struct reply *again = answer_with(world, &session, ANSWER, KEY);

    expect_success(first);
    expect_no_header(first, "Idempotent-Replayed");
    expect_header(again, "Idempotent-Replayed", "true");
    cr_assert_str_eq(outcome(world, again), outcome(world, first));
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(world);
}

Test(exactly_once, a_replay_has_the_request_id_of_its_own_request)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    const struct reply *first = answer_with(world, &session, ANSWER, KEY);
    const struct reply *again = answer_with(world, &session, ANSWER, KEY);

    cr_assert_str_neq(text_at(first, "request_id"), text_at(again, "request_id"));
    world_end(world);
}

Test(exactly_once, a_replay_is_possible_after_later_turns_and_a_restart)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 5);
    const struct reply *first = answer_with(world, &session, ANSWER, KEY);
    answer_with(world, &session, ANSWER " More.", OTHER_KEY);
    world_signal(world, SIGTERM);
    world_await_exit(world);
    world_restart(world);

    const struct reply *again = answer_with(world, &session, ANSWER, KEY);

    cr_assert_str_eq(outcome(world, again), outcome(world, first));
    expect_number(get_session(world, &session), "data.turn_count", 2);
    world_end(world);
}

Test(exactly_once, a_refusal_is_remembered_too)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_refuse(world->upstream, "Back to the interview, please.");

    const struct reply *first = answer_with(world, &session, ANSWER, KEY);
    const struct reply *again = answer_with(world, &session, ANSWER, KEY);

    expect_model_refusal(again, "Back to the interview, please.");
    expect_header(again, "Idempotent-Replayed", "true");
    cr_assert_str_eq(outcome(world, again), outcome(world, first));
    world_end(world);
}

Test(exactly_once, a_refusal_by_the_filter_is_remembered_with_its_details)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    const struct reply *first = answer_with(world, &session, "fuck you", KEY);
    const struct reply *again = answer_with(world, &session, "fuck you", KEY);

    expect_filter_refusal(again, "profanity_or_slur");
    expect_header(again, "Idempotent-Replayed", "true");
    cr_assert_str_eq(outcome(world, again), outcome(world, first));
    world_end(world);
}

Test(exactly_once, a_failure_of_the_provider_is_not_remembered)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will(world->upstream, (struct saying){.status = 500});
    upstream_will_ask(world->upstream, "And then?");

    expect_error(answer_with(world, &session, ANSWER, KEY), ERROR_LLM_PROVIDER_ERROR);
    const struct reply *again = answer_with(world, &session, ANSWER, KEY);

    expect_success(again);
    expect_no_header(again, "Idempotent-Replayed");
    world_end(world);
}

Test(exactly_once, the_last_turn_can_be_asked_for_again_on_a_complete_session)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 1);

    const struct reply *first = answer_with(world, &session, ANSWER, KEY);
    const struct reply *again = answer_with(world, &session, ANSWER, KEY);

    expect_flag(first, "data.is_complete", true);
    cr_assert_str_eq(outcome(world, again), outcome(world, first));
    expect_header(again, "Idempotent-Replayed", "true");
    world_end(world);
}

Test(exactly_once, another_answer_under_the_key_is_a_reuse)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    expect_success(answer_with(world, &session, ANSWER, KEY));

    expect_error(answer_with(world, &session, ANSWER " More.", KEY),
                 ERROR_IDEMPOTENCY_KEY_REUSE);

    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(world);
}

Test(exactly_once, the_same_fields_in_json_are_the_same_body)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    const char *json =
        words(world, "{\"transcript\":\"%s\",\"session_id\":\"%s\"}", ANSWER, session.id);
    expect_success(answer_with(world, &session, ANSWER, KEY));

    const struct reply *again =
        ask(world, (struct request){.method = "POST",
                                    .path = "/turn",
                                    .token = session.token,
                                    .headers = KEY,
                                    .content_type = "application/json",
                                    .body = json});

    expect_success(again);
    expect_header(again, "Idempotent-Replayed", "true");
    world_end(world);
}

Test(exactly_once, the_same_key_on_another_session_is_another_key)
{
    struct world *world = world_with_builtin_coach();
    struct session one = start_session(world, 3);
    struct session other = start_session(world, 3);

    expect_success(answer_with(world, &one, ANSWER, KEY));
    const struct reply *reply = answer_with(world, &other, ANSWER, KEY);

    expect_success(reply);
    expect_no_header(reply, "Idempotent-Replayed");
    world_end(world);
}

Test(exactly_once, while_the_first_is_running_the_second_is_in_progress)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    struct connection *first = begin_answer_with(world, &session, ANSWER, KEY);
    upstream_await_calls(world->upstream, 1);

    expect_error(answer_with(world, &session, ANSWER, KEY), ERROR_TURN_IN_PROGRESS);

    upstream_release(world->upstream);
    expect_success(finish(world, first));
    expect_header(answer_with(world, &session, ANSWER, KEY), "Idempotent-Replayed",
                  "true");
    world_end(world);
}

Test(exactly_once, of_two_concurrent_turns_one_commits)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    struct connection *first = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);

    expect_error(answer(world, &session, ANSWER " Other."), ERROR_TURN_IN_PROGRESS);

    upstream_release(world->upstream);
    expect_success(finish(world, first));
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(world);
}

Test(exactly_once, of_many_turns_sent_at_once_only_those_answered_with_success_are_there)
{
    enum { MANY = 16 };
    struct world *world = world_with_groq();
    struct session session = start_session(world, 10);
    struct connection *turns[MANY];
    int successes = 0;
    upstream_keeps_asking(world->upstream);
    upstream_hold(world->upstream);

    for (int i = 0; i < MANY; i++)
        turns[i] = begin_answer(world, &session, words(world, "%s %d", ANSWER, i));
    upstream_await_calls(world->upstream, 1);
    upstream_release(world->upstream);
    for (int i = 0; i < MANY; i++) {
        const struct reply *reply = finish(world, turns[i]);
        successes += reply->status == 200;
        if (reply->status != 200)
            expect_text(reply, "error.stage",
                        "upload"); /* in progress, or complete by then */
    }

    cr_assert(successes >= 1);
    expect_number(get_session(world, &session), "data.turn_count", successes);
    world_end(world);
}

Test(exactly_once, the_same_recording_is_never_a_second_turn)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    struct form form = form_with_recording(world, 1, ANSWER);
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *first = send_form(world, &session, form);
    const struct reply *again = send_form(world, &session, form);

    expect_success(first);
    cr_assert_str_eq(outcome(world, again), outcome(world, first));
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(world);
}

/* Its copy was held up on its way, and the interview went on meanwhile. */
Test(exactly_once, a_recording_is_known_again_however_many_turns_came_after_it)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 5);
    struct form form = form_with_recording(world, 1, ANSWER);
    upstream_keeps_asking(world->upstream);

    const struct reply *first = send_form(world, &session, form);
    expect_success(first);
    expect_success(answer(world, &session, ANSWER " And more."));
    expect_success(answer(world, &session, ANSWER " And still more."));
    const struct reply *late = send_form(world, &session, form);

    cr_assert_str_eq(outcome(world, late), outcome(world, first));
    expect_number(get_session(world, &session), "data.turn_count", 3);
    world_end(world);
}

Test(exactly_once, another_recording_with_the_same_words_is_a_new_turn)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_keeps_asking(world->upstream);

    expect_number(send_form(world, &session, form_with_recording(world, 1, ANSWER)),
                  "data.question_number", 1);
    expect_number(send_form(world, &session, form_with_recording(world, 2, ANSWER)),
                  "data.question_number", 2);
    world_end(world);
}

Test(exactly_once, a_key_is_1_to_255_visible_ascii_characters)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 5);
    const char *longest =
        words(world, "Idempotency-Key: %s\r\n", repeated(world, "k", 255));
    const char *too_long =
        words(world, "Idempotency-Key: %s\r\n", repeated(world, "k", 256));

    expect_success(answer_with(world, &session, ANSWER, longest));
    expect_error(answer_with(world, &session, ANSWER " 2", too_long),
                 ERROR_VALIDATION_ERROR);
    expect_error(answer_with(world, &session, ANSWER " 3", "Idempotency-Key: a b\r\n"),
                 ERROR_VALIDATION_ERROR);
    expect_error(
        answer_with(world, &session, ANSWER " 4", "Idempotency-Key: \xc3\xa9\r\n"),
        ERROR_VALIDATION_ERROR);
    expect_error(answer_with(world, &session, ANSWER " 5", KEY OTHER_KEY),
                 ERROR_VALIDATION_ERROR);
    world_end(world);
}

/* Whoever has it is given the token. */
#define START_KEY       "Idempotency-Key: 4b7c1f0e-55d1-4d55-9c1e-2a7e6a1c9f10\r\n"
#define OTHER_START_KEY "Idempotency-Key: 0123456789abcdefghijkl\r\n" /* 22 */

#define START_BODY \
    "{\"role\":\"cook\",\"interview_type\":\"general\",\"difficulty\":\"easy\"}"

static const struct reply *start_with_key(struct world *world, const char *body,
                                          const char *key)
{
    return ask(world, (struct request){.method = "POST",
                                       .path = "/session/start",
                                       .headers = key,
                                       .content_type = "application/json",
                                       .body = body});
}

Test(exactly_once, a_session_is_started_once_for_a_key)
{
    struct world *world = world_with_builtin_coach();

    const struct reply *first = start_with_key(world, START_BODY, START_KEY);
    const struct reply *again = start_with_key(world, START_BODY, START_KEY);
    const struct reply *other = start_with_key(world, START_BODY, OTHER_START_KEY);

    expect_success(first);
    expect_header(again, "Idempotent-Replayed", "true");
    cr_assert_str_eq(text_at(again, "data.session_id"),
                     text_at(first, "data.session_id"));
    cr_assert_str_eq(text_at(again, "data.opening_prompt"),
                     text_at(first, "data.opening_prompt"));
    cr_assert_str_neq(text_at(other, "data.session_id"),
                      text_at(first, "data.session_id"));
    world_end(world);
}

Test(exactly_once, another_session_under_the_key_is_a_reuse)
{
    struct world *world = world_with_builtin_coach();
    expect_success(start_with_key(world, START_BODY, START_KEY));

    const struct reply *reply = start_with_key(
        world,
        "{\"role\":\"pilot\",\"interview_type\":\"general\",\"difficulty\":\"easy\"}",
        START_KEY);

    expect_error(reply, ERROR_IDEMPOTENCY_KEY_REUSE);
    world_end(world);
}

Test(exactly_once, a_key_that_others_could_guess_starts_nothing)
{
    struct world *world = world_with_builtin_coach();

    expect_error(start_with_key(world, START_BODY, KEY), ERROR_VALIDATION_ERROR);
    expect_error(
        start_with_key(world, START_BODY, "Idempotency-Key: 0123456789abcdefghijk\r\n"),
        ERROR_VALIDATION_ERROR);
    world_end(world);
}

Test(exactly_once, after_the_first_turn_a_key_gives_no_token_any_more)
{
    struct world *world = world_with_builtin_coach();
    const struct reply *first = start_with_key(world, START_BODY, START_KEY);
    struct session session = {.token = text_at(first, "data.session_token")};
    strcpy(session.id, text_at(first, "data.session_id"));
    expect_filter_refusal(answer(world, &session, "fuck you all"), "profanity_or_slur");
    expect_header(start_with_key(world, START_BODY, START_KEY), "Idempotent-Replayed",
                  "true");
    expect_success(answer(world, &session, ANSWER));

    expect_error(start_with_key(world, START_BODY, START_KEY),
                 ERROR_IDEMPOTENCY_KEY_REUSE);
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(world);
}

Test(exactly_once, with_a_deleted_session_its_key_is_forgotten)
{
    struct world *world = world_with_builtin_coach();
    const struct reply *first = start_with_key(world, START_BODY, START_KEY);
    struct session session = {.token = text_at(first, "data.session_token")};
    strcpy(session.id, text_at(first, "data.session_id"));
    expect_success(delete_session(world, &session));

    const struct reply *again = start_with_key(world, START_BODY, START_KEY);

    expect_success(again);
    expect_no_header(again, "Idempotent-Replayed");
    cr_assert_str_neq(text_at(again, "data.session_id"), session.id);
    world_end(world);
}
