/*
 * "Exactly once", rule by rule.
 */
#include "store_world.h"

static struct world world;

static void set_up(void)
{
    world = world_new();
}

static void tear_down(void)
{
    world_free(&world);
}

TestSuite(turns, .init = set_up, .fini = tear_down);

static void assert_replays(const struct id *id, struct store_input input,
                           unsigned turn_number, const char *outcome)
{
    struct answer answer = begin(&world, id, input);

    cr_assert_eq(answer.error, OK);
    cr_assert_eq(answer.begun.decision, STORE_REPLAY);
    cr_expect_eq(answer.begun.commit_number, turn_number);
    cr_expect_eq(answer.begun.is_refusal, turn_number == 0);
    cr_expect_str_eq(shown(&answer.begun.outcome), outcome);
    answer_free(&answer);
}

/* SQLite's store keeps the words of a turn once, though they are in its outcome as well. */
Test(turns, an_outcome_is_given_again_as_it_was_wherever_the_words_stand_in_it)
{
    static const char words[] = "I led the team through the winter.";
    static const char *const outcomes[] = {
        "{\"transcript\":\"I led the team through the winter.\",\"n\":1}",
        "I led the team through the winter.",
        "I led the team through the winter. I led the team through the winter.",
        "{\"transcript\":\"I led the team through the\"}",
        "{}",
    };

    for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
        struct id id = start(&world, 3);
        struct answer answer = {.loop = world.loop};
        struct store_commit request;

        claim(&world, &id, recorded("one"));
        request = commit_of(&world, &id, 1, recorded("one"), words);
        private_text_free(&request.outcome);
        request.outcome = text_of(outcomes[i]);
        store_commit_turn(world.store, &request, take_done, &answer);
        loop_run(world.loop);
        cr_assert_eq(answer.error, OK);
        assert_replays(&id, recorded("one"), 1, outcomes[i]);
    }
}

Test(turns, a_claimed_turn_gets_the_session)
{
    struct id id = start(&world, 3);
    struct answer answer = begin(&world, &id, said("hello"));

    cr_assert_eq(answer.begun.decision, STORE_RUN);
    cr_expect_str_eq(answer.begun.session->id.text, id.text);
    cr_expect_str_eq(shown(session_current_question(answer.begun.session)),
                     "Question 1?");
    cr_expect_null(answer.begun.session->turns);
    answer_free(&answer);
}

Test(turns, a_committed_turn_moves_the_session_on)
{
    struct id id = start(&world, 3);
    struct answer answer;

    world.now_ms += 1000;
    turn(&world, &id, 1, said("hello"));
    answer = load(&world, &id);

    cr_expect_eq(answer.session->turn_count, 1);
    cr_expect_eq(answer.session->asked_count, 2);
    cr_expect_str_eq(shown(session_current_question(answer.session)), "Question 2?");
    cr_expect_eq(answer.session->last_activity_ms, world.now_ms);
    cr_expect_eq(answer.session->expires_ms, world.now_ms + TTL_MS);
    answer_free(&answer);
}

Test(turns, the_last_turn_gets_the_turns_before_it)
{
    struct id id = start(&world, 3);
    struct answer answer;

    turn(&world, &id, 1, said("one"));
    turn(&world, &id, 2, said("two"));
    answer = begin(&world, &id, said("three"));

    cr_assert_not_null(answer.begun.session->turns);
    cr_expect_str_eq(shown(answer.begun.session->turns[0].question), "Question 1?");
    cr_expect_str_eq(shown(answer.begun.session->turns[1].question), "Question 2?");
    cr_expect_str_eq(shown(&answer.begun.session->turns[1].transcript),
                     "I led the team.");
    cr_expect(answer.begun.session->turns[1].is_scored);
    cr_expect_eq(answer.begun.session->turns[1].scores[3], 5);
    answer_free(&answer);
}

