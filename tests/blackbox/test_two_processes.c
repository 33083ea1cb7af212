/*
 * Two processes on one PostgreSQL, as if they were one: what one was told the other knows,
 * and of what both are asked to do at the same time one does it.
 */
#include <criterion/criterion.h>
#include <poll.h>
#include <signal.h>

#include "voice.h"

TestSuite(two_processes, .timeout = 90);

#define KEY "Idempotency-Key: 7f1c\r\n"

Test(two_processes, a_session_of_one_is_answered_at_the_other)
{
    struct world *world = world_with_builtin_coach();
    struct world *other = world_beside(world);
    struct session session = start_session(world, 3);

    expect_number(answer(other, &session, ANSWER), "data.question_number", 1);
    expect_number(answer(world, &session, ANSWER " Two."), "data.question_number", 2);
    expect_number(answer(other, &session, ANSWER " Three."), "data.question_number", 3);

    cr_assert_str_eq(session_facts(world, &session), session_facts(other, &session));
    expect_text(get_session(world, &session), "data.status", "completed");
    world_end(other);
    world_end(world);
}

Test(two_processes, what_one_deleted_the_other_does_not_find)
{
    struct world *world = world_with_builtin_coach();
    struct world *other = world_beside(world);
    struct session session = start_session(world, 3);
    expect_success(answer(other, &session, ANSWER));

    expect_success(delete_session(world, &session));

    expect_error(get_session(other, &session), ERROR_SESSION_NOT_FOUND);
    expect_error(answer(other, &session, ANSWER " Two."), ERROR_SESSION_NOT_FOUND);
    world_end(other);
    world_end(world);
}

Test(two_processes, of_two_turns_of_one_session_at_the_same_time_one_is_in_progress)
{
    struct world *world = world_with_groq();
    struct world *other = world_beside(world);
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    struct connection *first = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);

    expect_error(answer(other, &session, ANSWER " Other."), ERROR_TURN_IN_PROGRESS);

    upstream_release(world->upstream);
    expect_success(finish(world, first));
    expect_number(get_session(other, &session), "data.turn_count", 1);
    world_end(other);
    world_end(world);
}

/* Waits until so many of them have something to read. */
static void await_replies(struct connection *const *turns, int count, int most)
{
    for (int there = 0; there < most;) {
        there = 0;
        for (int i = 0; i < count; i++) {
            struct pollfd wanted = {.fd = connection_descriptor(turns[i]),
                                    .events = POLLIN};
            there += poll(&wanted, 1, 1) > 0;
        }
    }
}

/* No call may reach the model for a turn that loses: nobody scripted a second one. */
Test(two_processes, of_many_turns_sent_to_both_at_once_one_is_made)
{
    enum { MANY = 12 };
    struct world *world = world_with_groq();
    struct world *other = world_beside(world);
    struct session session = start_session(world, 3);
    struct connection *turns[MANY];
    int successes = 0;
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);

    for (int i = 0; i < MANY; i++)
        turns[i] = begin_answer(i % 2 ? world : other, &session,
                                words(world, "%s %d", ANSWER, i));
    await_replies(turns, MANY, MANY - 1);
    upstream_release(world->upstream);
    for (int i = 0; i < MANY; i++) {
        const struct reply *reply = finish(i % 2 ? world : other, turns[i]);
        successes += reply->status == 200;
        if (reply->status != 200)
            expect_error(reply, ERROR_TURN_IN_PROGRESS);
    }

    cr_assert_eq(successes, 1);
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(other);
    world_end(world);
}

Test(two_processes, a_key_is_known_at_both)
{
    struct world *world = world_with_groq();
    struct world *other = world_beside(world);
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    expect_success(answer_with(world, &session, ANSWER, KEY));

    const struct reply *again = answer_with(other, &session, ANSWER, KEY);

    expect_header(again, "Idempotent-Replayed", "true");
    expect_text(again, "data.assistant_text", "And then?");
    expect_error(answer_with(other, &session, ANSWER " More.", KEY),
                 ERROR_IDEMPOTENCY_KEY_REUSE);
    expect_number(get_session(other, &session), "data.turn_count", 1);
    world_end(other);
    world_end(world);
}

Test(two_processes, the_same_recording_is_one_turn_at_both)
{
    struct world *world = world_with_groq();
    struct world *other = world_beside(world);
    struct session session = start_session(world, 3);
    struct form form = form_with_recording(world, 1, ANSWER);
    upstream_will_ask(world->upstream, "And then?");
    expect_success(send_form(world, &session, form));

    const struct reply *again = send_form(other, &session, form);

    expect_text(again, "data.assistant_text", "And then?");
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(other);
    world_end(world);
}

