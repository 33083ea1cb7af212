/*
 * Speakers over HTTP: every byte that is sent, and how the pieces of audio become one
 * file.
 */
#include "audio.h"
#include "private_reveal.h"
#include "speaker.h"
#include "speech_world.h"
#include "wav.h"

struct world {
    struct speech_world base;
    struct speaker *speaker;
    unsigned done_count;
    enum error error;
    struct speech speech;
};

static void world_open(struct world *world, speech_answer_fn *answer,
                       const char *const *environment)
{
    memset(world, 0, sizeof(*world));
    speech_world_open(&world->base, answer, environment);
    world->speaker = speaker_new(
        &(struct provider_tools){&world->base.settings, world->base.pool, world->base.log,
                                 &world->base.metrics, NULL});
    cr_assert_not_null(world->speaker);
}

static void world_close(struct world *world)
{
    private_text_free(&world->speech.audio);
    speaker_free(world->speaker);
    speech_world_close(&world->base);
}

static void on_speech(void *context, enum error error, struct speech speech)
{
    struct world *world = context;

    world->done_count++;
    world->error = error;
    world->speech = speech;
    loop_stop(world->base.loop);
}

static struct speaker_call *start(struct world *world, const char *text,
                                  int64_t timeout_ms)
{
    struct speaker_ask ask = {.text = private_text_copy(text, strlen(text)),
                              .timeout_ms = timeout_ms};
    struct speaker_call *call;

    cr_assert(id_parse(REQUEST_ID, 36, &ask.request_id));
    call = world->speaker->start(world->speaker, &ask, on_speech, world);
    cr_expect_eq(world->done_count, 0, "done() before start() has returned");
    cr_expect(private_text_is_empty(&ask.text), "the text is taken over");
    return call;
}

static void speak(struct world *world, const char *text)
{
    start(world, text, LONG_ENOUGH);
    loop_run(world->base.loop);
    cr_expect_eq(world->done_count, 1);
}

static void expect_request(const struct world *world, unsigned index, const char *line,
                           const char *authorization, const char *json)
{
    struct span request = speech_request(&world->base.server, index);
    struct span sent = speech_body(request);

    expect_first_line(request, line);
    expect_header(request, "Content-Type:", "application/json");
    expect_header(request, "Authorization:", authorization);
    expect_header(request, "X-Request-ID:", REQUEST_ID);
    cr_expect(span_equals(sent, json), "%.*s", (int)sent.length, sent.bytes);
}

/* One frame of MPEG-2 layer III, 8 kbit/s at 22.05 kHz: 26 bytes, 26 ms. */
static const char mp3_frame[26] = "\xff\xf3\x10\xc0";

ANSWER(gives_mp3, "200 OK", "Content-Type: audio/mpeg\r\n", mp3_frame, sizeof(mp3_frame))

/* ---- Deepgram ---- */

static const char *const deepgram[] = {"DEEPGRAM_API_KEY=dg-key", "DEEPGRAM_BASE_URL=@",
                                       NULL};

Test(deepgram, is_asked_for_mp3_of_the_text)
{
    struct world world;

    world_open(&world, gives_mp3, deepgram);
    speak(&world, "What was \"it\"?");
    cr_expect_eq(world.error, OK);
    cr_expect_str_eq(world.speech.content_type, "audio/mpeg");
    cr_expect_eq(world.speech.audio.length, sizeof(mp3_frame));
    expect_request(&world, 0,
                   "POST /v1/speak?model=aura-2-thalia-en&encoding=mp3 HTTP/1.1\r\n",
                   "Token dg-key", "{\"text\":\"What was \\\"it\\\"?\"}");
    world_close(&world);
}

Test(deepgram, the_voice_is_the_model)
{
    static const char *const environment[] = {"DEEPGRAM_API_KEY=k", "DEEPGRAM_BASE_URL=@",
                                              "TTS_VOICE=aura-2-apollo-en", NULL};
    struct world world;

    world_open(&world, gives_mp3, environment);
    speak(&world, "Hello.");
    expect_request(&world, 0, "POST /v1/speak?model=aura-2-apollo-en&encoding=mp3 ",
                   "Token k", "{\"text\":\"Hello.\"}");
    world_close(&world);
}

static void gives_tagged_mp3(struct span request, struct buffer *reply)
{
    char file[10 + 4 + 2 * sizeof(mp3_frame) + 128] = "ID3\4\0\0\0\0\0\4";

    (void)request;
    memcpy(file + 14, mp3_frame, sizeof(mp3_frame));
    memcpy(file + 14 + sizeof(mp3_frame), mp3_frame, sizeof(mp3_frame));
    memcpy(file + 14 + 2 * sizeof(mp3_frame), "TAG", 3);
    speech_reply(reply, "200 OK", "", file, sizeof(file));
}

