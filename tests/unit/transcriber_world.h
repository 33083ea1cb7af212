/*
 * One transcriber and what it came to.
 */
#ifndef TRANSCRIBER_WORLD_H
#define TRANSCRIBER_WORLD_H

#include "fallbacks.h"
#include "private_reveal.h"
#include "speech_world.h"

#define RECORDING \
    "\0\0\0\x1c"  \
    "ftypM4A \0with\0zeros\r\n--in it"

struct world {
    struct speech_world base;
    struct transcribers ears;        /* one */
    struct transcriber *transcriber; /* that one */
    unsigned done_count;
    enum error error;
    struct transcript transcript;
};

static void world_open(struct world *world, speech_answer_fn *answer,
                       const char *const *environment)
{
    memset(world, 0, sizeof(*world));
    speech_world_open(&world->base, answer, environment);
    transcribers_init(&world->ears, &(struct provider_tools){
                                        &world->base.settings, world->base.pool,
                                        world->base.log, &world->base.metrics, NULL});
    cr_assert_eq(world->ears.count, 1);
    world->transcriber = world->ears.all[0];
}

static void world_close(struct world *world)
{
    transcript_free(&world->transcript);
    transcribers_done(&world->ears);
    speech_world_close(&world->base);
}

static void on_transcript(void *context, enum error error, struct transcript transcript)
{
    struct world *world = context;

    world->done_count++;
    world->error = error;
    world->transcript = transcript;
    loop_stop(world->base.loop);
}

static struct transcriber_call *start(struct world *world, const void *bytes,
                                      size_t length, int64_t timeout_ms)
{
    struct transcriber_ask ask = {.container = AUDIO_MP4, .timeout_ms = timeout_ms};
    struct transcriber_call *call;

    buffer_init(&ask.recording, 16 * 1024 * 1024);
    buffer_append(&ask.recording, bytes, length);
    cr_assert(id_parse(REQUEST_ID, 36, &ask.request_id));
    call = world->transcriber->start(world->transcriber, &ask, on_transcript, world);
    cr_expect_eq(world->done_count, 0, "done() before start() has returned");
    cr_expect_null(ask.recording.bytes, "the recording is taken over");
    return call;
}

static inline void transcribe(struct world *world)
{
    start(world, RECORDING, sizeof(RECORDING) - 1, LONG_ENOUGH);
    loop_run(world->base.loop);
    cr_expect_eq(world->done_count, 1);
}

static inline const char *text_of(const struct world *world)
{
    return private_reveal(&world->transcript.text).bytes;
}

/* Deepgram and Groq. */
static const char *const deepgram[] __attribute__((unused)) = {
    "DEEPGRAM_API_KEY=dg-key", "DEEPGRAM_BASE_URL=@", "GROQ_API_KEY=gsk-key", NULL};
static const char *const groq[]
    __attribute__((unused)) = {"GROQ_API_KEY=gsk-key", "GROQ_BASE_URL=@", NULL};

/* A function that answers every request with the same text. */
#define SAYS(name, status, headers, body) \
    ANSWER(name, status, headers, body, sizeof(body) - 1)

#endif
