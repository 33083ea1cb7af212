/*
 * A provider that fails, in every way that a network and a server can: which error it is,
 * that the session is as before, and that the next try works.
 *
 * Statuses and bodies: https://console.groq.com/docs/errors.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "play.h"

TestSuite(provider_failures, .timeout = 90);

#define BODY_OF_ERROR(type, code)                                           \
    "{\"error\":{\"message\":\"said of " MODEL_CANARY "\",\"type\":\"" type \
    "\",\"code\":\"" code "\"}}"

/* The provider says this to the next call: the turn fails so, changes nothing, and
 * another try succeeds. */
static void expect_failure(struct world *world, struct saying saying,
                           enum expected_error error)
{
    struct session session = start_session(world, 5);
    const char *before = session_facts(world, &session);

    upstream_will(world->upstream, saying);
    const struct reply *reply = answer(world, &session, ANSWER);
    expect_error(reply, error);
    cr_assert_not(bytes_has(&reply->body, MODEL_CANARY), "%s", reply->body.data);
    cr_assert_str_eq(session_facts(world, &session), before);

    upstream_will_ask(world->upstream, "And then?");
    expect_number(answer(world, &session, ANSWER), "data.question_number", 1);
}

static void expect_failure_in_a_world(struct saying saying, enum expected_error error)
{
    struct world *world = world_with_groq();

    expect_failure(world, saying, error);
    world_end(world);
}

Test(provider_failures, silence_is_a_timeout)
{
    struct world *world = world_with_groq("LLM_TIMEOUT_SECONDS=1");

    expect_failure(world, (struct saying){.manner = MANNER_SILENT}, ERROR_LLM_TIMEOUT);
    world_end(world);
}

Test(provider_failures, a_drip_is_a_timeout)
{
    struct world *world = world_with_groq("LLM_TIMEOUT_SECONDS=1");

    expect_failure(world, (struct saying){.manner = MANNER_DRIP}, ERROR_LLM_TIMEOUT);
    world_end(world);
}

Test(provider_failures, the_deadline_of_the_turn_cuts_a_longer_timeout)
{
    struct world *world =
        world_with_groq("LLM_TIMEOUT_SECONDS=60", "TURN_DEADLINE_SECONDS=1");

    expect_failure(world, (struct saying){.manner = MANNER_SILENT}, ERROR_LLM_TIMEOUT);
    world_end(world);
}

Test(provider_failures, nobody_there_is_a_provider_error)
{
    int port;
    int listener = listen_on_free_port(&port);
    char url[64];
    close(listener);
    snprintf(url, sizeof url, "GROQ_BASE_URL=http://127.0.0.1:%d/openai/v1", port);
    struct world *world = world_with_builtin_coach(url, "GROQ_API_KEY=" GROQ_KEY);
    struct session session = start_session(world, 3);

    expect_error(answer(world, &session, ANSWER), ERROR_LLM_PROVIDER_ERROR);
    world_end(world);
}

Test(provider_failures, a_reset_is_a_provider_error)
{
    expect_failure_in_a_world((struct saying){.manner = MANNER_RESET},
                              ERROR_LLM_PROVIDER_ERROR);
}

Test(provider_failures, a_body_that_ends_early_is_a_provider_error)
{
    expect_failure_in_a_world(
        (struct saying){.manner = MANNER_CUT, .body = "{\"choices\":[{\"message\":{}}]}"},
        ERROR_LLM_PROVIDER_ERROR);
}

Test(provider_failures, ten_megabytes_are_a_provider_error)
{
    expect_failure_in_a_world((struct saying){.manner = MANNER_ENDLESS},
                              ERROR_LLM_PROVIDER_ERROR);
}

Test(provider_failures, what_is_no_http_is_a_provider_error)
{
    expect_failure_in_a_world((struct saying){.manner = MANNER_NOT_HTTP},
                              ERROR_LLM_PROVIDER_ERROR);
}

Test(provider_failures, a_body_that_is_no_completion_is_a_provider_error)
{
    static const char *const GARBAGE[] = {"<html>oops</html>", "[]", "{", "\"text\"",
                                          "\xff\xfe"};
    struct world *world = world_with_groq();

    for (size_t i = 0; i < sizeof GARBAGE / sizeof *GARBAGE; i++)
        expect_failure(world, (struct saying){.body = GARBAGE[i]},
                       ERROR_LLM_PROVIDER_ERROR);
    world_end(world);
}

