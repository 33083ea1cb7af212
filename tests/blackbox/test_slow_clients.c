/*
 * Clients that take their time, and those that take all places.
 */
#include <criterion/criterion.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>

#include "play.h"

TestSuite(slow_clients, .timeout = 90);

static const char HEALTHZ[] = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

/* Connections of the story's own: more than an ordinary limit of files allows. */
static void raise_own_limit(void)
{
    struct rlimit limit;

    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static struct connection *open_and_send(struct world *world, const char *text)
{
    struct connection *connection = connection_open(world->port);

    cr_assert_not_null(connection);
    connection_send_text(connection, text);
    return connection;
}

static const struct reply *healthz(struct world *world)
{
    return ask(world, (struct request){.method = "GET", .path = "/healthz"});
}

static bool metrics_have(struct world *world, const char *line)
{
    const struct reply *metrics =
        ask(world, (struct request){.method = "GET", .path = "/metrics"});

    return bytes_has(&metrics->body, line);
}

Test(slow_clients, when_all_places_are_taken_the_longest_idle_one_makes_room)
{
    enum { PLACES = 16, MANY = 64 };
    struct world *world = world_with_builtin_coach("MAX_CONNECTIONS=16", "WORKERS=1");
    struct connection *connections[MANY];

    for (int i = 0; i < MANY; i++) {
        connections[i] = open_and_send(world, HEALTHZ);
        expect_success(receive(world, connections[i], "GET"));
    }

    for (int i = 0; i < MANY - PLACES; i++)
        cr_assert(connection_ends(connections[i]), "number %d was kept", i);
    connection_send_text(connections[MANY - 1], HEALTHZ);
    expect_success(receive(world, connections[MANY - 1], "GET"));
    for (int i = 0; i < MANY; i++)
        connection_close(connections[i]);
    world_end(world);
}

Test(slow_clients, who_is_at_work_keeps_its_place_and_one_more_is_told_so)
{
    enum { PLACES = 16 };
    struct world *world = world_with_groq("MAX_CONNECTIONS=16", "WORKERS=1",
                                          "RATE_LIMIT_TURNS_PER_MINUTE=0");
    struct connection *turns[PLACES];
    upstream_keeps_asking(world->upstream);
    upstream_hold(world->upstream);
    for (int i = 0; i < PLACES; i++) {
        struct session session = start_session(world, 3);
        turns[i] = begin_answer(world, &session, ANSWER);
        upstream_await_calls(world->upstream, (size_t)i + 1);
    }

    expect_error(healthz(world), ERROR_OVERLOADED);

    upstream_release(world->upstream);
    for (int i = 0; i < PLACES; i++)
        expect_success(finish(world, turns[i]));
    const struct reply *reply;
    do
        reply = healthz(world);
    while (reply->status == 503);
    expect_success(reply);
    world_end(world);
}

Test(slow_clients, two_thousand_that_never_end_their_first_head_do_not_hinder_the_next)
{
    enum { SLOW = 2000 };
    static const char *const beginnings[] = {"", "GET /hea", "GET / HTTP/1.1\r\nHost: x"};
    struct world *world = world_with_builtin_coach("MAX_CONNECTIONS=1000", "WORKERS=1");
    struct connection *slow[SLOW];
    raise_own_limit();
    for (int i = 0; i < SLOW; i++)
        slow[i] = open_and_send(world, beginnings[i % 3]);

    const struct reply *reply;
    do
        reply = healthz(world);
    while (reply->status == 503);

    expect_success(reply);
    cr_assert_not(metrics_have(world, "\npoise_connections_given_up_total 0\n"));
    for (int i = 0; i < SLOW; i++)
        connection_close(slow[i]);
    world_end(world);
}

Test(slow_clients, who_sends_its_body_drop_by_drop_makes_room)
{
    enum { PLACES = 16 };
    struct world *world = world_with_builtin_coach("MAX_CONNECTIONS=16", "WORKERS=1");
    struct connection *slow[PLACES];
    for (int i = 0; i < PLACES; i++)
        slow[i] = open_and_send(world, "POST /session/start HTTP/1.1\r\nHost: x\r\n"
                                       "Content-Type: application/json\r\n"
                                       "Content-Length: 100\r\n\r\n{");

    const struct reply *reply;
    do
        reply = healthz(world);
    while (reply->status == 503);

    expect_success(reply);
    cr_assert_not(metrics_have(world, "\npoise_connections_given_up_total 0\n"));
    for (int i = 0; i < PLACES; i++)
        connection_close(slow[i]);
    world_end(world);
}

Test(slow_clients, a_head_or_a_body_that_does_not_end_in_time_ends_its_connection)
{
    struct world *world = world_with_builtin_coach("UPLOAD_TIMEOUT_SECONDS=1");
    struct session session = start_session(world, 3);
    struct bytes turn = turn_bytes(&session, ANSWER);
    struct connection *line = open_and_send(world, "POST /turn HT");
    struct connection *head = open_and_send(world, "POST /turn HTTP/1.1\r\nHost: x\r\n");
    struct connection *body = connection_open(world->port);
    connection_send(body, turn.data, turn.size - 1);

    cr_assert(connection_ends(line));
    cr_assert(connection_ends(head));
    cr_assert(connection_ends(body));
    expect_number(get_session(world, &session), "data.turn_count", 0);
    connection_close(line);
    connection_close(head);
    connection_close(body);
    bytes_free(&turn);
    world_end(world);
}

/* libmicrohttpd waits for room in its memory, and the time for a whole body is not over yet. */
Test(slow_clients, who_sends_what_cannot_be_read_on_is_let_go)
{
    static const char HEAD[] = "POST /ask HTTP/1.1\r\nHost: x\r\n"
                               "Content-Type: application/json\r\n"
                               "Transfer-Encoding: chunked\r\n\r\n";
    static const char *const LINES[] = {"5;", "0000000", "0;", "2\r\n{}\r\n5;"};
    struct world *world =
        world_with_builtin_coach("UPLOAD_TIMEOUT_SECONDS=600", "WORKERS=1");

    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) {
        struct connection *stuck = open_and_send(world, HEAD);

        connection_send_text(stuck, LINES[i]);
        connection_send_text(stuck, words(world, "%020000d", 0));
        cr_assert(connection_ends(stuck), "after %s", LINES[i]);
        connection_close(stuck);
    }
    world_end(world);
}

