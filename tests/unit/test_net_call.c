#include "call.h"

#include "../../services/net/call_internal.h" /* retry_after_parse() */
#include "call_world.h"
#include "private_reveal.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* ---- what comes back ---- */

static const char *last_body(const struct world *world)
{
    return private_reveal(&world->last.body).bytes;
}

Test(net_call, a_reply_arrives_with_its_status_and_body_and_the_request_comes_back)
{
    struct world world;

    world_open(&world);
    ask(&world, "/ok", LONG_ENOUGH);

    cr_assert_eq(world.last.outcome, CALL_ANSWERED);
    cr_assert_eq(world.last.status, 200);
    cr_assert_eq(world.last.retry_after_s, -1);
    cr_assert_str_eq(last_body(&world), "hello");
    cr_assert_str_eq(private_reveal(&world.last.request_body).bytes, "{\"ask\":1}");
    world_close(&world);
}

static const struct {
    const char *path;
    int64_t timeout_ms;
    enum call_outcome outcome;
    long status;
    int64_t retry_after_s;
    const char *body;
} outcomes[] = {
    {"/chunked", LONG_ENOUGH, CALL_ANSWERED, 200, -1, "hello"},
    {"/nothing", LONG_ENOUGH, CALL_ANSWERED, 204, -1, ""},
    {"/moved", LONG_ENOUGH, CALL_ANSWERED, 302, -1, ""},
    {"/busy", LONG_ENOUGH, CALL_ANSWERED, 429, 7, ""},
    {"/early", LONG_ENOUGH, CALL_ANSWERED, 200, -1, "hello"},
    {"/once", LONG_ENOUGH, CALL_ANSWERED, 200, -1, "hello"},
    {"/silent", SHORT, CALL_TIMED_OUT, 0, -1, ""},
    {"/half-head", SHORT, CALL_TIMED_OUT, 0, -1, ""},
    {"/half-body", SHORT, CALL_TIMED_OUT, 0, -1, ""},
    {"/drip", SHORT, CALL_TIMED_OUT, 0, -1, ""},
    {"/cut-head", LONG_ENOUGH, CALL_BROKEN, 0, -1, ""},
    {"/cut-body", LONG_ENOUGH, CALL_BROKEN, 0, -1, ""},
    {"/gone", LONG_ENOUGH, CALL_BROKEN, 0, -1, ""},
    {"/reset", LONG_ENOUGH, CALL_BROKEN, 0, -1, ""},
    {"/garbage", LONG_ENOUGH, CALL_BROKEN, 0, -1, ""},
    {"/headers", LONG_ENOUGH, CALL_BROKEN, 0, -1, ""},
    {"/flood", LONG_ENOUGH, CALL_TOO_LARGE, 0, -1, ""},
};

Test(net_call, every_way_in_which_a_call_can_end_is_told_apart)
{
    struct world world;

    world_open(&world);
    for (size_t i = 0; i < sizeof(outcomes) / sizeof(*outcomes); i++) {
        ask(&world, outcomes[i].path, outcomes[i].timeout_ms);
        cr_expect_eq(world.last.outcome, outcomes[i].outcome, "%s: %s", outcomes[i].path,
                     call_outcome_name(world.last.outcome));
        cr_expect_eq(world.last.status, outcomes[i].status, "%s", outcomes[i].path);
        cr_expect_eq(world.last.retry_after_s, outcomes[i].retry_after_s, "%s",
                     outcomes[i].path);
        cr_expect_str_eq(last_body(&world), outcomes[i].body, "%s", outcomes[i].path);
    }
    world_close(&world);
}

Test(net_call, what_stays_on_this_machine_goes_by_no_proxy)
{
    struct world world;

    setenv("http_proxy", "http://127.0.0.1:1", 1); /* this test is a process of its own */
    world_open(&world);
    ask(&world, "/ok", LONG_ENOUGH);

    cr_assert_eq(world.last.outcome, CALL_ANSWERED);
    world_close(&world);
}

