/*
 * Ears that fail, in every way that a network and a server can, and recordings that are
 * none: which error it is, that the session is as before, and that the next try works.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "voice.h"

TestSuite(hearing_failures, .timeout = 90);

#define WITH_DEEPGRAM "STT_PROVIDER=deepgram"
#define WITH_WHISPER  "STT_PROVIDER=groq"

/* The ears say this: the turn fails so, changes nothing, and another try succeeds. */
static const struct reply *expect_failure(struct world *world, struct saying saying,
                                          enum expected_error error)
{
    struct session session = start_session(world, 5);
    struct form form = recording_of(world, "opus.webm");
    const char *before = session_facts(world, &session);

    upstream_will_hear(world->upstream, saying);
    const struct reply *reply = say(world, &session, form);
    expect_error(reply, error);
    cr_assert_not(bytes_has(&reply->body, MODEL_CANARY), "%s", reply->body.data);
    cr_assert_str_eq(session_facts(world, &session), before);

    char *heard = deepgram_text((struct heard){.text = ANSWER});
    struct json_object *json = json_tokener_parse(heard);
    json_object_object_add(json, "text", json_object_new_string(ANSWER));
    upstream_will_hear(world->upstream,
                       (struct saying){.body = json_object_to_json_string(json)});
    upstream_will_ask(world->upstream, "And then?");
    expect_number(say(world, &session, form), "data.question_number", 1);
    json_object_put(json);
    free(heard);
    return reply;
}

/* With both kinds of ears. */
static void expect_failures(struct saying saying, enum expected_error error)
{
    static const char *const EARS[] = {WITH_DEEPGRAM, WITH_WHISPER};

    for (size_t i = 0; i < sizeof EARS / sizeof *EARS; i++) {
        struct world *world = world_with_groq(EARS[i], "STT_TIMEOUT_SECONDS=1");
        expect_failure(world, saying, error);
        world_end(world);
    }
}

Test(hearing_failures, silence_is_a_timeout)
{
    expect_failures((struct saying){.manner = MANNER_SILENT}, ERROR_STT_TIMEOUT);
}

Test(hearing_failures, a_drip_is_a_timeout)
{
    expect_failures((struct saying){.manner = MANNER_DRIP}, ERROR_STT_TIMEOUT);
}

Test(hearing_failures, the_deadline_of_the_turn_cuts_a_longer_timeout)
{
    struct world *world = world_with_groq(WITH_DEEPGRAM, "STT_TIMEOUT_SECONDS=60",
                                          "TURN_DEADLINE_SECONDS=1");

    expect_failure(world, (struct saying){.manner = MANNER_SILENT}, ERROR_STT_TIMEOUT);
    world_end(world);
}

Test(hearing_failures, a_rate_limit_says_when_to_come_back)
{
    static const char *const EARS[] = {WITH_DEEPGRAM, WITH_WHISPER};

    for (size_t i = 0; i < sizeof EARS / sizeof *EARS; i++) {
        struct world *world = world_with_groq(EARS[i]);
        struct saying saying = {.status = 429, .headers = "Retry-After: 7\r\n"};
        expect_header(expect_failure(world, saying, ERROR_STT_RATE_LIMIT), "Retry-After",
                      "7");
        world_end(world);
    }
}

Test(hearing_failures, each_status_has_its_error)
{
    static const struct {
        int status;
        enum expected_error error;
    } ROWS[] = {
        {400, ERROR_STT_BAD_REQUEST},    {401, ERROR_STT_AUTH_ERROR},
        {402, ERROR_STT_AUTH_ERROR},     {403, ERROR_STT_AUTH_ERROR},
        {404, ERROR_STT_PROVIDER_ERROR}, {408, ERROR_STT_TIMEOUT},
        {413, ERROR_STT_BAD_REQUEST},    {415, ERROR_STT_BAD_REQUEST},
        {422, ERROR_STT_BAD_REQUEST},    {429, ERROR_STT_RATE_LIMIT},
        {498, ERROR_STT_RATE_LIMIT},     {500, ERROR_STT_PROVIDER_ERROR},
        {502, ERROR_STT_PROVIDER_ERROR}, {503, ERROR_STT_PROVIDER_ERROR},
        {504, ERROR_STT_PROVIDER_ERROR},
    };
    struct world *world = world_with_groq(WITH_DEEPGRAM);

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        expect_failure(world,
                       (struct saying){.status = ROWS[i].status,
                                       .body = "{\"err_msg\":\"" MODEL_CANARY "\"}"},
                       ROWS[i].error);
    world_end(world);
}

