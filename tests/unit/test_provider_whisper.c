/*
 * The transcriber of OpenAI-compatible APIs: every byte that is sent, and what is made of
 * what comes back.
 */
#include "transcriber_world.h"

#include <math.h>

SAYS(whisper_hears, "200 OK", "",
     "{\"task\":\"transcribe\",\"language\":\"English\",\"duration\":2.5,"
     "\"text\":\" I, um, led it.\",\"segments\":[{\"id\":0,\"start\":0,\"end\":2.0,"
     "\"text\":\" I, um, led it.\",\"avg_logprob\":-0.1,\"compression_ratio\":1.1,"
     "\"no_speech_prob\":0.02}],\"words\":[{\"word\":\"I\",\"start\":0.1,\"end\":0.2},"
     "{\"word\":\"um\",\"start\":0.3,\"end\":0.6}],\"x_groq\":{\"id\":\"req_1\"}}")

static void expect_form(struct span request, const char *fields)
{
    struct span type = speech_header(request, "Content-Type:"),
                body = speech_body(request);
    const char *prefix = "multipart/form-data; boundary=";
    char boundary[64], wanted[4096];
    size_t length = 0;

    cr_assert_eq(memcmp(type.bytes, prefix, strlen(prefix)), 0);
    snprintf(boundary, sizeof(boundary), "%.*s", (int)(type.length - strlen(prefix)),
             type.bytes + strlen(prefix));
    length = (size_t)sprintf(wanted,
                             "--%s\r\nContent-Disposition: form-data; name=\"file\"; "
                             "filename=\"answer.m4a\"\r\nContent-Type: audio/mp4\r\n\r\n",
                             boundary);
    memcpy(wanted + length, RECORDING, sizeof(RECORDING) - 1);
    length += sizeof(RECORDING) - 1;
    length += (size_t)sprintf(wanted + length, "\r\n");
    for (const char *at = fields; *at != '\0'; at += strcspn(at, "\n") + 1) {
        int name = (int)strcspn(at, "="), line = (int)strcspn(at, "\n");

        length += (size_t)sprintf(wanted + length,
                                  "--%s\r\nContent-Disposition: form-data; "
                                  "name=\"%.*s\"\r\n\r\n%.*s\r\n",
                                  boundary, name, at, line - name - 1, at + name + 1);
    }
    length += (size_t)sprintf(wanted + length, "--%s--\r\n", boundary);
    cr_assert_eq(body.length, length, "%.*s", (int)body.length, body.bytes);
    cr_expect_eq(memcmp(body.bytes, wanted, length), 0, "%.*s", (int)body.length,
                 body.bytes);
}

#define PROMPT "Um, so, uh, well, I was, like, you know, kind of, hmm, thinking about it."
#define VERBOSE                        \
    "response_format=verbose_json\n"   \
    "timestamp_granularities[]=word\n" \
    "timestamp_granularities[]=segment\n"

Test(groq, sends_a_form_with_the_recording_and_asks_for_times)
{
    struct world world;
    struct span request;

    world_open(&world, whisper_hears, groq);
    transcribe(&world);

    request = speech_request(&world.base.server, 0);
    expect_first_line(request, "POST /audio/transcriptions HTTP/1.1\r\n");
    expect_header(request, "Authorization:", "Bearer gsk-key");
    expect_header(request, "X-Request-ID:", REQUEST_ID);
    expect_form(request, "model=whisper-large-v3-turbo\nprompt=" PROMPT "\n" VERBOSE);
    world_close(&world);
}

Test(groq, gives_text_confidence_times_and_duration)
{
    struct world world;

    world_open(&world, whisper_hears, groq);
    transcribe(&world);

    cr_expect_eq(world.error, OK);
    cr_expect_str_eq(text_of(&world), "I, um, led it.", "without the space before it");
    cr_expect_float_eq(world.transcript.confidence, exp(-0.1) * 0.98, 1e-9);
    cr_expect_eq(world.transcript.duration_ms, 2500);
    cr_assert_eq(world.transcript.word_count, 2);
    cr_expect_eq(world.transcript.words[1].end_ms, 600);
    world_close(&world);
}

SAYS(whisper_makes_it_up, "200 OK", "",
     "{\"text\":\" Thank you.\",\"duration\":4,\"segments\":[{\"start\":0,\"end\":2,"
     "\"avg_logprob\":-0.4,\"no_speech_prob\":0.95},{\"start\":2,\"end\":4,"
     "\"avg_logprob\":-1.2,\"no_speech_prob\":0.7}]}")

Test(groq, text_that_the_engine_marks_as_no_speech_is_an_empty_transcript)
{
    struct world world;

    world_open(&world, whisper_makes_it_up, groq);
    transcribe(&world);
    cr_expect_eq(world.error, ERROR_STT_EMPTY_TRANSCRIPT);
    cr_expect(private_text_is_empty(&world.transcript.text));
    world_close(&world);
}

