/*
 * A voice that fails, in every way that a network and a server can: the turn succeeds
 * without sound, says why, and the next one is heard.
 */
#include <criterion/criterion.h>

#include "voice.h"

TestSuite(speaking_failures, .timeout = 90);

#define WITH_DEEPGRAM "TTS_PROVIDER=deepgram"

/* The voice says this. */
static void expect_silence(struct world *world, struct saying saying, const char *code)
{
    struct session session = start_session(world, 3);
    struct audio audio = mp3_with(world, "heronsong");

    upstream_will_speak(world->upstream, saying);
    const struct reply *turn = answer_aloud(world, &session, "And then?");
    expect_null(turn, "data.tts_audio_url");
    expect_warning(turn, code);
    expect_text(turn, "data.warnings.0.stage", "tts");
    expect_no_speech(fetch(world, &session, "GET",
                           words(world, "/tts/%s", text_at(turn, "request_id")), NULL));

    will_speak(world, audio);
    const struct reply *next = answer_aloud(world, &session, "And after that?");
    expect_number(next, "data.question_number", 2);
    expect_speech(fetch(world, &session, "GET", speech_path(next), NULL), audio);
}

Test(speaking_failures, each_status_has_its_warning)
{
    static const struct {
        int status;
        const char *code;
    } ROWS[] = {
        {400, "tts_bad_request"},    {401, "tts_auth_error"},
        {402, "tts_auth_error"},     {403, "tts_auth_error"},
        {404, "tts_provider_error"}, {408, "tts_timeout"},
        {413, "tts_bad_request"},    {422, "tts_bad_request"},
        {429, "tts_rate_limit"},     {500, "tts_provider_error"},
        {503, "tts_provider_error"}, {307, "tts_provider_error"},
    };
    struct world *world = world_with_groq(WITH_DEEPGRAM);

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        expect_silence(world,
                       (struct saying){.status = ROWS[i].status,
                                       .body = "{\"err_msg\":\"" MODEL_CANARY "\"}"},
                       ROWS[i].code);
    world_end(world);
}

Test(speaking_failures, a_voice_that_takes_too_long_is_a_warning)
{
    struct world *world = world_with_groq(WITH_DEEPGRAM, "TTS_TIMEOUT_SECONDS=1");

    expect_silence(world, (struct saying){.manner = MANNER_SILENT}, "tts_timeout");
    expect_silence(world, (struct saying){.manner = MANNER_DRIP}, "tts_timeout");
    world_end(world);
}

Test(speaking_failures, a_broken_voice_is_a_warning)
{
    static const enum manner MANNERS[] = {MANNER_CUT, MANNER_ENDLESS, MANNER_NOT_HTTP};
    struct world *world = world_with_groq(WITH_DEEPGRAM);
    struct audio audio = mp3_with(world, "heronsong");

    for (size_t i = 0; i < sizeof MANNERS / sizeof *MANNERS; i++)
        expect_silence(world,
                       (struct saying){.manner = MANNERS[i],
                                       .body = audio.bytes,
                                       .body_size = audio.size,
                                       .type = audio.type},
                       "tts_provider_error");
    world_end(world);
}

/* On a connection of its own: one that the model's call had warmed may have gone cold, and
 * is replaced. */
Test(speaking_failures, a_voice_that_resets_is_a_warning)
{
    struct world *voice = world_with_groq();
    struct world *world =
        world_with_groq(words(voice, "DEEPGRAM_BASE_URL=http://127.0.0.1:%d",
                              upstream_port(voice->upstream)),
                        WITH_DEEPGRAM);
    struct session session = start_session(world, 3);
    upstream_will_speak(voice->upstream, (struct saying){.manner = MANNER_RESET});

    const struct reply *turn = answer_aloud(world, &session, "And then?");

    expect_null(turn, "data.tts_audio_url");
    expect_warning(turn, "tts_provider_error");
    world_end(world);
    world_end(voice);
}

Test(speaking_failures, what_is_no_audio_is_never_passed_on)
{
    static const char *const TEXTS[] = {"",
                                        "{}",
                                        "<html>" MODEL_CANARY "</html>",
                                        "RIFF",
                                        "RIFF\x10\0\0\0WAVE",
                                        "OggS and more"};
    struct world *world = world_with_groq(WITH_DEEPGRAM);

    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
        expect_silence(world, (struct saying){.body = TEXTS[i], .type = "audio/mpeg"},
                       "tts_provider_error");
    world_end(world);
}

Test(speaking_failures, a_voice_that_is_not_installed_is_a_warning)
{
    struct world *world =
        world_with_builtin_coach("TTS_PROVIDER=espeak", "PATH=/nowhere/at/all");
    struct session session = start_session(world, 3);

    const struct reply *turn = answer(world, &session, ANSWER);

    expect_success(turn);
    expect_null(turn, "data.tts_audio_url");
    expect_warning(turn, "tts_provider_error");
    world_end(world);
}