Test(turns, an_unknown_session_is_not_found)
{
    struct id id = id_random();

    cr_expect_eq(begin_error(&world, &id, said("hello")), ERROR_SESSION_NOT_FOUND);
}

Test(turns, a_session_in_upper_case_is_the_same_session)
{
    struct id id = start(&world, 3);

    for (char *at = id.text; *at != '\0'; at++)
        *at = (char)(*at >= 'a' && *at <= 'f' ? *at - 'a' + 'A' : *at);
    claim(&world, &id, said("hello"));
}

Test(turns, an_expired_session_is_not_found)
{
    struct id id = start(&world, 3);

    world.now_ms += TTL_MS;

    cr_expect_eq(begin_error(&world, &id, said("hello")), ERROR_SESSION_NOT_FOUND);
}

Test(turns, a_second_turn_while_one_runs_is_in_progress)
{
    struct id id = start(&world, 3);

    claim(&world, &id, said("one"));

    cr_expect_eq(begin_error(&world, &id, said("two")), ERROR_TURN_IN_PROGRESS);
    cr_expect_eq(begin_error(&world, &id, said("one")), ERROR_TURN_IN_PROGRESS);
}

Test(turns, a_complete_session_takes_no_more_turns)
{
    struct id id = start(&world, 1);

    turn(&world, &id, 1, said("one"));
    report(&world, &id, 1, true);

    cr_expect_eq(begin_error(&world, &id, said("two")), ERROR_SESSION_COMPLETE);
}

Test(turns, the_same_recording_is_replayed_though_it_was_delivered)
{
    struct id id = start(&world, 3);

    turn(&world, &id, 1, recorded("audio"));
    report(&world, &id, 1, true);

    assert_replays(&id, recorded("audio"), 1, "{\"turn\":1}");
}

Test(turns, the_last_turns_recording_is_replayed_though_the_session_is_complete)
{
    struct id id = start(&world, 1);

    turn(&world, &id, 1, recorded("audio"));

    assert_replays(&id, recorded("audio"), 1, "{\"turn\":1}");
}

Test(turns, the_recording_of_the_turn_before_the_last_is_a_new_turn)
{
    struct id id = start(&world, 3);

    turn(&world, &id, 1, recorded("one"));
    turn(&world, &id, 2, recorded("two"));

    claim(&world, &id, recorded("one"));
}

Test(turns, the_same_answer_is_replayed_while_its_reply_is_undelivered)
{
    struct id id = start(&world, 3);

    turn(&world, &id, 1, said("I don't know"));
    report(&world, &id, 1, false);

    assert_replays(&id, said("I don't know"), 1, "{\"turn\":1}");
}

Test(turns, the_same_answer_is_a_new_turn_once_its_reply_was_delivered)
{
    struct id id = start(&world, 3);

    turn(&world, &id, 1, said("I don't know"));
    report(&world, &id, 1, true);

    claim(&world, &id, said("I don't know"));
}

Test(turns, a_delivery_is_remembered_over_a_restart)
{
    struct id id = start(&world, 3);

    turn(&world, &id, 1, said("I don't know"));
    report(&world, &id, 1, true);
    world_restart(&world);

    claim(&world, &id, said("I don't know"));
}

Test(turns, a_reply_that_was_on_its_way_at_a_restart_counts_as_undelivered)
{
    struct id id = start(&world, 3);

    turn(&world, &id, 1, said("I don't know"));
    world_restart(&world);

    assert_replays(&id, said("I don't know"), 1, "{\"turn\":1}");
}

Test(turns, the_same_answer_waits_for_the_report_of_delivery)
{
    struct id id = start(&world, 3);
    struct answer answer = {.loop = world.loop};
    struct store_claim again = {.session_id = id,
                                .request_id = id_random(),
                                .input = said("I don't know"),
                                .now_ms = world.now_ms};

    turn(&world, &id, 1, said("I don't know"));
    store_begin_turn(world.store, &again, take_begun, &answer);
    report(&world, &id, 1, true);
    loop_run(world.loop);

    cr_assert_eq(answer.error, OK);
    cr_expect_eq(answer.begun.decision, STORE_RUN);
    answer_free(&answer);
}

