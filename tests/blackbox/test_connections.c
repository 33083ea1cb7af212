/*
 * Many connections, slow ones, and two programs on one store.
 */
#include <criterion/criterion.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "play.h"
#include "program.h"

TestSuite(connections, .timeout = 90);

static const char HEALTHZ[] = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

Test(connections, a_thousand_silent_ones_do_not_hurt_the_next)
{
    enum { SILENT = 1000 };
    struct world *world = world_with_builtin_coach();
    struct connection *silent[SILENT];
    for (int i = 0; i < SILENT; i++) {
        silent[i] = connection_open(world->port);
        cr_assert_not_null(silent[i]);
    }

    expect_success(ask(world, (struct request){.method = "GET", .path = "/healthz"}));

    for (int i = 0; i < SILENT; i++)
        connection_close(silent[i]);
    world_end(world);
}

/* Each sends its next request, of as many bytes as the last, as soon as it has a reply: whenever the
 * program looks for connections that are stuck, as many bytes wait on most of these. */
Test(connections, those_that_never_rest_are_not_taken_for_stuck)
{
    enum { BUSY = 100 };
    struct world *world = world_with_builtin_coach("MAX_CONNECTIONS_PER_ADDRESS=1000");
    struct connection *busy[BUSY];
    struct pollfd ends[BUSY];
    static char reply[65536];
    time_t over = time(NULL) + 4; /* it looks twice a second, and judges by four looks */
    for (int i = 0; i < BUSY; i++) {
        busy[i] = connection_open(world->port);
        ends[i] = (struct pollfd){.fd = connection_descriptor(busy[i]), .events = POLLIN};
        connection_send_text(busy[i], HEALTHZ);
    }

    while (time(NULL) < over) {
        cr_assert(poll(ends, BUSY, LONGEST_WAIT_S * 1000) > 0);
        for (int i = 0; i < BUSY; i++)
            if (ends[i].revents != 0)
                cr_assert(connection_read(busy[i], reply, sizeof reply) > 0 &&
                              connection_send_text(busy[i], HEALTHZ),
                          "connection %d was closed", i);
    }

    for (int i = 0; i < BUSY; i++)
        connection_close(busy[i]);
    world_end(world);
}

Test(connections, when_descriptors_run_out_the_program_waits_and_recovers)
{
    enum { MANY = 40 };
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    struct connection *connections[MANY];
    program_limit_files(world->program, 8);
    for (int i = 0; i < MANY; i++) {
        connections[i] = connection_open(world->port);
        connection_send_text(connections[i], HEALTHZ);
    }

    program_limit_files(world->program, 4096);

    for (int i = 0; i < MANY; i++) {
        const struct reply *reply = receive(world, connections[i], "GET");
        if (reply)
            expect_envelope(reply);
        connection_close(connections[i]);
    }
    upstream_will_ask(world->upstream, "And then?");
    expect_success(answer(world, &session, ANSWER));
    world_end(world);
}

Test(connections, an_expectation_is_answered_before_the_body_comes)
{
    struct world *world = world_with_builtin_coach();
    const char *body =
        "{\"role\":\"cook\",\"interview_type\":\"general\",\"difficulty\":\"easy\"}";
    struct connection *connection =
        begin(world, (struct request){.method = "POST",
                                      .path = "/session/start",
                                      .content_type = "application/json",
                                      .headers = words(world,
                                                       "Expect: 100-continue\r\n"
                                                       "Content-Length: %zu\r\n",
                                                       strlen(body))});
    struct pollfd wanted = {.fd = connection_descriptor(connection), .events = POLLIN};

    cr_assert(poll(&wanted, 1, LONGEST_WAIT_S * 1000) == 1,
              "nothing came before the body");
    connection_send_text(connection, body);

    expect_success(finish(world, connection));
    world_end(world);
}

