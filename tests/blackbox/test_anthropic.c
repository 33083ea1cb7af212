/*
 * A coach by Anthropic's Messages API: what it is sent, byte for byte, against
 * https://docs.claude.com/en/api/messages, and what is made of its replies, whole and streamed
 * (/en/docs/build-with-claude/streaming, /en/api/errors, /en/api/handling-stop-reasons).
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"
#include "study.h"

TestSuite(anthropic, .timeout = 60);

#define KEY      "sk-ant-never0show1this2key3to4anyone"
#define QUESTION "What came of it, " MODEL_CANARY "?"

static const char *as_json(struct world *world, const char *text)
{
    struct json_object *json = json_object_new_string(text);
    const char *copy = words(world, "%s", json_object_to_json_string(json));

    json_object_put(json);
    return copy;
}

struct stage {
    struct upstream *upstream; /* owned */
    struct world *world;       /* owned */
    struct session session;
};

static struct stage stage_open(const char *setting, unsigned questions)
{
    struct stage stage = {.upstream = upstream_open()};
    char url[64];

    snprintf(url, sizeof url, "ANTHROPIC_BASE_URL=http://127.0.0.1:%d/",
             upstream_port(stage.upstream));
    stage.world = world_with_builtin_coach("ANTHROPIC_API_KEY=" KEY, url, setting);
    stage.session = start_session(stage.world, (int)questions);
    return stage;
}

static void stage_close(struct stage *stage)
{
    struct bytes output = world_output(stage->world);
    char *fault;

    cr_expect_not(bytes_has(&output, KEY), "the key is in the log");
    bytes_free(&output);
    world_end(stage->world);
    fault = upstream_close(stage->upstream);
    cr_expect_null(fault, "%s", fault);
    free(fault);
}

/* A message of two blocks, as models that think write them. */
static void will_say(struct stage *stage, const char *text, const char *stop_reason)
{
    upstream_will(
        stage->upstream,
        (struct saying){
            .body = words(
                stage->world,
                "{\"id\":\"msg_01\",\"type\":\"message\",\"role\":\"assistant\",\"model\":"
                "\"claude-sonnet-4-6\",\"content\":[{\"type\":\"thinking\",\"thinking\":"
                "\"hm\",\"signature\":\"c2ln\"},{\"type\":\"text\",\"text\":%s}],"
                "\"stop_reason\":\"%s\",\"stop_sequence\":null,\"usage\":"
                "{\"input_tokens\":701,\"output_tokens\":91}}",
                as_json(stage->world, text), stop_reason)});
}

static void will_ask(struct stage *stage, const char *question)
{
    char *reply = good_reply(question);

    will_say(stage, reply, "end_turn");
    free(reply);
}

static void expect_call_header(const struct call *call, const char *name,
                               const char *expected)
{
    char value[256] = "";

    cr_assert(head_header_count(&call->head, name) == 1, "not one %s in:\n%s", name,
              call->head.data);
    head_header(&call->head, name, value, sizeof value);
    cr_assert_str_eq(value, expected);
}

Test(anthropic, a_turn_is_asked_for_as_its_documentation_says)
{
    struct stage stage = stage_open("LLM_MAX_TOKENS=3000", 3);
    const char *line = "POST /v1/messages HTTP/1.1\r\n";
    static const char *const members[] = {"model",    "max_tokens",    "system",
                                          "messages", "output_config", NULL};
    will_ask(&stage, QUESTION);

    const struct reply *reply = answer(stage.world, &stage.session, ANSWER);

    expect_success(reply);
    expect_text(reply, "data.assistant_text", QUESTION);
    expect_number(reply, "data.coaching_feedback.dimensions.0.score", 4);
    expect_text(reply, "data.coach", "groq"); /* the contract's word for a model */
    expect_text(reply, "data.coach_vendor", "anthropic");
    const struct call *call = upstream_call(stage.upstream, 0);
    cr_expect(strncmp(call->head.data, line, strlen(line)) == 0, "%s", call->head.data);
    expect_call_header(call, "x-api-key", KEY);
    expect_call_header(call, "anthropic-version", "2023-06-01");
    expect_call_header(call, "Content-Type", "application/json");
    cr_expect(head_header_count(&call->head, "Authorization") == 0);
    expect_keys(call->json, members);
    cr_expect_str_eq(json_object_get_string(json_at(call->json, "model")),
                     "claude-sonnet-4-6");
    cr_expect_eq(json_object_get_int(json_at(call->json, "max_tokens")), 3000);
    cr_expect(strstr(json_object_get_string(json_at(call->json, "system")), "JSON"));
    cr_expect_eq(json_object_array_length(json_at(call->json, "messages")), 1);
    cr_expect_str_eq(json_object_get_string(json_at(call->json, "messages.0.role")),
                     "user");
    cr_expect(strstr(json_object_get_string(json_at(call->json, "messages.0.content")),
                     CANARY));
    cr_expect_str_eq(
        json_object_get_string(json_at(call->json, "output_config.format.type")),
        "json_schema");
    cr_expect(json_has(call->json, "output_config.format.schema.properties.refused"));
    stage_close(&stage);
}

