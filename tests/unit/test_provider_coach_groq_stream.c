/*
 * A Groq coach whose answers are streamed.
 */
#include "groq_world.h"

#include <criterion/criterion.h>

#define STREAM      HEAD("200", "Content-Type: text/event-stream\r\n")
#define EVENT(json) "data: " json "\n\n"
#define DONE        EVENT("[DONE]")
#define CHUNK(delta)                                                                                    \
    EVENT(                                                                                              \
        "{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":" delta \
        ",\"logprobs\":null,\"finish_reason\":null}]}")
#define TEXT(text) CHUNK("{\"content\":\"" text "\"}")
#define FIRST \
    EVENT(    \
        "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}],\"x_groq\":{\"id\":\"req\"}}")
#define LAST(reason)                                                            \
    EVENT("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason \
          "\"}],\"x_groq\":{\"id\":\"req\",\"usage\":{\"total_tokens\":3}}}")
#define GOOD_STREAM \
    STREAM FIRST TEXT("{\\\"refused\\\"") TEXT(":false}") LAST("stop") DONE
#define GOOD_TEXT "{\"refused\":false}"

static struct {
    char text[4096];
    unsigned pieces;
    bool after_done;
} told;

static void on_text(void *context, struct span text)
{
    struct world *world = context;

    told.after_done |= world->done > 0;
    told.pieces++;
    cr_expect_eq(strncmp(told.text, text.bytes, strlen(told.text)), 0);
    snprintf(told.text, sizeof(told.text), "%.*s", (int)text.length, text.bytes);
}

static struct coach_call *start_streamed(struct world *world)
{
    struct coach_ask ask = {.system = private_text_copy("JSON", 4),
                            .user = private_text_copy("me", 2),
                            .schema_name = "turn",
                            .schema = "{\"type\":\"object\"}",
                            .timeout_ms = 20000,
                            .on_text = on_text};

    memset(&told, 0, sizeof(told));
    world->done = 0;
    return world->coach->start(world->coach, &ask, on_done, world);
}

static void ask_streamed(struct world *world)
{
    start_streamed(world);
    loop_run(world->loop);
}

