/*
 * Other attempts at a question, replies that change nothing, the end of an interview by its
 * candidate, and what it brought: as both stores keep them.
 */
#include "store_world.h"

static struct world world;

static const struct store_input nothing;

static void set_up(void)
{
    world = world_new();
}

static void tear_down(void)
{
    world_free(&world);
}

TestSuite(attempts, .init = set_up, .fini = tear_down);

static struct answer begin_for(enum store_purpose purpose, const struct id *id,
                               struct store_input input)
{
    struct answer answer = {.loop = world.loop};
    struct store_claim claim = {.session_id = *id,
                                .request_id = id_random(),
                                .purpose = purpose,
                                .attempts_most = 3,
                                .input = input,
                                .now_ms = world.now_ms};

    store_begin_turn(world.store, &claim, take_begun, &answer);
    loop_run(world.loop);
    if (answer.error == OK && answer.begun.decision == STORE_RUN)
        world.request_id = claim.request_id;
    return answer;
}

static enum error commit_attempt(const struct id *id, unsigned commit_number,
                                 unsigned turn_number, struct store_input input)
{
    struct answer answer = {.loop = world.loop};
    struct store_commit request =
        commit_of(&world, id, turn_number, input, "I led it again.");
    char outcome[64];

    private_text_free(&request.next_question);
    private_text_free(&request.outcome);
    snprintf(outcome, sizeof(outcome), "{\"commit\":%u}", commit_number);
    request.outcome = text_of(outcome);
    request.commit_number = commit_number;
    store_commit_turn(world.store, &request, take_done, &answer);
    loop_run(world.loop);
    return answer.error;
}

/* A whole one. */
static void attempt(const struct id *id, unsigned commit_number, unsigned turn_number,
                    struct store_input input)
{
    struct answer answer = begin_for(STORE_FOR_ATTEMPT, id, input);

    cr_assert_eq(answer.error, OK);
    cr_assert_eq(answer.begun.decision, STORE_RUN);
    answer_free(&answer);
    cr_assert_eq(commit_attempt(id, commit_number, turn_number, input), OK);
}

static void assert_replays(enum store_purpose purpose, const struct id *id,
                           struct store_input input, unsigned commit_number)
{
    struct answer answer = begin_for(purpose, id, input);

    cr_assert_eq(answer.error, OK);
    cr_assert_eq(answer.begun.decision, STORE_REPLAY);
    cr_expect_eq(answer.begun.commit_number, commit_number);
    answer_free(&answer);
}

static void assert_runs(enum store_purpose purpose, const struct id *id,
                        struct store_input input)
{
    struct answer answer = begin_for(purpose, id, input);

    cr_assert_eq(answer.error, OK);
    cr_expect_eq(answer.begun.decision, STORE_RUN);
    answer_free(&answer);
    end(&world, id, (struct store_key){0}, NULL);
}

static enum error finish(const struct id *id, unsigned commit_count, const char *outcome)
{
    struct answer answer = {.loop = world.loop};
    struct store_finish request = {.session_id = *id,
                                   .request_id = world.request_id,
                                   .commit_count = commit_count,
                                   .outcome = text_of(outcome),
                                   .now_ms = world.now_ms,
                                   .expires_ms = world.now_ms + TTL_MS};

    store_finish_session(world.store, &request, take_done, &answer);
    loop_run(world.loop);
    return answer.error;
}

static struct session *load_whole(const struct id *id)
{
    struct answer answer = {.loop = world.loop};

    store_load_session(world.store, id, world.now_ms, true, take_session, &answer);
    loop_run(world.loop);
    cr_assert_eq(answer.error, OK);
    return answer.session;
}

Test(attempts, one_is_kept_beside_its_turn_and_moves_nothing)
{
    struct id id = start(&world, 3);
    struct store_commit request;
    struct session *session;
    struct answer answer = {0};

    turn(&world, &id, 1, said("one"));
    attempt(&id, 2, 1, said("again"));
    world_restart(&world);
    claim(&world, &id, said("two"));
    request = commit_of(&world, &id, 2, said("two"), "Two.");
    request.commit_number = 3;
    answer.loop = world.loop;
    store_commit_turn(world.store, &request, take_done, &answer);
    loop_run(world.loop);
    cr_assert_eq(answer.error, OK);

    session = load_whole(&id);
    cr_expect_eq(session->turn_count, 2);
    cr_expect_eq(session->commit_count, 3);
    cr_expect_eq(session->attempt_count, 1);
    cr_expect_eq(session->asked_count, 3);
    cr_expect_eq(session->turns[1].number, 1);
    cr_expect_eq(session->turns[1].attempt, 2);
    cr_expect_str_eq(shown(session->turns[1].question), "Question 1?");
    cr_expect_str_eq(shown(&session->turns[1].transcript), "I led it again.");
    cr_expect_str_eq(shown(&session->turns[1].outcome), "{\"commit\":2}");
    cr_expect_eq(session->turns[1].at_ms, world.now_ms);
    cr_expect_eq(session->turns[2].number, 2);
    cr_expect_eq(session->turns[2].attempt, 1);
    session_free(session);
}

