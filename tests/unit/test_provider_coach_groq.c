/*
 * What a Groq coach sends, logs, and does when its schema is not taken.
 */
#include "groq_world.h"

#include <criterion/criterion.h>

static const char *sent_body(const struct world *world)
{
    return strstr(world->server->last_request, "\r\n\r\n") + 4;
}

/* ---- the request ---- */

#define BEGINNING(model)                                                             \
    "{\"model\":\"" model "\",\"messages\":[{\"role\":\"system\",\"content\":"       \
    "\"Answer in \\\"JSON\\\".\"},{\"role\":\"user\",\"content\":\"I led\\nit.\"}]," \
    "\"temperature\":0.6,\"max_completion_tokens\":2048,"
#define REASONING "\"reasoning_effort\":\"low\",\"include_reasoning\":false,"
#define STRICT_SCHEMA                                                 \
    "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{" \
    "\"name\":\"interview_turn\",\"strict\":true,\"schema\":{\"type\":\"object\"}}}}"
#define ANY_OBJECT "\"response_format\":{\"type\":\"json_object\"}}"

static const struct scripted_reply always_good[] = {{PATH, HANG_UP, GOOD}, {0}};

static const struct {
    const char *model;
    const char *body;
} requests[] = {
    {"openai/gpt-oss-120b", BEGINNING("openai/gpt-oss-120b") REASONING STRICT_SCHEMA},
    {"openai/gpt-oss-20b", BEGINNING("openai/gpt-oss-20b") REASONING STRICT_SCHEMA},
    {"openai/gpt-oss-safeguard-20b",
     BEGINNING("openai/gpt-oss-safeguard-20b") REASONING ANY_OBJECT},
    {"llama-3.1-8b-instant", BEGINNING("llama-3.1-8b-instant") ANY_OBJECT},
    {"qwen/qwen3-32b", BEGINNING("qwen/qwen3-32b") ANY_OBJECT},
};

Test(coach_groq, the_request_is_what_the_model_is_documented_to_take)
{
    for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
        struct world world;

        world_open(&world, always_good, requests[i].model);
        ask(&world);
        cr_expect_eq(world.error, OK);
        cr_expect_str_eq(sent_body(&world), requests[i].body);
        world_close(&world);
    }
}

Test(coach_groq, the_request_carries_the_key_without_its_line_end_and_the_request_id)
{
    struct world world;

    world_open(&world, always_good, "m");
    ask(&world);

    cr_assert_not_null(
        strstr(world.server->last_request, "\r\nAuthorization: Bearer gsk_key\r\n"));
    cr_assert_not_null(
        strstr(world.server->last_request,
               "\r\nX-Request-ID: 11111111-2222-4333-8444-555555555555\r\n"));
    cr_assert_not_null(
        strstr(world.server->last_request, "\r\nContent-Type: application/json\r\n"));
    world_close(&world);
}

Test(coach_groq, a_key_that_cannot_stand_in_a_header_is_not_sent_and_the_log_says_so)
{
    struct world world;

    world_open(&world, always_good, "m");
    coach_free(world.coach);
    private_text_free(&world.settings.groq_api_key);
    world.settings.groq_api_key = private_text_copy("gsk\r\nX-Evil: 1", 14);
    world_make_coach(&world);
    ask(&world);

    cr_assert_null(strstr(world.server->last_request, "Evil"));
    cr_assert_null(strstr(world.server->last_request, "Authorization"));
    cr_assert_not_null(strstr(log_of(&world), "no_usable_key"));
    world_close(&world);
}

static const struct scripted_reply always_silent[] = {{PATH, SILENCE, ""}, {0}};

Test(coach_groq, a_server_that_says_nothing_is_a_timeout)
{
    struct world world;

    world_open(&world, always_silent, "m");
    start(&world, 50);
    loop_run(world.loop);

    cr_assert_eq(world.error, ERROR_LLM_TIMEOUT);
    world_close(&world);
}

Test(coach_groq, the_settings_timeout_cuts_a_longer_one)
{
    struct world world;

    world_open(&world, always_silent, "m");
    world.settings.llm_timeout_s = 1;
    start(&world, 3600000);
    loop_run(world.loop);

    cr_assert_eq(world.error, ERROR_LLM_TIMEOUT);
    world_close(&world);
}

Test(coach_groq, a_server_that_is_not_there_is_a_provider_error)
{
    struct world world;

    world_open(&world, always_good, "m");
    coach_free(world.coach);
    strcpy(world.settings.groq_base_url, "http://127.0.0.1:1");
    world_make_coach(&world);
    ask(&world);

    cr_assert_eq(world.error, ERROR_LLM_PROVIDER_ERROR);
    cr_assert_not_null(strstr(log_of(&world), "\"outcome\":\"unreachable\""));
    world_close(&world);
}

static void stop(void *context)
{
    loop_stop(context);
}

Test(coach_groq, a_cancelled_ask_is_never_done)
{
    struct world world;

    world_open(&world, always_silent, "m");
    world.coach->cancel(start(&world, 20000));
    world.coach->cancel(NULL);
    loop_later(world.loop, stop, world.loop);
    loop_run(world.loop);

    cr_assert_eq(world.done, 0);
    world_close(&world);
}

/* ---- a schema that is not taken ---- */

static const struct scripted_reply schema_refused[] = {
    {PATH, HANG_UP, HEAD("400", "") FAILURE("")},
    {PATH, HANG_UP, GOOD},
    {0},
};

