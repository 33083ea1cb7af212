/*
 * The pieces of calls that are tried again: how long to wait, when to leave a server alone.
 */
#include "breaker.h"

#include "../../services/net/call_internal.h" /* duration_parse() */
#include "call_world.h"
#include "upstream.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define SECOND 1000000

Test(backoff, doubles_with_jitter_and_waits_as_long_as_it_was_told)
{
    for (int i = 0; i < 200; i++) {
        int64_t first = backoff_ms(1, -1), third = backoff_ms(3, -1);

        cr_assert(first >= 100 && first <= 200, "%lld", (long long)first);
        cr_assert(third >= 400 && third <= 800, "%lld", (long long)third);
        cr_assert(backoff_ms(1000, -1) <= 200 * 256);
        cr_assert_eq(backoff_ms(1, 7), 7000);
    }
}

static void fail(struct breaker *breaker, int times, int64_t now_us)
{
    for (int i = 0; i < times; i++) {
        cr_assert(breaker_take(breaker, now_us));
        breaker_note(breaker, breaker->state == BREAKER_HALF_OPEN, false, now_us);
    }
}

Test(breaker, opens_after_failures_in_a_row_only)
{
    struct breaker breaker;

    breaker_init(&breaker, 3);
    fail(&breaker, 2, 0);
    breaker_note(&breaker, false, true, 0);
    fail(&breaker, 2, 0);
    cr_assert_eq(breaker.state, BREAKER_CLOSED);
    fail(&breaker, 1, 0);
    cr_assert_eq(breaker.state, BREAKER_OPEN);
    cr_assert_not(breaker_take(&breaker, SECOND - 1));
}

Test(breaker, lets_one_probe_through_and_closes_when_it_is_well)
{
    struct breaker breaker;

    breaker_init(&breaker, 1);
    fail(&breaker, 1, 0);
    cr_assert(breaker_take(&breaker, SECOND));
    cr_assert_not(breaker_take(&breaker, SECOND), "a second probe");
    breaker_note(&breaker, true, true, SECOND);
    cr_assert_eq(breaker.state, BREAKER_CLOSED);
    cr_assert(breaker_take(&breaker, SECOND));
}

Test(breaker, stays_open_twice_as_long_after_each_probe_that_fails)
{
    struct breaker breaker;
    int64_t now_us = 0;

    breaker_init(&breaker, 1);
    for (int64_t open_s = 1; open_s <= 64; open_s *= 2) {
        fail(&breaker, 1, now_us);
        cr_assert_eq(breaker_wait_s(&breaker, now_us), open_s);
        now_us += open_s * SECOND;
    }
    fail(&breaker, 1, now_us);
    cr_assert_eq(breaker_wait_s(&breaker, now_us), 64);
}

Test(breaker, a_probe_that_was_cancelled_leaves_room_for_another)
{
    struct breaker breaker;

    breaker_init(&breaker, 1);
    fail(&breaker, 1, 0);
    cr_assert(breaker_take(&breaker, SECOND));
    breaker_forget(&breaker);
    cr_assert(breaker_take(&breaker, SECOND));
}

/* A hundred calls that wait for a server that is down time out one by one. */
Test(breaker, a_call_from_before_it_opened_does_not_end_the_probe)
{
    struct breaker breaker;

    breaker_init(&breaker, 1);
    fail(&breaker, 1, 0);
    cr_assert(breaker_take(&breaker, SECOND));
    breaker_note(&breaker, false, false, SECOND);
    cr_assert_eq(breaker.state, BREAKER_HALF_OPEN);
    cr_assert_not(breaker_take(&breaker, SECOND), "a second probe");
    breaker_note(&breaker, true, false, SECOND);
    cr_assert_eq(breaker_wait_s(&breaker, SECOND), 2, "longer than after one failure");
}

Test(breaker, never_opens_without_a_threshold)
{
    struct breaker breaker;

    breaker_init(&breaker, 0);
    fail(&breaker, 1000, 0);
    cr_assert_eq(breaker.state, BREAKER_CLOSED);
}

Test(rate_limits, durations_are_those_of_the_documentation)
{
    static const struct {
        const char *text;
        int64_t seconds;
    } durations[] = {{"2m59.56s", 180},
                     {"7.66s", 8},
                     {"110ms", 1},
                     {"0s", 0},
                     {"1h2m3s", 3723},
                     {"1m0s", 60},
                     {"", -1},
                     {"7", -1},
                     {"s", -1},
                     {"1.2.3s", -1},
                     {"-1s", -1},
                     {"1d", -1},
                     {"99999999999999999999h", -1}};

    for (size_t i = 0; i < sizeof(durations) / sizeof(*durations); i++)
        cr_expect_eq(duration_parse(durations[i].text, strlen(durations[i].text)),
                     durations[i].seconds, "%s", durations[i].text);
}

Test(rate_limits, only_a_spent_limit_is_waited_for)
{
    static const char *const lines[] = {"X-RateLimit-Remaining-Requests: 14370\r\n",
                                        "x-ratelimit-reset-requests: 2m59.56s\r\n",
                                        "x-ratelimit-remaining-tokens: 0\r\n",
                                        "x-ratelimit-reset-tokens: 7.66s\r\n"};
    struct rate_limits limits = {0};

    for (size_t i = 0; i < 4; i++)
        rate_limits_read(&limits, lines[i], strlen(lines[i]));
    cr_assert_eq(rate_limits_wait_s(&limits), 8);
    rate_limits_read(&limits, "x-ratelimit-remaining-tokens: 17\r\n", 34);
    cr_assert_eq(rate_limits_wait_s(&limits), -1);
}

/* ---- calls that get no answer in time ---- */

/* Calls a silent server with `timeout_ms` to wait; the state that the breaker is in then. */
static enum breaker_state after_silence(int64_t timeout_ms, int64_t patience_ms)
{
    static struct meter meter;
    struct upstream_limits limits = {.breaker_threshold = 1, .patience_ms = patience_ms};
    struct upstream *upstream;
    enum breaker_state state;
    struct world world;
    char url[128];

    world_open(&world);
    upstream = upstream_new(world.pool, limits, &meter);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/silent", world.server->port);
    world.pending = 1;
    upstream_call(upstream,
                  &(struct call_request){.url = url,
                                         .timeout_ms = timeout_ms,
                                         .max_reply_bytes = SMALL_REPLY},
                  on_answer, &world);
    loop_run(world.loop);
    cr_assert_eq(world.last.outcome, CALL_TIMED_OUT);
    cr_assert(world.last.duration_us >=
              timeout_ms * 1000 / 2); /* milliseconds are cut off */
    state = upstream_state(upstream);
    upstream_free(upstream);
    world_close(&world);
    return state;
}

Test(upstream, a_server_is_not_blamed_for_the_time_that_it_was_not_given)
{
    cr_expect_eq(after_silence(SHORT, SHORT / 2), BREAKER_OPEN);
    cr_expect_eq(after_silence(SHORT, SHORT + 1), BREAKER_CLOSED);
}
