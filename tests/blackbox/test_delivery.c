/*
 * Turns whose reply does not arrive: the client left, or the program died.  They are kept
 * for the retry, and what did arrive is never taken for lost.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "play.h"

TestSuite(delivery, .timeout = 60);

typedef void leave_fn(struct connection *connection);

/* A turn whose client leaves while the model is thinking; it is committed on return. */
static void answer_and_leave(struct world *world, const struct session *session,
                             const char *transcript, leave_fn *leave)
{
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    size_t calls = upstream_call_count(world->upstream);
    struct connection *turn = begin_answer(world, session, transcript);
    upstream_await_calls(world->upstream, calls + 1);
    leave(turn);
    upstream_release(world->upstream);
    await_turn_count(world, session, 1);
}

static void expect_replay_after(leave_fn *leave)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    answer_and_leave(world, &session, ANSWER, leave);

    const struct reply *again = answer(world, &session, ANSWER);

    expect_text(again, "data.assistant_text", "And then?");
    expect_number(again, "data.question_number", 1);
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(world);
}

Test(delivery, a_client_that_closes_gets_its_turn_when_it_comes_back)
{
    expect_replay_after(connection_close);
}

Test(delivery, a_client_that_resets_gets_its_turn_when_it_comes_back)
{
    expect_replay_after(connection_reset);
}

Test(delivery, an_undelivered_turn_is_replayed_until_it_was_delivered)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 5);
    answer_and_leave(world, &session, ANSWER, connection_close);
    expect_number(answer(world, &session, ANSWER), "data.question_number", 1);
    upstream_will_ask(world->upstream, "And after that?");

    const struct reply *third = answer(world, &session, ANSWER);

    expect_number(third, "data.question_number", 2);
    world_end(world);
}

Test(delivery, an_undelivered_attempt_is_replayed_however_it_is_sent_again)
{
    for (int is_again = 0; is_again <= 1; is_again++) {
        struct world *world = world_with_groq();
        struct session session = start_session(world, 3);
        upstream_will_ask(world->upstream, "And then?");
        expect_success(answer(world, &session, ANSWER));
        upstream_will_ask(world->upstream, "ignored");
        upstream_hold(world->upstream);
        struct connection *attempt =
            begin_answer_again(world, &session, ANSWER " Again.");
        upstream_await_calls(world->upstream, 2);
        connection_close(attempt);
        upstream_release(world->upstream);
        while (length_at(report_of(world, &session, NULL), "data.questions.0.attempts") <
               2)
            continue;

        const struct reply *again = is_again
                                        ? answer_again(world, &session, ANSWER " Again.")
                                        : answer(world, &session, ANSWER " Again.");

        expect_number(again, "data.attempt", 2);
        expect_text(again, "data.assistant_text", "And then?");
        expect_number(get_session(world, &session), "data.turn_count", 1);
        world_end(world);
    }
}

Test(delivery, another_answer_after_an_undelivered_turn_is_a_new_turn)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 5);
    answer_and_leave(world, &session, ANSWER, connection_close);
    upstream_will_ask(world->upstream, "And after that?");

    expect_number(answer(world, &session, ANSWER " More."), "data.question_number", 2);
    world_end(world);
}

Test(delivery, the_same_words_after_a_delivered_turn_are_a_new_turn)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 5);
    upstream_keeps_asking(world->upstream);

    expect_number(answer(world, &session, "I don't know"), "data.question_number", 1);
    expect_number(answer(world, &session, "I don't know"), "data.question_number", 2);
    world_end(world);
}

Test(delivery, the_same_words_on_a_kept_connection_are_a_new_turn)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 5);
    struct bytes turn = turn_bytes(&session, "I don't know");
    struct connection *connection = connection_open(world->port);

    for (int number = 1; number <= 3; number++) {
        connection_send(connection, turn.data, turn.size);
        expect_number(receive(world, connection, "POST"), "data.question_number", number);
    }
    connection_close(connection);
    bytes_free(&turn);
    world_end(world);
}

Test(delivery, a_refusal_that_was_not_delivered_is_made_again)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_refuse(world->upstream, NULL);
    upstream_hold(world->upstream);
    struct connection *turn = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);
    connection_close(turn);
    upstream_release(world->upstream);
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *again;
    do
        again = answer(world, &session, ANSWER);
    while (again->status == 409);

    expect_number(again, "data.question_number", 1);
    world_end(world);
}

Test(delivery, the_last_turn_is_replayed_on_a_complete_session)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 1);
    upstream_will_give_summary(world->upstream);
    answer_and_leave(world, &session, ANSWER, connection_close);

    const struct reply *again = answer(world, &session, ANSWER);

    expect_success(again);
    expect_flag(again, "data.is_complete", true);
    cr_assert_not_null(json_at(again->json, "data.session_summary"));
    world_end(world);
}

Test(delivery, the_same_recording_is_replayed_even_after_delivery_and_completion)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 1);
    struct form form = form_with_recording(world, 7, ANSWER);

    expect_flag(send_form(world, &session, form), "data.is_complete", true);
    expect_flag(send_form(world, &session, form), "data.is_complete", true);
    world_end(world);
}

Test(delivery, a_turn_that_was_committed_before_kill_9_is_replayed)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    answer_and_leave(world, &session, ANSWER, connection_close);
    world_kill(world);
    world_restart(world);

    const struct reply *again = answer(world, &session, ANSWER);

    expect_text(again, "data.assistant_text", "And then?");
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(world);
}

Test(delivery, a_turn_that_was_under_way_at_kill_9_never_was)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    const char *before = session_facts(world, &session);
    upstream_keeps_asking(world->upstream);
    upstream_hold(world->upstream);
    struct connection *turn = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);
    world_kill(world);
    world_restart(world);
    upstream_release(world->upstream);

    cr_assert_str_eq(session_facts(world, &session), before);
    expect_number(answer_when_free(world, &session, ANSWER), "data.question_number", 1);
    connection_close(turn);
    world_end(world);
}

Test(delivery, a_client_that_leaves_at_once_finds_its_turn_made_once)
{
    enum { TIMES = 40 };
    struct world *world = world_with_builtin_coach();

    for (int i = 0; i < TIMES; i++) {
        struct session session = start_session(world, 3);
        connection_close(begin_answer(world, &session, ANSWER));
        await_turn_count(world, &session, 1);
        const struct reply *again = answer(world, &session, ANSWER);
        expect_number(again, "data.question_number", 1);
        expect_number(get_session(world, &session), "data.turn_count", 1);
    }
    world_end(world);
}