Test(turns, the_same_answer_is_replayed_when_no_report_comes)
{
    struct id id = start(&world, 3);

    turn(&world, &id, 1, said("I don't know"));

    assert_replays(&id, said("I don't know"), 1, "{\"turn\":1}");
}

Test(turns, another_answer_runs_while_the_reply_is_on_its_way)
{
    struct id id = start(&world, 3);

    turn(&world, &id, 1, said("one"));

    claim(&world, &id, said("two"));
}

Test(turns, a_delivered_replay_makes_the_turn_delivered)
{
    struct id id = start(&world, 3);

    turn(&world, &id, 1, said("I don't know"));
    report(&world, &id, 1, false);
    assert_replays(&id, said("I don't know"), 1, "{\"turn\":1}");
    report(&world, &id, 1, true);

    claim(&world, &id, said("I don't know"));
}

Test(turns, a_recording_is_not_recognised_by_what_was_heard_in_it)
{
    struct id id = start(&world, 3);

    turn(&world, &id, 1, recorded("audio"));
    report(&world, &id, 1, false);

    claim(&world, &id, said("I led the team."));
}

Test(turns, a_known_key_gives_the_first_outcome_again)
{
    struct id id = start(&world, 3);
    struct store_input first = input_of("one", NULL, "key 1", "body 1");

    turn(&world, &id, 1, first);
    report(&world, &id, 1, true);
    turn(&world, &id, 2, said("two"));

    assert_replays(&id, first, 1, "{\"turn\":1}");
}

Test(turns, a_known_key_with_another_body_is_reuse)
{
    struct id id = start(&world, 3);

    turn(&world, &id, 1, input_of("one", NULL, "key 1", "body 1"));

    cr_expect_eq(begin_error(&world, &id, input_of("two", NULL, "key 1", "body 2")),
                 ERROR_IDEMPOTENCY_KEY_REUSE);
}

Test(turns, the_key_of_the_running_turn_is_in_progress_or_reuse)
{
    struct id id = start(&world, 3);

    claim(&world, &id, input_of("one", NULL, "key 1", "body 1"));

    cr_expect_eq(begin_error(&world, &id, input_of("one", NULL, "key 1", "body 1")),
                 ERROR_TURN_IN_PROGRESS);
    cr_expect_eq(begin_error(&world, &id, input_of("two", NULL, "key 1", "body 2")),
                 ERROR_IDEMPOTENCY_KEY_REUSE);
}

Test(turns, a_key_of_another_session_is_unknown)
{
    struct id one = start(&world, 3);
    struct id other = start(&world, 3);

    turn(&world, &one, 1, input_of("one", NULL, "key 1", "body 1"));

    claim(&world, &other, input_of("two", NULL, "key 1", "body 2"));
}

Test(turns, a_refusal_is_remembered_under_its_key)
{
    struct id id = start(&world, 3);
    struct store_input input = input_of("rude", NULL, "key 1", "body 1");

    claim(&world, &id, input);
    end(&world, &id, input.key, "{\"refused\":true}");

    assert_replays(&id, input, 0, "{\"refused\":true}");
}

Test(turns, a_failure_is_not_remembered_under_its_key)
{
    struct id id = start(&world, 3);
    struct store_input input = input_of("one", NULL, "key 1", "body 1");

    claim(&world, &id, input);
    end(&world, &id, input.key, NULL);

    claim(&world, &id, input);
}

Test(turns, a_new_key_that_got_a_replay_keeps_that_outcome)
{
    struct id id = start(&world, 3);
    struct store_input again = input_of(NULL, "audio", "key 2", "body 2");

    turn(&world, &id, 1, recorded("audio"));
    assert_replays(&id, again, 1, "{\"turn\":1}");
    turn(&world, &id, 2, said("two"));

    assert_replays(&id, again, 1, "{\"turn\":1}");
}