Test(provider_failures, a_completion_without_choices_or_content_is_a_null_response)
{
    static const char *const NULLS[] = {
        "{\"choices\":[]}",
        "{\"object\":\"chat.completion\"}",
        "{\"choices\":[{\"message\":{\"content\":null},\"finish_reason\":\"stop\"}]}",
        "{\"choices\":[{\"message\":{},\"finish_reason\":\"stop\"}]}",
    };
    struct world *world = world_with_groq();

    for (size_t i = 0; i < sizeof NULLS / sizeof *NULLS; i++)
        expect_failure(world, (struct saying){.body = NULLS[i]}, ERROR_NULL_RESPONSE);
    world_end(world);
}

Test(provider_failures, a_completion_of_blanks_is_an_empty_response)
{
    struct world *world = world_with_groq();
    char *empty = completion("", "stop");
    char *blank = completion(" \n\t ", "stop");

    expect_failure(world, (struct saying){.body = empty}, ERROR_EMPTY_RESPONSE);
    expect_failure(world, (struct saying){.body = blank}, ERROR_EMPTY_RESPONSE);
    free(empty);
    free(blank);
    world_end(world);
}

Test(provider_failures, a_content_filter_of_the_provider_has_its_own_code)
{
    char *filtered = completion(NULL, "content_filter");

    expect_failure_in_a_world((struct saying){.body = filtered},
                              ERROR_LLM_CONTENT_FILTER);
    free(filtered);
}

Test(provider_failures, a_refused_key_is_an_authorisation_error)
{
    struct world *world = world_with_groq();

    expect_failure(world,
                   (struct saying){
                       .status = 401,
                       .body = BODY_OF_ERROR("invalid_request_error", "invalid_api_key")},
                   ERROR_LLM_AUTH_ERROR);
    expect_failure(world, (struct saying){.status = 403}, ERROR_LLM_AUTH_ERROR);
    world_end(world);
}

Test(provider_failures, a_model_that_is_gone_has_its_own_code_and_log_line)
{
    struct world *world = world_with_groq("LLM_MODEL=llama-3.3-70b-versatile");

    expect_failure(world,
                   (struct saying){
                       .status = 404,
                       .body = BODY_OF_ERROR("invalid_request_error", "model_not_found")},
                   ERROR_LLM_MODEL_NOT_FOUND);
    world_await_output(world, "llama-3.3-70b-versatile");
    world_end(world);
}

Test(provider_failures, a_request_that_the_provider_does_not_take_is_a_bad_request)
{
    struct world *world = world_with_groq("LLM_MODEL=llama-3.1-8b-instant");

    expect_failure(world, (struct saying){.status = 413}, ERROR_LLM_BAD_REQUEST);
    expect_failure(world, (struct saying){.status = 422}, ERROR_LLM_BAD_REQUEST);
    expect_failure(world, (struct saying){.status = 400}, ERROR_LLM_BAD_REQUEST);
    world_end(world);
}

#define SAID_FOR_PEOPLE(message)                            \
    "{\"error\":{\"message\":\"" message                    \
    "\",\"type\":\"invalid_request_error\",\"param\":null," \
    "\"code\":\"invalid_prompt\"}}"

Test(provider_failures, a_400_that_speaks_of_the_usage_policy_is_its_content_filter)
{
    struct world *world = world_with_groq();

    expect_failure(world,
                   (struct saying){.status = 400,
                                   .body = SAID_FOR_PEOPLE(
                                       "Invalid prompt: it was flagged as potentially "
                                       "violating our usage policy, " MODEL_CANARY ".")},
                   ERROR_LLM_CONTENT_FILTER);
    expect_failure(world,
                   (struct saying){.status = 400,
                                   .body =
                                       "{\"type\":\"error\",\"error\":{\"type\":"
                                       "\"invalid_request_error\",\"message\":\"Output "
                                       "blocked by Content Filtering Policy\"}}"},
                   ERROR_LLM_CONTENT_FILTER);
    expect_failure(world,
                   (struct saying){.status = 503,
                                   .body = SAID_FOR_PEOPLE("our usage policy is down")},
                   ERROR_LLM_PROVIDER_ERROR);
    world_end(world);
}

#define NO_SCHEMA                                                            \
    "{\"error\":{\"message\":\"This model does not support response format " \
    "`json_schema`.\",\"type\":\"invalid_request_error\"}}"

