/*
 * Where sound may be: a recording nowhere but in memory and with the ears, a spoken reply
 * in the store until its session goes.  Marked bytes go through success and failure, and
 * are then looked for in every file that the program could have written, and in its
 * words.
 */
#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "voice.h"

TestSuite(spoken_privacy, .timeout = 60);

#define SPOKEN SETTINGS("STT_PROVIDER=deepgram", "TTS_PROVIDER=deepgram")

/* Other in each run: what they stand in is this run's, and no source or program has them.
 */
struct marks {
    const char *recording;
    const char *speech;
    const char *question;
};
static struct marks marks;

static long began; /* in seconds: older files are not ours */

static struct world *world_of_marks(struct settings_list settings)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    began = now.tv_sec;
    struct world *world = world_start_with_groq(settings);
    unsigned long number = (unsigned long)now.tv_nsec ^ (unsigned long)getpid() << 20;
    marks = (struct marks){words(world, "wallaby%lxlighthouse", number),
                           words(world, "heron%lxaccordion", number),
                           words(world, "marmot%lxlantern", number)};
    return world;
}

/* ---- the search ---- */

/* nftw(3) passes nothing on. */
static const char *wanted;
static char found_in[512];

static bool file_has(const char *path, const char *text)
{
    struct bytes bytes = {0};
    bool has = bytes_add_file(&bytes, path) && bytes_has(&bytes, text);

    bytes_free(&bytes);
    return has;
}

static bool begins(const char *path, const char *with)
{
    return with && strncmp(path, with, strlen(with)) == 0;
}

/* What the harness itself writes down of replies (replies.h), and the files of PostgreSQL,
 * which keep deleted rows until it vacuums. */
static bool is_the_harness(const char *path)
{
    return begins(path, getenv("POISE_REPLIES")) || begins(path, "/tmp/poise-postgres-");
}

/* Files of others that were there before are none of ours. */
static int look_into(const char *path, const struct stat *status, int kind,
                     struct FTW *place)
{
    (void)place;
    if (kind == FTW_F && S_ISREG(status->st_mode) && status->st_mtim.tv_sec >= began &&
        !is_the_harness(path) && file_has(path, wanted))
        snprintf(found_in, sizeof found_in, "%s", path);
    return found_in[0] != '\0';
}

#define IN_A_TABLE "a table"

/* The world's directory, and the tables of PostgreSQL; "" when it is not there. */
static const char *place_in_store(struct world *world, const char *text)
{
    struct bytes contents = {0};

    wanted = text;
    found_in[0] = '\0';
    nftw(world->directory, look_into, 16, FTW_PHYS);
    store_place_read(world->store, &contents);
    if (found_in[0] == '\0' && store_is_postgres() && bytes_has(&contents, wanted))
        strcpy(found_in, IN_A_TABLE);
    bytes_free(&contents);
    return found_in;
}

static bool is_in_store(struct world *world, const char *place)
{
    return begins(place, store_is_postgres() ? IN_A_TABLE : world->directory);
}

/* And every place for temporary files. */
static const char *place_of(struct world *world, const char *text)
{
    static const char *const PLACES[] = {"/tmp", "/var/tmp", "/dev/shm"};

    place_in_store(world, text);
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES && !found_in[0]; i++)
        nftw(PLACES[i], look_into, 16, FTW_PHYS);
    return found_in;
}

static void expect_nowhere(struct world *world, const char *text)
{
    const char *place = place_of(world, text);

    cr_assert(place[0] == '\0', "%s is in %s", text, place);
}

/* For words that other stories use as well, maybe now. */
static void expect_not_in_store(struct world *world, const char *text)
{
    const char *place = place_in_store(world, text);

    cr_assert(place[0] == '\0', "%s is in %s", text, place);
}

/* Of no regular file but those in the world's directory may the program keep hold: a file
 * without a name is one too. */
static void expect_no_file_without_a_name(struct world *world)
{
    const char *command = words(
        world,
        "for p in /proc/[0-9]*; do "
        "  [ \"$(readlink $p/cwd)\" = \"%s\" ] && ls -l $p/fd 2>/dev/null; "
        "done | grep -E 'deleted|/dev/shm|memfd' | grep -v bxf_arena", /* Criterion's */
        world->directory);
    FILE *list = popen(command, "r");
    char line[512] = "";

    cr_assert_not_null(list);
    char *first = fgets(line, sizeof line, list);
    pclose(list);
    cr_assert_null(first, "the program has %s open", line);
}

/* ---- the stories ---- */

/* Marked where a container has room for anything: its samples. */
static struct form marked_recording(struct world *world)
{
    struct audio audio = wav_with(world, marks.recording, 20000);

    return (struct form){.audio = audio.bytes,
                         .audio_size = audio.size,
                         .audio_type = "audio/wav",
                         .audio_name = "recording.wav"};
}

static void expect_mark_reached_the_ears(struct world *world)
{
    cr_assert(bytes_has(&upstream_call_as(world->upstream, ROLE_HEARING, 0)->body,
                        marks.recording),
              "or else the search proves nothing");
}

