/*
 * Connections that rest between two requests (services/http/parking.h): nobody can tell.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "play.h"

TestSuite(parking, .timeout = 90);

static const char HEALTHZ[] = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

/* Until so many connections are parked, as /metrics says. */
static void await_parked(struct world *world, int count)
{
    const char *wanted = words(world, "poise_connections{state=\"parked\"} %d\n", count);

    while (!bytes_has(
        &ask(world, (struct request){.method = "GET", .path = "/metrics"})->body, wanted))
        usleep(20000);
}

static void is_served(struct world *world, struct connection *connection)
{
    connection_send_text(connection, HEALTHZ);
    expect_success(receive(world, connection, "GET"));
}

/* Open, and served once. */
static struct connection *known(struct world *world)
{
    struct connection *connection = connection_open(world->port);

    cr_assert_not_null(connection);
    is_served(world, connection);
    return connection;
}

Test(parking, whoever_rests_is_served_again_and_rests_again)
{
    struct world *world = world_with_builtin_coach("WORKERS=1");
    struct session session = start_session(world, 3);
    struct connection *client = known(world);
    await_parked(world, 1);
    struct bytes turn = turn_bytes(&session, ANSWER);

    connection_send(client, turn.data, turn.size);
    expect_number(receive(world, client, "POST"), "data.question_number", 1);
    is_served(world, client);
    await_parked(world, 1);
    is_served(world, client);

    bytes_free(&turn);
    connection_close(client);
    world_end(world);
}

Test(parking, a_head_that_was_begun_before_the_rest_is_kept)
{
    struct world *world = world_with_builtin_coach("WORKERS=1");
    size_t begun = strcspn(HEALTHZ, "\r");
    struct connection *slow = connection_open(world->port);
    connection_send_text(slow, words(world, "%s%.*s", HEALTHZ, (int)begun, HEALTHZ));
    expect_success(receive(world, slow, "GET"));
    struct connection *slower = known(world);
    connection_send(slower, HEALTHZ, begun);
    struct connection *resting = known(world);
    await_parked(world, 1);

    connection_send_text(slow, HEALTHZ + begun);
    connection_send_text(slower, HEALTHZ + begun);

    expect_success(receive(world, slow, "GET"));
    expect_success(receive(world, slower, "GET"));
    connection_close(slow);
    connection_close(slower);
    connection_close(resting);
    world_end(world);
}

Test(parking, what_comes_after_a_rest_in_pieces_or_is_no_http_is_judged_as_ever)
{
    struct world *world = world_with_builtin_coach("WORKERS=1");
    struct connection *piecemeal = known(world);
    struct connection *babbling = known(world);
    struct connection *leaving = known(world);
    await_parked(world, 3);

    for (const char *at = HEALTHZ; *at != '\0'; at++)
        connection_send(piecemeal, at, 1);
    connection_send_text(babbling, "\x16\x03\x01 is no HTTP\r\n\r\n");
    connection_close(leaving);

    expect_success(receive(world, piecemeal, "GET"));
    expect_error(receive(world, babbling, "GET"), ERROR_BAD_REQUEST);
    cr_assert(connection_ends(babbling));
    connection_close(piecemeal);
    connection_close(babbling);
    await_parked(world, 0);
    world_end(world);
}

Test(parking, resting_connections_are_closed_when_the_program_ends)
{
    enum { MANY = 200 };
    struct world *world = world_with_builtin_coach("WORKERS=1");
    struct connection *clients[MANY];
    for (int i = 0; i < MANY; i++)
        clients[i] = known(world);
    await_parked(world, MANY);

    world_signal(world, SIGTERM);

    cr_assert(world_await_exit(world) == 0);
    for (int i = 0; i < MANY; i++) {
        cr_assert(connection_ends(clients[i]));
        connection_close(clients[i]);
    }
    world_end(world);
}

Test(parking, the_one_that_rests_for_longest_makes_room_for_a_new_one)
{
    enum { PLACES = 16 };
    struct world *world = world_with_builtin_coach("WORKERS=1", "MAX_CONNECTIONS=16");
    struct connection *clients[PLACES + 1];
    for (int i = 0; i < PLACES - 1; i++)
        clients[i] = known(world);
    await_parked(world, PLACES - 1);

    clients[PLACES - 1] = known(world);
    clients[PLACES] = known(world);

    cr_assert(connection_ends(clients[0]));
    is_served(world, clients[1]);
    for (int i = 0; i <= PLACES; i++)
        connection_close(clients[i]);
    world_end(world);
}
