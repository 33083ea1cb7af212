/*
 * espeak-ng as a child process.  What the real one says is tested where it is installed;
 * how a child that misbehaves is treated, with small programs in its place.
 */
#include "audio.h"
#include "loop.h"
#include "meters.h"
#include "private_reveal.h"
#include "speaker_espeak_internal.h"
#include "wav.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONG_ENOUGH 20000
#define SHORT       100
#define ASKS_MAX    (SPEAKER_ESPEAK_CHILDREN + SPEAKER_ESPEAK_WAITING + 1)

struct world {
    struct loop *loop;
    struct call_pool *pool; /* of which no call is made */
    struct log *log;
    struct metrics metrics;
    struct settings settings;
    struct speaker *speaker;
    char folder[64];
    char program[128];
    unsigned pending;
    unsigned ok_count;
    unsigned error_count[ERROR_COUNT];
    struct speech speech; /* the last good one */
};

static struct speaker *new_speaker(struct world *world, const char *program)
{
    const struct provider_tools tools = {&world->settings, world->pool, world->log,
                                         &world->metrics, NULL};

    return speaker_espeak_new(&tools, program);
}

/* With the real one where `script` is NULL, else with a shell script in its place. */
static void world_open(struct world *world, const char *script)
{
    char *environment[] = {NULL};
    struct buffer problems;

    memset(world, 0, sizeof(*world));
    buffer_init(&problems, 4096);
    cr_assert(settings_load(&world->settings, environment, NULL, &problems));
    buffer_done(&problems);
    strcpy(world->program, "espeak-ng");
    if (script != NULL) {
        FILE *file;

        strcpy(world->folder, "/tmp/poise-espeak-XXXXXX");
        cr_assert_not_null(mkdtemp(world->folder));
        snprintf(world->program, sizeof(world->program), "%s/espeak", world->folder);
        file = fopen(world->program, "w");
        fprintf(file, "#!/bin/sh\n%s\n", script);
        fclose(file);
        chmod(world->program, 0700);
    }
    world->loop = loop_new();
    world->log = log_new(-1, LOG_ERROR);
    world->pool = call_pool_new(world->loop);
    world->speaker = new_speaker(world, world->program);
}

static void expect_no_children(void)
{
    cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1);
    cr_expect_eq(errno, ECHILD, "a child was left, alive or dead");
}

static void world_close(struct world *world)
{
    private_text_free(&world->speech.audio);
    speaker_free(world->speaker);
    expect_no_children();
    call_pool_free(world->pool);
    loop_free(world->loop);
    log_free(world->log);
    settings_free(&world->settings);
    if (world->folder[0] != '\0') {
        unlink(world->program);
        rmdir(world->folder);
    }
}

static void on_speech(void *context, enum error error, struct speech speech)
{
    struct world *world = context;

    cr_expect_eq(error == OK, speech.content_type != NULL);
    if (error == OK) {
        private_text_free(&world->speech.audio);
        world->speech = speech;
    }
    world->ok_count += error == OK;
    world->error_count[error]++;
    if (--world->pending == 0)
        loop_stop(world->loop);
}

static struct speaker_call *start(struct world *world, const char *text,
                                  int64_t timeout_ms)
{
    struct speaker_ask ask = {.text = private_text_copy(text, strlen(text)),
                              .request_id = id_random(),
                              .timeout_ms = timeout_ms};
    unsigned pending = ++world->pending;
    struct speaker_call *call =
        world->speaker->start(world->speaker, &ask, on_speech, world);

    cr_expect_eq(world->pending, pending, "done() before start() has returned");
    return call;
}

static enum error speak(struct world *world, const char *text, int64_t timeout_ms)
{
    memset(world->error_count, 0, sizeof(world->error_count));
    start(world, text, timeout_ms);
    loop_run(world->loop);
    for (unsigned error = 0; error < ERROR_COUNT; error++)
        if (world->error_count[error] == 1)
            return (enum error)error;
    cr_assert_fail("done() once");
    return OK;
}

/* ---- the real one ---- */

static bool has_sound(struct span samples)
{
    for (size_t i = 0; i + 1 < samples.length; i += 2) {
        int sample = (int16_t)((unsigned char)samples.bytes[i] |
                               (unsigned char)samples.bytes[i + 1] << 8);

        if (sample > 1000 || sample < -1000)
            return true;
    }
    return false;
}