Test(spoken_privacy, a_recording_is_in_no_file_while_it_is_heard)
{
    struct world *world = world_of_marks(SPOKEN);
    struct session session = start_session(world, 3);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");
    will_speak(world, mp3_with(world, marks.speech));
    upstream_hold_as(world->upstream, ROLE_HEARING);
    struct connection *turn =
        begin_to_say(world, &session, marked_recording(world), NULL);
    upstream_await_calls(world->upstream, 1);

    expect_mark_reached_the_ears(world);
    expect_nowhere(world, marks.recording);
    expect_no_file_without_a_name(world);

    upstream_release(world->upstream);
    expect_success(finish(world, turn));
    expect_nowhere(world, marks.recording);
    world_end(world);
}

/* The largest that is taken: what buffers would spill to a file would spill now. */
Test(spoken_privacy, a_large_recording_is_in_no_file_either)
{
    enum { NEARLY_TEN_MEGABYTES = 10000000 };
    struct world *world =
        world_of_marks(SETTINGS("STT_PROVIDER=deepgram", "MAX_AUDIO_SECONDS=3600"));
    struct session session = start_session(world, 3);
    struct audio audio = wav_with(world, marks.recording, NEARLY_TEN_MEGABYTES);
    struct form form = {
        .audio = audio.bytes, .audio_size = audio.size, .audio_type = "audio/wav"};
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold_as(world->upstream, ROLE_HEARING);
    struct connection *turn = begin_to_say(world, &session, form, NULL);
    upstream_await_calls(world->upstream, 1);

    expect_mark_reached_the_ears(world);
    expect_nowhere(world, marks.recording);
    expect_no_file_without_a_name(world);

    upstream_release(world->upstream);
    expect_success(finish(world, turn));
    world_end(world);
}

Test(spoken_privacy, a_recording_is_in_no_file_after_any_failure)
{
    static const struct saying SAYINGS[] = {
        {.status = 500}, {.status = 429}, {.status = 400}, {.manner = MANNER_CUT}};
    struct world *world = world_of_marks(SPOKEN);
    struct session session = start_session(world, 3);

    for (size_t i = 0; i < sizeof SAYINGS / sizeof *SAYINGS; i++) {
        upstream_will_hear(world->upstream, SAYINGS[i]);
        cr_assert(say(world, &session, marked_recording(world))->status >= 400);
    }

    expect_mark_reached_the_ears(world);
    expect_nowhere(world, marks.recording);
    world_end(world);
}

Test(spoken_privacy, a_recording_is_in_no_file_after_a_crash)
{
    struct world *world = world_of_marks(SPOKEN);
    struct session session = start_session(world, 3);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_hold_as(world->upstream, ROLE_HEARING);
    struct connection *turn =
        begin_to_say(world, &session, marked_recording(world), NULL);
    upstream_await_calls(world->upstream, 1);

    world_kill(world);

    expect_nowhere(world, marks.recording);
    connection_close(turn);
    world_restart(world);
    upstream_release(world->upstream);
    world_end(world);
}

Test(spoken_privacy, speech_is_in_the_store_alone_and_goes_with_its_session)
{
    struct world *world = world_of_marks(SPOKEN);
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    will_speak(world, mp3_with(world, marks.speech));
    expect_success(answer(world, &session, ANSWER));
    cr_assert(is_in_store(world, place_of(world, marks.speech)),
              "or else the search below proves nothing: \"%s\"", found_in);

    expect_success(delete_session(world, &session));

    expect_nowhere(world, marks.speech);
    world_end(world);
}

/* Neither the sound nor how it was written in the event. */
Test(spoken_privacy, speech_that_was_told_while_it_was_new_is_in_no_log)
{
    struct world *world = world_of_marks(SPOKEN);
    struct session session = start_session(world, 3);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");
    will_speak(world, mp3_with(world, marks.speech));
    struct connection *turn = begin_to_say(world, &session, marked_recording(world),
                                           "Accept: text/event-stream\r\n");
    const struct reply *stream = receive(world, turn, "POST");
    const char *base64 = strstr(stream->body.data, "\"audio_base64\":\"");

    cr_assert_not_null(base64);
    const char *piece = words(world, "%.32s", base64 + 200);
    struct bytes output = world_output(world);
    cr_assert_not(bytes_has(&output, piece));
    cr_assert_not(bytes_has(&output, marks.speech));
    bytes_free(&output);
    connection_close(turn);
    expect_success(delete_session(world, &session));
    expect_nowhere(world, marks.speech);
    expect_nowhere(world, piece);
    world_end(world);
}

