/*
 * What a day and an address may use up, and what is told to whom comes after.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "voice.h"

TestSuite(caps, .timeout = 60);

#define DAY_S          86400
#define WITH_DEEPGRAM  "STT_PROVIDER=deepgram"
#define BEHIND_A_PROXY "TRUSTED_PROXIES=127.0.0.1"

static long retry_after(const struct reply *reply)
{
    char value[32] = "";

    reply_header(reply, "Retry-After", value, sizeof value);
    return strtol(value, NULL, 10);
}

/* The next midnight of UTC, unless it has just passed. */
static void expect_the_next_day(const struct reply *reply)
{
    long left = DAY_S - (long)(time(NULL) % DAY_S);
    long late = retry_after(reply) - left;

    cr_assert(late >= -1 && late <= 5, "%ld s, of %ld", retry_after(reply), left);
}

static void expect_metric(struct world *world, const char *line)
{
    const struct reply *reply =
        ask(world, (struct request){.method = "GET", .path = "/metrics"});

    cr_assert(bytes_has(&reply->body, line), "no %s in %s", line, reply->body.data);
}

Test(caps, a_turn_over_the_days_cap_is_put_off_until_midnight)
{
    struct world *world = world_with_builtin_coach("MAX_TURNS_PER_DAY=2");
    struct session session = start_session(world, 5);
    struct session other = start_session(world, 5);

    expect_success(answer(world, &session, ANSWER));
    expect_success(answer(world, &other, ANSWER));
    const char *before = session_facts(world, &session);
    const struct reply *reply = answer(world, &session, ANSWER " More.");

    expect_usage_cap(reply, "turns");
    expect_the_next_day(reply);
    cr_assert_str_eq(session_facts(world, &session), before);
    expect_metric(world, "\npoise_usage_turns 2\n");
    expect_metric(world, "\npoise_usage_turns_cap 2\n");
    world_end(world);
}

Test(caps, what_is_known_under_its_key_is_given_again_on_a_day_that_is_used_up)
{
    struct world *world = world_with_builtin_coach("MAX_TURNS_PER_DAY=1");
    struct session session = start_session(world, 5);
    const char *key = "Idempotency-Key: one\r\n";

    expect_success(answer_with(world, &session, ANSWER, key));
    expect_error(answer(world, &session, ANSWER " More."), ERROR_USAGE_CAP_REACHED);

    expect_header(answer_with(world, &session, ANSWER, key), "Idempotent-Replayed",
                  "true");
    expect_metric(world, "\npoise_usage_turns 1\n");
    world_end(world);
}

Test(caps, a_refused_answer_counts_because_it_may_have_cost_something)
{
    struct world *world = world_with_builtin_coach("MAX_TURNS_PER_DAY=1");
    struct session session = start_session(world, 5);

    expect_filter_refusal(answer(world, &session, CANARY " fuck you"),
                          "profanity_or_slur");
    expect_usage_cap(answer(world, &session, ANSWER), "turns");
    world_end(world);
}

Test(caps, the_day_is_remembered_over_a_crash)
{
    struct world *world = world_with_builtin_coach("MAX_TURNS_PER_DAY=1");
    struct session session = start_session(world, 5);

    expect_success(answer(world, &session, ANSWER));
    world_kill(world);
    world_restart(world);

    expect_usage_cap(answer(world, &session, ANSWER " More."), "turns");
    expect_metric(world, "\npoise_usage_turns 1\n");
    world_end(world);
}

/* Half a second each. */
Test(caps, when_the_days_recordings_are_used_up_answers_can_still_be_typed)
{
    struct world *world = world_with_groq(WITH_DEEPGRAM, "MAX_AUDIO_SECONDS_PER_DAY=1");
    struct session session = start_session(world, 5);
    for (int i = 0; i < 2; i++)
        deepgram_will_hear(world, (struct heard){.text = ANSWER});
    for (int i = 0; i < 3; i++)
        upstream_will_ask(world->upstream, "And then?");

    expect_success(say(world, &session, recording_of(world, "moov_first.m4a")));
    expect_success(say(world, &session, recording_of(world, "moov_last.m4a")));
    const struct reply *reply = say(world, &session, recording_of(world, "opus.webm"));

    expect_usage_cap(reply, "audio");
    expect_the_next_day(reply);
    expect_success(answer(world, &session, ANSWER));
    expect_metric(world, "\npoise_usage_audio_seconds 1\n");
    world_end(world);
}

static struct session session_from(struct world *world, const char *address)
{
    return started_session(start_from(world, address));
}

Test(caps, what_comes_all_at_once_is_counted_one_by_one)
{
    struct world *world =
        world_with_builtin_coach("MAX_TURNS_PER_DAY=3", "MAX_SESSIONS_PER_ADDRESS=5");
    struct connection *asked[8];
    struct session sessions[8];
    int open = 0, turns = 0;

    for (int i = 0; i < 8; i++)
        asked[i] = begin_to_start_from(world, "");
    for (int i = 0; i < 8; i++) {
        const struct reply *reply = finish(world, asked[i]);

        if (reply->status == 200)
            sessions[open++] = started_session(reply);
        else
            expect_usage_cap(reply, "sessions");
    }
    cr_assert_eq(open, 5);
    for (int i = 0; i < open; i++)
        asked[i] = begin_answer(world, &sessions[i], ANSWER);
    for (int i = 0; i < open; i++)
        turns += finish(world, asked[i])->status == 200;
    cr_assert_eq(turns, 3);
    world_end(world);
}

Test(caps, an_address_has_so_many_interviews_open_until_one_is_completed_or_deleted)
{
    struct world *world =
        world_with_builtin_coach("MAX_SESSIONS_PER_ADDRESS=2", BEHIND_A_PROXY,
                                 "SESSION_TTL_MINUTES=30", "SESSION_MAX_HOURS=1");
    struct session first = session_from(world, "192.0.2.1");
    struct session second = session_from(world, "192.0.2.1");
    const struct reply *reply = start_from(world, "192.0.2.1");

    expect_usage_cap(reply, "sessions");
    expect_header(reply, "Retry-After", "1800");
    session_from(world, "192.0.2.2");
    expect_success(answer(world, &first, ANSWER));
    session_from(world, "192.0.2.1");
    expect_usage_cap(start_from(world, "192.0.2.1"), "sessions");
    expect_success(delete_session(world, &second));
    session_from(world, "192.0.2.1");
    world_end(world);
}

/* It is open until its questions are answered: another attempt at one of them ends nothing. */
Test(caps, an_interview_with_another_attempt_is_still_open)
{
    struct world *world = world_with_builtin_coach("MAX_SESSIONS_PER_ADDRESS=1");
    struct session session = start_session(world, 2);

    expect_success(answer(world, &session, ANSWER));
    expect_success(answer_again(world, &session, ANSWER " Again."));
    expect_usage_cap(start_from(world, "192.0.2.1"), "sessions");
    expect_success(answer(world, &session, ANSWER " Two."));
    expect_success(answer_again(world, &session, ANSWER " Two, again."));
    expect_success(start_from(world, "192.0.2.1"));
    world_end(world);
}
