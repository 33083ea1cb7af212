/*
 * What was heard in a recording, and what was spoken in reply.
 */
#include "store_world.h"

static struct world world;
static struct id id;

static void set_up(void)
{
    world = world_new();
    id = start(&world, 10);
}

static void tear_down(void)
{
    world_free(&world);
}

TestSuite(speech, .init = set_up, .fini = tear_down);

/* A turn with this recording is begun and fails; was this heard in it? */
static void assert_heard(const char *audio, const char *heard)
{
    struct answer answer = begin(&world, &id, recorded(audio));

    cr_assert_eq(answer.error, OK);
    cr_assert_eq(answer.begun.decision, STORE_RUN);
    if (heard == NULL)
        cr_expect(private_text_is_empty(&answer.begun.heard));
    else
        cr_expect_str_eq(shown(&answer.begun.heard), heard);
    answer_free(&answer);
    end(&world, &id, (struct store_key){0}, NULL);
}

static void assert_spoken(const struct id *request_id, const char *start)
{
    struct answer answer = load_speech(&world, &id, request_id);

    cr_assert_eq(answer.error, OK);
    cr_expect_eq(strncmp(shown(&answer.speech.audio), start, strlen(start)), 0);
    answer_free(&answer);
}

static void assert_silent(const struct id *request_id)
{
    struct answer answer = load_speech(&world, &id, request_id);

    cr_expect_eq(answer.error, ERROR_TTS_AUDIO_NOT_FOUND);
    answer_free(&answer);
}

Test(speech, what_was_heard_comes_back_with_the_same_recording)
{
    assert_heard("one", NULL);
    remember(&world, &id, "one", "{\"transcript\":\"I led\"}");

    assert_heard("one", "{\"transcript\":\"I led\"}");
    assert_heard("one", "{\"transcript\":\"I led\"}");
}

Test(speech, another_recording_is_not_taken_for_the_one_that_was_heard)
{
    remember(&world, &id, "one", "I led");

    assert_heard("two", NULL);
    assert_heard("one", "I led");
}

Test(speech, a_turn_without_a_recording_is_told_nothing)
{
    struct answer answer;

    remember(&world, &id, "one", "I led");
    answer = begin(&world, &id, said("I led"));

    cr_expect(private_text_is_empty(&answer.begun.heard));
    answer_free(&answer);
}

Test(speech, what_was_refused_is_not_remembered)
{
    remember(&world, &id, "one", "I led");
    claim(&world, &id, recorded("one"));
    end(&world, &id, (struct store_key){0}, "{}");

    assert_heard("one", NULL);
}

Test(speech, a_newer_recording_replaces_what_was_heard)
{
    remember(&world, &id, "one", "I led");
    remember(&world, &id, "two", "I followed");

    assert_heard("one", NULL);
    assert_heard("two", "I followed");
}

Test(speech, what_was_heard_outlives_the_process)
{
    remember(&world, &id, "one", "I led");
    world_restart(&world);

    assert_heard("one", "I led");
}

Test(speech, a_committed_turn_drops_what_was_heard)
{
    remember(&world, &id, "one", "I led");
    turn(&world, &id, 1, recorded("one"));
    report(&world, &id, 1, true);
    turn(&world, &id, 2, said("more"));
    report(&world, &id, 2, true);

    assert_heard("one", NULL);
}

Test(speech, what_was_heard_changes_nothing_that_is_seen)
{
    struct answer before = load(&world, &id);
    struct answer after;

    world.now_ms += 1000;
    remember(&world, &id, "one", "I led");
    after = load(&world, &id);

    cr_expect_eq(before.session->expires_ms, after.session->expires_ms);
    cr_expect_eq(before.session->last_activity_ms, after.session->last_activity_ms);
    cr_expect_eq(before.session->turn_count, after.session->turn_count);
    answer_free(&before);
    answer_free(&after);
}

Test(speech, an_endless_text_is_not_kept)
{
    char *text = mem_zalloc(STORE_HEARD_BYTES_MOST + 2);

    memset(text, 'x', STORE_HEARD_BYTES_MOST + 1);
    remember(&world, &id, "one", text);
    assert_heard("one", NULL);

    text[STORE_HEARD_BYTES_MOST] = '\0';
    remember(&world, &id, "one", text);
    assert_heard("one", text);
    free(text);
}

Test(speech, nothing_is_remembered_for_a_session_that_is_not_there)
{
    struct id nobody = id_random();

    remember(&world, &nobody, "one", "I led");

    cr_expect_eq(check(&world), OK);
    cr_expect_str_eq(store_trouble(world.backend).code, "");
}

Test(speech, a_reply_is_heard_under_its_turns_request)
{
    struct id request = spoken_turn(&world, &id, 1, speech_of(&world, "sound ", 300000));
    struct answer answer = load_speech(&world, &id, &request);

    cr_assert_eq(answer.error, OK);
    cr_expect_eq(answer.speech.audio.length, 300000);
    cr_expect_str_eq(answer.speech.content_type, "audio/wav");
    cr_expect_eq(answer.speech.expires_ms, world.now_ms + SPEECH_MS);
    answer_free(&answer);
}

