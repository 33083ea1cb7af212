/*
 * What a turn took, told to an OpenTelemetry collector: the story's own.
 */
#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "voice.h"

TestSuite(spans, .timeout = 90);

#define TRACE_ID "4bf92f3577b34da6a3ce929d0e0e4736"
#define PARENT   "00f067aa0ba902b7"
#define STATE    "vendor=opaque:1,other=2"
#define SAMPLED  "traceparent: 00-" TRACE_ID "-" PARENT "-01\r\ntracestate: " STATE "\r\n"
#define UNWANTED "traceparent: 00-aaaabbbbccccddddeeeeffff00001111-" PARENT "-00\r\n"

struct collector {
    struct upstream *upstream; /* owned */
    char setting[80];
};

static struct collector collector_open(void)
{
    struct collector collector = {.upstream = upstream_open()};

    upstream_always(collector.upstream, (struct saying){.body = "{}"});
    snprintf(collector.setting, sizeof collector.setting,
             "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:%d",
             upstream_port(collector.upstream));
    return collector;
}

static void collector_close(struct collector *collector)
{
    char *complaint = upstream_close(collector->upstream);

    cr_assert_null(complaint, "%s", complaint);
}

static const char *text_of(struct json_object *object, const char *name)
{
    struct json_object *member;

    return json_object_object_get_ex(object, name, &member)
               ? json_object_get_string(member)
               : "";
}

/* The spans of one batch: a well-formed one. */
static struct json_object *spans_of(const struct call *call)
{
    struct json_object *resources, *scopes, *spans;

    cr_assert(strncmp(call->head.data, "POST /v1/traces ", 16) == 0, "%s",
              call->head.data);
    cr_assert(json_object_object_get_ex(call->json, "resourceSpans", &resources));
    struct json_object *resource = json_object_array_get_idx(resources, 0);
    cr_assert_not_null(strstr(text_of(resource, "resource"), "service.name"));
    cr_assert(json_object_object_get_ex(resource, "scopeSpans", &scopes));
    cr_assert(
        json_object_object_get_ex(json_object_array_get_idx(scopes, 0), "spans", &spans));
    cr_assert(bytes_has(&call->body, CANARY) == false);
    return spans;
}

/* Waits for a span of this name in this trace (NULL: any). */
static struct json_object *await_span(struct collector *collector, const char *name,
                                      const char *trace)
{
    for (size_t at = 0;; at++) {
        struct json_object *spans = spans_of(upstream_call(collector->upstream, at));

        for (size_t i = 0; i < json_object_array_length(spans); i++) {
            struct json_object *span = json_object_array_get_idx(spans, i);

            if (strcmp(text_of(span, "name"), name) == 0 &&
                (trace == NULL || strcmp(text_of(span, "traceId"), trace) == 0))
                return span;
        }
    }
}

/* The value of an attribute, as its JSON text; "": none. */
static const char *attribute(struct json_object *span, const char *key)
{
    struct json_object *all, *value;

    cr_assert(json_object_object_get_ex(span, "attributes", &all));
    for (size_t i = 0; i < json_object_array_length(all); i++) {
        struct json_object *each = json_object_array_get_idx(all, i);

        if (strcmp(text_of(each, "key"), key) != 0)
            continue;
        cr_assert(json_object_object_get_ex(each, "value", &value));
        const char *text = text_of(value, "stringValue");
        return *text ? text : text_of(value, "intValue");
    }
    return "";
}

static void expect_attribute(struct json_object *span, const char *key, const char *value)
{
    cr_assert_str_eq(attribute(span, key), value, "%s is %s", key, attribute(span, key));
}

static void expect_part(struct json_object *span, const char *turn)
{
    cr_assert_str_eq(text_of(span, "traceId"), TRACE_ID);
    cr_assert_str_eq(text_of(span, "parentSpanId"), turn);
    cr_assert_eq(strlen(text_of(span, "spanId")), 16);
    cr_assert(strtoll(text_of(span, "endTimeUnixNano"), NULL, 10) >=
              strtoll(text_of(span, "startTimeUnixNano"), NULL, 10));
}

