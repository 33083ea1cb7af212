/*
 * Too much to do: new work is turned away at once, and what is under way goes on.
 *
 * A loop that is late is made by taking the processor away from the program most of the
 * time (SIGSTOP and SIGCONT in turns), a store that keeps everybody waiting by another
 * process that writes into its file and does not come to an end.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "play.h"

TestSuite(overload, .timeout = 90);

#define START \
    "{\"role\":\"nurse\",\"interview_type\":\"behavioral\",\"difficulty\":\"easy\"}"

static const struct reply *get(struct world *world, const char *path)
{
    return ask(world, (struct request){.method = "GET", .path = path});
}

static const struct reply *question(struct world *world, const char *path)
{
    return ask(world, (struct request){.method = "POST",
                                       .path = path,
                                       .content_type = "application/json",
                                       .body = "{\"question\":\"How do I prepare?\","
                                               "\"message\":\"How do I prepare?\"}"});
}

static void expect_turned_away(const struct reply *reply)
{
    expect_error(reply, ERROR_OVERLOADED);
    cr_assert_eq(reply_header_count(reply, "Retry-After"), 1);
}

/* Until the service turns new work away. */
static void await_overload(struct world *world)
{
    const struct reply *reply;

    do
        reply = start_with(world, START);
    while (reply->status == 200);
    expect_turned_away(reply);
}

static void await_room(struct world *world)
{
    const struct reply *reply;

    do
        reply = start_with(world, START);
    while (reply->status == 503);
    expect_success(reply);
}

/* ---- a machine that has no time ---- */

struct thief {
    struct world *world;
    pthread_t thread;
    atomic_bool has_enough;
};

static void nap(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static void *steal(void *context)
{
    struct thief *thief = context;

    while (!atomic_load(&thief->has_enough)) {
        world_signal(thief->world, SIGSTOP);
        nap(180);
        world_signal(thief->world, SIGCONT);
        nap(10);
    }
    return NULL;
}

static void thief_begin(struct thief *thief, struct world *world)
{
    thief->world = world;
    atomic_init(&thief->has_enough, false);
    cr_assert_eq(pthread_create(&thief->thread, NULL, steal, thief), 0);
}

static void thief_end(struct thief *thief)
{
    atomic_store(&thief->has_enough, true);
    pthread_join(thief->thread, NULL);
}

Test(overload, a_late_loop_turns_new_work_away_and_goes_on_with_the_old)
{
    struct world *world = world_with_groq("WORKERS=1", "OVERLOAD_LAG_MS=20");
    struct session one = start_session(world, 3), other = start_session(world, 3);
    struct thief thief;
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    struct connection *under_way = begin_answer(world, &one, ANSWER);
    upstream_await_calls(world->upstream, 1);

    thief_begin(&thief, world);
    await_overload(world);

    expect_turned_away(answer(world, &other, ANSWER));
    expect_turned_away(question(world, "/ask"));
    expect_success(get(world, "/healthz"));
    upstream_release(world->upstream);
    expect_text(finish(world, under_way), "data.assistant_text", "And then?");
    thief_end(&thief);

    await_room(world);
    cr_assert_eq(upstream_call_count(world->upstream), 1);
    world_end(world);
}

Test(overload, one_long_pause_is_none)
{
    struct world *world = world_with_builtin_coach("WORKERS=1", "OVERLOAD_LAG_MS=20");
    struct session session = start_session(world, 3);

    world_signal(world, SIGSTOP);
    nap(300); /* it need not stop at once */
    struct connection *waiting = begin_answer(world, &session, ANSWER);
    nap(300);
    world_signal(world, SIGCONT);

    expect_number(finish(world, waiting), "data.question_number", 1);
    world_end(world);
}

/* ---- a store that has no time ---- */

Test(overload, a_store_that_keeps_everybody_waiting_is_spared_new_work)
{
    struct world *world = world_with_builtin_coach("WORKERS=1", "OVERLOAD_STORE_MS=20");
    struct session session = start_session(world, 3);
    store_place_lock(world->store);

    struct connection *waiting = begin_answer(world, &session, ANSWER);
    const struct reply *reply;
    do
        reply = start_with(world, "{}"); /* has nothing to do with the store */
    while (reply->status == 422);
    expect_turned_away(reply);
    expect_success(get(world, "/healthz"));
    store_place_unlock(world->store);

    expect_number(finish(world, waiting), "data.question_number", 1);
    await_room(world);
    world_end(world);
}

/* ---- as many as may ---- */

Test(overload, the_turn_that_is_one_too_many_is_turned_away_before_its_body_comes)
{
    struct world *world = world_with_groq("MAX_INFLIGHT_TURNS=1");
    struct session one = start_session(world, 3), other = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    struct connection *under_way = begin_answer(world, &one, ANSWER);
    upstream_await_calls(world->upstream, 1);

    struct connection *late =
        begin(world, (struct request){.method = "POST",
                                      .path = "/turn",
                                      .token = other.token,
                                      .content_type = DIO_CONTENT_TYPE,
                                      .headers = "Content-Length: 1000000\r\n"});

    expect_turned_away(finish(world, late));
    upstream_release(world->upstream);
    expect_success(finish(world, under_way));
    cr_assert(bytes_has(&get(world, "/metrics")->body,
                        "\npoise_shed_total{reason=\"turns\"} 1\n"));
    world_end(world);
}