Test(speech, bytes_that_are_no_text_come_back_as_they_were)
{
    struct store_speech speech = speech_of(&world, "", 0);
    struct id request;
    struct answer answer;

    private_text_free(&speech.audio);
    speech.audio = private_text_copy("\xff\xfb\0\0\x90", 5);
    speech.content_type = "audio/mpeg";
    request = spoken_turn(&world, &id, 1, speech);
    answer = load_speech(&world, &id, &request);

    cr_expect_eq(answer.speech.audio.length, 5);
    cr_expect_arr_eq(shown(&answer.speech.audio), "\xff\xfb\0\0\x90", 5);
    cr_expect_str_eq(answer.speech.content_type, "audio/mpeg");
    answer_free(&answer);
}

Test(speech, it_outlives_the_process)
{
    struct id request = spoken_turn(&world, &id, 1, speech_of(&world, "sound ", 9000));

    world_restart(&world);

    assert_spoken(&request, "sound ");
}

Test(speech, a_turn_without_it_has_none)
{
    turn(&world, &id, 1, said("answer"));

    assert_silent(&world.request_id);
}

Test(speech, another_session_does_not_get_it)
{
    struct id request = spoken_turn(&world, &id, 1, speech_of(&world, "sound ", 9000));
    struct id other = start(&world, 3);
    struct answer answer = load_speech(&world, &other, &request);

    cr_expect_eq(answer.error, ERROR_TTS_AUDIO_NOT_FOUND);
    answer_free(&answer);
}

Test(speech, it_ends_when_it_expires)
{
    struct id request = spoken_turn(&world, &id, 1, speech_of(&world, "sound ", 9000));

    world.now_ms += SPEECH_MS - 1;
    assert_spoken(&request, "sound ");
    world.now_ms += 1;
    assert_silent(&request);
}

Test(speech, it_ends_with_its_session)
{
    struct id request = spoken_turn(&world, &id, 1, speech_of(&world, "sound ", 9000));

    cr_assert_eq(remove_session(&world, &id), OK);

    assert_silent(&request);
}

Test(speech, the_oldest_goes_where_there_is_no_room)
{
    struct id requests[4];

    for (unsigned i = 0; i < 4; i++) {
        struct store_speech speech = speech_of(&world, "sound ", 1000);

        speech.max_total_bytes = 3000;
        requests[i] = spoken_turn(&world, &id, i + 1, speech);
        world.now_ms++;
    }

    assert_silent(&requests[0]);
    for (unsigned i = 1; i < 4; i++)
        assert_spoken(&requests[i], "sound ");
}

Test(speech, a_long_one_takes_the_room_of_several)
{
    struct id requests[3];
    struct store_speech speech;

    for (unsigned i = 0; i < 2; i++)
        requests[i] = spoken_turn(&world, &id, i + 1, speech_of(&world, "short ", 1000));
    speech = speech_of(&world, "long ", 2500);
    speech.max_total_bytes = 3000;
    requests[2] = spoken_turn(&world, &id, 3, speech);

    assert_silent(&requests[0]);
    assert_silent(&requests[1]);
    assert_spoken(&requests[2], "long ");
}

Test(speech, one_longer_than_all_the_room_is_not_stored_and_takes_none)
{
    struct id first = spoken_turn(&world, &id, 1, speech_of(&world, "sound ", 1000));
    struct store_speech speech = speech_of(&world, "long ", 3001);
    struct id second;

    speech.max_total_bytes = 3000;
    second = spoken_turn(&world, &id, 2, speech);

    assert_spoken(&first, "sound ");
    assert_silent(&second);
}

/* Room that was given back counts: by expiry, and by the end of a session. */
Test(speech, the_room_of_what_is_gone_is_free)
{
    struct id other = start(&world, 3);
    struct store_speech speech;
    struct id requests[2];

    spoken_turn(&world, &other, 1, speech_of(&world, "gone ", 2000));
    cr_assert_eq(remove_session(&world, &other), OK);
    spoken_turn(&world, &id, 1, speech_of(&world, "expired ", 2000));
    world.now_ms += SPEECH_MS;
    store_sweep(world.backend, world.now_ms, 0);
    check(&world);
    check(&world);

    for (unsigned i = 0; i < 2; i++) {
        speech = speech_of(&world, "sound ", 1500);
        speech.max_total_bytes = 3000;
        requests[i] = spoken_turn(&world, &id, i + 2, speech);
    }
    assert_spoken(&requests[0], "sound ");
    assert_spoken(&requests[1], "sound ");
}

Test(speech, a_commit_that_loses_stores_none)
{
    struct answer answer = {.loop = world.loop};
    struct store_commit request;

    turn(&world, &id, 1, said("answer"));
    request = commit_of(&world, &id, 1, said("answer"), "answer");
    request.request_id = id_random();
    request.speech = speech_of(&world, "sound ", 1000);
    world.request_id = request.request_id;
    store_commit_turn(world.store, &request, take_done, &answer);
    loop_run(world.loop);

    cr_expect_eq(answer.error, ERROR_TURN_IN_PROGRESS);
    assert_silent(&world.request_id);
}
