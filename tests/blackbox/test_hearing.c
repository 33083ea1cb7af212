/*
 * A spoken answer: what is heard becomes the transcript, how it was said is measured, and
 * the provider gets the recording as its documentation wants it.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "voice.h"

TestSuite(hearing, .timeout = 60);

#define RECORDINGS_OF_ALL_KINDS                                                       \
    {                                                                                 \
        "moov_first.m4a", "moov_last.m4a", "fragments.m4a", "opus.webm", "live.webm", \
            "opus.ogg", "vorbis.ogg", "wave.wav", "flac.flac", "cbr.mp3"              \
    }

Test(hearing, with_deepgram_what_was_said_is_the_transcript)
{
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *reply = say(world, &session, recording_of(world, "opus.webm"));

    expect_success(reply);
    expect_text(reply, "data.transcript", ANSWER);
    expect_text(reply, "data.assistant_text", "And then?");
    expect_warning(reply, NULL);
    cr_assert(number_at(reply, "data.timings.stt_ms") > 0);
    cr_assert(bytes_has(&upstream_call_as(world->upstream, ROLE_ANSWER, 0)->body, CANARY),
              "the model was not told what was said");
    world_end(world);
}

/* 17 words of 300 ms, 15 gaps of 100 ms and one of 1,700 ms: 17 words in 8.3 s. */
Test(hearing, how_it_was_said_is_measured)
{
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    deepgram_will_hear(
        world, (struct heard){.text = ANSWER, .confidence = 0.87, .pause_ms = 1700});
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *reply = say(world, &session, recording_of(world, "opus.webm"));

    expect_keys(json_at(reply->json, "data.delivery"),
                FIELDS_NAMED("word_count", "filler_count", "fillers", "words_per_minute",
                             "longest_pause_ms", "stt_confidence", "marks"));
    expect_number(reply, "data.delivery.word_count", 17);
    expect_number(reply, "data.delivery.filler_count", 0);
    expect_number(reply, "data.delivery.words_per_minute", 123);
    expect_number(reply, "data.delivery.longest_pause_ms", 1700);
    expect_number(reply, "data.delivery.stt_confidence", 0.87);
    world_end(world);
}

/* Words as above, from 480 ms on, the last one after a pause. */
Test(hearing, fillers_and_pauses_are_marked_where_they_were)
{
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    deepgram_will_hear(
        world,
        (struct heard){.text = "Um, we fixed it, you know, on Monday", .pause_ms = 2100});
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *reply = say(world, &session, new_recording(world, 1));

    cr_assert_str_eq(
        json_object_to_json_string_ext(json_at(reply->json, "data.delivery.marks"),
                                       JSON_C_TO_STRING_PLAIN),
        "[{\"filler\":\"um\",\"start_ms\":480,\"end_ms\":780},"
        "{\"filler\":\"you know\",\"start_ms\":2080,\"end_ms\":2780},"
        "{\"filler\":null,\"start_ms\":3180,\"end_ms\":5280}]");
    world_end(world);
}

Test(hearing, fillers_are_counted_and_told_to_the_model)
{
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    deepgram_will_hear(world, (struct heard){.text = "Um, so, uh, I led the " CANARY
                                                     " project and, um, we delivered it "
                                                     "early."});
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *reply = say(world, &session, recording_of(world, "opus.webm"));

    expect_number(reply, "data.delivery.fillers.um", 2);
    expect_number(reply, "data.delivery.fillers.uh", 1);
    cr_assert(number_at(reply, "data.delivery.filler_count") >= 3);
    const struct call *call = upstream_call_as(world->upstream, ROLE_ANSWER, 0);
    cr_assert(bytes_has(&call->body, "words per minute"), "%s", call->body.data);
    world_end(world);
}

Test(hearing, a_typed_answer_has_no_pace_and_no_confidence)
{
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *reply = answer(world, &session, ANSWER);

    expect_number(reply, "data.delivery.word_count", 17);
    expect_null(reply, "data.delivery.words_per_minute");
    expect_null(reply, "data.delivery.longest_pause_ms");
    expect_null(reply, "data.delivery.stt_confidence");
    expect_null(reply, "data.delivery.marks");
    expect_number(reply, "data.timings.stt_ms", 0);
    world_end(world);
}

