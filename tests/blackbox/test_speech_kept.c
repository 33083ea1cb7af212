/*
 * Who can hear a spoken reply, and for how long.
 */
#include <criterion/criterion.h>
#include <poll.h>

#include "voice.h"

TestSuite(speech_kept, .timeout = 90);

#define WITH_DEEPGRAM "TTS_PROVIDER=deepgram"

Test(speech_kept, anothers_token_finds_nothing_as_if_nothing_were_there)
{
    struct world *world = world_with_groq(WITH_DEEPGRAM);
    struct session mine = start_session(world, 3);
    struct session yours = start_session(world, 3);
    always_speaks(world, mp3_with(world, "heronsong"));
    const char *path = speech_path(answer_aloud(world, &mine, "And then?"));

    const struct reply *refused = fetch(world, &yours, "GET", path, NULL);
    const struct reply *none =
        fetch(world, &yours, "GET", "/tts/6f9619ff-8b86-4011-b42d-00c04fc964ff", NULL);

    expect_no_speech(refused);
    expect_no_speech(none);
    cr_assert_str_eq(text_at(refused, "error.message_safe"),
                     text_at(none, "error.message_safe"));
    cr_assert(fetch(world, &yours, "HEAD", path, NULL)->status == 404);
    expect_no_speech(fetch(world, &yours, "GET", path, "Range: bytes=0-1\r\n"));
    expect_error(fetch(world, NULL, "GET", path, NULL), ERROR_INVALID_TOKEN);
    cr_assert(fetch(world, &mine, "GET", path, NULL)->status == 200);
    world_end(world);
}

/* Asks until it is gone. */
static void await_silence(struct world *world, const struct session *session,
                          const char *path)
{
    for (int tries = 0; tries < 100000; tries++) {
        const struct reply *reply = fetch(world, session, "GET", path, NULL);
        if (reply->status == 404) {
            expect_no_speech(reply);
            return;
        }
        cr_assert(reply->status == 200);
        poll(NULL, 0, 5);
    }
    cr_assert_fail("%s never expired", path);
}

Test(speech_kept, after_its_lifetime_it_is_gone_and_the_session_is_not)
{
    struct world *world = world_with_groq(WITH_DEEPGRAM, "TTS_CACHE_TTL_SECONDS=1");
    struct session session = start_session(world, 3);
    struct audio audio = mp3_with(world, "heronsong");
    always_speaks(world, audio);
    const char *path = speech_path(answer_aloud(world, &session, "And then?"));

    await_silence(world, &session, path);

    const struct reply *next = answer_aloud(world, &session, "And after that?");
    expect_speech(fetch(world, &session, "GET", speech_path(next), NULL), audio);
    world_end(world);
}

Test(speech_kept, it_goes_with_its_session_and_anothers_stays)
{
    struct world *world = world_with_groq(WITH_DEEPGRAM);
    struct session going = start_session(world, 3);
    struct session staying = start_session(world, 3);
    struct audio audio = mp3_with(world, "heronsong");
    always_speaks(world, audio);
    const char *gone = speech_path(answer_aloud(world, &going, "And then?"));
    const char *there = speech_path(answer_aloud(world, &staying, "And then?"));

    expect_success(delete_session(world, &going));

    cr_assert(fetch(world, &going, "GET", gone, NULL)->status == 404);
    cr_assert(fetch(world, &staying, "GET", gone, NULL)->status == 404);
    expect_speech(fetch(world, &staying, "GET", there, NULL), audio);
    world_end(world);
}

Test(speech_kept, the_oldest_goes_where_there_is_no_room)
{
    struct world *world = world_with_groq(WITH_DEEPGRAM, "TTS_CACHE_MAX_BYTES=1048576");
    struct session one = start_session(world, 5);
    struct session other = start_session(world, 5);
    struct audio audio = wav_with(world, "heronsong", 400000);
    always_speaks(world, audio);

    const char *first = speech_path(answer_aloud(world, &one, "First?"));
    const char *second = speech_path(answer_aloud(world, &other, "Second?"));
    const char *third = speech_path(answer_aloud(world, &other, "Third?"));

    expect_no_speech(fetch(world, &one, "GET", first, NULL));
    expect_speech(fetch(world, &other, "GET", second, NULL), audio);
    expect_speech(fetch(world, &other, "GET", third, NULL), audio);
    world_end(world);
}

Test(speech_kept, what_alone_is_too_much_is_a_warning_and_evicts_nothing)
{
    struct world *world = world_with_groq(WITH_DEEPGRAM, "TTS_CACHE_MAX_BYTES=1048576");
    struct session session = start_session(world, 5);
    struct audio small = mp3_with(world, "heronsong");
    will_speak(world, small);
    const char *path = speech_path(answer_aloud(world, &session, "First?"));
    will_speak(world, wav_with(world, "heronsong", 1100000));

    const struct reply *turn = answer_aloud(world, &session, "Second?");

    expect_null(turn, "data.tts_audio_url");
    expect_warning(turn, "tts_provider_error");
    expect_speech(fetch(world, &session, "GET", path, NULL), small);
    world_end(world);
}

Test(speech_kept, it_outlives_the_death_of_the_program)
{
    struct world *world = world_with_groq(WITH_DEEPGRAM);
    struct session session = start_session(world, 5);
    struct audio audio = mp3_with(world, "heronsong");
    will_speak(world, audio);
    const char *path = speech_path(answer_aloud(world, &session, "And then?"));

    world_kill(world);
    world_restart(world);

    expect_speech(fetch(world, &session, "GET", path, NULL), audio);
    world_end(world);
}