Test(hearing_failures, a_broken_connection_is_a_provider_error)
{
    char *body = deepgram_text((struct heard){.text = ANSWER});
    static const enum manner MANNERS[] = {MANNER_RESET, MANNER_CUT, MANNER_ENDLESS,
                                          MANNER_NOT_HTTP};

    for (size_t i = 0; i < sizeof MANNERS / sizeof *MANNERS; i++)
        expect_failures((struct saying){.manner = MANNERS[i], .body = body},
                        ERROR_STT_PROVIDER_ERROR);
    free(body);
}

Test(hearing_failures, nobody_there_is_a_provider_error)
{
    int port;
    int listener = listen_on_free_port(&port);
    char url[64];
    close(listener);
    snprintf(url, sizeof url, "DEEPGRAM_BASE_URL=http://127.0.0.1:%d", port);
    struct world *world = world_with_groq(WITH_DEEPGRAM, url);
    struct session session = start_session(world, 3);

    expect_error(say(world, &session, recording_of(world, "opus.webm")),
                 ERROR_STT_PROVIDER_ERROR);
    expect_number(get_session(world, &session), "data.turn_count", 0);
    world_end(world);
}

Test(hearing_failures, a_reply_that_is_no_transcription_is_a_provider_error)
{
    static const char *const GARBAGE[] = {
        "<html>oops</html>",
        "[]",
        "{",
        "\"text\"",
        "\xff\xfe",
        "",
        "{}",
        "{\"results\":{\"channels\":[]}}",
        "{\"results\":{\"channels\":[{\"alternatives\":[]}]},\"text\":null}",
        ("{\"results\":{\"channels\":[{\"alternatives\":[{\"transcript\":7}]}]},"
         "\"text\":7}"),
    };

    for (size_t i = 0; i < sizeof GARBAGE / sizeof *GARBAGE; i++)
        expect_failures((struct saying){.body = GARBAGE[i]}, ERROR_STT_PROVIDER_ERROR);
}

Test(hearing_failures, nothing_heard_is_an_empty_transcript)
{
    static const char *const BLANKS[] = {"", " \\n\\t", "\\u00a0\\u3000"};

    for (size_t i = 0; i < sizeof BLANKS / sizeof *BLANKS; i++) {
        char body[256];
        snprintf(body, sizeof body,
                 "{\"results\":{\"channels\":[{\"alternatives\":[{\"transcript\":\"%s\","
                 "\"confidence\":0,\"words\":[]}]}]},\"text\":\"%s\"}",
                 BLANKS[i], BLANKS[i]);
        expect_failures((struct saying){.body = body}, ERROR_STT_EMPTY_TRANSCRIPT);
    }
}

/* What Whisper makes up for silence, and marks as no speech. */
Test(hearing_failures, what_whisper_marks_as_no_speech_is_an_empty_transcript)
{
    static const struct heard HEARD[] = {
        {.text = " Thank you.", .no_speech = 0.97, .log_probability = -0.4},
        {.text = " Thanks for watching!", .no_speech = 0.8, .log_probability = -1.3},
    };
    struct world *world = world_with_groq(WITH_WHISPER);

    for (size_t i = 0; i < sizeof HEARD / sizeof *HEARD; i++) {
        char *body = whisper_text(HEARD[i]);
        expect_failure(world, (struct saying){.body = body}, ERROR_STT_EMPTY_TRANSCRIPT);
        free(body);
    }
    world_end(world);
}

Test(hearing_failures, a_redirect_is_not_followed_with_recording_and_key)
{
    struct world *world = world_with_groq(WITH_DEEPGRAM);
    struct world *stranger = world_with_groq();
    const char *to = words(world, "Location: http://127.0.0.1:%d/v1/listen?model=x\r\n",
                           upstream_port(stranger->upstream));

    expect_failure(world, (struct saying){.status = 307, .headers = to},
                   ERROR_STT_PROVIDER_ERROR);
    world_end(stranger);
    world_end(world);
}

/* ---- recordings that are none ---- */

static void expect_invalid(struct world *world, struct form form, const char *reason)
{
    struct session session = start_session(world, 3);
    const char *before = session_facts(world, &session);

    const struct reply *reply = say(world, &session, form);

    expect_error(reply, ERROR_INVALID_AUDIO);
    expect_text(reply, "error.details.reason", reason);
    cr_assert_str_eq(session_facts(world, &session), before);
}