Test(attempts, a_recording_of_a_turn_is_no_repeat_of_it_but_of_the_attempt_that_it_made)
{
    struct id id = start(&world, 3);

    turn(&world, &id, 1, recorded("take"));
    assert_runs(STORE_FOR_ATTEMPT, &id, recorded("take"));
    attempt(&id, 2, 1, recorded("take"));
    assert_replays(STORE_FOR_ATTEMPT, &id, recorded("take"), 2);
    assert_replays(STORE_FOR_TURN, &id, recorded("take"), 2);
    assert_runs(STORE_FOR_ATTEMPT, &id, recorded("another take"));
}

Test(attempts, the_same_words_are_a_repeat_while_the_reply_has_not_arrived)
{
    struct id id = start(&world, 3);

    turn(&world, &id, 1, said("one"));
    report(&world, &id, 1, false);
    assert_runs(STORE_FOR_ATTEMPT, &id, said("one"));
    attempt(&id, 2, 1, said("again"));
    report(&world, &id, 2, false);
    assert_replays(STORE_FOR_ATTEMPT, &id, said("again"), 2);
    report(&world, &id, 2, true);
    assert_runs(STORE_FOR_ATTEMPT, &id, said("again"));
    world_restart(&world);
    assert_runs(STORE_FOR_ATTEMPT, &id, said("again"));
}

Test(attempts, there_must_be_a_question_and_only_so_many_attempts_at_it)
{
    struct id id = start(&world, 3);
    struct answer answer = begin_for(STORE_FOR_ATTEMPT, &id, said("again"));

    cr_expect_eq(answer.error, ERROR_NO_QUESTION_ANSWERED);
    turn(&world, &id, 1, said("one"));
    attempt(&id, 2, 1, said("second"));
    attempt(&id, 3, 1, said("third"));
    answer = begin_for(STORE_FOR_ATTEMPT, &id, said("fourth"));
    cr_expect_eq(answer.error, ERROR_TOO_MANY_ATTEMPTS);
    assert_replays(STORE_FOR_ATTEMPT, &id, said("third"),
                   3); /* whose reply is on its way */
}

Test(attempts, one_comes_to_a_complete_session_too)
{
    struct id id = start(&world, 1);
    struct answer answer;

    turn(&world, &id, 1, said("one"));
    answer = begin_for(STORE_FOR_ATTEMPT, &id, said("again"));
    cr_assert_eq(answer.error, OK);
    cr_assert_not_null(answer.begun.session->turns);
    cr_expect_str_eq(shown(&answer.begun.session->turns[0].outcome), "{\"turn\":1}");
    answer_free(&answer);
    cr_expect_eq(commit_attempt(&id, 2, 1, said("again")), OK);
    cr_expect_eq(begin_error(&world, &id, said("two")), ERROR_SESSION_COMPLETE);
}

Test(attempts, of_two_commits_one_stands)
{
    struct id id = start(&world, 3);
    struct world other;

    turn(&world, &id, 1, said("one"));
    other = world_beside(&world);
    attempt(&id, 2, 1, said("again"));
    cr_expect_eq(commit(&other, &id, 2, said("two"), "I led it."),
                 ERROR_TURN_IN_PROGRESS);
    world_end(&other);
}

Test(attempts, a_finished_session_is_complete_and_keeps_the_outcome)
{
    struct id id = start(&world, 3);
    struct session *session;
    struct answer answer;

    turn(&world, &id, 1, said("one"));
    answer = begin_for(STORE_FOR_FINISH, &id, nothing);
    cr_assert_eq(answer.error, OK);
    answer_free(&answer);
    cr_expect_eq(begin_error(&world, &id, said("two")), ERROR_TURN_IN_PROGRESS);
    cr_expect_eq(finish(&id, 1, "{\"finish\":1}"), OK);
    world_restart(&world);

    cr_expect_eq(begin_error(&world, &id, said("two")), ERROR_SESSION_COMPLETE);
    session = load_whole(&id);
    cr_expect(session_is_complete(session));
    cr_expect_str_eq(shown(&session->finish), "{\"finish\":1}");
    session_free(session);

    assert_runs(STORE_FOR_FINISH, &id, nothing);
    cr_expect_eq(finish(&id, 1, "{\"finish\":2}"), OK);
    session = load_whole(&id);
    cr_expect_str_eq(shown(&session->finish), "{\"finish\":2}");
    session_free(session);
}