Test(provider_failures,
     a_schema_that_the_provider_does_not_take_becomes_a_json_object_once)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 5);
    upstream_will(world->upstream, (struct saying){.status = 400, .body = NO_SCHEMA});
    upstream_will_ask(world->upstream, "And then?");

    expect_success(answer(world, &session, ANSWER));

    struct json_object *first = upstream_call(world->upstream, 0)->json;
    struct json_object *second = upstream_call(world->upstream, 1)->json;
    cr_assert_str_eq(json_object_get_string(json_at(first, "response_format.type")),
                     "json_schema");
    cr_assert_str_eq(json_object_get_string(json_at(second, "response_format.type")),
                     "json_object");
    world_end(world);
}

#define CUT_OFF                                                                  \
    "{\"error\":{\"message\":\"Failed to generate JSON.\","                      \
    "\"type\":\"invalid_request_error\",\"code\":\"json_validate_failed\","      \
    "\"failed_generation\":\"{\\\"refused\\\":false,\\\"follow_up_question\\\":" \
    "\\\"And then?\\\",\\\"coaching_feed\"}}"

Test(provider_failures, what_the_model_wrote_before_its_json_went_wrong_is_used)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 5);
    upstream_will(world->upstream, (struct saying){.status = 400, .body = CUT_OFF});

    expect_text(answer(world, &session, ANSWER), "data.assistant_text", "And then?");
    world_end(world);
}

Test(provider_failures, a_second_400_is_a_bad_request)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 5);
    upstream_will(world->upstream, (struct saying){.status = 400});
    upstream_will(world->upstream, (struct saying){.status = 400});

    expect_error(answer(world, &session, ANSWER), ERROR_LLM_BAD_REQUEST);
    world_end(world);
}

Test(provider_failures, a_rate_limit_passes_on_when_to_come_back)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 5);
    upstream_will(world->upstream, (struct saying){.status = 429,
                                                   .headers = "Retry-After: 17\r\n",
                                                   .body = BODY_OF_ERROR(
                                                       "tokens", "rate_limit_exceeded")});

    const struct reply *reply = answer(world, &session, ANSWER);

    expect_error(reply, ERROR_LLM_RATE_LIMIT);
    expect_header(reply, "Retry-After", "17");
    world_end(world);
}

Test(provider_failures, a_rate_limit_without_a_time_still_says_when_to_come_back)
{
    struct world *world = world_with_groq();

    expect_failure(world, (struct saying){.status = 429}, ERROR_LLM_RATE_LIMIT);
    expect_failure(world,
                   (struct saying){.status = 498,
                                   .body = BODY_OF_ERROR("invalid_request_error",
                                                         "capacity_exceeded")},
                   ERROR_LLM_RATE_LIMIT);
    world_end(world);
}

Test(provider_failures, a_server_error_is_a_provider_error)
{
    static const int STATUSES[] = {500, 502, 503, 504, 302};
    struct world *world = world_with_groq();

    for (size_t i = 0; i < sizeof STATUSES / sizeof *STATUSES; i++)
        expect_failure(world, (struct saying){.status = STATUSES[i]},
                       ERROR_LLM_PROVIDER_ERROR);
    world_end(world);
}

Test(provider_failures, a_redirect_is_not_followed_with_the_key)
{
    struct world *world = world_with_groq();
    struct world *stranger = world_with_groq();
    const char *to = words(world, "Location: %s/chat/completions\r\n",
                           upstream_base_url(stranger->upstream));

    expect_failure(world, (struct saying){.status = 307, .headers = to},
                   ERROR_LLM_PROVIDER_ERROR);
    world_end(stranger);
    world_end(world);
}

/* A turn that succeeds although the provider has this manner. */
static void expect_taken(struct world *world, const struct session *session,
                         enum manner manner)
{
    char *content = good_reply("And then?");
    char *body = completion(content, "stop");

    upstream_will(world->upstream, (struct saying){.manner = manner, .body = body});
    expect_success(answer(world, session, ANSWER));
    free(content);
    free(body);
}

Test(provider_failures, a_reply_in_chunks_is_a_reply)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    expect_taken(world, &session, MANNER_CHUNKED);
    world_end(world);
}

Test(provider_failures, a_warm_connection_that_has_gone_cold_is_replaced)
{
    struct world *world = world_with_groq("WORKERS=1");
    struct session session = start_session(world, 10);

    for (int i = 0; i < 9; i++)
        expect_taken(world, &session, MANNER_LEAVING);
    world_end(world);
}