Test(turns, only_so_many_refusals_are_remembered_and_never_a_committed_turn_forgotten)
{
    struct id id = start(&world, 3);
    struct store_input committed = input_of("one", NULL, "committed", "body");
    char key[32];

    turn(&world, &id, 1, committed);
    for (int i = 0; i < 65; i++) {
        struct store_input refused;

        snprintf(key, sizeof(key), "refused %d", i);
        refused = input_of("rude", NULL, key, "body");
        claim(&world, &id, refused);
        end(&world, &id, refused.key, "{\"refused\":true}");
    }

    assert_replays(&id, committed, 1, "{\"turn\":1}");
    assert_replays(&id, input_of("rude", NULL, "refused 1", "body"), 0,
                   "{\"refused\":true}");
    claim(&world, &id, input_of("rude", NULL, "refused 0", "body"));
}

Test(turns, a_refused_turn_changes_nothing_but_the_expiry)
{
    struct id id = start(&world, 3);
    struct answer before;
    struct answer after;

    turn(&world, &id, 1, said("one"));
    before = load(&world, &id);
    world.now_ms += 5000;
    claim(&world, &id, said("rude"));
    end(&world, &id, (struct store_key){0}, "{\"refused\":true}");
    after = load(&world, &id);

    cr_expect_eq(after.session->turn_count, before.session->turn_count);
    cr_expect_eq(after.session->asked_count, before.session->asked_count);
    cr_expect_eq(after.session->last_activity_ms, before.session->last_activity_ms);
    cr_expect_eq(after.session->expires_ms, before.session->expires_ms + 5000);
    answer_free(&before);
    answer_free(&after);
}

Test(turns, an_ended_turn_leaves_room_for_the_next)
{
    struct id id = start(&world, 3);

    claim(&world, &id, said("one"));
    end(&world, &id, (struct store_key){0}, NULL);

    claim(&world, &id, said("one"));
}

Test(turns, an_ended_turn_does_not_revive_an_expired_session)
{
    struct id id = start(&world, 3);

    claim(&world, &id, said("rude"));
    world.now_ms += TTL_MS;
    end(&world, &id, (struct store_key){0}, "{\"refused\":true}");

    cr_expect_eq(begin_error(&world, &id, said("two")), ERROR_SESSION_NOT_FOUND);
}

Test(turns, a_commit_of_a_deleted_session_finds_none)
{
    struct id id = start(&world, 3);

    claim(&world, &id, said("one"));
    cr_assert_eq(remove_session(&world, &id), OK);

    cr_expect_eq(commit(&world, &id, 1, said("one"), "one"), ERROR_SESSION_NOT_FOUND);
}

Test(turns, a_commit_of_an_expired_session_finds_none)
{
    struct id id = start(&world, 3);

    claim(&world, &id, said("one"));
    world.now_ms += TTL_MS;

    cr_expect_eq(commit(&world, &id, 1, said("one"), "one"), ERROR_SESSION_NOT_FOUND);
}

Test(turns, a_commit_that_another_process_overtook_changes_nothing)
{
    struct id id = start(&world, 3);
    struct world other;
    struct answer answer;

    ONLY_ON_SQLITE();
    other = world_beside(&world);
    claim(&world, &id, said("one"));
    claim(&other, &id, said("two"));
    cr_expect_eq(commit(&other, &id, 1, said("two"), "two"), OK);
    cr_expect_eq(commit(&world, &id, 1, said("one"), "one"), ERROR_TURN_IN_PROGRESS);
    world_end(&other);

    answer = load(&world, &id);
    cr_expect_eq(answer.session->turn_count, 1);
    answer_free(&answer);
    assert_replays(&id, said("two"), 1, "{\"turn\":1}");
}