/* The provider was told of the span that stands for its call. */
static void expect_told(const struct call *call, struct json_object *span)
{
    char value[80];

    cr_assert(head_header(&call->head, "traceparent", value, sizeof value));
    cr_assert_not_null(strstr(value, text_of(span, "spanId")), "%s", value);
    cr_assert(head_header(&call->head, "tracestate", value, sizeof value));
    cr_assert_str_eq(value, STATE);
}

Test(spans, of_a_turn_are_what_it_heard_asked_spoke_and_kept)
{
    struct collector collector = collector_open();
    struct world *world =
        world_with_groq("STT_PROVIDER=groq", "TTS_PROVIDER=deepgram",
                        "DEEPGRAM_API_KEY=" DEEPGRAM_KEY, collector.setting);
    struct session session = start_session(world, 3);
    whisper_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");
    will_speak(world, mp3_with(world, "spoken"));

    expect_success(say_with(world, &session, recording_of(world, "xing.mp3"), SAMPLED));

    struct json_object *turn = await_span(&collector, "turn", TRACE_ID);
    struct json_object *hear = await_span(&collector, "hear", TRACE_ID);
    struct json_object *coach = await_span(&collector, "coach", TRACE_ID);
    struct json_object *speak = await_span(&collector, "speak", TRACE_ID);
    struct json_object *commit = await_span(&collector, "commit", TRACE_ID);
    const char *id = text_of(turn, "spanId");
    expect_part(turn, PARENT);
    expect_part(hear, id);
    expect_part(coach, id);
    expect_part(speak, id);
    expect_part(commit, id);
    expect_told(upstream_call(world->upstream, 0), hear);
    expect_told(upstream_call(world->upstream, 1), coach);
    expect_told(upstream_call(world->upstream, 2), speak);
    expect_attribute(turn, "http.route", "/turn");
    expect_attribute(turn, "http.response.status_code", "200");
    expect_attribute(turn, "gen_ai.conversation.id", session.id);
    expect_attribute(coach, "gen_ai.operation.name", "chat");
    expect_attribute(coach, "gen_ai.provider.name", "openai");
    expect_attribute(coach, "gen_ai.request.model", "openai/gpt-oss-120b");
    expect_attribute(coach, "gen_ai.usage.input_tokens", "700");
    expect_attribute(coach, "gen_ai.usage.output_tokens", "90");
    expect_attribute(coach, "server.address", "127.0.0.1");
    expect_attribute(speak, "gen_ai.provider.name", "deepgram");
    expect_attribute(commit, "error.type", "");
    const char *const parts[] = {words(world, "\"span_id\":\"%s\"", id),
                                 "\"trace_id\":\"" TRACE_ID "\"", NULL};
    cr_assert_eq(log_lines_with(world, parts), 2, "the turn's line and the request's");
    world_end(world);
    collector_close(&collector);
}

static void expect_asked(struct world *world)
{
    expect_success(ask(world, (struct request){.method = "POST",
                                               .path = "/ask",
                                               .headers = SAMPLED,
                                               .content_type = "application/json",
                                               .body = "{\"question\":\"What is the STAR "
                                                       "method?\"}"}));
}

Test(spans, of_a_question_are_what_it_searched)
{
    struct collector collector = collector_open();
    struct world *world = world_with_builtin_coach(collector.setting);

    expect_asked(world);

    struct json_object *question = await_span(&collector, "ask", TRACE_ID);
    expect_part(await_span(&collector, "retrieve", TRACE_ID),
                text_of(question, "spanId"));
    world_end(world);
    collector_close(&collector);
}