Test(espeak, speaks_a_question_as_a_wav_with_the_right_sizes)
{
    struct world world;
    struct span audio;
    struct wav wav;

    if (!speaker_espeak_is_installed())
        cr_skip_test("espeak-ng is not installed");
    world_open(&world, NULL);
    cr_assert_eq(speak(&world, "Tell me about a time you led a team.", LONG_ENOUGH), OK);

    audio = private_reveal(&world.speech.audio);
    cr_expect_str_eq(world.speech.content_type, "audio/wav");
    cr_assert(wav_parse(audio, &wav));
    cr_expect(has_sound(wav.samples));
    cr_expect_eq(audio.length, WAV_HEADER_BYTES + wav.samples.length);
    cr_expect_eq((unsigned char)audio.bytes[40] | (unsigned char)audio.bytes[41] << 8 |
                     (unsigned char)audio.bytes[42] << 16,
                 (int)wav.samples.length);
    cr_expect(audio_duration_ms(audio) > 1000 && audio_duration_ms(audio) < 6000);
    world_close(&world);
}

Test(espeak, speaks_a_long_text_with_signs_that_mean_something_to_it)
{
    const char *line = "-f /etc/passwd <b>&amp; [[h@'loU]] caf\xc3\xa9?\n";
    struct world world;
    char text[2000] = "";

    if (!speaker_espeak_is_installed())
        cr_skip_test("espeak-ng is not installed");
    while (strlen(text) + strlen(line) < sizeof(text))
        strcat(text, line);
    world_open(&world, NULL);
    cr_expect_eq(speak(&world, text, LONG_ENOUGH), OK);
    cr_expect_gt(audio_duration_ms(private_reveal(&world.speech.audio)), 60000);
    world_close(&world);
}

Test(espeak, many_at_once_take_turns)
{
    struct world world;

    if (!speaker_espeak_is_installed())
        cr_skip_test("espeak-ng is not installed");
    world_open(&world, NULL);
    for (int i = 0; i < 10; i++)
        start(&world, "Next question.", LONG_ENOUGH);
    loop_run(world.loop);
    cr_expect_eq(world.ok_count, 10);
    world_close(&world);
}

/* ---- what it is given ---- */

#define WAV_OF_STDIN                                                    \
    "printf 'RIFF\\377\\377\\377\\377WAVEfmt \\20\\0\\0\\0\\1\\0\\1\\0" \
    "\\100\\37\\0\\0\\100\\37\\0\\0\\1\\0\\10\\0data\\377\\377\\377\\377';"

static const char *samples_of(const struct world *world)
{
    return private_reveal(&world->speech.audio).bytes + WAV_HEADER_BYTES;
}

Test(espeak, the_text_is_on_standard_input_and_nowhere_else)
{
    struct world world;

    world_open(&world, WAV_OF_STDIN "cat; echo \"args: $*\"; env | grep -v '^PWD\\|^_'");
    setenv("GROQ_API_KEY", "gsk-secret", 1);
    cr_assert_eq(speak(&world, "Why [[us]]?", LONG_ENOUGH), OK);
    cr_expect_str_eq(samples_of(&world),
                     "Why [ [us]]?\nargs: --stdin --stdout -b 1 -v en-us\n"
                     "LANG=C.UTF-8\n");
    world_close(&world);
}

/* ---- a child that misbehaves ---- */

Test(espeak, a_child_that_fails_is_the_providers_error)
{
    const char *const scripts[] = {"exit 1", "exit 0", "echo no wav", "kill -9 $$",
                                   WAV_OF_STDIN "cat; exit 3"};

    for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++) {
        struct world world;

        world_open(&world, scripts[i]);
        cr_expect_eq(speak(&world, "Hello.", LONG_ENOUGH), ERROR_TTS_PROVIDER_ERROR, "%s",
                     scripts[i]);
        cr_expect_eq(meters_failures(&world.metrics), 1);
        world_close(&world);
    }
}

Test(espeak, a_child_that_hangs_is_killed_in_time)
{
    struct world world;

    world_open(&world, "exec sleep 1000");
    cr_expect_eq(speak(&world, "Hello.", SHORT), ERROR_TTS_TIMEOUT);
    world_close(&world);
}

Test(espeak, a_child_that_closes_its_output_and_hangs_is_killed_in_time)
{
    struct world world;

    world_open(&world, WAV_OF_STDIN "cat; exec sleep 1000 >/dev/null");
    cr_expect_eq(speak(&world, "Hello.", SHORT), ERROR_TTS_TIMEOUT);
    world_close(&world);
}

Test(espeak, a_child_that_never_stops_writing_is_killed)
{
    struct world world;

    world_open(&world, "exec cat /dev/zero");
    cr_expect_eq(speak(&world, "Hello.", LONG_ENOUGH), ERROR_TTS_PROVIDER_ERROR);
    world_close(&world);
}