Test(connections, who_may_not_send_is_told_before_the_body_comes)
{
    struct world *world = world_with_builtin_coach();
    struct connection *connection =
        begin(world, (struct request){.method = "POST",
                                      .path = "/turn",
                                      .token = "forged",
                                      .content_type = DIO_CONTENT_TYPE,
                                      .headers = "Content-Length: 1000000\r\n"});

    expect_error(finish(world, connection), ERROR_INVALID_TOKEN);
    world_end(world);
}

Test(connections, a_client_that_sends_all_before_it_reads_still_gets_its_refusal)
{
    struct world *world = world_with_builtin_coach("MAX_AUDIO_BYTES=2000");
    struct session session = start_session(world, 3);
    const char *body = repeated(world, "0123456789abcdef", 40000);

    const struct reply *reply =
        ask(world, (struct request){.method = "POST",
                                    .path = "/turn",
                                    .token = session.token,
                                    .content_type = DIO_CONTENT_TYPE,
                                    .body = body});

    expect_error(reply, ERROR_FILE_TOO_LARGE);
    world_end(world);
}

Test(connections, clients_that_break_off_at_any_byte_do_no_harm)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    struct bytes turn = turn_bytes(&session, ANSWER);

    for (size_t size = 0; size < turn.size; size += 5) {
        struct connection *connection = connection_open(world->port);
        cr_assert_not_null(connection);
        connection_send(connection, turn.data, size);
        if (size % 2)
            connection_reset(connection);
        else
            connection_close(connection);
    }

    expect_number(get_session(world, &session), "data.turn_count", 0);
    expect_number(answer(world, &session, ANSWER), "data.question_number", 1);
    bytes_free(&turn);
    world_end(world);
}

Test(connections, pipelined_turns_are_made_in_order)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 5);
    struct connection *connection = connection_open(world->port);

    for (int number = 1; number <= 3; number++) {
        struct bytes turn =
            turn_bytes(&session, words(world, "%s Number %d.", ANSWER, number));
        connection_send(connection, turn.data, turn.size);
        bytes_free(&turn);
    }

    for (int number = 1; number <= 3; number++)
        expect_number(receive(world, connection, "POST"), "data.question_number", number);
    connection_close(connection);
    world_end(world);
}

/* Waits until a reply begins, or the provider was called so often. */
static void await_reply_or_calls(struct world *world, struct connection *connection,
                                 size_t calls)
{
    struct pollfd wanted = {.fd = connection_descriptor(connection), .events = POLLIN};

    while (poll(&wanted, 1, 10) == 0 && upstream_call_count(world->upstream) < calls)
        continue;
}

Test(connections, of_two_turns_at_two_programs_on_one_store_one_commits)
{
    struct world *world = world_with_groq();
    struct world *other = world_beside(world);
    struct session session = start_session(world, 5);
    upstream_keeps_asking(world->upstream);
    upstream_hold(world->upstream);
    struct connection *here = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);
    struct connection *there = begin_answer(other, &session, ANSWER " More.");
    await_reply_or_calls(world, there, 2);

    upstream_release(world->upstream);

    const struct reply *one = finish(world, here);
    const struct reply *two = finish(other, there);
    cr_assert((one->status == 200) + (two->status == 200) == 1, "%d and %d", one->status,
              two->status);
    expect_error(one->status == 200 ? two : one, ERROR_TURN_IN_PROGRESS);
    expect_number(get_session(other, &session), "data.turn_count", 1);
    world_end(other);
    world_end(world);
}

Test(connections, a_session_of_one_program_goes_on_at_another_on_the_same_store)
{
    struct world *world = world_with_builtin_coach();
    struct world *other = world_beside(world);
    struct session session = start_session(world, 5);

    if (!store_is_postgres())
        world_await_output(other, "store_in_use_by_another_process");
    expect_number(answer(world, &session, ANSWER), "data.question_number", 1);
    expect_number(answer(other, &session, ANSWER " Two."), "data.question_number", 2);
    expect_number(answer(world, &session, ANSWER " Three."), "data.question_number", 3);
    world_end(other);
    world_end(world);
}
