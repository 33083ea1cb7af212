/*
 * A turn that is followed as it goes: server-sent events.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "play.h"

TestSuite(events, .timeout = 60);

#define AS_EVENTS "Accept: text/event-stream\r\n"

/* The names of a stream's events in order, "stage stage result", comments left out. */
static const char *names_of(struct world *world, const struct reply *reply)
{
    struct bytes names = {0};

    for (const char *at = reply->body.data; at && *at;) {
        const char *end = strstr(at, "\n\n");
        cr_assert_not_null(end, "the last event is not ended: %s", at);
        cr_assert(at[0] == ':' || strncmp(at, "event: ", 7) == 0, "no event: %s", at);
        if (at[0] != ':')
            bytes_addf(&names, "%s%.*s", names.size ? " " : "",
                       (int)strcspn(at + 7, "\n"), at + 7);
        at = end + 2;
    }
    return world_keep(world, names.data, free);
}

/* The data of the first event of this name after `at`, or NULL. */
static const char *data_of(struct world *world, const struct reply *reply,
                           const char *event)
{
    const char *line = words(world, "event: %s\ndata: ", event);
    const char *at = strstr(reply->body.data, line);

    if (!at)
        return NULL;
    at += strlen(line);
    return words(world, "%.*s", (int)strcspn(at, "\n"), at);
}

/* The envelope of the result, as if it were the reply of an ordinary request. */
static const struct reply *result_of(struct world *world, const struct reply *stream)
{
    struct reply *reply = calloc(1, sizeof *reply);
    const char *data = data_of(world, stream, "result");

    cr_assert_not_null(reply);
    cr_assert_not_null(data, "no result: %s", stream->body.data);
    reply->json = json_tokener_parse(data);
    cr_assert_not_null(reply->json, "no envelope: %s", data);
    struct json_object *code = json_at(reply->json, "error.code");
    reply->status = code ? 0 : 200;
    bytes_add_text(&reply->body, data);
    return world_keep(world, reply, (void (*)(void *))reply_free);
}

static void expect_events(const struct reply *reply, int status)
{
    cr_assert_not_null(reply, "no reply");
    cr_assert(reply->status == status, "%d: %s", reply->status, reply->body.data);
    expect_header(reply, "Content-Type", "text/event-stream");
    expect_header(reply, "Cache-Control", "no-store");
}

static void expect_stream(const struct reply *reply)
{
    expect_events(reply, 200);
    expect_header(reply, "X-Accel-Buffering", "no");
}

static const struct reply *follow(struct world *world, const struct session *session,
                                  const char *transcript, const char *headers)
{
    struct connection *turn = begin_answer_with(world, session, transcript, headers);
    const struct reply *reply = receive(world, turn, "POST");

    connection_close(turn);
    return reply;
}

static bool has(const char *names, const char *name)
{
    return strstr(names, name) != NULL;
}

/* Reads from the connection until these bytes have come; returns all of them. */
static const char *read_until(struct world *world, struct connection *connection,
                              const char *text)
{
    static const size_t ROOM = 65536;
    char *bytes = world_keep(world, calloc(1, ROOM), free);
    size_t size = 0;

    while (!strstr(bytes, text)) {
        ssize_t got = connection_read(connection, bytes + size, ROOM - 1 - size);
        cr_assert(got > 0, "\"%s\" never came: %s", text, bytes);
        size += (size_t)got;
    }
    return bytes;
}

Test(events, a_turn_is_told_as_it_goes_and_its_result_is_the_whole_envelope)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *stream = follow(world, &session, ANSWER, AS_EVENTS);

    expect_stream(stream);
    const struct reply *result = result_of(world, stream);
    const char *names = names_of(world, stream);
    cr_assert(strncmp(names, "transcript stage", 16) == 0 ||
                  strncmp(names, "stage transcript", 16) == 0,
              "%s", names);
    cr_assert(has(names, "assistant_text"), "%s", names);
    cr_assert_str_eq(names + strlen(names) - 7, " result");
    expect_text(result, "data.transcript", ANSWER);
    expect_text(result, "data.assistant_text", "And then?");
    expect_header(stream, "X-Request-ID", text_at(result, "request_id"));
    cr_assert_str_eq(data_of(world, stream, "stage"), "{\"stage\":\"thinking\"}");
    cr_assert_str_eq(data_of(world, stream, "assistant_text"),
                     "{\"assistant_text\":\"And then?\"}");
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(world);
}

