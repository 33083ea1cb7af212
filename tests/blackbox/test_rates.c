/*
 * How often a client may ask: by its address and by its session.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"

TestSuite(rates, .timeout = 60);

Test(rates, without_a_setting_nothing_is_limited)
{
    struct world *world = world_with_builtin_coach();

    for (int i = 0; i < 100; i++)
        expect_no_header(start_from(world, "192.0.2.1"), "RateLimit");
    world_end(world);
}

Test(rates, an_address_that_asks_too_often_is_told_when_to_come_back)
{
    struct world *world = world_with_builtin_coach("RATE_LIMIT_SESSIONS_PER_MINUTE=3");
    const struct reply *reply = start_from(world, "");

    expect_header(reply, "RateLimit-Policy", "\"sessions\";q=3;w=60");
    expect_header(reply, "RateLimit", "\"sessions\";r=2;t=20");
    expect_success(start_from(world, ""));
    expect_success(start_from(world, ""));
    reply = start_from(world, "");
    expect_error(reply, ERROR_RATE_LIMITED);
    expect_header(reply, "Retry-After", "20");
    world_end(world);
}

/* The first hash that follows in a text of log lines; moves on behind it. */
static const char *next_client(const char **at)
{
    const char *found = strstr(*at, "\"client\":\"");

    cr_assert_not_null(found);
    *at = found + strlen("\"client\":\"");
    return *at;
}

Test(rates, who_is_limited_has_a_name_in_the_log_that_is_no_address)
{
    struct world *world = world_with_builtin_coach(
        "RATE_LIMIT_SESSIONS_PER_MINUTE=1", "WORKERS=1", "TRUSTED_PROXIES=127.0.0.1");
    static const char *const ADDRESSES[] = {"192.0.2.1", "192.0.2.2", "192.0.2.1"};

    expect_success(start_from(world, ADDRESSES[0]));
    expect_success(start_from(world, ADDRESSES[1]));
    for (size_t i = 0; i < 3; i++)
        expect_error(start_from(world, ADDRESSES[i]), ERROR_RATE_LIMITED);
    world_signal(world, SIGTERM);
    cr_assert_eq(world_await_exit(world), 0);

    cr_assert_eq(log_lines_with(world, FIELDS_NAMED("\"client\":\"")), 3);
    cr_assert_eq(log_lines_with(world, FIELDS_NAMED("192.0.2")), 0);
    struct bytes output = world_output(world);
    const char *at = output.data;
    const char *one = next_client(&at), *other = next_client(&at);
    const char *again = next_client(&at);
    cr_assert_eq(strncmp(one, again, 17), 0, "16 digits and a quote");
    cr_assert_neq(strncmp(one, other, 16), 0);
    bytes_free(&output);
    world_end(world);
}

Test(rates, a_session_that_answers_too_often_leaves_the_others_alone)
{
    struct world *world = world_with_builtin_coach("RATE_LIMIT_TURNS_PER_MINUTE=2",
                                                   "TRUSTED_PROXIES=127.0.0.0/8, ::1");
    struct session session = start_session(world, 5);
    struct session other = start_session(world, 5);

    expect_success(
        answer_with(world, &session, ANSWER, "X-Forwarded-For: 192.0.2.1\r\n"));
    expect_success(
        answer_with(world, &session, ANSWER " Then.", "X-Forwarded-For: 192.0.2.2\r\n"));
    const char *before = session_facts(world, &session);
    expect_error(answer_with(world, &session, ANSWER, "X-Forwarded-For: 192.0.2.3\r\n"),
                 ERROR_RATE_LIMITED);
    cr_assert_str_eq(session_facts(world, &session), before);
    expect_success(answer_with(world, &other, ANSWER, "X-Forwarded-For: 192.0.2.4\r\n"));
    world_end(world);
}

Test(rates, behind_a_trusted_proxy_each_client_counts_for_itself)
{
    struct world *world = world_with_builtin_coach(
        "RATE_LIMIT_SESSIONS_PER_MINUTE=1", "TRUSTED_PROXIES=127.0.0.1,10.0.0.0/8");

    expect_success(start_from(world, "192.0.2.1"));
    expect_error(start_from(world, "192.0.2.1"), ERROR_RATE_LIMITED);
    expect_success(start_from(world, "192.0.2.2, 10.1.2.3"));
    expect_error(start_from(world, "192.0.2.2"), ERROR_RATE_LIMITED);
    /* What a client writes before the proxy's entry is its own invention. */
    expect_error(start_from(world, "192.0.2.99, 192.0.2.1"), ERROR_RATE_LIMITED);
    /* One subscriber has a whole /64. */
    expect_success(start_from(world, "2001:db8::1"));
    expect_error(start_from(world, "2001:db8::2"), ERROR_RATE_LIMITED);
    expect_success(start_from(world, "[2001:db8:0:1::1]:443"));
    world_end(world);
}

/* HAProxy writes a line of its own below the one that it got. */
Test(rates, proxies_in_a_row_may_each_add_a_line)
{
    struct world *world = world_with_builtin_coach(
        "RATE_LIMIT_SESSIONS_PER_MINUTE=1", "TRUSTED_PROXIES=127.0.0.1,10.0.0.0/8");
    const char *second = "\r\nX-Forwarded-For: 10.1.2.3";

    expect_success(start_from(world, words(world, "192.0.2.1%s", second)));
    expect_success(start_from(world, words(world, "192.0.2.2%s", second)));
    expect_error(start_from(world, words(world, "192.0.2.2%s", second)),
                 ERROR_RATE_LIMITED);
    expect_error(start_from(world, words(world, "192.0.2.99%s",
                                         "\r\n"
                                         "X-Forwarded-For: 192.0.2.1")),
                 ERROR_RATE_LIMITED);
    world_end(world);
}

Test(rates, an_untrusted_client_cannot_say_that_it_is_another)
{
    struct world *world = world_with_builtin_coach("RATE_LIMIT_SESSIONS_PER_MINUTE=1",
                                                   "TRUSTED_PROXIES=192.0.2.0/24");

    expect_success(start_from(world, "192.0.2.1"));
    expect_error(start_from(world, "192.0.2.2"), ERROR_RATE_LIMITED);
    world_end(world);
}
