/*
 * Errors of the service: it stops, has too much to do, or has lost its store.
 */
#include <criterion/criterion.h>

#include "play.h"
#include "scenarios.h"

static const struct request READYZ = {.method = "GET", .path = "/readyz"};

/* Asks on a kept connection until the program says that it is going. */
static const struct reply *await_not_ready(struct world *world,
                                           struct connection *connection)
{
    struct bytes bytes = request_bytes(&READYZ);
    const struct reply *reply;

    do {
        connection_send(connection, bytes.data, bytes.size);
        reply = receive(world, connection, "GET");
        cr_assert_not_null(
            reply, "a kept connection was closed before its request was answered");
    } while (reply->status == 200);
    bytes_free(&bytes);
    return reply;
}

/* A world that is told to stop while a turn is under way; a connection that it has
 * answered on. */
struct stopping {
    struct world *world;
    struct session session;
    struct connection *turn;
    struct connection *kept;
};

static struct stopping begin_to_stop(void)
{
    struct stopping stopping = {.world = world_with_groq()};
    struct world *world = stopping.world;

    stopping.session = start_session(world, 3);
    stopping.kept = begin(world, READYZ);
    expect_success(receive(world, stopping.kept, "GET"));
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    stopping.turn = begin_answer(world, &stopping.session, ANSWER);
    upstream_await_calls(world->upstream, 1);
    world_signal(world, SIGTERM);
    return stopping;
}

static void end_stopping(struct stopping *stopping)
{
    upstream_release(stopping->world->upstream);
    expect_success(finish(stopping->world, stopping->turn));
    connection_close(stopping->kept);
    cr_assert(world_await_exit(stopping->world) == 0);
    world_end(stopping->world);
}

void reach_NOT_READY(void)
{
    struct stopping stopping = begin_to_stop();

    const struct reply *reply = await_not_ready(stopping.world, stopping.kept);

    expect_error(reply, ERROR_NOT_READY);
    cr_assert_not_null(json_at(reply->json, "error.details.checks"));
    end_stopping(&stopping);
}

void reach_DRAINING(void)
{
    struct stopping stopping = begin_to_stop();
    await_not_ready(stopping.world, stopping.kept);

    expect_error(answer(stopping.world, &stopping.session, ANSWER " More."),
                 ERROR_DRAINING);
    end_stopping(&stopping);
}

/* Somebody else holds the lock of the database. */
void reach_STORE_UNAVAILABLE(void)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    store_place_lock(world->store);

    expect_error(answer(world, &session, ANSWER), ERROR_STORE_UNAVAILABLE);

    store_place_unlock(world->store);
    expect_number(answer(world, &session, ANSWER), "data.question_number", 1);
    world_end(world);
}

void reach_OVERLOADED(void)
{
    struct world *world = world_with_groq("MAX_INFLIGHT_TURNS=1");
    struct session one = start_session(world, 3);
    struct session other = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    struct connection *first = begin_answer(world, &one, ANSWER);
    upstream_await_calls(world->upstream, 1);

    expect_error(answer(world, &other, ANSWER), ERROR_OVERLOADED);

    upstream_release(world->upstream);
    expect_success(finish(world, first));
    world_end(world);
}

void reach_RATE_LIMITED(void)
{
    struct world *world = world_with_builtin_coach("RATE_LIMIT_TURNS_PER_MINUTE=1");
    struct session session = start_session(world, 3);

    expect_success(answer(world, &session, ANSWER));
    expect_error(answer(world, &session, ANSWER), ERROR_RATE_LIMITED);
    world_end(world);
}
