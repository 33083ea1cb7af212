/*
 * A spoken turn that is followed as it goes: what is told, in which order, and what is
 * not told before it is sure.  (test_events.c has the stream itself.)
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "voice.h"

TestSuite(spoken_events, .timeout = 60);

#define AS_EVENTS "Accept: text/event-stream\r\n"
#define SPOKEN    "STT_PROVIDER=deepgram", "TTS_PROVIDER=deepgram"

/* One line for each event but the result, which comes last: "transcript {...}". */
struct story {
    const struct reply *stream;
    const char *events;
    struct json_object *result; /* the whole envelope */
};

static void put_json(void *json)
{
    json_object_put(json);
}

/* Comments and blank lines are nothing (HTML, 9.2.6). */
static struct story read_story(struct world *world, const struct reply *stream)
{
    struct story story = {.stream = stream};
    struct bytes events = {0};
    char *text = strdup(stream->body.data);
    char *rest = NULL;
    char name[32] = "";

    bytes_add_text(&events, "");
    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        cr_assert_null(story.result, "something behind the result: %s", line);
        if (sscanf(line, "event: %31s", name) == 1 || line[0] == ':')
            continue;
        cr_assert(strncmp(line, "data: ", 6) == 0, "no field of an event: %s", line);
        if (strcmp(name, "result") == 0)
            story.result = json_tokener_parse(line + 6);
        else
            bytes_addf(&events, "%s %s\n", name, line + 6);
    }
    free(text);
    cr_assert_not_null(story.result, "no result: %s", stream->body.data);
    world_keep(world, story.result, put_json);
    story.events = world_keep(world, events.data, free);
    return story;
}

/* What holds for every result, as for every envelope. */
static void expect_result(const struct story *story)
{
    const char *id = json_object_get_string(json_at(story->result, "request_id"));

    expect_keys(story->result, FIELDS_NAMED("data", "error", "request_id"));
    cr_assert(!json_at(story->result, "data") != !json_at(story->result, "error"));
    expect_header(story->stream, "X-Request-ID", id);
    expect_header(story->stream, "Content-Type", "text/event-stream");
    cr_assert(story->stream->status == 200);
}

static struct story follow(struct world *world, const struct session *session,
                           struct form form)
{
    struct connection *turn = begin_to_say(world, session, form, AS_EVENTS);
    const struct reply *stream = receive(world, turn, "POST");

    connection_close(turn);
    cr_assert_not_null(stream, "no whole response came");
    struct story story = read_story(world, stream);
    expect_result(&story);
    return story;
}

static void expect_code(const struct story *story, enum expected_error error)
{
    const struct error_row *row = error_row(error);

    cr_assert_str_eq(json_object_get_string(json_at(story->result, "error.code")),
                     row->code);
    cr_assert_str_eq(json_object_get_string(json_at(story->result, "error.stage")),
                     row->stage);
    cr_assert(json_object_get_boolean(json_at(story->result, "error.retryable")) ==
              row->is_retryable);
    cr_assert_null(strstr(story->stream->body.data, CANARY));
    cr_assert_null(strstr(story->stream->body.data, MODEL_CANARY));
}

Test(spoken_events, each_step_is_told_as_it_begins_and_each_text_once)
{
    struct world *world = world_with_groq(SPOKEN);
    struct session session = start_session(world, 3);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");
    will_speak(world, mp3_with(world, "heronsong"));

    struct story story = follow(world, &session, new_recording(world, 1));

    static const char told[] =
        "stage {\"stage\":\"transcribing\"}\n"
        "transcript {\"transcript\":\"" ANSWER "\"}\n"
        "stage {\"stage\":\"thinking\"}\n"
        "assistant_text {\"assistant_text\":\"And then?\"}\n"
        "stage {\"stage\":\"speaking\"}\n"
        "audio {\"content_type\":\"audio/mpeg\",\"audio_base64\":\"";
    cr_assert(strncmp(story.events, told, sizeof told - 1) == 0, "%s", story.events);
    cr_assert_null(strstr(story.events + sizeof told, "\n\n"),
                   "something behind the audio");
    world_end(world);
}