static const struct {
    enum scripted_action action;
    const char *bytes;
    enum error error;
    const char *text; /* with OK */
    const char *told;
    bool is_cut_off;
} streams[] = {
    {HANG_UP, GOOD_STREAM, OK, GOOD_TEXT, GOOD_TEXT, false},
    {HANG_UP, STREAM TEXT("a") TEXT("") TEXT("\\n\\u00e9\\ud83d\\ude00\\t") LAST("stop"),
     OK, "a\n\xC3\xA9\xF0\x9F\x98\x80\t", "a\n\xC3\xA9\xF0\x9F\x98\x80\t", false},
    {HANG_UP, STREAM TEXT("a") TEXT("b") LAST("length") DONE, OK, "ab", "ab", true},
    {HANG_UP, STREAM TEXT("a") DONE, OK, "a", "a", false},
    {HANG_UP, STREAM TEXT("a") LAST("stop") TEXT("b") DONE TEXT("c"), OK, "a", "a",
     false},
    {HANG_UP, STREAM TEXT("a") LAST("stop") EVENT("{\"choices\":[],\"usage\":{}}") DONE,
     OK, "a", "a", false},
    {HANG_UP, STREAM ": hello\n\n" TEXT("a") CHUNK("{\"reasoning\":\"hm\"}") LAST("stop"),
     OK, "a", "a", false},
    {HANG_UP,
     STREAM CHUNK("{\"refusal\":\"No\"}") CHUNK("{\"refusal\":\".\"}") LAST("stop"), OK,
     "{\"refused\":true,\"follow_up_question\":\"No.\",\"coaching_feedback\":null}", "",
     false},

    /* a server that does not stream */
    {HANG_UP, GOOD, OK, GOOD_TEXT, "", false},
    {HANG_UP, HEAD("200", "") "\r\n " COMPLETION("\"x\"", "length"), OK, "x", "", true},
    {HANG_UP, HEAD("200", "") COMPLETION("null", "stop"), ERROR_NULL_RESPONSE, "", "",
     false},
    {HANG_UP, HEAD("200", "") FAILURE("whatever"), ERROR_LLM_PROVIDER_ERROR, "", "",
     false},
    {HANG_UP, HEAD("200", "") "<html>", ERROR_LLM_PROVIDER_ERROR, "", "", false},
    {HANG_UP, HEAD("200", ""), ERROR_LLM_PROVIDER_ERROR, "", "", false},
    {HANG_UP, HEAD("401", "") FAILURE("invalid_api_key"), ERROR_LLM_AUTH_ERROR, "", "",
     false},

    /* what says nothing */
    {HANG_UP, STREAM DONE, ERROR_NULL_RESPONSE, "", "", false},
    {HANG_UP, STREAM LAST("stop") DONE, ERROR_NULL_RESPONSE, "", "", false},
    {HANG_UP, STREAM CHUNK("{\"content\":null}") LAST("stop"), ERROR_NULL_RESPONSE, "",
     "", false},
    {HANG_UP, STREAM FIRST LAST("stop") DONE, ERROR_EMPTY_RESPONSE, "", "", false},
    {HANG_UP, STREAM TEXT(" \\n") LAST("stop"), ERROR_EMPTY_RESPONSE, "", " \n", false},

    /* what goes wrong on the way */
    {HANG_UP, STREAM FIRST TEXT("a"), ERROR_LLM_PROVIDER_ERROR, "", "a", false},
    {HANG_UP, STREAM TEXT("a") "data: {\"choices\"", ERROR_LLM_PROVIDER_ERROR, "", "a",
     false},
    {HANG_UP, STREAM TEXT("a") EVENT("not JSON") LAST("stop"), ERROR_LLM_PROVIDER_ERROR,
     "", "a", false},
    {HANG_UP, STREAM CHUNK("{\"content\":[1]}") LAST("stop"), ERROR_LLM_PROVIDER_ERROR,
     "", "", false},
    {HANG_UP, STREAM TEXT("\xC3") LAST("stop"), ERROR_LLM_PROVIDER_ERROR, "", "", false},
    {HANG_UP, STREAM TEXT("a") EVENT(FAILURE("whatever")) LAST("stop") DONE,
     ERROR_LLM_PROVIDER_ERROR, "", "a", false},
    {HANG_UP, STREAM TEXT("a") EVENT("{\"error\":\"gone\"}"), ERROR_LLM_PROVIDER_ERROR,
     "", "a", false},
    {HANG_UP,
     STREAM TEXT("a") EVENT("{\"choices\":[],\"x_groq\":{\"error\":\"gone\"}}") DONE,
     ERROR_LLM_PROVIDER_ERROR, "", "a", false},
    {HANG_UP, STREAM TEXT("a") LAST("stop") EVENT("{\"x_groq\":{\"error\":\"gone\"}}"),
     ERROR_LLM_PROVIDER_ERROR, "", "a", false},
    {HANG_UP, STREAM TEXT("a") LAST("content_filter") DONE, ERROR_LLM_CONTENT_FILTER, "",
     "a", false},
    {HANG_UP, STREAM TEXT("a") EVENT(FAILURE("json_validate_failed")), OK, "a", "a",
     true},
    {HANG_UP, STREAM EVENT(FAILURE("json_validate_failed")), ERROR_LLM_PROVIDER_ERROR, "",
     "", false},
    {FLOOD, STREAM "data: no end ", ERROR_LLM_PROVIDER_ERROR, "", "", false},
    {FLOOD, STREAM EVENT("{}"), ERROR_LLM_PROVIDER_ERROR, "", "", false},
};

Test(coach_groq_stream, every_stream_has_its_error_or_its_text)
{
    for (size_t i = 0; i < sizeof(streams) / sizeof(*streams); i++) {
        struct scripted_reply script[] = {{PATH, streams[i].action, streams[i].bytes},
                                          {0}};
        struct world world;

        world_open(&world, script, "m");
        ask_streamed(&world);
        cr_expect_eq(world.error, streams[i].error, "row %zu: %d", i, world.error);
        cr_expect_eq(world.answer.is_cut_off, streams[i].is_cut_off, "row %zu", i);
        cr_expect_str_eq(text_of(&world), streams[i].text, "row %zu: %s", i,
                         text_of(&world));
        cr_expect_str_eq(told.text, streams[i].told, "row %zu: %s", i, told.text);
        cr_expect_not(told.after_done);
        cr_expect_eq(meters_failures(&world.metrics), world.error != OK);
        cr_expect_eq(strstr(log_of(&world), "coach_failed") != NULL, world.error != OK);
        world_close(&world);
    }
}