Test(coach_groq, a_400_to_the_schema_is_asked_once_more_without_it)
{
    struct world world;

    world_open(&world, schema_refused, "openai/gpt-oss-120b");
    ask(&world);

    cr_assert_eq(world.error, OK);
    cr_assert_str_eq(text_of(&world), "{\"refused\":false}");
    cr_assert_eq(world.server->requests, 2);
    cr_assert_str_eq(sent_body(&world),
                     BEGINNING("openai/gpt-oss-120b") REASONING ANY_OBJECT);
    world_close(&world);
}

Test(coach_groq, a_schema_that_was_refused_is_not_sent_again)
{
    struct world world;

    world_open(&world, schema_refused, "openai/gpt-oss-120b");
    ask(&world);
    ask(&world);

    cr_assert_eq(world.done, 2);
    cr_assert_eq(world.server->requests, 3);
    cr_assert_not_null(strstr(sent_body(&world), ANY_OBJECT));
    world_close(&world);
}

static const struct scripted_reply always_bad[] = {
    {PATH, HANG_UP, HEAD("400", "")},
    {0},
};

Test(coach_groq, a_second_400_is_a_bad_request_and_the_schema_stays)
{
    struct world world;

    world_open(&world, always_bad, "openai/gpt-oss-120b");
    ask(&world);
    cr_assert_eq(world.error, ERROR_LLM_BAD_REQUEST);
    cr_assert_eq(world.server->requests, 2);

    ask(&world);
    cr_assert_eq(world.server->requests, 4);
    world_close(&world);
}

static const struct scripted_reply form_lost_once[] = {
    {PATH, HANG_UP, HEAD("400", "") FAILURE("json_validate_failed")},
    {PATH, HANG_UP, GOOD},
    {0},
};

Test(coach_groq, a_model_that_lost_its_form_once_keeps_its_schema)
{
    struct world world;

    world_open(&world, form_lost_once, "openai/gpt-oss-120b");
    ask(&world);
    cr_assert_eq(world.error, OK);
    cr_assert_not_null(strstr(sent_body(&world), ANY_OBJECT));

    ask(&world);
    cr_assert_eq(world.server->requests, 3);
    cr_assert_not_null(strstr(sent_body(&world), STRICT_SCHEMA));
    world_close(&world);
}

static const struct scripted_reply slow_after_400[] = {
    {PATH, HANG_UP, HEAD("400", "")},
    {PATH, SILENCE, ""},
    {0},
};

Test(coach_groq, the_second_request_has_the_time_that_the_first_one_left)
{
    struct world world;

    world_open(&world, slow_after_400, "openai/gpt-oss-120b");
    start(&world, 100);
    loop_run(world.loop);

    cr_assert_eq(world.error, ERROR_LLM_TIMEOUT);
    world_close(&world);
}

/* ---- the log ---- */

static const struct scripted_reply model_gone[] = {
    {PATH, HANG_UP, HEAD("404", "") FAILURE("model_not_found")},
    {0},
};

Test(coach_groq, a_failed_ask_is_logged_without_a_word_of_the_provider)
{
    struct world world;
    const char *log;

    world_open(&world, model_gone, "no/such-model");
    ask(&world);

    log = log_of(&world);
    cr_assert_not_null(strstr(log, "\"code\":\"llm_model_not_found\""));
    cr_assert_not_null(strstr(log, "\"provider_status\":404"));
    cr_assert_not_null(strstr(log, "\"model\":\"no/such-model\""));
    cr_assert_not_null(strstr(log, "11111111-2222-4333-8444-555555555555"));
    cr_assert_null(strstr(log, "words of the provider"));
    cr_assert_null(strstr(log, "gsk_key"));
    cr_assert_null(strstr(log, "model_retired"));
    world_close(&world);
}

Test(coach_groq, the_retired_model_is_named_once_with_what_to_do)
{
    struct world world;
    const char *first;

    world_open(&world, model_gone, "llama-3.3-70b-versatile");
    ask(&world);
    ask(&world);

    first = strstr(log_of(&world), "model_retired");
    cr_assert_not_null(first);
    cr_assert_not_null(strstr(first, "set_llm_model_to_openai/gpt-oss-120b"));
    cr_assert_null(strstr(first + 1, "model_retired"));
    world_close(&world);
}

/* ---- doctor's question ---- */

static void on_probe(void *context, enum error error, const struct probe_reply *reply)
{
    (void)reply;
    on_done(context, error, (struct coach_reply){.text = {NULL, 0}});
}

static const struct {
    const char *bytes;
    enum error error;
} probes[] = {
    {HEAD("200", "") "{\"id\":\"a/b c\"}", OK},
    {HEAD("401", "") FAILURE("invalid_api_key"), ERROR_LLM_AUTH_ERROR},
    {HEAD("404", "") FAILURE("model_not_found"), ERROR_LLM_MODEL_NOT_FOUND},
    {HEAD("500", ""), ERROR_LLM_PROVIDER_ERROR},
    {"", ERROR_LLM_PROVIDER_ERROR},
};

Test(coach_groq, the_probe_tells_what_the_server_says_of_the_model)
{
    for (size_t i = 0; i < sizeof(probes) / sizeof(*probes); i++) {
        struct scripted_reply script[] = {
            {"/v1/models/a/b%20c", HANG_UP, probes[i].bytes}, {0}};
        struct world world;

        world_open(&world, script, "a/b c");
        world.coach->probe(world.coach, on_probe, &world);
        loop_run(world.loop);
        cr_expect_eq(world.error, probes[i].error, "%s", probes[i].bytes);
        cr_expect_not_null(strstr(world.server->last_request, "Bearer gsk_key\r\n"));
        world_close(&world);
    }
}