Test(slow_clients, who_does_not_read_its_replies_is_let_go)
{
    enum { REQUESTS = 400 };
    struct world *world =
        world_with_builtin_coach("UPLOAD_TIMEOUT_SECONDS=1", "WORKERS=1");
    struct connection *deaf = connection_open(world->port);
    for (int i = 0; i < REQUESTS; i++)
        connection_send_text(deaf, "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n");

    while (!metrics_have(world, "\npoise_connections{state=\"sending\"} 1\n"))
        continue;
    while (metrics_have(world, "\npoise_connections{state=\"sending\"} 1\n"))
        continue;

    connection_close(deaf);
    world_end(world);
}

Test(slow_clients, one_address_has_so_many_connections_and_no_more)
{
    struct world *world = world_with_builtin_coach("MAX_CONNECTIONS_PER_ADDRESS=3");
    struct connection *held[3];
    for (int i = 0; i < 3; i++) {
        held[i] = open_and_send(world, HEALTHZ);
        expect_success(receive(world, held[i], "GET"));
    }

    expect_error(healthz(world), ERROR_RATE_LIMITED);

    connection_close(held[0]);
    const struct reply *reply;
    do
        reply = healthz(world);
    while (reply->status == 429);
    expect_success(reply);
    connection_close(held[1]);
    connection_close(held[2]);
    world_end(world);
}

Test(slow_clients, a_proxy_in_front_has_many_clients)
{
    struct world *world = world_with_builtin_coach("MAX_CONNECTIONS_PER_ADDRESS=1",
                                                   "TRUSTED_PROXIES=127.0.0.1");
    struct connection *held = open_and_send(world, HEALTHZ);
    expect_success(receive(world, held, "GET"));

    expect_success(healthz(world));
    connection_close(held);
    world_end(world);
}