Test(two_processes, a_turn_that_one_could_not_deliver_is_replayed_by_the_other)
{
    struct world *world = world_with_groq();
    struct world *other = world_beside(world);
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    struct connection *turn = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);
    connection_close(turn);
    upstream_release(world->upstream);
    await_turn_count(other, &session, 1);

    const struct reply *again = answer(other, &session, ANSWER);

    expect_text(again, "data.assistant_text", "And then?");
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(other);
    world_end(world);
}

Test(two_processes, the_same_words_after_a_turn_that_one_delivered_are_a_new_turn)
{
    struct world *world = world_with_groq();
    struct world *other = world_beside(world);
    struct session session = start_session(world, 5);
    upstream_keeps_asking(world->upstream);

    for (int number = 1; number <= 5; number++)
        expect_number(answer(number % 2 ? world : other, &session, "I don't know"),
                      "data.question_number", number);
    world_end(other);
    world_end(world);
}

Test(two_processes, what_one_has_spoken_can_be_fetched_at_the_other)
{
    struct world *world = world_with_groq("TTS_PROVIDER=deepgram");
    struct world *other = world_beside(world);
    struct session session = start_session(world, 3);
    struct audio audio = mp3_with(world, "heronsong");
    always_speaks(world, audio);

    const char *path = speech_path(answer_aloud(world, &session, "And then?"));

    expect_speech(fetch(other, &session, "GET", path, NULL), audio);
    world_end(other);
    world_end(world);
}

Test(two_processes, a_recording_that_one_has_heard_is_not_heard_again_by_the_other)
{
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    struct world *other = world_beside(world);
    struct session session = start_session(world, 3);
    struct form form = new_recording(world, 1);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will(world->upstream, (struct saying){.status = 500});
    upstream_will_ask(world->upstream, "And then?");

    expect_error(say(world, &session, form), ERROR_LLM_PROVIDER_ERROR);

    const struct reply *again = say(other, &session, form);

    expect_text(again, "data.transcript", ANSWER);
    cr_assert_eq(upstream_call_count_as(world->upstream, ROLE_HEARING), 1);
    world_end(other);
    world_end(world);
}

Test(two_processes, attempts_and_the_end_are_the_same_at_both)
{
    struct world *world = world_with_groq();
    struct world *other = world_beside(world);
    struct session session = start_session(world, 3);
    struct form form = form_with_recording(world, 1, ANSWER " Again.");
    form.attempt = "again";
    upstream_keeps_asking(world->upstream);
    expect_success(answer(world, &session, ANSWER));

    expect_number(send_form(other, &session, form), "data.attempt", 2);
    expect_header(send_form(world, &session, form), "Idempotent-Replayed", "true");
    expect_number(answer_again(world, &session, ANSWER " Thrice."), "data.attempt", 3);
    const struct reply *ended = finish_session(other, &session);
    const struct reply *again = finish_session(world, &session);

    expect_number(ended, "data.questions_answered", 1);
    cr_assert_str_eq(json_object_to_json_string(json_at(ended->json, "data")),
                     json_object_to_json_string(json_at(again->json, "data")));
    expect_error(answer(world, &session, ANSWER " Next."), ERROR_SESSION_COMPLETE);
    cr_assert_eq(length_at(report_of(other, &session, NULL), "data.questions.0.attempts"),
                 3);
    world_end(other);
    world_end(world);
}

Test(two_processes, of_an_end_and_a_turn_at_the_same_time_one_is_in_progress)
{
    struct world *world = world_with_groq();
    struct world *other = world_beside(world);
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    expect_success(answer(world, &session, ANSWER));
    upstream_will_give_summary(world->upstream);
    upstream_hold(world->upstream);
    struct connection *ending = begin_to_finish(world, &session);
    upstream_await_calls(world->upstream, 2);

    expect_error(answer(other, &session, ANSWER " Other."), ERROR_TURN_IN_PROGRESS);
    expect_error(answer_again(other, &session, ANSWER " Other."), ERROR_TURN_IN_PROGRESS);
    expect_error(finish_session(other, &session), ERROR_TURN_IN_PROGRESS);

    upstream_release(world->upstream);
    expect_success(finish(world, ending));
    expect_error(answer(other, &session, ANSWER " Other."), ERROR_SESSION_COMPLETE);
    world_end(other);
    world_end(world);
}

/* --- Limits ------------------------------------------------------------------------------ */

Test(two_processes, what_a_session_may_ask_is_asked_of_both_together)
{
    struct world *world = world_with_builtin_coach("RATE_LIMIT_TURNS_PER_MINUTE=2");
    struct world *other = world_beside(world);
    struct session session = start_session(world, 5);

    expect_success(answer(world, &session, ANSWER));
    expect_success(answer(other, &session, ANSWER " Two."));

    expect_error(answer(world, &session, ANSWER " Three."), ERROR_RATE_LIMITED);
    expect_error(answer(other, &session, ANSWER " Three."), ERROR_RATE_LIMITED);
    world_end(other);
    world_end(world);
}