Test(net_call, a_server_that_is_not_there_is_unreachable)
{
    static const char *const urls[] = {"http://127.0.0.1:1/",
                                       "http://no.such.host.invalid/",
                                       "http://",
                                       "no url",
                                       "ftp://127.0.0.1/",
                                       "file:///etc"};
    struct world world;

    world_open(&world);
    for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
        start_to(&world, urls[i], NULL, LONG_ENOUGH);
        loop_run(world.loop);
        cr_expect_eq(world.last.outcome, CALL_UNREACHABLE, "%s: %s", urls[i],
                     call_outcome_name(world.last.outcome));
    }
    world_close(&world);
}

/* ---- what goes out ---- */

Test(net_call, a_post_has_exactly_the_headers_it_was_given)
{
    struct world world;
    char url[128], expected[512];
    struct id id;
    struct private_text key = private_text_copy("Bearer abc", 10);
    struct call_request request = {.url = url,
                                   .content_type = "application/json",
                                   .authorization = &key,
                                   .request_id = &id,
                                   .body = private_text_copy("{}", 2),
                                   .timeout_ms = LONG_ENOUGH,
                                   .max_reply_bytes = SMALL_REPLY};

    world_open(&world);
    id_parse("11111111-2222-4333-8444-555555555555", 36, &id);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/ok", world.server->port);
    world.pending = 1;
    call_start(world.pool, &request, on_answer, &world);
    private_text_free(&key); /* and all that was borrowed is free to go */
    memset(url, 'x', sizeof(url) - 1);
    memset(&id, 0, sizeof(id));
    loop_run(world.loop);

    snprintf(
        expected, sizeof(expected),
        "POST /ok HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nUser-Agent: poise\r\nAccept: */*\r\n"
        "X-Request-ID: 11111111-2222-4333-8444-555555555555\r\n"
        "Authorization: Bearer abc\r\nContent-Type: application/json\r\n"
        "Content-Length: 2\r\n\r\n{}",
        world.server->port);
    cr_assert_str_eq(world.server->last_request, expected);
    world_close(&world);
}

Test(net_call, without_a_content_type_it_is_a_get_also_on_a_handle_that_posted_before)
{
    struct world world;
    char url[128], expected[256];

    world_open(&world);
    ask(&world, "/ok", LONG_ENOUGH);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/ok", world.server->port);
    start_to(&world, url, NULL, LONG_ENOUGH);
    loop_run(world.loop);

    snprintf(
        expected, sizeof(expected),
        "GET /ok HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nUser-Agent: poise\r\nAccept: */*\r\n\r\n",
        world.server->port);
    cr_assert_str_eq(world.server->last_request, expected);
    world_close(&world);
}

Test(net_call, a_long_body_arrives_whole)
{
    const size_t length = 200000;
    struct world world;
    char url[128], *body = malloc(length + 1);

    memset(body, 'x', length);
    body[length] = '\0';
    world_open(&world);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/ok", world.server->port);
    start_to(&world, url, body, LONG_ENOUGH);
    loop_run(world.loop);

    cr_assert_eq(world.last.outcome, CALL_ANSWERED);
    cr_assert_str_eq(strstr(world.server->last_request, "\r\n\r\n") + 4, body);
    free(body);
    world_close(&world);
}

/* ---- Retry-After ---- */

#define NOON 1767268800 /* Thu, 01 Jan 2026 12:00:00 GMT */

static const struct {
    const char *value;
    int64_t seconds;
} waits[] = {
    {"0", 0},
    {"120", 120},
    {"20260101", 604800}, /* seconds, though curl_getdate() would take it for a date */
    {"99999999999999999999999", 604800},
    {"Thu, 01 Jan 2026 12:00:30 GMT", 30},
    {"Thursday, 01-Jan-26 12:01:00 GMT", 60},
    {"Thu Jan  1 12:00:05 2026", 5},
    {"Thu, 01 Jan 2026 11:00:00 GMT", 0}, /* long ago */
    {"", -1},
    {"-5", -1},
    {"1.5", -1},
    {"soon", -1},
    {"7 seconds", -1},
};

Test(net_call, retry_after_is_seconds_or_a_date_and_anything_else_is_none)
{
    for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
        cr_expect_eq(retry_after_parse(waits[i].value, strlen(waits[i].value), NOON),
                     waits[i].seconds, "%s", waits[i].value);
}
