/*
 * Stopping, and too much at once: turns under way end well, new ones are told to come
 * back.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "play.h"

TestSuite(shutdown, .timeout = 60);

Test(shutdown, an_idle_program_ends_at_once_with_status_0)
{
    struct world *world = world_with_builtin_coach();

    world_signal(world, SIGTERM);

    cr_assert(world_await_exit(world) == 0);
    world_end(world);
}

Test(shutdown, an_interrupt_is_as_good_as_sigterm)
{
    struct world *world = world_with_builtin_coach();

    world_signal(world, SIGINT);

    cr_assert(world_await_exit(world) == 0);
    world_end(world);
}

Test(shutdown, idle_connections_do_not_hold_the_program_up)
{
    struct world *world = world_with_builtin_coach();
    struct connection *silent = connection_open(world->port);
    struct connection *kept =
        begin(world, (struct request){.method = "GET", .path = "/healthz"});
    expect_success(receive(world, kept, "GET"));

    world_signal(world, SIGTERM);

    cr_assert(world_await_exit(world) == 0);
    connection_close(silent);
    connection_close(kept);
    world_end(world);
}

/* More than are accepted in one tick: the program is stopped while they come, and then told to end. */
Test(shutdown, requests_that_came_before_the_end_are_answered)
{
    enum { CLIENTS = 400 };
    struct world *world = world_with_builtin_coach("WORKERS=1");
    struct connection *clients[CLIENTS];

    for (int i = 0; i < CLIENTS / 8; i++) {
        clients[i] = begin(world, (struct request){.method = "GET", .path = "/healthz"});
        expect_success(receive(world, clients[i], "GET"));
    }
    world_signal(world, SIGSTOP);
    for (int i = 0; i < CLIENTS; i++) {
        if (i >= CLIENTS / 8)
            clients[i] = connection_open(world->port);
        connection_send_text(clients[i], "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    }

    world_signal(world, SIGTERM);
    world_signal(world, SIGCONT);

    for (int i = 0; i < CLIENTS; i++)
        expect_success(finish(world, clients[i]));
    cr_assert(world_await_exit(world) == 0);
    world_end(world);
}

Test(shutdown, turns_under_way_are_finished_and_answered)
{
    enum { TURNS = 20 };
    struct world *world = world_with_groq();
    struct connection *turns[TURNS];
    upstream_keeps_asking(world->upstream);
    upstream_hold(world->upstream);
    for (int i = 0; i < TURNS; i++) {
        struct session session = start_session(world, 3);
        turns[i] = begin_answer(world, &session, ANSWER);
    }
    upstream_await_calls(world->upstream, TURNS);

    world_signal(world, SIGTERM);
    upstream_release(world->upstream);

    for (int i = 0; i < TURNS; i++)
        expect_success(finish(world, turns[i]));
    cr_assert(world_await_exit(world) == 0);
    world_end(world);
}

Test(shutdown, a_turn_whose_client_has_left_is_finished_too)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    struct connection *turn = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);
    connection_close(turn);

    world_signal(world, SIGTERM);
    upstream_release(world->upstream);
    cr_assert(world_await_exit(world) == 0);
    world_restart(world);

    expect_number(answer(world, &session, ANSWER), "data.question_number", 1);
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(world);
}

Test(shutdown, a_turn_that_never_ends_is_cut_by_its_deadline)
{
    struct world *world = world_with_groq("TURN_DEADLINE_SECONDS=1");
    struct session session = start_session(world, 3);
    upstream_will(world->upstream, (struct saying){.manner = MANNER_SILENT});
    struct connection *turn = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);

    world_signal(world, SIGTERM);

    expect_error(finish(world, turn), ERROR_LLM_TIMEOUT);
    cr_assert(world_await_exit(world) == 0);
    world_end(world);
}

Test(shutdown, a_half_sent_request_does_not_hold_the_program_up_for_long)
{
    struct world *world = world_with_builtin_coach("UPLOAD_TIMEOUT_SECONDS=1");
    struct connection *half = connection_open(world->port);
    connection_send_text(half,
                         "POST /turn HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab");
    expect_success(ask(world, (struct request){.method = "GET", .path = "/healthz"}));

    world_signal(world, SIGTERM);

    cr_assert(world_await_exit(world) == 0);
    connection_close(half);
    world_end(world);
}

Test(shutdown, when_enough_turns_are_under_way_more_are_told_to_come_back)
{
    struct world *world = world_with_groq("MAX_INFLIGHT_TURNS=1");
    struct session one = start_session(world, 3);
    struct session other = start_session(world, 3);
    upstream_keeps_asking(world->upstream);
    upstream_hold(world->upstream);
    struct connection *first = begin_answer(world, &one, ANSWER);
    upstream_await_calls(world->upstream, 1);

    expect_error(answer(world, &other, ANSWER), ERROR_OVERLOADED);
    upstream_release(world->upstream);
    expect_success(finish(world, first));

    const struct reply *again;
    do
        again = answer(world, &other, ANSWER);
    while (again->status == 503);
    expect_success(again);
    world_end(world);
}

Test(shutdown, an_overloaded_program_still_answers_everything_else)
{
    struct world *world = world_with_groq("MAX_INFLIGHT_TURNS=1");
    struct session session = start_session(world, 3);
    upstream_keeps_asking(world->upstream);
    upstream_hold(world->upstream);
    struct connection *turn = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);

    expect_success(ask(world, (struct request){.method = "GET", .path = "/readyz"}));
    expect_success(get_session(world, &session));

    upstream_release(world->upstream);
    expect_success(finish(world, turn));
    world_end(world);
}
