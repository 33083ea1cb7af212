/*
 * PostgreSQL goes away, and comes back: no turn is half done meanwhile, and nobody has to
 * start Poise again.  Each story has a PostgreSQL of its own.
 */
#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>

#include "play.h"
#include "postgres.h"

TestSuite(store_away, .timeout = 90);

static const struct request READYZ = {.method = "GET", .path = "/readyz"};
static const struct request HEALTHZ = {.method = "GET", .path = "/healthz"};

static void await_ready(struct world *world)
{
    for (int tries = 0; tries < 500; tries++) {
        if (ask(world, READYZ)->status == 200)
            return;
        poll(NULL, 0, 20); /* as a load balancer does */
    }
    cr_assert_fail("the program never became ready");
}

static void expect_not_ready(struct world *world)
{
    const struct reply *reply = ask(world, READYZ);

    expect_error(reply, ERROR_NOT_READY);
    expect_text(reply, "error.details.checks.store", "store_unavailable");
    expect_success(ask(world, HEALTHZ));
}

Test(store_away, while_it_is_gone_sessions_cannot_be_reached_and_then_they_go_on)
{
    struct postgres *postgres = postgres_start();
    struct world *world = world_with_builtin_coach(postgres_setting(postgres));
    struct session session = start_session(world, 3);
    expect_success(answer(world, &session, ANSWER));
    const char *facts = session_facts(world, &session);

    postgres_stop_at_once(postgres);

    expect_error(answer(world, &session, ANSWER " Two."), ERROR_STORE_UNAVAILABLE);
    expect_error(get_session(world, &session), ERROR_STORE_UNAVAILABLE);
    expect_error(delete_session(world, &session), ERROR_STORE_UNAVAILABLE);
    expect_error(start_with(world, "{\"role\":\"nurse\",\"interview_type\":\"general\","
                                   "\"difficulty\":\"easy\"}"),
                 ERROR_STORE_UNAVAILABLE);
    expect_not_ready(world);
    world_await_output(world, "\"event\":\"store_away\"");
    postgres_start_again(postgres);
    await_ready(world);
    world_await_output(world, "\"event\":\"store_back\"");
    cr_assert_str_eq(session_facts(world, &session), facts);
    expect_number(answer(world, &session, ANSWER " Two."), "data.question_number", 2);
    world_end(world);
    postgres_end(postgres);
}

Test(store_away, a_turn_under_way_outlives_a_quick_restart)
{
    struct postgres *postgres = postgres_start();
    struct world *world = world_with_groq(postgres_setting(postgres));
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    struct connection *turn = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);

    postgres_stop_at_once(postgres);
    postgres_start_again(postgres);
    upstream_release(world->upstream);

    expect_success(finish(world, turn));
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(world);
    postgres_end(postgres);
}

Test(store_away, a_turn_that_is_to_be_stored_waits_for_a_quick_restart)
{
    struct postgres *postgres = postgres_start();
    struct world *world = world_with_groq(postgres_setting(postgres));
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    struct connection *turn = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);

    postgres_stop_at_once(postgres);
    upstream_release(world->upstream);
    postgres_start_again(postgres);

    expect_success(finish(world, turn));
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(world);
    postgres_end(postgres);
}

Test(store_away, a_turn_that_could_not_be_stored_was_never_made)
{
    struct postgres *postgres = postgres_start();
    struct world *world = world_with_groq(postgres_setting(postgres));
    struct session session = start_session(world, 3);
    upstream_keeps_asking(world->upstream);
    upstream_hold(world->upstream);
    struct connection *turn = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);

    postgres_stop_at_once(postgres);
    upstream_release(world->upstream);

    expect_error(finish(world, turn), ERROR_STORE_UNAVAILABLE);
    postgres_start_again(postgres);
    await_ready(world);
    expect_number(get_session(world, &session), "data.turn_count", 0);
    expect_number(answer(world, &session, ANSWER), "data.question_number", 1);
    world_end(world);
    postgres_end(postgres);
}

/* Many at once, so that the end comes at any moment of a commit. */
Test(store_away, of_turns_that_were_being_stored_each_is_there_once_or_not_at_all)
{
    enum { PEOPLE = 24 };
    struct postgres *postgres = postgres_start();
    struct world *world = world_with_groq(postgres_setting(postgres));
    struct session sessions[PEOPLE];
    struct connection *turns[PEOPLE];
    upstream_keeps_asking(world->upstream);
    for (int i = 0; i < PEOPLE; i++)
        sessions[i] = start_session(world, 3);

    for (int i = 0; i < PEOPLE; i++)
        turns[i] = begin_answer(world, &sessions[i], ANSWER);
    upstream_await_calls(world->upstream, PEOPLE / 2);
    postgres_stop_at_once(postgres);
    postgres_start_again(postgres);

    for (int i = 0; i < PEOPLE; i++) {
        const struct reply *reply = finish(world, turns[i]);
        await_ready(world);
        if (reply->status != 200)
            expect_error(reply, ERROR_STORE_UNAVAILABLE);
        else
            expect_number(get_session(world, &sessions[i]), "data.turn_count", 1);
        const struct reply *next = answer(world, &sessions[i], ANSWER " Two.");
        int before = (int)number_at(get_session(world, &sessions[i]), "data.turn_count");
        cr_assert(next->status == 200 && before <= 2, "status %d, %d turns", next->status,
                  before);
    }
    world_end(world);
    postgres_end(postgres);
}

