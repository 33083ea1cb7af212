/*
 * Providers that fail for a while: calls are tried again where that is safe, a server that
 * keeps failing is left alone, and others are asked in its place.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "voice.h"

TestSuite(resilience, .timeout = 90);

#define RETRIES "PROVIDER_RETRIES=2"
#define BUSY    ((struct saying){.status = 503})

static const char *readiness(struct world *world, const char *path)
{
    return text_at(ask(world, (struct request){.method = "GET", .path = "/readyz"}),
                   path);
}

/* ---- tried again ---- */

Test(resilience, a_call_that_failed_twice_is_tried_a_third_time)
{
    struct world *world = world_with_groq(RETRIES);
    struct session session = start_session(world, 5);

    upstream_will(world->upstream, BUSY);
    upstream_will(world->upstream, (struct saying){.manner = MANNER_RESET});
    upstream_will_ask(world->upstream, "And then?");

    expect_text(answer(world, &session, ANSWER), "data.assistant_text", "And then?");
    cr_assert_eq(upstream_call_count(world->upstream), 3);
    world_end(world);
}

Test(resilience, every_try_says_the_same)
{
    struct world *world = world_with_groq(RETRIES);
    struct session session = start_session(world, 5);

    upstream_will(world->upstream, BUSY);
    upstream_will_ask(world->upstream, "And then?");
    answer(world, &session, ANSWER);

    const struct call *first = upstream_call(world->upstream, 0);
    const struct call *second = upstream_call(world->upstream, 1);
    cr_assert_str_eq(first->body.data, second->body.data);
    cr_assert_str_eq(first->head.data, second->head.data);
    world_end(world);
}

Test(resilience, after_the_last_try_the_turn_fails_and_changes_nothing)
{
    struct world *world = world_with_groq(RETRIES);
    struct session session = start_session(world, 5);
    const char *before = session_facts(world, &session);

    upstream_always(world->upstream, BUSY);

    expect_error(answer(world, &session, ANSWER), ERROR_LLM_PROVIDER_ERROR);
    cr_assert_eq(upstream_call_count(world->upstream), 3);
    cr_assert_str_eq(session_facts(world, &session), before);
    world_end(world);
}

static void expect_one_try(struct saying saying, enum expected_error error)
{
    struct world *world = world_with_groq(RETRIES, "LLM_TIMEOUT_SECONDS=1");
    struct session session = start_session(world, 5);

    upstream_always(world->upstream, saying);

    expect_error(answer(world, &session, ANSWER), error);
    cr_assert_eq(upstream_call_count(world->upstream), 1);
    world_end(world);
}

Test(resilience, what_another_try_would_not_change_is_tried_once)
{
    expect_one_try((struct saying){.status = 401}, ERROR_LLM_AUTH_ERROR);
    expect_one_try((struct saying){.status = 404}, ERROR_LLM_MODEL_NOT_FOUND);
    expect_one_try((struct saying){.status = 422}, ERROR_LLM_BAD_REQUEST);
    expect_one_try((struct saying){.manner = MANNER_SILENT}, ERROR_LLM_TIMEOUT);
}

Test(resilience, a_server_that_wants_more_time_than_there_is_is_asked_once)
{
    expect_one_try((struct saying){.status = 429, .headers = "Retry-After: 60\r\n"},
                   ERROR_LLM_RATE_LIMIT);
    expect_one_try((struct saying){.status = 429,
                                   .headers = "x-ratelimit-remaining-tokens: 0\r\n"
                                              "x-ratelimit-reset-tokens: 1m7.5s\r\n"},
                   ERROR_LLM_RATE_LIMIT);
}

Test(resilience, when_a_spent_limit_is_whole_again_is_passed_on)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 5);

    upstream_will(world->upstream,
                  (struct saying){.status = 429,
                                  .headers = "x-ratelimit-remaining-requests: 0\r\n"
                                             "x-ratelimit-reset-requests: 1m6.2s\r\n"
                                             "x-ratelimit-remaining-tokens: 12\r\n"
                                             "x-ratelimit-reset-tokens: 3h\r\n"});

    expect_header(answer(world, &session, ANSWER), "retry-after", "67");
    world_end(world);
}

/* ---- left alone ---- */