Test(anthropic, an_advert_is_read_in_one_call)
{
    struct stage stage = stage_open("LLM_MAX_TOKENS=3000", 3);
    will_say(&stage,
             "{\"refused\":false,\"demands\":[\"Feed the herons\"],\"first_question\":"
             "\"When did you feed one, " MODEL_CANARY "?\"}",
             "end_turn");

    const struct reply *started = start_with(
        stage.world,
        "{\"role\":\"keeper\",\"interview_type\":\"behavioural\",\"difficulty\":"
        "\"easy\",\"job_advert\":\"Duties\\n- Feed the " CANARY " herons\"}");

    expect_success(started);
    cr_expect(strstr(text_at(started, "data.opening_prompt"), "When did you feed one"));
    const struct call *call = upstream_call(stage.upstream, 0);
    cr_expect(strstr(json_object_get_string(json_at(call->json, "messages.0.content")),
                     "\"job_advert\":\"Duties"));
    cr_expect(
        json_has(call->json, "output_config.format.schema.properties.first_question"));
    stage_close(&stage);
}

/* One loop: each learns it for itself. */
Test(anthropic, a_schema_that_is_not_taken_is_asked_for_once)
{
    struct stage stage = stage_open("WORKERS=1", 3);
    upstream_will(stage.upstream,
                  (struct saying){.status = 400,
                                  .body = "{\"type\":\"error\",\"error\":{\"type\":"
                                          "\"invalid_request_error\",\"message\":"
                                          "\"output_config: not supported\"},"
                                          "\"request_id\":\"req_1\"}"});
    will_ask(&stage, QUESTION);
    will_ask(&stage, "And then, " MODEL_CANARY "?");

    expect_success(answer(stage.world, &stage.session, ANSWER));
    expect_success(answer(stage.world, &stage.session, ANSWER));

    cr_expect(json_has(upstream_call(stage.upstream, 0)->json, "output_config"));
    cr_expect_not(json_has(upstream_call(stage.upstream, 1)->json, "output_config"));
    cr_expect_not(json_has(upstream_call(stage.upstream, 2)->json, "output_config"));
    stage_close(&stage);
}