Test(hearing, deepgram_gets_every_kind_of_recording_as_it_is)
{
    static const char *const NAMES[] = RECORDINGS_OF_ALL_KINDS;
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    upstream_keeps_asking(world->upstream);

    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        struct session session = start_session(world, 3);
        struct form form = recording_of(world, NAMES[i]);
        deepgram_will_hear(world, (struct heard){.text = ANSWER});
        expect_success(say(world, &session, form));
        expect_heard_by_deepgram(upstream_call_as(world->upstream, ROLE_HEARING, i),
                                 &form);
    }
    world_end(world);
}

Test(hearing, whisper_gets_every_kind_of_recording_as_a_file)
{
    static const char *const NAMES[] = RECORDINGS_OF_ALL_KINDS;
    struct world *world = world_with_groq("STT_PROVIDER=groq");
    upstream_keeps_asking(world->upstream);

    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        struct session session = start_session(world, 3);
        struct form form = recording_of(world, NAMES[i]);
        whisper_will_hear(world, (struct heard){.text = ANSWER});
        expect_success(say(world, &session, form));
        expect_heard_by_whisper(upstream_call_as(world->upstream, ROLE_HEARING, i), &form,
                                "whisper-large-v3-turbo", GROQ_KEY);
    }
    world_end(world);
}