Test(resilience, a_server_that_keeps_failing_is_left_alone_until_it_is_well)
{
    struct world *world = world_with_groq("BREAKER_FAILURES=3", "WORKERS=1");
    struct session session = start_session(world, 5);
    const struct reply *reply;

    cr_assert_str_eq(readiness(world, "data.checks.breakers.coach"), "closed");
    for (int i = 0; i < 3; i++) {
        upstream_will(world->upstream, BUSY);
        expect_error(answer(world, &session, ANSWER), ERROR_LLM_PROVIDER_ERROR);
    }

    cr_assert_str_eq(readiness(world, "data.checks.breakers.coach"), "open");
    expect_error(answer(world, &session, ANSWER), ERROR_LLM_PROVIDER_ERROR);
    cr_assert_eq(upstream_call_count(world->upstream), 3, "it was asked all the same");

    upstream_will_ask(world->upstream, "And then?");
    do
        reply = answer(world, &session, ANSWER);
    while (reply->status == 502);
    expect_text(reply, "data.assistant_text", "And then?");
    cr_assert_str_eq(readiness(world, "data.checks.breakers.coach"), "closed");
    world_end(world);
}

Test(resilience, what_is_our_own_fault_opens_no_breaker)
{
    struct world *world = world_with_groq("BREAKER_FAILURES=1");
    struct session session = start_session(world, 5);

    upstream_will(world->upstream, (struct saying){.status = 401});
    expect_error(answer(world, &session, ANSWER), ERROR_LLM_AUTH_ERROR);
    upstream_will_ask(world->upstream, "And then?");

    expect_number(answer(world, &session, ANSWER), "data.question_number", 1);
    world_end(world);
}

/* Orpheus speaks 200 characters a call. */
Test(resilience, a_voice_that_is_well_again_speaks_a_text_of_many_pieces)
{
    struct world *world =
        world_with_groq("TTS_PROVIDER=groq", "BREAKER_FAILURES=1", "WORKERS=1");
    struct session session = start_session(world, 5);
    char question[700] = "Why?";
    const struct reply *turn;

    for (size_t i = 0; i < 10; i++)
        strcat(question, " And what did you do when nobody else wanted to, and why?");
    upstream_will_speak(world->upstream, BUSY);
    expect_warning(answer_aloud(world, &session, "And then?"), "tts_provider_error");
    always_speaks(world, wav_with(world, "heronsong", 64));

    do {
        session = start_session(world, 5);
        turn = answer_aloud(world, &session, question);
    } while (upstream_call_count_as(world->upstream, ROLE_SPEAKING) == 1);
    expect_warning(turn, NULL);
    world_end(world);
}

/* ---- others are asked ---- */

Test(resilience, the_built_in_coach_stands_in)
{
    struct world *world = world_with_groq("LLM_FALLBACKS=builtin");
    struct session session = start_session(world, 2);

    upstream_always(world->upstream, BUSY);

    expect_text(answer(world, &session, ANSWER), "data.coach", "builtin");
    const struct reply *last = answer(world, &session, ANSWER " And so on.");
    expect_text(last, "data.coach", "builtin");
    cr_assert(bytes_has(&last->body, "\"overall_assessment\""));
    world_end(world);
}

Test(resilience, another_model_is_asked_before_the_built_in_coach)
{
    struct world *world = world_with_groq("LLM_FALLBACKS=llama-small, builtin");
    struct session session = start_session(world, 5);

    upstream_will(world->upstream, (struct saying){.status = 404});
    upstream_will_ask(world->upstream, "And then?");

    expect_text(answer(world, &session, ANSWER), "data.coach", "groq");
    cr_assert(
        bytes_has(&upstream_call(world->upstream, 1)->body, "\"model\":\"llama-small\""));
    world_end(world);
}

Test(resilience, a_slow_model_leaves_time_for_the_next)
{
    struct world *world =
        world_with_groq("LLM_FALLBACKS=builtin", "TURN_DEADLINE_SECONDS=2");
    struct session session = start_session(world, 5);

    upstream_will(world->upstream, (struct saying){.manner = MANNER_SILENT});

    expect_text(answer(world, &session, ANSWER), "data.coach", "builtin");
    world_end(world);
}

/* The eight share what is less than all of them would like. */
Test(resilience, many_coaches_leave_time_to_the_first)
{
    struct world *world = world_with_groq("LLM_FALLBACKS=a, b, c, d, e, f, g, h",
                                          "TURN_DEADLINE_SECONDS=12");
    struct session session = start_session(world, 5);

    upstream_keeps_asking(world->upstream);

    expect_success(answer(world, &session, ANSWER));
    world_end(world);
}

