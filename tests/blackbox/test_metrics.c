/*
 * GET /metrics, as whoever is called at night reads it.  That it is well-formed, and that the
 * dashboard asks for nothing else, tests/checks/metrics.py says.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "voice.h"

TestSuite(metrics, .timeout = 60);

#define MODEL  "model=\"openai/gpt-oss-120b\",server=\"127.0.0.1\","
#define GEN_AI "gen_ai_operation_name=\"chat\",gen_ai_provider_name=\"openai\","

/* Waits until /metrics has all of these parts (NULL-terminated): a loop may count a reply a
 * moment after it has left. */
static void await_metrics(struct world *world, const char *const *parts)
{
    const struct reply *metrics = NULL;

    for (int tries = 0; *parts != NULL && tries < 2000; tries++) {
        metrics = ask(world, (struct request){.method = "GET", .path = "/metrics"});
        while (*parts != NULL && bytes_has(&metrics->body, *parts))
            parts++;
    }
    cr_assert_null(*parts, "the metrics never had %s:\n%s", *parts, metrics->body.data);
}

/* One sample of a call of the scripted coach. */
static const char *calls(struct world *world, const char *result, int count)
{
    return words(world,
                 "\npoise_provider_calls_total{role=\"coach\",provider=\"groq\"," MODEL
                 "port=\"%d\",result=\"%s\"} %d\n",
                 upstream_port(world->upstream), result, count);
}

static const char *tokens(struct world *world, const char *type, int count)
{
    return words(world,
                 "\ngen_ai_client_token_usage_sum{" GEN_AI
                 "gen_ai_request_model=\"openai/gpt-oss-120b\",server_address=\"127.0.0."
                 "1\",server_port=\"%d\",gen_ai_token_type=\"%s\"} %d\n",
                 upstream_port(world->upstream), type, count);
}

Test(metrics, each_end_of_a_call_is_counted_with_its_provider)
{
    struct world *world = world_with_groq("BREAKER_FAILURES=2", "WORKERS=1",
                                          "PROVIDER_RETRIES=1", "LLM_TIMEOUT_SECONDS=1");
    struct session session = start_session(world, 5);

    upstream_will(world->upstream, (struct saying){.status = 503});
    upstream_will_ask(world->upstream, "And then?"); /* the second try */
    answer(world, &session, ANSWER);
    upstream_will(world->upstream, (struct saying){.status = 401});
    answer(world, &session, ANSWER);
    upstream_will(world->upstream,
                  (struct saying){.status = 429, .headers = "Retry-After: 60\r\n"});
    answer(world, &session, ANSWER);
    upstream_will(world->upstream, (struct saying){.status = 422});
    answer(world, &session, ANSWER);
    upstream_will(world->upstream, (struct saying){.manner = MANNER_SILENT});
    answer(world, &session, ANSWER);
    upstream_will(world->upstream, (struct saying){.status = 500}); /* opens it */
    answer(world, &session, ANSWER);
    expect_header(answer(world, &session, ANSWER), "retry-after", "1");

    await_metrics(
        world,
        FIELDS_NAMED(calls(world, "ok", 1), calls(world, "auth", 1),
                     calls(world, "rate_limited", 1), calls(world, "bad_request", 1),
                     calls(world, "timeout", 1), calls(world, "provider_error", 1),
                     calls(world, "held_back", 1), tokens(world, "input", PROMPT_TOKENS),
                     tokens(world, "output", COMPLETION_TOKENS),
                     ",error_type=\"timeout\",le=\"",
                     "\npoise_turns_total{outcome=\"llm_provider_error\"} 2\n"));
    world_end(world);
}

Test(metrics, the_parts_of_a_turn_are_timed_and_the_store_is)
{
    struct world *world =
        world_with_groq("STT_PROVIDER=deepgram", "DEEPGRAM_API_KEY=" DEEPGRAM_KEY);
    struct session session = start_session(world, 5);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");

    expect_success(say(world, &session, new_recording(world, 1)));
    expect_success(answer(world, &session, "fuck you")->status == 422
                       ? get_session(world, &session)
                       : NULL);

    await_metrics(
        world,
        FIELDS_NAMED("\npoise_turn_stage_duration_seconds_count{stage=\"stt\"} 1\n",
                     "\npoise_turn_stage_duration_seconds_count{stage=\"llm\"} 1\n",
                     "\npoise_turn_stage_duration_seconds_count{stage=\"tts\"} 0\n",
                     "\npoise_turn_stage_duration_seconds_count{stage=\"total\"} 2\n",
                     "\npoise_store_operation_duration_seconds_count{operation=\"commit_"
                     "turn\"} 1\n",
                     "\npoise_store_operation_duration_seconds_count{operation=\"begin_"
                     "turn\"} 2\n",
                     "\npoise_store_waiting 0\n",
                     "\npoise_http_requests_total{route=\"turn\",status=\"2xx\"} 1\n",
                     "\npoise_http_requests_total{route=\"turn\",status=\"4xx\"} 1\n",
                     "\npoise_http_request_duration_seconds_count{route=\"turn\"} 2\n",
                     "\npoise_turns_inflight 0\n", "\nprocess_open_fds "));
    world_end(world);
}
