/*
 * Deepgram's transcriber: every byte that is sent, and what is made of what comes back.
 */
#include "transcriber_world.h"

SAYS(deepgram_hears, "200 OK", "Content-Type: application/json\r\n",
     "{\"metadata\":{\"request_id\":\"a\",\"duration\":3.5,\"channels\":1},"
     "\"results\":{\"channels\":[{\"alternatives\":[{\"transcript\":\"I, um, led it.\","
     "\"confidence\":0.97,\"words\":["
     "{\"word\":\"i\",\"start\":0.08,\"end\":0.24,\"confidence\":0.99,"
     "\"punctuated_word\":\"I,\"},"
     "{\"word\":\"um\",\"start\":0.4,\"end\":0.72,\"confidence\":0.9},"
     "{\"word\":\"led\",\"start\":2.0,\"end\":2.25,\"confidence\":0.98},"
     "{\"word\":\"it\",\"start\":2.3,\"end\":2.4,\"confidence\":0.98}]}]}]}}")

Test(deepgram, sends_the_recording_as_it_is_and_asks_for_fillers)
{
    struct world world;
    struct span request, body;

    world_open(&world, deepgram_hears, deepgram);
    transcribe(&world);

    request = speech_request(&world.base.server, 0);
    body = speech_body(request);
    expect_first_line(request,
                      "POST /v1/listen?model=nova-3&smart_format=true&punctuate=true"
                      "&filler_words=true&profanity_filter=false HTTP/1.1\r\n");
    expect_header(request, "Authorization:", "Token dg-key");
    expect_header(request, "Content-Type:", "audio/mp4");
    expect_header(request, "X-Request-ID:", REQUEST_ID);
    cr_assert_eq(body.length, sizeof(RECORDING) - 1);
    cr_expect_eq(memcmp(body.bytes, RECORDING, body.length), 0);
    world_close(&world);
}

Test(deepgram, gives_text_confidence_times_and_duration)
{
    struct world world;

    world_open(&world, deepgram_hears, deepgram);
    transcribe(&world);

    cr_expect_eq(world.error, OK);
    cr_expect_str_eq(text_of(&world), "I, um, led it.");
    cr_expect_eq(world.transcript.confidence, 0.97);
    cr_expect_eq(world.transcript.duration_ms, 3500);
    cr_assert_eq(world.transcript.word_count, 4);
    cr_expect_eq(world.transcript.words[2].start_ms, 2000);
    cr_expect_eq(world.transcript.words[2].end_ms, 2250);
    world_close(&world);
}

Test(deepgram, takes_the_configured_model_percent_encoded)
{
    static const char *const environment[] = {"STT_PROVIDER=deepgram",
                                              "DEEPGRAM_API_KEY=k", "DEEPGRAM_BASE_URL=@",
                                              "STT_MODEL=nova-2&x=1", NULL};
    struct world world;

    world_open(&world, deepgram_hears, environment);
    transcribe(&world);
    expect_first_line(speech_request(&world.base.server, 0),
                      "POST /v1/listen?model=nova-2%26x%3D1&smart_format=true");
    world_close(&world);
}

SAYS(deepgram_hears_nothing, "200 OK", "",
     "{\"metadata\":{\"duration\":2.0},\"results\":{\"channels\":[{\"alternatives\":"
     "[{\"transcript\":\"\",\"confidence\":0.0,\"words\":[]}]}]}}")

Test(deepgram, silence_is_an_empty_transcript)
{
    struct world world;

    world_open(&world, deepgram_hears_nothing, deepgram);
    transcribe(&world);
    cr_expect_eq(world.error, ERROR_STT_EMPTY_TRANSCRIPT);
    cr_expect(private_text_is_empty(&world.transcript.text));
    cr_expect_eq(meters_failures(&world.base.metrics), 0, "no failure of the provider's");
    world_close(&world);
}