/* Up to 512 KB it is told, and more than that can only be fetched. */
Test(spoken_events, speech_that_is_too_large_for_an_event_is_kept_all_the_same)
{
    enum { MOST_BYTES = 512 * 1024, WAV_HEADER_BYTES = 44 };
    struct world *world = world_with_groq(SPOKEN);
    struct session session = start_session(world, 3);

    for (int over = 0; over <= 2; over += 2) {
        struct audio audio =
            wav_with(world, "heronsong", (size_t)(MOST_BYTES - WAV_HEADER_BYTES + over));
        deepgram_will_hear(world, (struct heard){.text = ANSWER});
        upstream_will_ask(world->upstream, "And then?");
        will_speak(world, audio);
        struct story story = follow(world, &session, new_recording(world, over));
        if (over == 0)
            expect_streamed(world, &story.stream->body, audio);
        else
            cr_assert_null(strstr(story.events, "audio {"));
        expect_speech(
            fetch(world, &session, "GET",
                  json_object_get_string(json_at(story.result, "data.tts_audio_url")),
                  NULL),
            audio);
    }
    world_end(world);
}

Test(spoken_events, a_voice_that_fails_has_nothing_to_be_heard)
{
    struct world *world = world_with_groq(SPOKEN);
    struct session session = start_session(world, 3);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");
    upstream_will_speak(world->upstream, (struct saying){.status = 400});

    struct story story = follow(world, &session, new_recording(world, 1));

    cr_assert_null(strstr(story.events, "audio {"));
    cr_assert_null(json_at(story.result, "data.tts_audio_url"));
    cr_assert_str_eq(
        json_object_get_string(json_at(story.result, "data.warnings.0.code")),
        "tts_bad_request");
    world_end(world);
}

/* The question once more, the next one without an answer, and another attempt: each is heard before its
 * result, and what was heard is kept. */
Test(spoken_events, what_is_no_answer_and_another_attempt_are_heard_too)
{
    static const struct {
        const char *said, *attempt, *reply;
    } ROWS[] = {
        {"Could you say that again?", NULL,
         "{\"refused\":false,\"kind\":\"repeat\",\"follow_up_question\":\"In short?\","
         "\"coaching_feedback\":null}"},
        {"Next one, please.", NULL,
         "{\"refused\":false,\"kind\":\"skip\",\"follow_up_question\":\"And then?\","
         "\"coaching_feedback\":null}"},
        {ANSWER, "again",
         "{\"refused\":false,\"kind\":\"answer\",\"follow_up_question\":\"And then?\","
         "\"coaching_feedback\":null}"},
    };
    struct world *world = world_with_groq(SPOKEN);
    struct session session = start_session(world, 3);

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct audio audio = mp3_with(world, words(world, "heronsong%zu", i));
        struct form form = new_recording(world, (int)i);
        form.attempt = ROWS[i].attempt;
        deepgram_will_hear(world, (struct heard){.text = ROWS[i].said});
        upstream_will_say(world->upstream, ROWS[i].reply);
        will_speak(world, audio);
        struct story story = follow(world, &session, form);
        expect_streamed(world, &story.stream->body, audio);
        expect_speech(
            fetch(world, &session, "GET",
                  json_object_get_string(json_at(story.result, "data.tts_audio_url")),
                  NULL),
            audio);
    }
    world_end(world);
}