Test(deepgram, text_over_its_limit_becomes_one_mp3_of_several)
{
    char text[4001];
    struct world world;
    struct span audio;

    for (size_t i = 0; i < 4000; i++)
        text[i] = "abcdefghi "[i % 10];
    text[3999] = '.';
    text[4000] = '\0';
    world_open(&world, gives_tagged_mp3, deepgram);
    speak(&world, text);

    cr_expect_eq(world.error, OK);
    cr_expect_eq(world.base.server.count, 2);
    audio = private_reveal(&world.speech.audio);
    cr_expect_eq(audio.length, 4 * sizeof(mp3_frame), "frames, and no tags");
    cr_expect_eq(audio_duration_ms(audio), 4 * 576 * 1000 / 22050);
    world_close(&world);
}

/* ---- OpenAI-compatible ---- */

static const char *const groq[] = {"GROQ_API_KEY=gsk-key", "GROQ_BASE_URL=@", NULL};

/* A WAV whose sizes were never filled in, and whose samples are the input's letters. */
static void gives_wav_of_input(struct span request, struct buffer *reply)
{
    const char *input = memmem(request.bytes, request.length, "\"input\":\"", 9);
    size_t length = strcspn(input + 9, "\"") & ~(size_t)1;
    struct wav pcm = {1, 1, 24000, 48000, 2, 16, {NULL, 0}};
    struct buffer wav;

    buffer_init(&wav, 4096);
    wav_write_header(&wav, &pcm, length);
    memset(wav.bytes + 4, 0xff, 4);
    memset(wav.bytes + 40, 0xff, 4);
    buffer_append(&wav, input + 9, length);
    speech_reply(reply, "200 OK", "Content-Type: audio/wav\r\n", wav.bytes, wav.length);
    buffer_done(&wav);
}

#define ORPHEUS(input)                                                \
    "{\"model\":\"canopylabs/orpheus-v1-english\",\"input\":\"" input \
    "\",\"voice\":\"hannah\",\"response_format\":\"wav\"}"

Test(groq, is_asked_for_wav_of_a_short_text)
{
    struct world world;
    struct wav wav;

    world_open(&world, gives_wav_of_input, groq);
    cr_expect_str_eq(world.speaker->name, "groq");
    speak(&world, "What next?");
    cr_expect_eq(world.error, OK);
    cr_expect_str_eq(world.speech.content_type, "audio/wav");
    expect_request(&world, 0, "POST /audio/speech HTTP/1.1\r\n", "Bearer gsk-key",
                   ORPHEUS("What next?"));
    cr_assert(wav_parse(private_reveal(&world.speech.audio), &wav));
    cr_expect_eq(wav.samples.length, 10);
    world_close(&world);
}

#define LETTERS_100                                                          \
    "aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffffffff ggggggggg " \
    "hhhhhhhhh iiiiiiiii jjjjjjjjj."

Test(groq, a_longer_text_is_spoken_three_pieces_at_a_time_and_joined_in_order)
{
    struct world world;
    struct span audio;
    struct wav wav;

    world_open(&world, gives_wav_of_input, groq);
    world.base.server.hold = 3;
    start(&world,
          LETTERS_100 " 1" LETTERS_100 " 2" LETTERS_100 " 3" LETTERS_100 " 4" LETTERS_100,
          LONG_ENOUGH);
    cr_expect_eq(meters_tries(&world.base.metrics), 3, "the others wait");
    loop_run(world.base.loop);
    cr_expect_eq(world.error, OK);
    cr_expect_eq(world.base.server.count, 5);
    cr_expect_eq(world.base.server.in_flight_max, 3);

    audio = private_reveal(&world.speech.audio);
    cr_assert(wav_parse(audio, &wav));
    cr_expect_eq(wav.samples.length, 500, "each piece has whole samples");
    cr_expect_eq(wav.samples.bytes[100], '1');
    cr_expect_eq(wav.samples.bytes[400], '4');
    cr_expect_eq(audio.length, WAV_HEADER_BYTES + 500);
    cr_expect_eq(memcmp(audio.bytes + 4, "\x18\2\0\0", 4), 0, "RIFF's size is right");
    cr_expect_eq(memcmp(audio.bytes + 40, "\xf4\1\0\0", 4), 0, "the data's size too");
    world_close(&world);
}

Test(openai, is_asked_for_mp3_with_its_own_key_voice_and_model)
{
    static const char *const environment[] = {"TTS_BASE_URL=@",       "TTS_API_KEY=sk",
                                              "GROQ_API_KEY=gsk-key", "TTS_VOICE=nova",
                                              "TTS_MODEL=tts-1",      NULL};
    struct world world;

    world_open(&world, gives_mp3, environment);
    cr_expect_str_eq(world.speaker->name, "openai");
    speak(&world, "Hello.");
    cr_expect_str_eq(world.speech.content_type, "audio/mpeg");
    expect_request(&world, 0, "POST /audio/speech HTTP/1.1\r\n", "Bearer sk",
                   "{\"model\":\"tts-1\",\"input\":\"Hello.\",\"voice\":\"nova\","
                   "\"response_format\":\"mp3\"}");
    world_close(&world);
}

/* ---- failures ---- */