/* The events of a stream, with a ping and an event that nobody knows. */
#define STARTS                                                                         \
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":"     \
    "\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"model\":"  \
    "\"claude-sonnet-4-6\",\"stop_reason\":null,\"stop_sequence\":null,\"usage\":"     \
    "{\"input_tokens\":701,\"output_tokens\":1}}}\n\n"                                 \
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0," \
    "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"                         \
    "event: ping\ndata: {\"type\":\"ping\"}\n\n"                                       \
    "event: news\ndata: {\"type\":\"news\",\"text\":\"of tomorrow\"}\n\n"
#define DELTA                                                                          \
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0," \
    "\"delta\":{\"type\":\"text_delta\",\"text\":%s}}\n\n"
#define STOPS                                                                      \
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":" \
    "0}\n\n"                                                                       \
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":"           \
    "{\"stop_reason\":\"%s\",\"stop_sequence\":null},\"usage\":"                   \
    "{\"output_tokens\":91}}\n\n"                                                  \
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"

static const struct reply *follow(struct stage *stage, const char *body)
{
    struct connection *turn;
    const struct reply *reply;

    upstream_will(stage->upstream,
                  (struct saying){.type = "text/event-stream", .body = body});
    turn = begin_answer_with(stage->world, &stage->session, ANSWER,
                             "Accept: text/event-stream\r\n");
    reply = receive(stage->world, turn, "POST");
    connection_close(turn);
    return reply;
}

Test(anthropic, a_stream_is_read_as_it_comes)
{
    struct stage stage = stage_open("TTS_PROVIDER=none", 3);
    char *text = good_reply(QUESTION);
    size_t half = strlen(text) / 2;
    const char *first = as_json(stage.world, words(stage.world, "%.*s", (int)half, text));
    const char *second = as_json(stage.world, text + half);

    const struct reply *reply = follow(
        &stage, words(stage.world, STARTS DELTA DELTA STOPS, first, second, "end_turn"));

    cr_expect(json_object_get_boolean(
        json_at(upstream_call(stage.upstream, 0)->json, "stream")));
    cr_assert(bytes_has(&reply->body, "event: assistant_text"));
    cr_assert(strstr(reply->body.data, "event: assistant_text") <
              strstr(reply->body.data, "event: result"));
    cr_expect(bytes_has(&reply->body, "\"assistant_text\":\"" QUESTION "\""));
    cr_expect_not(bytes_has(&reply->body, "of tomorrow"));
    free(text);
    stage_close(&stage);
}

static const struct {
    const char *events; /* with an error in the middle */
    const char *code;
} ends[] = {
    {"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
     "\"message\":\"Overloaded\"}}\n\n",
     "llm_provider_error"},
    {"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\","
     "\"message\":\"Slow down\"}}\n\n",
     "llm_rate_limit"},
    {"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
     "\"refusal\"},\"usage\":{\"output_tokens\":3}}\n\n",
     "llm_content_filter"},
    {"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", "null_response"},
    {"", "llm_provider_error"},
};

Test(anthropic, a_stream_that_goes_wrong_is_an_error_of_the_table)
{
    struct stage stage = stage_open("TTS_PROVIDER=none", 3);

    for (size_t at = 0; at < sizeof ends / sizeof *ends; at++) {
        const struct reply *reply =
            follow(&stage, words(stage.world, STARTS "%s", ends[at].events));

        cr_expect(
            bytes_has(&reply->body, words(stage.world, "\"code\":\"%s\"", ends[at].code)),
            "%zu: %s", at, reply->body.data);
    }
    stage_close(&stage);
}

static const struct {
    int status;
    const char *type;
    enum expected_error error;
} failures[] = {
    {401, "authentication_error", ERROR_LLM_AUTH_ERROR},
    {403, "permission_error", ERROR_LLM_AUTH_ERROR},
    {404, "not_found_error", ERROR_LLM_MODEL_NOT_FOUND},
    {413, "request_too_large", ERROR_LLM_BAD_REQUEST},
    {429, "rate_limit_error", ERROR_LLM_RATE_LIMIT},
    {500, "api_error", ERROR_LLM_PROVIDER_ERROR},
    {529, "overloaded_error", ERROR_LLM_PROVIDER_ERROR},
};

Test(anthropic, every_documented_failure_is_an_error_of_the_table)
{
    struct stage stage = stage_open("TTS_PROVIDER=none", 3);

    for (size_t at = 0; at < sizeof failures / sizeof *failures; at++) {
        upstream_will(stage.upstream,
                      (struct saying){
                          .status = failures[at].status,
                          .body = words(stage.world,
                                        "{\"type\":\"error\",\"error\":{\"type\":\"%s\","
                                        "\"message\":\"words of theirs\"}}",
                                        failures[at].type)});
        expect_error(answer(stage.world, &stage.session, ANSWER), failures[at].error);
    }
    stage_close(&stage);
}

Test(anthropic, it_stands_in_for_another_and_doctor_asks_about_its_model)
{
    struct upstream *upstream = upstream_open();
    char url[64];
    struct run run;

    snprintf(url, sizeof url, "ANTHROPIC_BASE_URL=http://127.0.0.1:%d",
             upstream_port(upstream));
    upstream_always(upstream, (struct saying){.status = 401, .body = "{}"});
    char *directory = directory_make();
    run = run_program(directory, ARGUMENTS("doctor"),
                      SETTINGS("STORE_URL=sqlite:///poise.db", "LLM_FALLBACKS=anthropic",
                               "STT_PROVIDER=none", "TTS_PROVIDER=none", url,
                               "ANTHROPIC_API_KEY=" KEY, "LLM_PROVIDER=builtin"));

    cr_expect_eq(run.status, 1);
    cr_expect(bytes_has(&run.output,
                        "FAIL  coach, fallback 1: llm_auth_error: the server "
                        "refuses ANTHROPIC_API_KEY (claude-sonnet-4-6 at "),
              "%s", run.output.data);
    cr_expect(bytes_has(&upstream_call(upstream, 0)->head,
                        "GET /v1/models/claude-sonnet-4-6 HTTP/1.1\r\n"));
    expect_call_header(upstream_call(upstream, 0), "anthropic-version", "2023-06-01");
    bytes_free(&run.output);
    directory_remove(directory);
    free(directory);
    free(upstream_close(upstream));
}

static void will_answer(struct stage *stage, const char *claim, const char *passage)
{
    will_say(stage,
             words(stage->world,
                   "{\"answered\":true,\"confidence\":1,\"sentences\":[{\"text\":\"%s\","
                   "\"citations\":[\"%s\"]}]}",
                   claim, passage),
             "end_turn");
}

Test(anthropic, its_answers_are_held_to_their_passages)
{
    struct study study = study_make(NULL);
    struct stage stage = stage_open(study.setting, 1);
    const char *passage = answering_passage(stage.world, &study);
    const char *claim = "The Kestrel gripper takes 30 milliseconds to open.";

    will_answer(&stage, claim, passage);
    expect_text(ask_textbook(stage.world, ANSWERABLE), "data.answer", claim);
    will_answer(&stage, "The Kestrel gripper is cooled by liquid helium.", passage);
    expect_refused(ask_textbook(stage.world, ANSWERABLE), "insufficient_context",
                   INSUFFICIENT_MESSAGE);
    stage_close(&stage);
    study_remove(&study);
}