/* The same as follow(), with a recording. */
static const struct reply *follow_recording(struct world *world,
                                            const struct session *session)
{
    char recording[RECORDING_BYTES];
    make_recording(1, recording);
    struct bytes form = dio_form(&(struct form){.session_id = session->id,
                                                .audio = recording,
                                                .audio_size = sizeof recording,
                                                .audio_type = "audio/mp4"});
    struct connection *turn =
        begin(world, (struct request){.method = "POST",
                                      .path = "/turn",
                                      .token = session->token,
                                      .headers = AS_EVENTS,
                                      .content_type = DIO_CONTENT_TYPE,
                                      .body = form.data,
                                      .body_size = form.size});
    const struct reply *reply = receive(world, turn, "POST");

    connection_close(turn);
    bytes_free(&form);
    return reply;
}

Test(events, what_was_heard_in_a_recording_is_told_before_the_coach_is_asked)
{
    struct world *world = world_with_groq("STT_PROVIDER=groq");
    struct session session = start_session(world, 3);
    upstream_will_hear(world->upstream,
                       (struct saying){.body = "{\"text\":\"" ANSWER "\"}"});
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *stream = follow_recording(world, &session);

    expect_stream(stream);
    cr_assert_str_eq(names_of(world, stream),
                     "stage transcript stage assistant_text result");
    cr_assert_str_eq(data_of(world, stream, "stage"), "{\"stage\":\"transcribing\"}");
    cr_assert_str_eq(data_of(world, stream, "transcript"),
                     "{\"transcript\":\"" ANSWER "\"}");
    world_end(world);
}

Test(events, what_was_heard_and_is_refused_is_told_only_by_the_result)
{
    struct world *world = world_with_groq("STT_PROVIDER=groq");
    struct session session = start_session(world, 3);
    upstream_will_hear(world->upstream,
                       (struct saying){.body = "{\"text\":\"Fuck this " CANARY "\"}"});

    const struct reply *stream = follow_recording(world, &session);

    expect_stream(stream);
    cr_assert_str_eq(names_of(world, stream), "stage result");
    expect_text(result_of(world, stream), "error.details.source", "filter");
    cr_assert_not(bytes_has(&stream->body, CANARY));
    world_end(world);
}

Test(events, news_come_while_the_model_is_still_thinking)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    struct connection *turn = begin_answer_with(world, &session, ANSWER, AS_EVENTS);

    const char *so_far = read_until(world, turn, "{\"stage\":\"thinking\"}\n\n");

    cr_assert_null(strstr(so_far, "event: assistant_text"));
    upstream_release(world->upstream);
    cr_assert_not_null(strstr(read_until(world, turn, "event: result"), "And then?"));
    connection_close(turn);
    world_end(world);
}

Test(events, the_same_turn_without_events_is_one_envelope)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *reply =
        answer_with(world, &session, ANSWER, "Accept: application/json, text/*\r\n");

    expect_success(reply);
    expect_header(reply, "Content-Type", "application/json; charset=utf-8");
    world_end(world);
}

Test(events, a_request_that_is_no_turn_is_answered_as_any_other)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    struct session stranger = session;
    stranger.token = "x";

    expect_error(answer_with(world, &stranger, ANSWER, AS_EVENTS), ERROR_INVALID_TOKEN);
    expect_error(answer_with(world, &session, " ", AS_EVENTS), ERROR_MISSING_INPUT);
    expect_error(answer_with(world, &session, "a\xff", AS_EVENTS),
                 ERROR_INVALID_TRANSCRIPT);
    world_end(world);
}

Test(events, a_turn_that_ends_before_any_news_is_one_event_under_its_own_status)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    const struct reply *refused = follow(world, &session, "Fuck this " CANARY, AS_EVENTS);
    delete_session(world, &session);
    const struct reply *gone = follow(world, &session, ANSWER, AS_EVENTS);

    expect_events(refused, 422);
    expect_header(refused, "X-Stage", "llm");
    cr_assert_str_eq(names_of(world, refused), "result");
    expect_text(result_of(world, refused), "error.details.category", "profanity_or_slur");
    cr_assert_not(bytes_has(&refused->body, CANARY));
    cr_assert_eq(upstream_call_count(world->upstream), 0);
    expect_events(gone, 404);
    expect_text(result_of(world, gone), "error.code", "session_not_found");
    world_end(world);
}

Test(events, an_error_after_the_first_news_is_the_result)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    const char *before = session_facts(world, &session);
    upstream_always(world->upstream,
                    (struct saying){.status = 401, .body = "{\"error\":{}}"});

    const struct reply *stream = follow(world, &session, ANSWER, AS_EVENTS);

    expect_stream(stream);
    const struct reply *result = result_of(world, stream);
    expect_text(result, "error.code", "llm_auth_error");
    expect_text(result, "error.stage", "llm");
    expect_null(result, "data");
    cr_assert_not(has(names_of(world, stream), "assistant_text"));
    cr_assert_str_eq(session_facts(world, &session), before);
    world_end(world);
}