SAYS(whisper_hears_half, "200 OK", "",
     "{\"text\":\"I led it.\",\"segments\":[{\"start\":0,\"end\":2,"
     "\"avg_logprob\":-0.2,\"no_speech_prob\":0.01},{\"start\":2,\"end\":4,"
     "\"avg_logprob\":-1.2,\"no_speech_prob\":0.7}]}")

Test(groq, silence_beside_speech_only_lowers_the_confidence)
{
    struct world world;

    world_open(&world, whisper_hears_half, groq);
    transcribe(&world);
    cr_expect_eq(world.error, OK);
    cr_expect(world.transcript.confidence > 0.4 && world.transcript.confidence < 0.5);
    cr_expect_eq(world.transcript.duration_ms, -1);
    cr_expect_null(world.transcript.words);
    world_close(&world);
}

Test(openai, a_local_server_needs_no_key)
{
    static const char *const environment[] = {"STT_BASE_URL=@", "GROQ_API_KEY=gsk-key",
                                              NULL};
    struct world world;
    struct span request;

    world_open(&world, whisper_hears, environment);
    cr_expect_str_eq(world.transcriber->name, "openai");
    transcribe(&world);
    request = speech_request(&world.base.server, 0);
    cr_expect_null(speech_header(request, "Authorization:").bytes,
                   "Groq's key is not for other servers");
    expect_form(request, "model=whisper-1\nprompt=" PROMPT "\n" VERBOSE);
    world_close(&world);
}

SAYS(gpt_hears, "200 OK", "",
     "{\"text\":\"I led it.\",\"logprobs\":[{\"token\":\"I\",\"logprob\":-0.1},"
     "{\"token\":\" led\",\"logprob\":-0.3}],\"usage\":{\"type\":\"tokens\"}}")

Test(openai, asks_gpt_4o_transcribe_for_json_and_probabilities)
{
    static const char *const environment[] = {"STT_BASE_URL=@", "STT_API_KEY=sk",
                                              "STT_MODEL=gpt-4o-mini-transcribe", NULL};
    struct world world;

    world_open(&world, gpt_hears, environment);
    transcribe(&world);
    expect_header(speech_request(&world.base.server, 0), "Authorization:", "Bearer sk");
    expect_form(speech_request(&world.base.server, 0),
                "model=gpt-4o-mini-transcribe\nprompt=" PROMPT
                "\nresponse_format=json\ninclude[]=logprobs\n");
    cr_expect_float_eq(world.transcript.confidence, exp(-0.2), 1e-9);
    world_close(&world);
}

static void knows_only_json(struct span request, struct buffer *reply)
{
    if (memmem(request.bytes, request.length, "verbose_json", 12) != NULL)
        speech_reply(reply, "400 Bad Request", "",
                     "{\"error\":{\"message\":\"response_format not supported\"}}", 52);
    else
        speech_reply(reply, "200 OK", "", "{\"text\":\"Heard.\"}", 17);
}

Test(openai, asks_once_more_for_json_where_the_long_format_is_not_known)
{
    static const char *const environment[] = {"STT_BASE_URL=@", "STT_MODEL=m", NULL};
    struct world world;

    world_open(&world, knows_only_json, environment);
    transcribe(&world);
    cr_expect_eq(world.error, OK);
    cr_expect_str_eq(text_of(&world), "Heard.");
    cr_expect_eq(world.base.server.count, 2);
    expect_form(speech_request(&world.base.server, 1),
                "model=m\nprompt=" PROMPT "\nresponse_format=json\n");
    world_close(&world);
}

SAYS(knows_no_format, "400 Bad Request", "",
     "{\"error\":{\"message\":\"Unknown response_format\"}}")

Test(openai, asks_no_third_time)
{
    static const char *const environment[] = {"STT_BASE_URL=@", NULL};
    struct world world;

    world_open(&world, knows_no_format, environment);
    transcribe(&world);
    cr_expect_eq(world.error, ERROR_STT_BAD_REQUEST);
    cr_expect_eq(world.base.server.count, 2);
    world_close(&world);
}

static void hears_ten_megabytes(struct span request, struct buffer *reply)
{
    cr_expect_gt(speech_body(request).length, (size_t)10 << 20);
    speech_reply(reply, "200 OK", "", "{\"text\":\"Long.\"}", 16);
}

Test(groq, sends_ten_megabytes)
{
    char *recording = mem_zalloc((size_t)10 << 20);
    struct world world;

    world_open(&world, hears_ten_megabytes, groq);
    start(&world, recording, (size_t)10 << 20, LONG_ENOUGH);
    loop_run(world.base.loop);
    cr_expect_eq(world.error, OK);
    free(recording);
    world_close(&world);
}