/* It writes all at once; the voice is the one that needs no network. */
Test(spoken_events, the_built_in_coach_is_heard_too)
{
    struct world *world =
        world_with_builtin_coach("TTS_PROVIDER=espeak", "PATH=/usr/bin:/bin");
    struct session session = start_session(world, 3);
    struct connection *turn = begin_answer_with(world, &session, ANSWER, AS_EVENTS);
    const struct reply *stream = receive(world, turn, "POST");

    connection_close(turn);
    struct story story = read_story(world, stream);
    const char *path =
        json_object_get_string(json_at(story.result, "data.tts_audio_url"));
    const struct reply *kept = fetch(world, &session, "GET", path, NULL);
    struct audio heard = streamed_audio(world, &stream->body);
    if (heard.size == 0) /* a long question */
        cr_assert(kept->body.size > 512 * 1024);
    else
        expect_speech(kept, heard);
    world_end(world);
}

/* The keys of `data`, those inside its objects too, of one reply and of another. */
static void expect_same_shape(struct json_object *one, struct json_object *other)
{
    cr_assert(json_object_get_type(one) == json_object_get_type(other), "%s and %s",
              json_object_to_json_string(one), json_object_to_json_string(other));
    if (!json_object_is_type(one, json_type_object))
        return;
    cr_assert(json_object_object_length(one) == json_object_object_length(other));
    json_object_object_foreach(one, name, value)
    {
        cr_assert(json_has(other, name), "no %s", name);
        expect_same_shape(value, json_at(other, name));
    }
}

Test(spoken_events, the_result_has_the_shape_of_the_plain_reply)
{
    struct world *world = world_with_groq(SPOKEN);
    struct session session = start_session(world, 3);
    always_speaks(world, mp3_with(world, "heronsong"));
    upstream_keeps_asking(world->upstream);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    deepgram_will_hear(world, (struct heard){.text = ANSWER});

    struct story story = follow(world, &session, new_recording(world, 1));
    const struct reply *plain = say(world, &session, new_recording(world, 2));

    expect_same_shape(story.result, plain->json);
    const char *path =
        json_object_get_string(json_at(story.result, "data.tts_audio_url"));
    cr_assert(fetch(world, &session, "GET", path, NULL)->status == 200);
    world_end(world);
}

Test(spoken_events, a_result_that_arrived_is_replayed_for_the_same_recording_only)
{
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");
    follow(world, &session, new_recording(world, 1));

    struct story again = follow(world, &session, new_recording(world, 1));

    cr_assert_str_eq(again.events, "");
    expect_header(again.stream, "Idempotent-Replayed", "true");
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(world);
}

Test(spoken_events, ears_that_fail_are_a_result)
{
    static const struct {
        struct saying saying;
        enum expected_error error;
    } ROWS[] = {
        {{.status = 500}, ERROR_STT_PROVIDER_ERROR},
        {{.status = 401}, ERROR_STT_AUTH_ERROR},
        {{.status = 429}, ERROR_STT_RATE_LIMIT},
        {{.manner = MANNER_SILENT}, ERROR_STT_TIMEOUT},
        {{.body = "{\"results\":{\"channels\":[{\"alternatives\":[{\"transcript\":\"\"}]}"
                  "]}}"},
         ERROR_STT_EMPTY_TRANSCRIPT},
    };
    struct world *world = world_with_groq(SPOKEN, "STT_TIMEOUT_SECONDS=1");

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct session session = start_session(world, 3);
        const char *before = session_facts(world, &session);
        upstream_will_hear(world->upstream, ROWS[i].saying);
        struct story story = follow(world, &session, new_recording(world, 1));
        expect_code(&story, ROWS[i].error);
        cr_assert_str_eq(story.events, "stage {\"stage\":\"transcribing\"}\n");
        cr_assert_str_eq(session_facts(world, &session), before);
    }
    world_end(world);
}