Test(spans, of_a_question_by_meaning_are_its_embedding_and_its_neighbours)
{
    struct collector collector = collector_open(), both = collector_open();
    const char *address = strchr(both.setting, '=') + 1;
    char embeddings[96], qdrant[96];

    snprintf(embeddings, sizeof embeddings, "EMBEDDINGS_BASE_URL=%s", address);
    snprintf(qdrant, sizeof qdrant, "QDRANT_URL=%s", address);
    upstream_always(both.upstream,
                    (struct saying){.body =
                                        "{\"data\":[{\"index\":0,\"embedding\":[1,2]}],"
                                        "\"usage\":{\"prompt_tokens\":7},"
                                        "\"result\":{\"points\":[]}}"});
    struct world *world = world_with_builtin_coach(collector.setting, embeddings, qdrant,
                                                   "RETRIEVER=qdrant");

    expect_asked(world);

    struct json_object *question = await_span(&collector, "ask", TRACE_ID);
    struct json_object *embed = await_span(&collector, "embed", TRACE_ID);
    struct json_object *retrieve = await_span(&collector, "retrieve", TRACE_ID);
    expect_part(embed, text_of(question, "spanId"));
    expect_part(retrieve, text_of(question, "spanId"));
    expect_told(upstream_call(both.upstream, 0), embed);
    expect_told(upstream_call(both.upstream, 1), retrieve);
    expect_attribute(embed, "gen_ai.operation.name", "embeddings");
    expect_attribute(embed, "gen_ai.usage.input_tokens", "7");
    world_end(world);
    collector_close(&both);
    collector_close(&collector);
}

Test(spans, of_a_turn_without_a_trace_begin_one_and_a_failure_is_one)
{
    struct collector collector = collector_open();
    struct world *world = world_with_groq(collector.setting);
    struct session session = start_session(world, 3);
    upstream_will(world->upstream, (struct saying){.status = 401, .body = "{}"});

    const struct reply *reply = answer(world, &session, ANSWER);

    expect_error(reply, ERROR_LLM_AUTH_ERROR);
    struct json_object *coach = await_span(&collector, "coach", NULL);
    struct json_object *turn = await_span(&collector, "turn", text_of(coach, "traceId"));
    cr_assert_str_eq(text_of(coach, "parentSpanId"), text_of(turn, "spanId"));
    cr_assert_str_eq(text_of(turn, "parentSpanId"), "");
    expect_attribute(coach, "error.type", "llm_auth_error");
    expect_attribute(coach, "http.response.status_code", "401");
    cr_assert_not_null(strstr(text_of(turn, "status"), "2"));
    const char *request =
        words(world, "\"request_id\":\"%s\"", attribute(turn, "poise.request_id"));
    const char *trace = words(world, "\"trace_id\":\"%s\"", text_of(turn, "traceId"));
    int lines = log_lines_with(world, (const char *const[]){request, NULL});
    cr_assert_eq(lines, 3, "%d lines of the request", lines);
    cr_assert_eq(log_lines_with(world, (const char *const[]){request, trace,
                                                             "\"span_id\":\"", NULL}),
                 lines);
    world_end(world);
    collector_close(&collector);
}

Test(spans, that_their_caller_does_not_keep_are_not_sent)
{
    struct collector collector = collector_open();
    struct world *world = world_with_groq(collector.setting);
    struct session session = start_session(world, 3);
    upstream_keeps_asking(world->upstream);

    expect_success(answer_with(world, &session, ANSWER, UNWANTED));
    expect_success(answer_with(world, &session, ANSWER " Two.", SAMPLED));

    await_span(&collector, "turn", TRACE_ID);
    for (size_t at = 0; at < upstream_call_count(collector.upstream); at++)
        cr_assert_not(
            bytes_has(&upstream_call(collector.upstream, at)->body, "aaaabbbb"));
    world_end(world);
    collector_close(&collector);
}