Test(resilience, another_server_does_not_get_the_key_of_the_first)
{
    struct upstream *other = upstream_open();
    char setting[160];
    snprintf(setting, sizeof setting, "LLM_FALLBACKS=local@%s", upstream_base_url(other));
    struct world *world = world_with_groq(setting);
    struct session session = start_session(world, 5);

    upstream_will(world->upstream, BUSY);
    upstream_will_ask(other, "And then?");

    expect_text(answer(world, &session, ANSWER), "data.assistant_text", "And then?");
    cr_assert_not(bytes_has(&upstream_call(other, 0)->head, GROQ_KEY));
    world_end(world);
    cr_assert_null(upstream_close(other));
}

Test(resilience, a_refusal_is_not_taken_elsewhere)
{
    struct world *world = world_with_groq("LLM_FALLBACKS=builtin");
    struct session session = start_session(world, 5);

    upstream_will_refuse(world->upstream, "Let us stay with the interview.");
    expect_model_refusal(answer(world, &session, ANSWER),
                         "Let us stay with the interview.");
    upstream_will_say_then_stop(world->upstream, "", "content_filter");
    expect_error(answer(world, &session, ANSWER), ERROR_LLM_CONTENT_FILTER);
    world_end(world);
}

Test(resilience, other_ears_hear_the_same_recording)
{
    struct world *world = world_with_groq(
        "STT_PROVIDER=deepgram", "DEEPGRAM_API_KEY=" DEEPGRAM_KEY, "STT_FALLBACKS=groq");
    struct session session = start_session(world, 5);
    struct form form = recording_of(world, "xing.mp3");

    upstream_will_hear(world->upstream, BUSY);
    whisper_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");

    expect_text(say(world, &session, form), "data.transcript", ANSWER);
    expect_heard_by_deepgram(upstream_call_as(world->upstream, ROLE_HEARING, 0), &form);
    expect_heard_by_whisper(upstream_call_as(world->upstream, ROLE_HEARING, 1), &form,
                            "whisper-large-v3-turbo", GROQ_KEY);
    world_end(world);
}

Test(resilience, slow_ears_leave_time_for_the_next)
{
    struct world *world =
        world_with_groq("STT_PROVIDER=deepgram", "DEEPGRAM_API_KEY=" DEEPGRAM_KEY,
                        "STT_FALLBACKS=groq", "TURN_DEADLINE_SECONDS=4");
    struct session session = start_session(world, 5);

    upstream_will_hear(world->upstream, (struct saying){.manner = MANNER_SILENT});
    whisper_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");

    expect_text(say(world, &session, recording_of(world, "xing.mp3")), "data.transcript",
                ANSWER);
    world_end(world);
}

/* A recording must not leave for OpenAI where another server was named. */
Test(resilience, other_ears_are_at_their_own_server_with_their_own_key)
{
    struct world *whisper = world_with_groq();
    struct world *world = world_with_groq(
        words(whisper, "STT_BASE_URL=http://127.0.0.1:%d/v1",
              upstream_port(whisper->upstream)),
        "STT_PROVIDER=deepgram", "DEEPGRAM_API_KEY=" DEEPGRAM_KEY, "STT_MODEL=nova-2",
        "STT_FALLBACKS=openai", "STT_API_KEY=sk-ears");
    struct session session = start_session(world, 5);
    struct form form = recording_of(world, "xing.mp3");

    upstream_will_hear(world->upstream, BUSY);
    whisper_will_hear(whisper, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");

    expect_text(say(world, &session, form), "data.transcript", ANSWER);
    expect_heard_by_whisper(upstream_call(whisper->upstream, 0), &form, "whisper-1",
                            "sk-ears");
    world_end(world);
    world_end(whisper);
}

Test(resilience, silence_is_not_taken_to_other_ears)
{
    struct world *world = world_with_groq(
        "STT_PROVIDER=deepgram", "DEEPGRAM_API_KEY=" DEEPGRAM_KEY, "STT_FALLBACKS=groq");
    struct session session = start_session(world, 5);

    deepgram_will_hear(world, (struct heard){.text = ""});

    expect_error(say(world, &session, recording_of(world, "xing.mp3")),
                 ERROR_STT_EMPTY_TRANSCRIPT);
    world_end(world);
}