Test(spoken_events, words_that_the_filter_stops_are_told_to_nobody)
{
    struct world *world = world_with_groq(SPOKEN);
    struct session session = start_session(world, 3);
    const char *before = session_facts(world, &session);
    deepgram_will_hear(world, (struct heard){.text = CANARY " fuck you all"});

    struct story story = follow(world, &session, new_recording(world, 1));

    expect_code(&story, ERROR_CONTENT_REFUSED);
    cr_assert_str_eq(story.events, "stage {\"stage\":\"transcribing\"}\n");
    cr_assert_str_eq(
        json_object_get_string(json_at(story.result, "error.details.source")), "filter");
    cr_assert_str_eq(session_facts(world, &session), before);
    world_end(world);
}

Test(spoken_events, a_refusal_by_the_model_is_neither_told_nor_spoken)
{
    struct world *world = world_with_groq(SPOKEN);
    struct session session = start_session(world, 3);
    const char *before = session_facts(world, &session);
    deepgram_will_hear(world, (struct heard){.text = "I led a team of five people."});
    upstream_will_refuse(world->upstream, "Fuck this " MODEL_CANARY ".");

    struct story story = follow(world, &session, new_recording(world, 1));

    expect_code(&story, ERROR_CONTENT_REFUSED);
    cr_assert_null(strstr(story.events, "assistant_text"));
    cr_assert_null(strstr(story.events, "speaking"));
    cr_assert(upstream_call_count_as(world->upstream, ROLE_SPEAKING) == 0);
    cr_assert_str_eq(session_facts(world, &session), before);
    world_end(world);
}

Test(spoken_events, a_question_that_the_filter_stops_is_neither_told_nor_spoken)
{
    struct world *world = world_with_groq(SPOKEN);
    struct session session = start_session(world, 3);
    deepgram_will_hear(world, (struct heard){.text = "I led a team of five people."});
    upstream_will_ask(world->upstream, "What the fuck happened to " MODEL_CANARY "?");

    struct story story = follow(world, &session, new_recording(world, 1));

    expect_code(&story, ERROR_CONTENT_REFUSED);
    cr_assert_null(strstr(story.events, "assistant_text"));
    cr_assert(upstream_call_count_as(world->upstream, ROLE_SPEAKING) == 0);
    world_end(world);
}

/* Reads until these bytes have come. */
static void await_bytes(struct connection *connection, const char *text)
{
    struct bytes received = {0};
    char block[4096];

    while (!bytes_has(&received, text)) {
        ssize_t size = connection_read(connection, block, sizeof block);
        cr_assert(size > 0, "%s never came", text);
        bytes_add(&received, block, (size_t)size);
    }
    bytes_free(&received);
}

/* The client has seen this and goes, while the provider is held in this role. */
static void expect_turn_after_leaving(enum role held, const char *seen)
{
    struct world *world = world_with_groq(SPOKEN);
    struct session session = start_session(world, 3);
    struct audio audio = mp3_with(world, "heronsong");
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");
    will_speak(world, audio);
    upstream_hold_as(world->upstream, held);
    struct connection *turn =
        begin_to_say(world, &session, new_recording(world, 1), AS_EVENTS);
    await_bytes(turn, seen);

    connection_reset(turn);
    upstream_release(world->upstream);
    await_turn_count(world, &session, 1);

    const struct reply *again = say(world, &session, new_recording(world, 1));
    expect_text(again, "data.assistant_text", "And then?");
    expect_number(again, "data.question_number", 1);
    expect_speech(fetch(world, &session, "GET", speech_path(again), NULL), audio);
    world_end(world);
}

Test(spoken_events, who_leaves_while_it_is_heard_gets_the_turn_later)
{
    expect_turn_after_leaving(ROLE_HEARING, "\"transcribing\"");
}

Test(spoken_events, who_leaves_while_the_model_thinks_gets_the_turn_later)
{
    expect_turn_after_leaving(ROLE_ANSWER, "\"thinking\"");
}

Test(spoken_events, who_leaves_while_it_is_spoken_gets_the_turn_later)
{
    expect_turn_after_leaving(ROLE_SPEAKING, "\"speaking\"");
}