Test(spans, that_are_left_are_sent_at_the_end_with_the_collectors_key)
{
    struct collector collector = collector_open();
    struct world *world = world_with_builtin_coach(
        collector.setting,
        "OTEL_EXPORTER_OTLP_HEADERS=api-key=Basic%20dGhlLWtleQ,tenant=north%2C1%",
        "OTEL_SERVICE_NAME=rehearsals");
    struct session session = start_session(world, 3);
    char value[80];

    expect_success(answer_with(world, &session, ANSWER, SAMPLED));
    world_signal(world, SIGTERM);
    cr_assert_eq(world_await_exit(world), 0);

    await_span(&collector, "commit", TRACE_ID);
    await_span(&collector, "coach", TRACE_ID);
    const struct call *batch = upstream_call(collector.upstream, 0);
    cr_assert(head_header(&batch->head, "api-key", value, sizeof value));
    cr_assert_str_eq(value, "Basic dGhlLWtleQ");
    cr_assert(head_header(&batch->head, "tenant", value, sizeof value));
    cr_assert_str_eq(value, "north,1%");
    cr_assert(bytes_has(&batch->body, "\"rehearsals\""));
    struct bytes output = world_output(world);
    cr_assert_not(bytes_has(&output, "dGhlLWtleQ"));
    bytes_free(&output);
    world_end(world);
    collector_close(&collector);
}

/* Whether it refuses connections or never answers. */
Test(spans, that_no_collector_takes_are_dropped_and_counted_and_no_turn_minds)
{
    struct collector silent = collector_open();
    upstream_always(silent.upstream, (struct saying){.status = 503});
    struct world *world = world_with_builtin_coach(silent.setting);
    struct session session = start_session(world, 10);
    const struct reply *metrics = NULL;

    for (int i = 0; i < 5; i++)
        expect_success(answer(world, &session, words(world, ANSWER " %d", i)));
    for (int tries = 0; tries < 500; tries++) {
        metrics = ask(world, (struct request){.method = "GET", .path = "/metrics"});
        if (strstr(metrics->body.data, "\npoise_spans_dropped_total 0\n") == NULL)
            break;
        poll(NULL, 0, 20);
    }
    cr_assert_null(strstr(metrics->body.data, "\npoise_spans_dropped_total 0\n"));
    cr_assert_not_null(strstr(metrics->body.data, "\npoise_spans_sent_total 0\n"));
    world_await_output(world, "\"event\":\"collector_away\"");
    upstream_always(silent.upstream, (struct saying){.body = "{}"});
    expect_success(answer(world, &session, ANSWER " taken"));
    world_await_output(world, "\"event\":\"collector_back\"");
    cr_assert_eq(log_lines_with(world, (const char *const[]){"\"collector_away\"", NULL}),
                 1);
    upstream_hold(silent.upstream);
    expect_success(answer(world, &session, ANSWER " held"));
    world_signal(world, SIGTERM);
    cr_assert_eq(world_await_exit(world), 0, "it waits for its collector");
    world_end(world);
    upstream_release(silent.upstream);
    collector_close(&silent);
}

static void expect_doctor(struct collector *collector, const char *said)
{
    char *directory = directory_make();
    struct run run =
        run_program(directory, ARGUMENTS("doctor"),
                    SETTINGS("STORE_URL=sqlite:///poise.db", collector->setting));

    cr_assert(bytes_has(&run.output, said), "no \"%s\" in: %s", said, run.output.data);
    bytes_free(&run.output);
    directory_remove(directory);
    free(directory);
}

Test(spans, doctor_asks_the_collector)
{
    struct collector collector = collector_open();

    expect_doctor(&collector, "ok    collector: takes spans (200)");
    upstream_always(collector.upstream, (struct saying){.status = 404});
    expect_doctor(&collector, "FAIL  collector: does not take spans (404)");
    collector_close(&collector);
    expect_doctor(&collector, "FAIL  collector: connection_refused");
}