Test(attempts, the_outcome_of_a_finish_is_none_of_the_session_after_another_attempt)
{
    struct id id = start(&world, 3);
    struct session *session;
    struct answer answer;
    struct store_commit request;

    turn(&world, &id, 1, said("one"));
    assert_runs(STORE_FOR_FINISH, &id, nothing);
    cr_expect_eq(finish(&id, 1, "{\"finish\":1}"), OK);
    answer = begin_for(STORE_FOR_ATTEMPT, &id, said("again"));
    cr_assert_eq(answer.error, OK);
    answer_free(&answer);
    answer = (struct answer){.loop = world.loop};
    request = commit_of(&world, &id, 1, said("again"), "Again.");
    private_text_free(&request.next_question);
    request.commit_number = 2;
    request.was_finished = true;
    store_commit_turn(world.store, &request, take_done, &answer);
    loop_run(world.loop);
    cr_expect_eq(answer.error, OK);

    session = load_whole(&id);
    cr_expect(session_is_complete(session));
    cr_expect(private_text_is_empty(&session->finish));
    session_free(session);
}

Test(attempts, a_turn_that_a_finish_overtook_changes_nothing)
{
    struct id id = start(&world, 3);
    struct world other;

    turn(&world, &id, 1, said("one"));
    other = world_beside(&world);
    cr_expect_eq(finish(&id, 1, "{}"), OK);
    cr_expect_eq(commit(&other, &id, 2, said("two"), "I led it."),
                 ERROR_TURN_IN_PROGRESS);
    world_end(&other);
}

Test(attempts, a_finish_that_a_turn_overtook_changes_nothing)
{
    struct id id = start(&world, 3);
    struct session *session;

    turn(&world, &id, 1, said("one"));
    world.request_id = id_random();
    cr_expect_eq(finish(&id, 0, "{}"), ERROR_TURN_IN_PROGRESS);
    session = load_whole(&id);
    cr_expect_not(session_is_complete(session));
    session_free(session);
}

static enum error keep_reply(const struct id *id, struct store_key key)
{
    struct answer answer = {.loop = world.loop};
    struct store_end request = {.session_id = *id,
                                .request_id = world.request_id,
                                .key = key,
                                .outcome = text_of("{\"kind\":\"repeat\"}"),
                                .speech = speech_of(&world, "question ", 1000),
                                .now_ms = world.now_ms,
                                .forgets_heard = true,
                                .expires_ms = world.now_ms + TTL_MS};

    store_keep_reply(world.store, &request, take_done, &answer);
    loop_run(world.loop);
    return answer.error;
}

Test(attempts, a_reply_that_changes_nothing_is_kept_under_its_key_with_its_speech)
{
    struct store_input input = input_of("Pardon?", NULL, "key", "body");
    struct id id = start(&world, 3);
    struct answer answer;

    claim(&world, &id, input);
    cr_expect_eq(keep_reply(&id, input.key), OK);
    world_restart(&world);

    answer = begin(&world, &id, input);
    cr_assert_eq(answer.begun.decision, STORE_REPLAY);
    cr_expect_eq(answer.begun.commit_number, 0);
    cr_expect_not(answer.begun.is_refusal);
    cr_expect_str_eq(shown(&answer.begun.outcome), "{\"kind\":\"repeat\"}");
    answer_free(&answer);
    answer = load_speech(&world, &id, &world.request_id);
    cr_expect_eq(answer.error, OK);
    cr_expect_eq(answer.speech.audio.length, 1000);
    answer_free(&answer);
    answer = load(&world, &id);
    cr_expect_eq(answer.session->commit_count, 0);
    answer_free(&answer);
    turn(&world, &id, 1, said("one"));
}

Test(attempts, a_reply_of_a_session_that_went_is_told_so)
{
    struct id id = start(&world, 3);

    claim(&world, &id, said("Pardon?"));
    cr_assert_eq(remove_session(&world, &id), OK);
    cr_expect_eq(keep_reply(&id, (struct store_key){0}), ERROR_SESSION_NOT_FOUND);
}

Test(attempts, papers_are_read_where_they_are_wanted_and_only_there)
{
    struct session *session = session_of(3, world.now_ms);
    struct id id = session->id;
    struct store_claim claim = {.session_id = id,
                                .request_id = id_random(),
                                .wants_turns = true,
                                .input = said("one"),
                                .now_ms = world.now_ms};
    struct answer answer;

    session->papers.job_advert = text_of("We need a nurse.");
    session->papers.demands = text_of("[\"a nurse\"]");
    answer = create(&world, session, (struct store_key){0});
    cr_assert_eq(answer.error, OK);
    answer_free(&answer);
    world_restart(&world);

    answer = load(&world, &id);
    cr_expect(session_papers_are_empty(&answer.session->papers));
    answer_free(&answer);
    session = load_whole(&id);
    cr_expect_str_eq(shown(&session->papers.job_advert), "We need a nurse.");
    cr_expect(private_text_is_empty(&session->papers.resume));
    cr_expect_str_eq(shown(&session->papers.demands), "[\"a nurse\"]");
    session_free(session);
    answer = (struct answer){.loop = world.loop};
    store_begin_turn(world.store, &claim, take_begun, &answer);
    loop_run(world.loop);
    cr_expect_str_eq(shown(&answer.begun.session->papers.demands), "[\"a nurse\"]");
    answer_free(&answer);
}
