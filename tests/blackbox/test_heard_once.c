/*
 * A retry never pays twice: what was heard in a recording is kept with its session, and
 * the app, which sends the recording again after every failure, is not transcribed again.  Only
 * what was refused is forgotten.
 *
 * A call that a story did not script fails it: that is how each proves that nobody
 * listened again.
 */
#include <criterion/criterion.h>

#include "voice.h"

TestSuite(heard_once, .timeout = 60);

static struct world *world_that_hears(void)
{
    return world_with_groq("STT_PROVIDER=deepgram");
}

static void expect_heard(struct world *world, size_t times)
{
    size_t count = upstream_call_count_as(world->upstream, ROLE_HEARING);

    cr_assert(count == times, "heard %zu times, not %zu", count, times);
}

/* The model fails once after the recording was heard. */
static void say_and_fail(struct world *world, const struct session *session,
                         struct form form)
{
    deepgram_will_hear(
        world, (struct heard){.text = ANSWER, .confidence = 0.87, .pause_ms = 1700});
    upstream_will(world->upstream, (struct saying){.status = 500});
    expect_error(say(world, session, form), ERROR_LLM_PROVIDER_ERROR);
}

Test(heard_once, after_the_model_failed_the_same_recording_is_not_heard_again)
{
    struct world *world = world_that_hears();
    struct session session = start_session(world, 3);
    struct form form = new_recording(world, 1);
    say_and_fail(world, &session, form);
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *reply = say(world, &session, form);

    expect_number(reply, "data.question_number", 1);
    expect_text(reply, "data.transcript", ANSWER);
    expect_number(reply, "data.timings.stt_ms", 0);
    expect_heard(world, 1);
    world_end(world);
}

Test(heard_once, what_was_measured_is_kept_with_what_was_heard)
{
    struct world *world = world_that_hears();
    struct session session = start_session(world, 3);
    struct form form = new_recording(world, 1);
    say_and_fail(world, &session, form);
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *reply = say(world, &session, form);

    expect_number(reply, "data.delivery.words_per_minute", 123);
    expect_number(reply, "data.delivery.longest_pause_ms", 1700);
    expect_number(reply, "data.delivery.stt_confidence", 0.87);
    world_end(world);
}

Test(heard_once, it_may_fail_as_often_as_it_likes)
{
    struct world *world = world_that_hears();
    struct session session = start_session(world, 3);
    struct form form = new_recording(world, 1);
    say_and_fail(world, &session, form);
    for (int i = 0; i < 5; i++) {
        upstream_will(world->upstream, (struct saying){.status = 503});
        expect_error(say(world, &session, form), ERROR_LLM_PROVIDER_ERROR);
    }
    upstream_will_ask(world->upstream, "And then?");

    expect_number(say(world, &session, form), "data.question_number", 1);

    expect_heard(world, 1);
    world_end(world);
}

/* What was refused is not kept, and so is heard again. */
Test(heard_once, after_a_refusal_by_the_filter_it_is_heard_and_refused_again)
{
    struct world *world = world_that_hears();
    struct session session = start_session(world, 3);
    struct form form = new_recording(world, 1);
    const char *before = session_facts(world, &session);
    deepgram_will_hear(world, (struct heard){.text = CANARY " fuck you all"});
    expect_filter_refusal(say(world, &session, form), "profanity_or_slur");
    deepgram_will_hear(world, (struct heard){.text = CANARY " fuck you all"});

    expect_filter_refusal(say(world, &session, form), "profanity_or_slur");

    expect_heard(world, 2);
    cr_assert_str_eq(session_facts(world, &session), before);
    world_end(world);
}

Test(heard_once, after_a_refusal_by_the_model_it_is_heard_and_the_model_asked_again)
{
    struct world *world = world_that_hears();
    struct session session = start_session(world, 3);
    struct form form = new_recording(world, 1);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_refuse(world->upstream, NULL);
    expect_model_refusal(say(world, &session, form), FALLBACK_REFUSAL);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");

    expect_number(say(world, &session, form), "data.question_number", 1);

    expect_heard(world, 2);
    world_end(world);
}