Test(coach_groq_stream, an_answer_that_ended_stands_though_the_connection_then_broke)
{
    struct scripted_reply script[] = {
        {PATH, HANG_UP,
         "HTTP/1.1 200 X\r\nContent-Length: 9999\r\n\r\n" TEXT("a") LAST("stop")},
        {0}};
    struct world world;

    world_open(&world, script, "m");
    ask_streamed(&world);

    cr_assert_eq(world.error, OK);
    cr_assert_str_eq(text_of(&world), "a");
    world_close(&world);
}

Test(coach_groq_stream, text_is_told_while_the_rest_is_still_to_come)
{
    struct scripted_reply script[] = {{PATH, SILENCE, STREAM FIRST TEXT("early")}, {0}};
    struct world world;

    world_open(&world, script, "m");
    world.settings.llm_timeout_s = 1;
    ask_streamed(&world);

    cr_assert_eq(world.error, ERROR_LLM_TIMEOUT);
    cr_assert_str_eq(told.text, "early");
    world_close(&world);
}

/* ---- what is asked for ---- */

static bool was_asked(struct world *world, const char *part)
{
    return strstr(world->server->last_request, part) != NULL;
}

Test(coach_groq_stream, only_who_wants_text_early_asks_for_a_stream)
{
    struct scripted_reply script[] = {
        {PATH, HANG_UP, GOOD_STREAM}, {PATH, HANG_UP, GOOD}, {0}};
    struct world world;

    world_open(&world, script, "m");
    ask_streamed(&world);
    cr_expect(was_asked(&world, "\"stream\":true,\"response_format\""));
    ask(&world);
    cr_expect_not(was_asked(&world, "stream"));
    cr_expect_eq(world.error, OK);
    world_close(&world);
}

Test(coach_groq_stream,
     a_server_that_streams_no_format_is_asked_for_less_until_it_streams)
{
    struct scripted_reply script[] = {{PATH, HANG_UP, HEAD("400", "")},
                                      {PATH, HANG_UP, HEAD("400", "")},
                                      {PATH, HANG_UP, GOOD_STREAM},
                                      {0}};
    struct world world;

    world_open(&world, script, "openai/gpt-oss-120b");
    ask_streamed(&world);
    cr_expect_str_eq(text_of(&world), GOOD_TEXT);
    cr_expect_str_eq(told.text, GOOD_TEXT);
    cr_expect_not(was_asked(&world, "response_format"));
    cr_expect_eq(world.server->requests, 3);

    ask_streamed(&world);
    cr_expect_eq(world.server->requests, 4, "it is remembered");
    ask(&world);
    cr_expect(was_asked(&world, "json_schema"), "but not for answers that come whole");
    world_close(&world);
}

Test(coach_groq_stream, a_model_that_loses_its_form_is_asked_once_without_the_schema)
{
    struct scripted_reply script[] = {
        {PATH, HANG_UP, HEAD("400", "") FAILURE("json_validate_failed")},
        {PATH, HANG_UP, GOOD_STREAM},
        {0}};
    struct world world;

    world_open(&world, script, "openai/gpt-oss-20b");
    ask_streamed(&world);
    cr_expect_str_eq(text_of(&world), GOOD_TEXT);
    cr_expect(was_asked(&world, "json_object"));
    ask_streamed(&world);
    cr_expect(was_asked(&world, "json_schema"), "that is not remembered");
    world_close(&world);
}

Test(coach_groq_stream, a_server_that_refuses_everything_is_asked_three_times)
{
    struct scripted_reply script[] = {{PATH, HANG_UP, HEAD("400", "")}, {0}};
    struct world world;

    world_open(&world, script, "openai/gpt-oss-120b");
    ask_streamed(&world);

    cr_assert_eq(world.error, ERROR_LLM_BAD_REQUEST);
    cr_assert_eq(world.server->requests, 3);
    world_close(&world);
}

Test(coach_groq_stream, an_ask_can_be_cancelled_in_the_middle)
{
    struct scripted_reply script[] = {{PATH, SILENCE, STREAM FIRST TEXT("a")}, {0}};
    struct world world;

    world_open(&world, script, "m");
    struct coach_call *call = start_streamed(&world);
    while (told.pieces == 0)
        uv_run(loop_uv(world.loop), UV_RUN_ONCE);
    world.coach->cancel(call);

    cr_assert_eq(world.done, 0);
    world_close(&world);
}
