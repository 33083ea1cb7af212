/*
 * What went wrong outside, in words that an operator can act on: a provider that cannot be reached
 * and why, which of them it was, its own name for the request, and how loud the line is.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"
#include "proxy.h"

TestSuite(said_in_words, .timeout = 90);

#define LABEL_TOO_LONG                                                     \
    "a123456789b123456789c123456789d123456789e123456789f123456789g1234567" \
    ".example"

/* A turn with a provider there fails, its line says where and why, and the turn's is loud. */
static void expect_reason(struct world *world, const char *host, const char *reason)
{
    struct session session = start_session(world, 3);

    cr_assert_geq(answer(world, &session, ANSWER)->status, 500);
    world_await_output(world, "\"event\":\"turn\"");
    cr_expect_eq(
        log_lines_with(world,
                       (const char *const[]){
                           "\"coach_failed\"", words(world, "\"host\":\"%s\"", host),
                           words(world, "\"reason\":\"%s\"", reason), NULL}),
        1, "no line with %s and %s", host, reason);
    cr_expect_eq(log_lines_with(world, (const char *const[]){"\"level\":\"error\"",
                                                             "\"event\":\"turn\"", NULL}),
                 1);
    world_end(world);
}

Test(said_in_words, a_connection_that_is_refused)
{
    expect_reason(
        world_with_groq("GROQ_BASE_URL=http://127.0.0.1:1/secret/path?key=" CANARY),
        "127.0.0.1:1", "connection_refused");
}

Test(said_in_words, a_name_that_is_not_found)
{
    expect_reason(world_with_groq("GROQ_BASE_URL=https://" LABEL_TOO_LONG "/v1"),
                  LABEL_TOO_LONG, "name_not_found");
}

Test(said_in_words, a_server_that_says_nothing)
{
    struct world *world = world_with_groq("LLM_TIMEOUT_SECONDS=1");

    upstream_will(world->upstream, (struct saying){.manner = MANNER_SILENT});
    expect_reason(world, words(world, "127.0.0.1:%d", upstream_port(world->upstream)),
                  "no_reply_in_time");
}

Test(said_in_words, a_certificate_that_nobody_vouches_for)
{
    struct world *behind = world_with_builtin_coach();
    struct world *front = proxy_start(PROXY_HAPROXY, behind, NULL);
    struct world *world = world_with_groq(
        words(front, "GROQ_BASE_URL=https://127.0.0.1:%d/v1", front->port));

    expect_reason(world, words(front, "127.0.0.1:%d", front->port),
                  "certificate_not_trusted");
    world_end(front);
    world_end(behind);
}

static void fail_once(struct world *world, const struct session *session,
                      const char *headers)
{
    upstream_will(world->upstream, (struct saying){.status = 503, .headers = headers});
    expect_error(answer(world, session, ANSWER), ERROR_LLM_PROVIDER_ERROR);
}

Test(said_in_words, the_providers_own_name_for_the_request)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    fail_once(world, &session, "x-request-id: req_01jx.7-a:b\r\n");
    world_await_output(world, "\"provider_request_id\":\"req_01jx.7-a:b\"");
    fail_once(world, &session, "Request-ID: req_of_anthropic\r\n");
    world_await_output(world, "\"provider_request_id\":\"req_of_anthropic\"");
    fail_once(world, &session, "dg-request-id: of-deepgram\r\n");
    world_await_output(world, "\"provider_request_id\":\"of-deepgram\"");
    world_end(world);
}

Test(said_in_words, what_is_no_name_of_a_request_is_not_repeated)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    fail_once(world, &session, "x-request-id: the candidate said " CANARY "\r\n");
    fail_once(world, &session, "x-request-id: \"" CANARY "\"\r\n");
    fail_once(world, &session,
              words(world, "x-request-id: %s\r\n", repeated(world, "a", 65)));

    cr_assert_eq(
        log_lines_with(world, (const char *const[]){"provider_request_id", NULL}), 0);
    world_end(world);
}

Test(said_in_words, a_breaker_that_opens_and_closes)
{
    struct world *world = world_with_groq("BREAKER_FAILURES=2", "WORKERS=1");
    struct session session = start_session(world, 5);
    const char *host =
        words(world, "\"host\":\"127.0.0.1:%d\"", upstream_port(world->upstream));
    const struct reply *reply;

    fail_once(world, &session, "");
    cr_assert_eq(log_lines_with(world, (const char *const[]){"breaker_", NULL}), 0);
    fail_once(world, &session, "");
    world_await_output(world, "\"breaker_opened\",\"role\":\"coach\"");
    upstream_will_ask(world->upstream, "And then?");
    do
        reply = answer(world, &session, ANSWER);
    while (reply->status == 502);
    world_await_output(world, "\"breaker_closed\",\"role\":\"coach\"");

    cr_assert_eq(
        log_lines_with(world, (const char *const[]){"breaker_opened", host,
                                                    "\"provider_status\":503", NULL}),
        1);
    cr_assert_eq(log_lines_with(world, (const char *const[]){"breaker_", NULL}), 2);
    world_end(world);
}

Test(said_in_words, a_refusal_is_no_failure_and_a_clients_fault_is_a_warning)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    upstream_will_refuse(world->upstream, "Let us stay with the interview.");
    cr_assert_eq(answer(world, &session, ANSWER)->status, 422);
    upstream_will(world->upstream, (struct saying){.status = 429});
    expect_error(answer(world, &session, ANSWER), ERROR_LLM_RATE_LIMIT);
    /* Each loop writes its lines when it has answered. */
    world_await_output(world, "\"turn_refused\"");
    world_await_output(world, "\"event\":\"turn\"");

    cr_assert_eq(log_lines_with(world, (const char *const[]){"\"level\":\"info\"",
                                                             "\"turn_refused\"", NULL}),
                 1);
    cr_assert_eq(log_lines_with(world, (const char *const[]){"\"level\":\"warning\"",
                                                             "\"event\":\"turn\"", NULL}),
                 1);
    world_end(world);
}