Test(heard_once, another_recording_is_heard)
{
    struct world *world = world_that_hears();
    struct session session = start_session(world, 3);
    say_and_fail(world, &session, new_recording(world, 1));
    deepgram_will_hear(world, (struct heard){.text = "I would rather talk of the " CANARY
                                                     " that came after."});
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *reply = say(world, &session, new_recording(world, 2));

    expect_text(reply, "data.transcript",
                "I would rather talk of the " CANARY " that came after.");
    expect_heard(world, 2);
    world_end(world);
}

Test(heard_once, the_same_recording_in_another_session_is_heard)
{
    struct world *world = world_that_hears();
    struct session mine = start_session(world, 3);
    struct session yours = start_session(world, 3);
    struct form form = new_recording(world, 1);
    say_and_fail(world, &mine, form);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");

    expect_number(say(world, &yours, form), "data.question_number", 1);

    expect_heard(world, 2);
    world_end(world);
}

Test(heard_once, the_same_recording_after_its_turn_is_a_replay)
{
    struct world *world = world_that_hears();
    struct session session = start_session(world, 3);
    struct form form = new_recording(world, 1);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");
    const struct reply *first = say(world, &session, form);

    const struct reply *again = say(world, &session, form);

    expect_header(again, "Idempotent-Replayed", "true");
    cr_assert_str_eq(json_object_to_json_string(json_at(again->json, "data")),
                     json_object_to_json_string(json_at(first->json, "data")));
    expect_heard(world, 1);
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(world);
}

Test(heard_once, a_replay_leads_to_the_speech_of_then)
{
    struct world *world =
        world_with_groq("STT_PROVIDER=deepgram", "TTS_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    struct form form = new_recording(world, 1);
    struct audio audio = mp3_with(world, "heronsong");
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");
    will_speak(world, audio);
    expect_success(say(world, &session, form));

    const struct reply *again = say(world, &session, form);

    expect_speech(fetch(world, &session, "GET", speech_path(again), NULL), audio);
    world_end(world);
}

Test(heard_once, a_restart_in_between_changes_nothing)
{
    struct world *world = world_that_hears();
    struct session session = start_session(world, 3);
    struct form form = new_recording(world, 1);
    say_and_fail(world, &session, form);
    world_signal(world, SIGTERM);
    cr_assert(world_await_exit(world) == 0);
    world_restart(world);
    upstream_will_ask(world->upstream, "And then?");

    expect_number(say(world, &session, form), "data.question_number", 1);

    expect_heard(world, 1);
    world_end(world);
}

Test(heard_once, a_client_that_leaves_while_it_is_heard_comes_back_to_its_turn)
{
    struct world *world = world_that_hears();
    struct session session = start_session(world, 3);
    struct form form = new_recording(world, 1);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold_as(world->upstream, ROLE_HEARING);
    struct connection *turn = begin_to_say(world, &session, form, NULL);
    upstream_await_calls(world->upstream, 1);

    connection_reset(turn);
    upstream_release(world->upstream);
    await_turn_count(world, &session, 1);

    expect_number(say(world, &session, form), "data.question_number", 1);
    expect_heard(world, 1);
    world_end(world);
}

Test(heard_once, two_at_once_are_heard_once)
{
    struct world *world = world_that_hears();
    struct session session = start_session(world, 3);
    struct form form = new_recording(world, 1);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold_as(world->upstream, ROLE_HEARING);
    struct connection *turn = begin_to_say(world, &session, form, NULL);
    upstream_await_calls(world->upstream, 1);

    expect_error(say(world, &session, form), ERROR_TURN_IN_PROGRESS);

    upstream_release(world->upstream);
    expect_success(finish(world, turn));
    expect_heard(world, 1);
    world_end(world);
}

/* The voice comes after the ears: its failure is no failure of the turn at all. */
Test(heard_once, a_voice_that_failed_is_not_tried_again_by_a_replay)
{
    struct world *world =
        world_with_groq("STT_PROVIDER=deepgram", "TTS_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    struct form form = new_recording(world, 1);
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");
    upstream_will_speak(world->upstream, (struct saying){.status = 500});
    expect_success(say(world, &session, form));

    const struct reply *again = say(world, &session, form);

    expect_null(again, "data.tts_audio_url");
    expect_warning(again, "tts_provider_error");
    world_end(world);
}