/* Large speech has pages of its own. */
Test(spoken_privacy, large_speech_goes_with_its_session_too)
{
    struct world *world = world_of_marks(SPOKEN);
    struct session session = start_session(world, 3);
    struct session staying = start_session(world, 3);
    always_speaks(world, wav_with(world, marks.speech, 500000));
    upstream_keeps_asking(world->upstream);
    for (int i = 0; i < 3; i++)
        expect_success(answer(world, &session, words(world, "%s %d", ANSWER, i)));
    always_speaks(world, wav_with(world, "another", 500000));
    expect_success(answer(world, &staying, ANSWER));

    expect_success(delete_session(world, &session));

    expect_nowhere(world, marks.speech);
    cr_assert(place_of(world, "another")[0] != '\0');
    world_end(world);
}

Test(spoken_privacy, speech_that_had_to_make_room_goes_with_its_session_too)
{
    struct world *world =
        world_of_marks(SETTINGS("TTS_PROVIDER=deepgram", "TTS_CACHE_MAX_BYTES=1048576"));
    struct session session = start_session(world, 5);
    upstream_keeps_asking(world->upstream);
    will_speak(world, wav_with(world, marks.speech, 400000));
    expect_success(answer(world, &session, ANSWER));
    always_speaks(world, wav_with(world, "another", 400000));

    for (int i = 0; i < 2; i++)
        expect_success(answer(world, &session, words(world, "%s %d", ANSWER, i)));

    expect_success(delete_session(world, &session));

    expect_nowhere(world, marks.speech);
    world_end(world);
}

/* Success, refusals and failures of every provider, each with marked words and sounds. */
static struct session busy_session(struct world *world)
{
    struct session session = start_session(world, 5);

    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream,
                      words(world, "And " MODEL_CANARY " %s?", marks.question));
    will_speak(world, mp3_with(world, marks.speech));
    expect_success(say(world, &session, marked_recording(world)));
    deepgram_will_hear(world, (struct heard){.text = CANARY " fuck you all"});
    expect_filter_refusal(say(world, &session, new_recording(world, 2)),
                          "profanity_or_slur");
    upstream_will_hear(world->upstream,
                       (struct saying){.status = 500, .body = CANARY " " MODEL_CANARY});
    expect_error(say(world, &session, new_recording(world, 3)), ERROR_STT_PROVIDER_ERROR);
    deepgram_will_hear(world, (struct heard){.text = ANSWER " Again."});
    upstream_will_refuse(world->upstream, "No more of " MODEL_CANARY ", please.");
    say(world, &session, new_recording(world, 4));
    deepgram_will_hear(world, (struct heard){.text = ANSWER " Once more."});
    upstream_will_ask(world->upstream, "What came of " MODEL_CANARY "?");
    upstream_will_speak(world->upstream,
                        (struct saying){.status = 400, .body = MODEL_CANARY});
    expect_success(say(world, &session, new_recording(world, 5)));
    deepgram_will_hear(world, (struct heard){.text = "heronsong of a lost answer."});
    upstream_will(world->upstream, (struct saying){.status = 500});
    expect_error(say(world, &session, new_recording(world, 6)), ERROR_LLM_PROVIDER_ERROR);
    return session;
}

/* That no log line and no error has a word of it is world_end()'s part. */
Test(spoken_privacy, after_delete_no_file_has_a_trace_of_what_was_said_or_heard)
{
    struct world *world = world_of_marks(SPOKEN);
    struct session session = busy_session(world);
    cr_assert(place_in_store(world, CANARY)[0] != '\0', "the search proves nothing");
    cr_assert(place_of(world, marks.speech)[0] != '\0', "the search proves nothing");

    expect_success(delete_session(world, &session));

    expect_nowhere(world, marks.recording);
    expect_nowhere(world, marks.speech);
    expect_nowhere(world, marks.question);
    expect_nowhere(world, session.id);
    expect_not_in_store(world, CANARY);
    expect_not_in_store(world, MODEL_CANARY);
    expect_not_in_store(world, "heronsong");
    world_end(world);
}

Test(spoken_privacy, keys_of_ears_and_voices_are_never_stored)
{
    struct world *world = world_of_marks(SPOKEN);
    busy_session(world);

    expect_not_in_store(world, DEEPGRAM_KEY);
    expect_not_in_store(world, GROQ_KEY);
    world_end(world);
}

Test(spoken_privacy, the_ears_are_told_nothing_but_the_recording)
{
    struct world *world = world_of_marks(SPOKEN);
    struct session session = busy_session(world);
    const struct call *call = upstream_call_as(world->upstream, ROLE_HEARING, 1);

    cr_assert_not(bytes_has(&call->head, session.id));
    cr_assert_not(bytes_has(&call->head, session.token));
    cr_assert_not(bytes_has(&call->body, CANARY));
    cr_assert_not(bytes_has(&call->head, "recording."), "%s", call->head.data);
    world_end(world);
}

Test(spoken_privacy, what_the_embedded_voice_says_is_in_no_file_of_its_own)
{
    struct world *world =
        world_of_marks(SETTINGS("TTS_PROVIDER=espeak", "PATH=/usr/bin:/bin"));
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, words(world, "And then, %s?", marks.question));

    expect_success(answer(world, &session, ANSWER));

    expect_success(delete_session(world, &session));
    expect_nowhere(world, marks.question);
    world_end(world);
}