Test(store_away, a_program_that_starts_before_its_store_becomes_ready_with_it)
{
    struct postgres *postgres = postgres_start();
    postgres_stop_at_once(postgres);
    struct world *world = world_with_builtin_coach(postgres_setting(postgres));
    expect_not_ready(world);

    postgres_start_again(postgres);
    await_ready(world);

    struct session session = start_session(world, 3);
    expect_number(answer(world, &session, ANSWER), "data.question_number", 1);
    world_end(world);
    postgres_end(postgres);
}

/* --- Several hosts ---------------------------------------------------------------------- */

/* Nobody listens on port 1. */
Test(store_away, a_first_host_that_is_dead_is_passed_over)
{
    struct postgres *postgres = postgres_start();
    char setting[160];
    snprintf(setting, sizeof setting,
             "STORE_URL=postgresql://poise@127.0.0.1:1,127.0.0.1:%d/postgres"
             "?target_session_attrs=read-write",
             postgres_port(postgres));
    struct world *world = world_with_builtin_coach(setting);

    struct session session = start_session(world, 3);

    expect_number(answer(world, &session, ANSWER), "data.question_number", 1);
    world_end(world);
    postgres_end(postgres);
}

/* As after a failover: the first comes back as a standby.  (The two share no data: that the
 * second is written to is what can be seen.) */
Test(store_away, when_the_first_host_may_not_be_written_any_more_the_second_is_used)
{
    struct postgres *first = postgres_start();
    struct postgres *second = postgres_start();
    world_end(world_with_builtin_coach(postgres_setting(second))); /* makes its tables */
    postgres_be_read_only(second, true);
    char setting[160];
    snprintf(setting, sizeof setting,
             "STORE_URL=postgresql://poise@127.0.0.1:%d,127.0.0.1:%d/postgres"
             "?target_session_attrs=read-write",
             postgres_port(first), postgres_port(second));
    struct world *world = world_with_builtin_coach(setting);
    start_session(world, 3);

    postgres_be_read_only(second, false);
    postgres_be_read_only(first, true);
    postgres_stop_at_once(first);
    postgres_start_again(first);

    struct session session = start_session(world, 3);
    expect_number(answer(world, &session, ANSWER), "data.question_number", 1);
    struct world *other = world_with_builtin_coach(postgres_setting(second));
    expect_number(get_session(other, &session), "data.turn_count", 1);
    world_end(other);
    world_end(world);
    postgres_end(first);
    postgres_end(second);
}

/* --- What it writes down ---------------------------------------------------------------- */

/* Statements are logged there, and so are errors with theirs. */
Test(store_away, nobodys_words_are_in_the_log_of_postgresql)
{
    struct postgres *postgres = postgres_start();
    struct world *world = world_with_groq(postgres_setting(postgres));
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then, " MODEL_CANARY "?");
    upstream_will_refuse(world->upstream, "No more of " MODEL_CANARY ", please.");
    expect_success(answer(world, &session, ANSWER));
    answer(world, &session, ANSWER " Two.");
    postgres_stop_at_once(postgres);
    postgres_start_again(postgres);
    await_ready(world);
    expect_success(delete_session(world, &session));

    struct bytes log = postgres_log(postgres);

    cr_assert(bytes_has(&log, "INSERT INTO"), "it logs no statements");
    cr_assert_not(bytes_has(&log, CANARY));
    cr_assert_not(bytes_has(&log, MODEL_CANARY));
    bytes_free(&log);
    world_end(world);
    postgres_end(postgres);
}

Test(store_away, its_password_is_in_no_log)
{
    struct postgres *postgres = postgres_start();
    char setting[160];
    snprintf(setting, sizeof setting,
             "STORE_URL=postgresql://poise:herons0ng@127.0.0.1:%d/postgres",
             postgres_port(postgres));
    struct world *world = world_with_builtin_coach(setting);
    postgres_stop_at_once(postgres);
    expect_not_ready(world);
    world_signal(world, SIGTERM);
    cr_assert(world_await_exit(world) == 0);
    world_restart(world);

    struct bytes output = world_output(world);

    cr_assert_not(bytes_has(&output, "herons0ng"));
    bytes_free(&output);
    world_end(world);
    postgres_end(postgres);
}