Test(hearing_failures, an_empty_recording_is_invalid)
{
    struct world *world = world_with_groq(WITH_DEEPGRAM);

    expect_invalid(world, (struct form){.audio = "", .audio_type = "audio/mp4"}, "empty");
    world_end(world);
}

Test(hearing_failures, what_is_no_audio_is_invalid)
{
    static const char *const TEXTS[] = {CANARY " in plain words",
                                        "<html>",
                                        "{}",
                                        "\x89PNG\r\n\x1a\n",
                                        "%PDF-1.7",
                                        "ID",
                                        "\xff"};
    struct world *world = world_with_groq(WITH_DEEPGRAM);

    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
        expect_invalid(world,
                       (struct form){.audio = TEXTS[i],
                                     .audio_size = strlen(TEXTS[i]),
                                     .audio_type = "audio/mp4"},
                       "not_audio");
    world_end(world);
}

Test(hearing_failures, a_container_that_is_not_what_the_part_says_is_invalid)
{
    static const struct {
        const char *name;
        const char *type;
    } ROWS[] = {{"opus.webm", "audio/mp4"},
                {"moov_first.m4a", "audio/webm"},
                {"cbr.mp3", "audio/ogg"},
                {"opus.ogg", "audio/mpeg"},
                {"wave.wav", "audio/flac"}};
    struct world *world = world_with_groq(WITH_DEEPGRAM);

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct form form = recording_of(world, ROWS[i].name);
        form.audio_type = ROWS[i].type;
        expect_invalid(world, form, "other_container");
    }
    struct form by_name = recording_of(world, "opus.webm");
    by_name.audio_type = "application/octet-stream";
    by_name.audio_name = "recording.m4a";
    expect_invalid(world, by_name, "other_container");
    world_end(world);
}

Test(hearing_failures, a_part_that_says_it_is_no_audio_is_invalid)
{
    static const char *const TYPES[] = {"text/plain", "image/png", "video/mp4",
                                        "application/json"};
    struct world *world = world_with_groq(WITH_DEEPGRAM);

    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        struct form form = recording_of(world, "moov_first.m4a");
        form.audio_type = TYPES[i];
        expect_invalid(world, form, "not_audio");
    }
    struct form unnamed = recording_of(world, "moov_first.m4a");
    unnamed.audio_type = "application/octet-stream";
    unnamed.audio_name = "recording.bin";
    expect_invalid(world, unnamed, "not_audio");
    world_end(world);
}

/* A WAV of `seconds` of silence, 8 bits at 100 Hz. */
static struct form silence(struct world *world, unsigned seconds)
{
    unsigned bytes = seconds * 100;
    char *wav = calloc(1, bytes + 44);
    const unsigned char head[44] = {'R',
                                    'I',
                                    'F',
                                    'F',
                                    0,
                                    0,
                                    0,
                                    0,
                                    'W',
                                    'A',
                                    'V',
                                    'E',
                                    'f',
                                    'm',
                                    't',
                                    ' ',
                                    16,
                                    0,
                                    0,
                                    0,
                                    1,
                                    0,
                                    1,
                                    0,
                                    100,
                                    0,
                                    0,
                                    0,
                                    100,
                                    0,
                                    0,
                                    0,
                                    1,
                                    0,
                                    8,
                                    0,
                                    'd',
                                    'a',
                                    't',
                                    'a',
                                    (unsigned char)(bytes & 255),
                                    (unsigned char)(bytes >> 8 & 255),
                                    (unsigned char)(bytes >> 16 & 255),
                                    0};

    cr_assert_not_null(wav);
    memcpy(wav, head, sizeof head);
    wav[4] = (char)((bytes + 36) & 255);
    wav[5] = (char)((bytes + 36) >> 8 & 255);
    return (struct form){.audio = world_keep(world, wav, free),
                         .audio_size = bytes + 44,
                         .audio_type = "audio/wav"};
}

Test(hearing_failures, a_recording_that_is_too_long_is_invalid)
{
    struct world *world = world_with_groq(WITH_DEEPGRAM, "MAX_AUDIO_SECONDS=5");
    struct session session = start_session(world, 3);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");

    expect_invalid(world, silence(world, 6), "too_long");
    expect_success(say(world, &session, silence(world, 5)));
    world_end(world);
}

Test(hearing_failures, by_default_two_minutes_are_taken_and_more_is_not)
{
    struct world *world = world_with_groq(WITH_DEEPGRAM);
    struct session session = start_session(world, 3);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");

    expect_invalid(world, silence(world, 121), "too_long");
    expect_success(say(world, &session, silence(world, 120)));
    world_end(world);
}
