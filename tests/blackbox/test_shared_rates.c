/*
 * Rates and caps over two processes on one PostgreSQL: however a client spreads what it
 * asks for, it gets no more than from one.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "play.h"

TestSuite(shared_rates, .timeout = 90);

#define BEHIND_A_PROXY "TRUSTED_PROXIES=127.0.0.1"

static const struct request METRICS = {.method = "GET", .path = "/metrics"};

Test(shared_rates, what_is_left_is_what_both_have_left)
{
    struct world *world = world_with_builtin_coach("RATE_LIMIT_SESSIONS_PER_MINUTE=3");
    struct world *other = world_beside(world);
    char value[64] = "";

    expect_header(start_from(world, ""), "RateLimit", "\"sessions\";r=2;t=20");
    expect_header(start_from(other, ""), "RateLimit-Policy", "\"sessions\";q=3;w=60");
    reply_header(start_from(world, ""), "RateLimit", value, sizeof value);
    cr_assert(strncmp(value, "\"sessions\";r=0;", 15) == 0, "%s", value);
    for (int i = 0; i < 2; i++) { /* by the store, then by what it said */
        const struct reply *reply = start_from(other, "");

        expect_error(reply, ERROR_RATE_LIMITED);
        reply_header(reply, "Retry-After", value, sizeof value);
        cr_assert(atoi(value) > 10 && atoi(value) <= 20, "%s", value);
    }
    cr_assert(bytes_has(&ask(other, METRICS)->body, "\npoise_rates_unshared_total 0\n"));
    world_end(other);
    world_end(world);
}

/* Each from an address of its own, the first of which is answered somehow. */
static void expect_shared(struct world *world, struct world *other, const char *address,
                          struct request request)
{
    request.headers = words(world, "X-Forwarded-For: %s\r\n%s", address,
                            request.headers != NULL ? request.headers : "");
    cr_assert_neq(ask(world, request)->status, 429);
    expect_error(ask(other, request), ERROR_RATE_LIMITED);
}

static struct request question_at(const char *path)
{
    return (struct request){.method = "POST",
                            .path = path,
                            .content_type = "application/json",
                            .body = "{\"question\":\"How long is an interview?\","
                                    "\"message\":\"How long is an interview?\"}"};
}

Test(shared_rates, every_kind_of_work_is_counted_over_both)
{
    struct world *world = world_with_builtin_coach(
        BEHIND_A_PROXY, "RATE_LIMIT_TURNS_PER_MINUTE=1", "RATE_LIMIT_TTS_PER_MINUTE=1",
        "RATE_LIMIT_ASKS_PER_MINUTE=1");
    struct world *other = world_beside(world);
    struct session session = start_session(world, 3);
    struct form form = {.session_id = session.id, .transcript = ANSWER};
    struct bytes multipart = dio_form(&form);

    expect_shared(world, other, "192.0.2.1", question_at("/ask"));
    expect_shared(world, other, "192.0.2.2", question_at("/v1/chat"));
    expect_shared(world, other, "192.0.2.3",
                  (struct request){
                      .method = "GET",
                      .path = "/tts/00000000-0000-4000-8000-000000000000",
                      .token = session.token,
                  });
    expect_shared(world, other, "192.0.2.4",
                  (struct request){.method = "POST",
                                   .path = "/turn",
                                   .token = session.token,
                                   .content_type = DIO_CONTENT_TYPE,
                                   .body = multipart.data,
                                   .body_size = multipart.size});
    bytes_free(&multipart);
    expect_number(get_session(other, &session), "data.turn_count", 1);
    world_end(other);
    world_end(world);
}

/* The session's own quota holds whatever the address, and for answers that would be told in
 * events. */
Test(shared_rates, a_session_is_counted_over_both_wherever_it_comes_from)
{
    struct world *world =
        world_with_builtin_coach(BEHIND_A_PROXY, "RATE_LIMIT_TURNS_PER_MINUTE=1");
    struct world *other = world_beside(world);
    struct session session = start_session(world, 3);

    expect_success(
        answer_with(world, &session, ANSWER, "X-Forwarded-For: 192.0.2.1\r\n"));
    expect_error(answer_with(other, &session, ANSWER " More.",
                             "X-Forwarded-For: 192.0.2.2\r\n"
                             "Accept: text/event-stream\r\n"),
                 ERROR_RATE_LIMITED);
    world_end(other);
    world_end(world);
}

Test(shared_rates, turns_at_the_same_moment_are_counted_one_by_one)
{
    struct world *world = world_with_builtin_coach("MAX_TURNS_PER_DAY=3");
    struct world *both[2] = {world, world_beside(world)};
    struct connection *asked[8];
    int turns = 0;

    for (int i = 0; i < 8; i++) {
        struct session session = start_session(world, 1);

        asked[i] = begin_answer(both[i % 2], &session, ANSWER);
    }
    for (int i = 0; i < 8; i++) {
        const struct reply *reply = finish(both[i % 2], asked[i]);

        turns += reply->status == 200;
        if (reply->status != 200)
            expect_usage_cap(reply, "turns");
    }
    cr_assert_eq(turns, 3);
    world_end(both[1]);
    world_end(world);
}
