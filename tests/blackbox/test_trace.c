/*
 * A request that is part of a trace: its providers learn of it, and its log line says so.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "program.h"
#include "voice.h"

TestSuite(trace, .timeout = 60);

#define TRACE_ID "4bf92f3577b34da6a3ce929d0e0e4736"
#define PARENT   "traceparent: 00-" TRACE_ID "-00f067aa0ba902b7-01\r\n"

static void expect_part_of_trace(const struct call *call)
{
    char value[80];

    cr_assert(head_header(&call->head, "traceparent", value, sizeof value));
    cr_assert(strncmp(value, "00-" TRACE_ID "-", 36) == 0, "%s", value);
    cr_assert_null(strstr(value, "00f067aa0ba902b7"), "not a span of its own: %s", value);
}

Test(trace, is_passed_on_to_every_provider_and_logged)
{
    struct world *world = world_with_groq("STT_PROVIDER=groq", "TTS_PROVIDER=deepgram",
                                          "DEEPGRAM_API_KEY=" DEEPGRAM_KEY);
    struct session session = start_session(world, 3);
    whisper_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");
    will_speak(world, mp3_with(world, "spoken"));

    expect_success(say_with(world, &session, recording_of(world, "xing.mp3"), PARENT));

    for (size_t i = 0; i < 3; i++)
        expect_part_of_trace(upstream_call(world->upstream, i));
    cr_assert(program_await_output(world->program, "\"trace_id\":\"" TRACE_ID "\""));
    world_end(world);
}

Test(trace, that_is_none_is_ignored)
{
    static const char *const HEADERS[] = {"", "traceparent: what?\r\n", PARENT PARENT};
    struct world *world = world_with_groq();
    struct session session = start_session(world, 5);

    for (size_t i = 0; i < 3; i++) {
        upstream_will_ask(world->upstream, words(world, "And then %zu?", i));
        expect_success(
            answer_with(world, &session, words(world, ANSWER " %zu", i), HEADERS[i]));
        cr_assert_eq(
            head_header_count(&upstream_call(world->upstream, i)->head, "traceparent"),
            0);
    }
    world_end(world);
}