Test(espeak, where_it_is_not_installed_every_text_is_an_error)
{
    struct world world;

    world_open(&world, NULL);
    speaker_free(world.speaker);
    world.speaker = new_speaker(&world, "no-such-program");
    cr_expect_eq(speak(&world, "Hello.", LONG_ENOUGH), ERROR_TTS_PROVIDER_ERROR);
    world_close(&world);
}

static void on_probed(void *context, enum error error, const struct probe_reply *reply)
{
    (void)reply;
    on_speech(context, error, (struct speech){.content_type = error == OK ? "" : NULL});
}

Test(espeak, a_probe_tells_whether_it_is_installed)
{
    struct world world;

    world_open(&world, "exit 1");
    world.pending = 1;
    world.speaker->probe(world.speaker, on_probed, &world);
    loop_run(world.loop);
    cr_expect_eq(world.ok_count, 1, "it is there, and was not run");
    unlink(world.program);
    speaker_free(world.speaker);
    world.speaker = new_speaker(&world, world.program);
    world.pending = 1;
    world.speaker->probe(world.speaker, on_probed, &world);
    loop_run(world.loop);
    cr_expect_eq(world.error_count[ERROR_TTS_PROVIDER_ERROR], 1);
    world_close(&world);
}

Test(espeak, what_cannot_be_run_is_an_error)
{
    struct world world;

    world_open(&world, "exit 0");
    truncate(world.program, 0);
    cr_expect_eq(speak(&world, "Hello.", LONG_ENOUGH), ERROR_TTS_PROVIDER_ERROR);
    world_close(&world);
}

Test(espeak, does_not_speak_nothing_or_what_is_no_text_or_far_too_much)
{
    struct world world;
    char *text = calloc(1, 40000);

    memset(text, 'a', 39999);
    world_open(&world, WAV_OF_STDIN "cat");
    cr_expect_eq(speak(&world, " ", LONG_ENOUGH), ERROR_TTS_BAD_REQUEST);
    cr_expect_eq(speak(&world, "\xff", LONG_ENOUGH), ERROR_TTS_BAD_REQUEST);
    cr_expect_eq(speak(&world, text, LONG_ENOUGH), ERROR_TTS_BAD_REQUEST);
    free(text);
    world_close(&world);
}

/* ---- bounds, and leaving early ---- */

Test(espeak, more_than_may_wait_are_turned_away)
{
    struct world world;

    world_open(&world, WAV_OF_STDIN "cat");
    for (unsigned i = 0; i < ASKS_MAX; i++)
        start(&world, "Hello.", LONG_ENOUGH);
    loop_run(world.loop);
    cr_expect_eq(world.ok_count, ASKS_MAX - 1);
    cr_expect_eq(world.error_count[ERROR_TTS_RATE_LIMIT], 1);
    world_close(&world);
}

Test(espeak, a_text_that_waits_is_given_up_in_time_too)
{
    struct world world;

    world_open(&world, "exec sleep 1000");
    for (unsigned i = 0; i < SPEAKER_ESPEAK_CHILDREN + 2; i++)
        start(&world, "Hello.", SHORT);
    loop_run(world.loop);
    cr_expect_eq(world.error_count[ERROR_TTS_TIMEOUT], SPEAKER_ESPEAK_CHILDREN + 2);
    world_close(&world);
}

Test(espeak, cancelled_calls_say_nothing_and_leave_no_process)
{
    struct speaker_call *calls[SPEAKER_ESPEAK_CHILDREN + 3];
    const size_t count = sizeof(calls) / sizeof(*calls);
    struct world world;

    world_open(&world, "exec sleep 1000");
    for (size_t i = 0; i < count; i++)
        calls[i] = start(&world, i + 1 < count ? "Hello." : " ", LONG_ENOUGH);
    for (size_t i = count; i-- > 0;)
        world.speaker->cancel(calls[i]);
    world.speaker->cancel(NULL);
    loop_later(world.loop, (loop_fn *)loop_stop, world.loop);
    loop_run(world.loop);
    cr_expect_eq(world.pending, count, "nothing was said");
    world_close(&world);
}

Test(espeak, a_slot_is_free_again_after_a_child_was_killed)
{
    struct world world;

    world_open(&world,
               "read line; case $line in hang*) exec sleep 1000;; esac; " WAV_OF_STDIN
               "echo $line");
    for (unsigned i = 0; i < SPEAKER_ESPEAK_CHILDREN; i++)
        start(&world, "hang", SHORT);
    start(&world, "Hello.", LONG_ENOUGH);
    loop_run(world.loop);
    cr_expect_eq(world.error_count[ERROR_TTS_TIMEOUT], SPEAKER_ESPEAK_CHILDREN);
    cr_expect_eq(world.ok_count, 1);
    cr_expect_str_eq(samples_of(&world), "Hello.\n");
    world_close(&world);
}