Test(events, a_refusal_by_the_model_tells_none_of_its_words_before_the_verdict)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    const char *before = session_facts(world, &session);
    upstream_will_refuse(world->upstream, "Let us talk about the job.");

    const struct reply *stream = follow(world, &session, ANSWER, AS_EVENTS);

    expect_stream(stream);
    const struct reply *result = result_of(world, stream);
    expect_text(result, "error.code", "content_refused");
    expect_text(result, "error.details.source", "model");
    cr_assert_not(has(names_of(world, stream), "assistant_text"));
    cr_assert_str_eq(session_facts(world, &session), before);
    world_end(world);
}

Test(events, a_replay_is_a_stream_of_one_event)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    const char *headers = AS_EVENTS "Idempotency-Key: once\r\n";
    upstream_will_ask(world->upstream, "And then?");
    follow(world, &session, ANSWER, headers);

    const struct reply *again = follow(world, &session, ANSWER, headers);

    expect_events(again, 200);
    expect_header(again, "Idempotent-Replayed", "true");
    cr_assert_str_eq(names_of(world, again), "result");
    expect_text(result_of(world, again), "data.assistant_text", "And then?");
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(world);
}

Test(events, a_connection_goes_on_after_a_stream)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_keeps_asking(world->upstream);
    struct connection *turn = begin_answer_with(world, &session, ANSWER, AS_EVENTS);
    expect_stream(receive(world, turn, "POST"));

    connection_send_text(turn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");

    expect_success(receive(world, turn, "GET"));
    connection_close(turn);
    world_end(world);
}

Test(events, a_client_of_http_1_0_gets_the_same_without_chunks)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    const char *body =
        words(world, "{\"session_id\":\"%s\",\"transcript\":\"%s\"}", session.id, ANSWER);
    const char *bytes =
        words(world,
              "POST /turn HTTP/1.0\r\nAuthorization: Bearer %s\r\n" AS_EVENTS
              "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
              session.token, strlen(body), body);

    const struct reply *stream = ask_raw(world, "POST", bytes, strlen(bytes));

    expect_stream(stream);
    expect_no_header(stream, "Transfer-Encoding");
    expect_text(result_of(world, stream), "data.assistant_text", "And then?");
    world_end(world);
}

/* Leaves once the model was asked; the turn is then committed without anyone there. */
static void leave_a_stream(struct world *world, const struct session *session,
                           void (*leave)(struct connection *))
{
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    struct connection *turn = begin_answer_with(world, session, ANSWER, AS_EVENTS);
    read_until(world, turn, "thinking");
    upstream_await_calls(world->upstream, 1);
    leave(turn);
    upstream_release(world->upstream);
    await_turn_count(world, session, 1);
}

Test(events, a_client_that_leaves_ends_its_stream_and_not_its_turn)
{
    void (*const WAYS[])(struct connection *) = {connection_close, connection_reset};

    for (size_t i = 0; i < 2; i++) {
        struct world *world = world_with_groq();
        struct session session = start_session(world, 3);
        leave_a_stream(world, &session, WAYS[i]);

        const struct reply *again = answer(world, &session, ANSWER);

        expect_text(again, "data.assistant_text", "And then?");
        expect_number(again, "data.question_number", 1);
        world_end(world);
    }
}

Test(events, the_same_words_after_a_result_that_arrived_are_a_new_turn)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_keeps_asking(world->upstream);
    follow(world, &session, ANSWER, AS_EVENTS);

    expect_number(answer(world, &session, ANSWER), "data.question_number", 2);
    world_end(world);
}

Test(events, a_stream_that_was_begun_before_sigterm_gets_its_result)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    struct connection *turn = begin_answer_with(world, &session, ANSWER, AS_EVENTS);
    read_until(world, turn, "thinking");
    world_signal(world, SIGTERM);
    upstream_release(world->upstream);

    const char *rest = read_until(world, turn, "event: result");

    cr_assert_not_null(strstr(rest, "And then?"));
    connection_close(turn);
    cr_assert(world_await_exit(world) == 0);
    world_end(world);
}

Test(events, the_embedded_coach_is_followed_as_well)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    const struct reply *stream = follow(world, &session, ANSWER, AS_EVENTS);

    expect_stream(stream);
    expect_text(result_of(world, stream), "data.coach", "builtin");
    cr_assert(has(names_of(world, stream), "assistant_text"));
    world_end(world);
}