#define SAYS(name, status, headers) ANSWER(name, status, headers, "{}", 2)
SAYS(says_400, "400 Bad Request", "")
SAYS(says_401, "401 Unauthorized", "")
SAYS(says_413, "413 Too Large", "")
SAYS(says_429, "429 Too Many", "Retry-After: 9\r\n")
SAYS(says_500, "500 Oh", "")
SAYS(says_no_audio, "200 OK", "Content-Type: audio/mpeg\r\n")

static void expect_failure(speech_answer_fn *answer, enum error error)
{
    const char *const *const environments[] = {deepgram, groq};

    for (size_t i = 0; i < 2; i++) {
        struct world world;

        world_open(&world, answer, environments[i]);
        speak(&world, "What happened next?");
        cr_expect_eq(world.error, error, "%s: %d", world.speaker->name, world.error);
        cr_expect_null(world.speech.content_type);
        cr_expect_eq(world.speech.retry_after_s, error == ERROR_TTS_RATE_LIMIT ? 9 : -1);
        cr_expect_eq(meters_failures(&world.base.metrics), 1);
        world_close(&world);
    }
}

Test(speaker, each_failure_has_its_error)
{
    expect_failure(says_400, ERROR_TTS_BAD_REQUEST);
    expect_failure(says_401, ERROR_TTS_AUTH_ERROR);
    expect_failure(says_413, ERROR_TTS_BAD_REQUEST);
    expect_failure(says_429, ERROR_TTS_RATE_LIMIT);
    expect_failure(says_500, ERROR_TTS_PROVIDER_ERROR);
    expect_failure(says_no_audio, ERROR_TTS_PROVIDER_ERROR);
}

static void fails_on_the_second(struct span request, struct buffer *reply)
{
    if (memmem(request.bytes, request.length, "1aaa", 4) != NULL)
        speech_reply(reply, "500 Oh", "", "", 0);
    else if (memmem(request.bytes, request.length, "2aaa", 4) == NULL)
        gives_wav_of_input(request, reply);
}

Test(speaker, the_failure_of_one_piece_ends_the_others)
{
    struct world world;

    world_open(&world, fails_on_the_second, groq);
    speak(&world, LETTERS_100 " 1" LETTERS_100 " 2" LETTERS_100 " 3" LETTERS_100);
    cr_expect_eq(world.error, ERROR_TTS_PROVIDER_ERROR);
    cr_expect(private_text_is_empty(&world.speech.audio));
    world_close(&world);
}

static void gives_two_kinds(struct span request, struct buffer *reply)
{
    if (memmem(request.bytes, request.length, "1aaa", 4) != NULL)
        gives_mp3(request, reply);
    else
        gives_wav_of_input(request, reply);
}

Test(speaker, pieces_of_two_kinds_are_not_joined)
{
    struct world world;

    world_open(&world, gives_two_kinds, groq);
    speak(&world, LETTERS_100 " 1" LETTERS_100 " 2" LETTERS_100);
    cr_expect_eq(world.error, ERROR_TTS_PROVIDER_ERROR);
    world_close(&world);
}

Test(speaker, does_not_speak_nothing_or_what_is_no_text)
{
    const char *const texts[] = {"", " \n ", "a\xff"};

    for (size_t i = 0; i < 3; i++) {
        struct world world;

        world_open(&world, gives_mp3, deepgram);
        speak(&world, texts[i]);
        cr_expect_eq(world.error, ERROR_TTS_BAD_REQUEST);
        cr_expect_eq(world.base.server.count, 0);
        world_close(&world);
    }
}

Test(speaker, gives_up_when_its_time_is_over)
{
    struct world world;

    world_open(&world, says_nothing, groq);
    start(&world, LETTERS_100 " 1" LETTERS_100 " 2" LETTERS_100, SHORT);
    loop_run(world.base.loop);
    cr_expect_eq(world.error, ERROR_TTS_TIMEOUT);
    world_close(&world);
}

Test(speaker, says_nothing_after_it_was_cancelled)
{
    const char *const texts[] = {"What?", LETTERS_100 " 1" LETTERS_100 " 2" LETTERS_100,
                                 ""};

    for (size_t i = 0; i < 3; i++) {
        struct world world;

        world_open(&world, says_nothing, groq);
        world.speaker->cancel(start(&world, texts[i], LONG_ENOUGH));
        world.speaker->cancel(NULL);
        loop_later(world.base.loop, (loop_fn *)loop_stop, world.base.loop);
        loop_run(world.base.loop);
        cr_expect_eq(world.done_count, 0);
        world_close(&world);
    }
}

static void on_probed(void *context, enum error error, const struct probe_reply *reply)
{
    (void)reply;
    on_speech(context, error, (struct speech){.retry_after_s = -1});
}

Test(speaker, a_probe_asks_for_what_costs_nothing)
{
    struct world world;

    world_open(&world, says_500, groq);
    world.speaker->probe(world.speaker, on_probed, &world);
    loop_run(world.base.loop);
    cr_expect_eq(world.error, ERROR_TTS_PROVIDER_ERROR);
    expect_first_line(speech_request(&world.base.server, 0),
                      "GET /models/canopylabs/orpheus-v1-english HTTP/1.1\r\n");
    world_close(&world);
}
