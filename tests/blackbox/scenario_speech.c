/*
 * Errors of ears and voices, and of what is asked for to be heard.
 */
#include <criterion/criterion.h>

#include "scenarios.h"
#include "voice.h"

/* The ears say this to a recording. */
static void expect_from_ears(struct saying saying, enum expected_error error)
{
    struct world *world =
        world_with_groq("STT_PROVIDER=deepgram", "STT_TIMEOUT_SECONDS=1");
    struct session session = start_session(world, 3);
    upstream_will_hear(world->upstream, saying);

    expect_error(say(world, &session, new_recording(world, 1)), error);
    expect_number(get_session(world, &session), "data.turn_count", 0);
    world_end(world);
}

void reach_STT_EMPTY_TRANSCRIPT(void)
{
    expect_from_ears(
        (struct saying){.body = "{\"results\":{\"channels\":[{\"alternatives\":[{"
                                "\"transcript\":\"\",\"confidence\":0}]}]}}"},
        ERROR_STT_EMPTY_TRANSCRIPT);
}

void reach_STT_TIMEOUT(void)
{
    expect_from_ears((struct saying){.manner = MANNER_SILENT}, ERROR_STT_TIMEOUT);
}

void reach_STT_RATE_LIMIT(void)
{
    expect_from_ears((struct saying){.status = 429}, ERROR_STT_RATE_LIMIT);
}

void reach_STT_AUTH_ERROR(void)
{
    expect_from_ears((struct saying){.status = 401}, ERROR_STT_AUTH_ERROR);
}

void reach_STT_BAD_REQUEST(void)
{
    expect_from_ears((struct saying){.status = 400}, ERROR_STT_BAD_REQUEST);
}

void reach_STT_PROVIDER_ERROR(void)
{
    expect_from_ears((struct saying){.status = 500}, ERROR_STT_PROVIDER_ERROR);
}

/* The voice says this: a warning in a turn that succeeds. */
static void expect_from_voice(struct saying saying, enum expected_error error)
{
    struct world *world =
        world_with_groq("TTS_PROVIDER=deepgram", "TTS_TIMEOUT_SECONDS=1");
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    upstream_will_speak(world->upstream, saying);

    const struct reply *turn = answer(world, &session, ANSWER);

    expect_success(turn);
    expect_null(turn, "data.tts_audio_url");
    expect_warning(turn, error_row(error)->code);
    expect_text(turn, "data.warnings.0.stage", error_row(error)->stage);
    world_end(world);
}

void reach_TTS_TIMEOUT(void)
{
    expect_from_voice((struct saying){.manner = MANNER_SILENT}, ERROR_TTS_TIMEOUT);
}

void reach_TTS_RATE_LIMIT(void)
{
    expect_from_voice((struct saying){.status = 429}, ERROR_TTS_RATE_LIMIT);
}

void reach_TTS_AUTH_ERROR(void)
{
    expect_from_voice((struct saying){.status = 401}, ERROR_TTS_AUTH_ERROR);
}

void reach_TTS_BAD_REQUEST(void)
{
    expect_from_voice((struct saying){.status = 400}, ERROR_TTS_BAD_REQUEST);
}

void reach_TTS_PROVIDER_ERROR(void)
{
    expect_from_voice((struct saying){.status = 500}, ERROR_TTS_PROVIDER_ERROR);
}

void reach_TTS_AUDIO_NOT_FOUND(void)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    expect_no_speech(
        fetch(world, &session, "GET", "/tts/6f9619ff-8b86-4011-b42d-00c04fc964ff", NULL));
    world_end(world);
}

void reach_RANGE_NOT_SATISFIABLE(void)
{
    struct world *world = world_with_groq("TTS_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    struct audio audio = mp3_with(world, CANARY);
    upstream_will_ask(world->upstream, "And then?");
    will_speak(world, audio);
    const char *path = speech_path(answer(world, &session, ANSWER));

    const struct reply *reply = fetch(world, &session, "GET", path,
                                      words(world, "Range: bytes=%zu-\r\n", audio.size));

    expect_error(reply, ERROR_RANGE_NOT_SATISFIABLE);
    expect_header(reply, "Content-Range", words(world, "bytes */%zu", audio.size));
    world_end(world);
}