/* OpenAI's interface has no extension for AAC without a container (ADTS). */
Test(hearing, deepgram_and_whisper_get_what_has_no_container_too)
{
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    struct world *other = world_with_groq("STT_PROVIDER=groq");
    struct session session = start_session(world, 3);
    struct session others = start_session(other, 3);
    struct form form = recording_of(world, "adts.aac");
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    whisper_will_hear(other, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");
    upstream_will_ask(other->upstream, "And then?");

    expect_success(say(world, &session, form));
    expect_success(say(other, &others, form));

    expect_heard_by_deepgram(upstream_call_as(world->upstream, ROLE_HEARING, 0), &form);
    expect_heard_by_whisper(upstream_call_as(other->upstream, ROLE_HEARING, 0), &form,
                            "whisper-large-v3-turbo", GROQ_KEY);
    world_end(other);
    world_end(world);
}

Test(hearing, groq_is_asked_for_times_and_probabilities)
{
    struct world *world = world_with_groq("STT_PROVIDER=groq");
    struct session session = start_session(world, 3);
    whisper_will_hear(world, (struct heard){.text = " " ANSWER, .pause_ms = 1700});
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *reply = say(world, &session, recording_of(world, "xing.mp3"));

    expect_text(reply, "data.transcript", ANSWER);
    expect_number(reply, "data.delivery.words_per_minute", 123);
    expect_number(reply, "data.delivery.longest_pause_ms", 1700);
    cr_assert(number_at(reply, "data.delivery.stt_confidence") > 0.8);
    const struct call *call = upstream_call_as(world->upstream, ROLE_HEARING, 0);
    expect_in_request_line(call, "POST /openai/v1/audio/transcriptions HTTP/1.1");
    cr_assert_str_eq(form_field(call, "response_format"), "verbose_json");
    cr_assert(bytes_has(&call->body, "\r\n\r\nword\r\n") &&
              bytes_has(&call->body, "\r\n\r\nsegment\r\n"));
    world_end(world);
}

/* The OpenAI-compatible server of another world hears for this one. */
Test(hearing, a_whisper_server_of_ones_own_needs_no_key)
{
    struct world *ears = world_with_groq();
    struct world *world = world_with_builtin_coach(
        words(ears, "STT_BASE_URL=http://127.0.0.1:%d/v1/",
              upstream_port(ears->upstream)),
        "STT_PROVIDER=openai", "STT_MODEL=Systran/faster-whisper-small");
    struct session session = start_session(world, 3);
    whisper_will_hear(ears, (struct heard){.text = ANSWER, .is_bare = true});

    const struct reply *reply = say(world, &session, recording_of(world, "wave.wav"));

    expect_text(reply, "data.transcript", ANSWER);
    expect_null(reply, "data.delivery.words_per_minute");
    expect_null(reply, "data.delivery.stt_confidence");
    const struct call *call = upstream_call(ears->upstream, 0);
    expect_in_request_line(call, "POST /v1/audio/transcriptions HTTP/1.1");
    cr_assert(head_header_count(&call->head, "Authorization") == 0);
    cr_assert_str_eq(form_field(call, "model"), "Systran/faster-whisper-small");
    world_end(world);
    world_end(ears);
}

Test(hearing, an_api_of_ones_own_gets_its_key_and_not_groqs)
{
    struct world *ears = world_with_groq();
    struct world *world = world_with_groq(
        words(ears, "STT_BASE_URL=http://127.0.0.1:%d/v1", upstream_port(ears->upstream)),
        "STT_PROVIDER=openai", "STT_API_KEY=sk-ears", "STT_MODEL=whisper-1");
    struct session session = start_session(world, 3);
    struct form form = recording_of(world, "opus.ogg");
    whisper_will_hear(ears, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");

    expect_success(say(world, &session, form));

    expect_heard_by_whisper(upstream_call(ears->upstream, 0), &form, "whisper-1",
                            "sk-ears");
    world_end(world);
    world_end(ears);
}

Test(hearing, a_server_without_the_long_format_is_asked_for_the_short_one)
{
    struct world *world = world_with_groq("STT_PROVIDER=groq");
    struct session session = start_session(world, 3);
    struct form form = recording_of(world, "xing.mp3");
    upstream_will_hear(world->upstream,
                       (struct saying){.status = 400,
                                       .body =
                                           "{\"error\":{\"message\":\"response_format "
                                           "'verbose_json' is not supported\"}}"});
    whisper_will_hear(world, (struct heard){.text = ANSWER, .is_bare = true});
    upstream_will_ask(world->upstream, "And then?");

    expect_success(say(world, &session, form));

    const struct call *call = upstream_call_as(world->upstream, ROLE_HEARING, 1);
    expect_heard_by_whisper(call, &form, "whisper-large-v3-turbo", GROQ_KEY);
    cr_assert_str_eq(form_field(call, "response_format"), "json");
    world_end(world);
}

/* What older versions of the app send. */
Test(hearing, a_recording_without_a_type_is_known_by_its_name)
{
    static const char *const TYPES[] = {"application/octet-stream", NULL};
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    upstream_keeps_asking(world->upstream);

    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        struct session session = start_session(world, 3);
        struct form form = recording_of(world, "moov_last.m4a");
        form.audio_type = TYPES[i];
        form.audio_name = "recording.M4A";
        deepgram_will_hear(world, (struct heard){.text = ANSWER});
        expect_success(say(world, &session, form));
        expect_request_header(upstream_call_as(world->upstream, ROLE_HEARING, i),
                              "Content-Type", "audio/mp4");
    }
    world_end(world);
}

Test(hearing, a_browsers_codec_parameter_is_taken)
{
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    struct form form = recording_of(world, "opus.webm");
    form.audio_type = "audio/webm;codecs=opus";
    form.audio_name = "blob";
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");

    expect_success(say(world, &session, form));
    world_end(world);
}

Test(hearing, a_transcript_beside_the_recording_spares_the_ears)
{
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    struct form form = recording_of(world, "opus.webm");
    form.transcript = ANSWER;
    upstream_will_ask(world->upstream, "And then?");

    expect_text(say(world, &session, form), "data.transcript", ANSWER);

    cr_assert(upstream_call_count_as(world->upstream, ROLE_HEARING) == 0);
    world_end(world);
}

Test(hearing, a_blank_transcript_beside_the_recording_does_not)
{
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    struct form form = recording_of(world, "opus.webm");
    form.transcript = " \n";
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");

    expect_text(say(world, &session, form), "data.transcript", ANSWER);
    world_end(world);
}

Test(hearing, what_was_said_goes_through_the_filter_like_what_was_typed)
{
    struct world *world = world_with_groq("STT_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    const char *before = session_facts(world, &session);
    deepgram_will_hear(world, (struct heard){.text = CANARY " fuck you"});

    expect_filter_refusal(say(world, &session, recording_of(world, "opus.webm")),
                          "profanity_or_slur");

    cr_assert_str_eq(session_facts(world, &session), before);
    world_end(world);
}