Test(two_processes, what_a_day_may_use_up_is_used_up_by_both_together)
{
    struct world *world = world_with_builtin_coach("MAX_TURNS_PER_DAY=2");
    struct world *other = world_beside(world);
    struct session session = start_session(world, 5);

    expect_success(answer(world, &session, ANSWER));
    expect_success(answer(other, &session, ANSWER " Two."));

    expect_usage_cap(answer(world, &session, ANSWER " Three."), "turns");
    expect_usage_cap(answer(other, &session, ANSWER " Three."), "turns");
    world_end(other);
    world_end(world);
}

Test(two_processes,
     sessions_that_an_address_starts_at_both_at_once_are_counted_one_by_one)
{
    enum { MANY = 10, MOST = 4 };
    struct world *world = world_with_builtin_coach("MAX_SESSIONS_PER_ADDRESS=4");
    struct world *other = world_beside(world);
    struct connection *starts[MANY];
    int open = 0;

    for (int i = 0; i < MANY; i++)
        starts[i] = begin_to_start_from(i % 2 ? world : other, "");
    for (int i = 0; i < MANY; i++) {
        const struct reply *reply = finish(i % 2 ? world : other, starts[i]);
        open += reply->status == 200;
        if (reply->status != 200)
            expect_usage_cap(reply, "sessions");
    }

    cr_assert_eq(open, MOST);
    world_end(other);
    world_end(world);
}

/* --- One dies, or stops ----------------------------------------------------------------- */

Test(two_processes, the_turn_of_one_that_died_is_made_by_the_other)
{
    struct world *world = world_with_groq();
    struct world *other = world_beside(world);
    struct session session = start_session(world, 3);
    upstream_keeps_asking(world->upstream);
    upstream_hold(world->upstream);
    connection_close(begin_answer(world, &session, ANSWER));
    upstream_await_calls(world->upstream, 1);

    world_kill(world);
    upstream_release(world->upstream);

    expect_number(answer_when_free(other, &session, ANSWER), "data.question_number", 1);
    expect_number(get_session(other, &session), "data.turn_count", 1);
    world_end(other);
    world_end(world);
}

/* It does not matter how long it slept: the session has gone on without it.  Its connections
 * to PostgreSQL may look broken to it when it wakes, and then it says so. */
Test(two_processes, one_that_was_stopped_cannot_commit_when_the_other_has)
{
    struct world *world = world_with_groq();
    struct world *other = world_beside(world);
    struct session session = start_session(world, 3);
    upstream_keeps_asking(world->upstream);
    upstream_hold(world->upstream);
    struct connection *turn = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);
    world_stop(world);
    upstream_release(world->upstream);
    const struct reply *made = answer_when_free(other, &session, ANSWER " Awake.");
    expect_number(made, "data.question_number", 1);

    world_signal(world, SIGCONT);

    const struct reply *late = finish(world, turn);
    expect_error(late,
                 late->status == 409 ? ERROR_TURN_IN_PROGRESS : ERROR_STORE_UNAVAILABLE);
    expect_number(get_session(other, &session), "data.turn_count", 1);
    expect_text(get_session(other, &session), "data.asked_questions.1",
                text_at(made, "data.assistant_text"));
    world_end(other);
    world_end(world);
}

Test(two_processes, one_that_was_stopped_for_a_moment_commits_its_turn)
{
    struct world *world = world_with_groq();
    struct world *other = world_beside(world);
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    struct connection *turn = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);
    world_stop(world);
    upstream_release(world->upstream);
    expect_error(answer(other, &session, ANSWER " Other."), ERROR_TURN_IN_PROGRESS);

    world_signal(world, SIGCONT);

    expect_success(finish(world, turn));
    expect_number(get_session(other, &session), "data.turn_count", 1);
    world_end(other);
    world_end(world);
}

/* The first start on an empty database is everyone's at once. */
Test(two_processes, all_may_start_at_the_same_time)
{
    enum { MANY = 4 };
    struct world *worlds[MANY] = {world_with_builtin_coach()};

    for (int i = 1; i < MANY; i++)
        worlds[i] = world_beside(worlds[0]);
    for (int i = 0; i < MANY; i++)
        world_kill(worlds[i]);
    store_place_empty(worlds[0]->store);
    for (int i = 0; i < MANY; i++)
        world_begin_restart(worlds[i]);
    for (int i = 0; i < MANY; i++)
        world_await_listening(worlds[i]);

    struct session session = start_session(worlds[0], 10);
    for (int i = 0; i < MANY; i++)
        expect_number(answer(worlds[i], &session, words(worlds[0], "%s %d", ANSWER, i)),
                      "data.question_number", i + 1);
    for (int i = MANY - 1; i >= 0; i--)
        world_end(worlds[i]);
}
