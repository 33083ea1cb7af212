/*
 * Sessions in the store: made, found, deleted, swept.
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

TestSuite(sessions, .init = set_up, .fini = tear_down);

static struct store_key key_of(const char *key, const char *fingerprint)
{
    return input_of(NULL, NULL, key, fingerprint).key;
}

/* Creates one under a key; its id in `ret_id`. */
static struct answer create_under(const char *key, const char *fingerprint)
{
    return create(&world, session_of(3, world.now_ms), key_of(key, fingerprint));
}

static enum error load_error(const struct id *id)
{
    struct answer answer = load(&world, id);

    answer_free(&answer);
    return answer.error;
}

Test(sessions, a_new_session_can_be_loaded)
{
    struct id id = start(&world, 3);
    struct answer answer = load(&world, &id);

    cr_assert_eq(answer.error, OK);
    cr_expect(id_equals(&answer.session->id, &id));
    cr_expect_str_eq(shown(&answer.session->role), "Site Reliability Engineer");
    cr_expect_str_eq(shown(&answer.session->interview_type), "behavioural");
    cr_expect_str_eq(shown(&answer.session->asked[0]), "Question 1?");
    cr_expect_eq(answer.session->difficulty, 1);
    cr_expect_eq(answer.session->total_questions, 3);
    cr_expect_eq(answer.session->turn_count, 0);
    cr_expect_eq(answer.session->created_ms, NOW_MS);
    cr_expect_eq(answer.session->expires_ms, NOW_MS + TTL_MS);
    answer_free(&answer);
}

Test(sessions, a_session_outlives_a_restart)
{
    struct id id = start(&world, 3);

    turn(&world, &id, 1, said("one"));
    world_restart(&world);

    cr_expect_eq(load_error(&id), OK);
}

Test(sessions, a_known_key_gives_the_session_of_then)
{
    struct answer first = create_under("key 1", "body 1");
    struct answer second = create_under("key 1", "body 1");

    cr_expect_not(first.is_replay);
    cr_expect(second.is_replay);
    cr_expect(id_equals(&first.session->id, &second.session->id));
    answer_free(&first);
    answer_free(&second);
}

Test(sessions, a_known_key_with_another_body_is_reuse)
{
    struct answer first = create_under("key 1", "body 1");
    struct answer second = create_under("key 1", "body 2");

    cr_expect_eq(second.error, ERROR_IDEMPOTENCY_KEY_REUSE);
    cr_expect_null(second.session);
    answer_free(&first);
    answer_free(&second);
}

Test(sessions, a_known_key_gives_nothing_once_a_turn_was_taken)
{
    struct answer first = create_under("key 1", "body 1");
    struct answer second;

    turn(&world, &first.session->id, 1, said("answer"));
    second = create_under("key 1", "body 1");
    cr_expect_eq(second.error, ERROR_IDEMPOTENCY_KEY_REUSE);
    cr_expect_null(second.session);
    answer_free(&first);
    answer_free(&second);
}

Test(sessions, the_key_of_an_expired_session_is_free_again)
{
    struct answer first = create_under("key 1", "body 1");
    struct answer second;

    world.now_ms += TTL_MS;
    second = create_under("key 1", "body 2");

    cr_assert_eq(second.error, OK);
    cr_expect_not(second.is_replay);
    cr_expect_eq(load_error(&first.session->id), ERROR_SESSION_NOT_FOUND);
    cr_expect_eq(load_error(&second.session->id), OK);
    answer_free(&first);
    answer_free(&second);
}

Test(sessions, the_key_of_a_deleted_session_is_free_again)
{
    struct answer first = create_under("key 1", "body 1");
    struct answer second;

    remove_session(&world, &first.session->id);
    second = create_under("key 1", "body 2");

    cr_expect_eq(second.error, OK);
    answer_free(&first);
    answer_free(&second);
}

Test(sessions, a_deleted_session_is_not_found_and_not_deleted_twice)
{
    struct id id = start(&world, 3);

    cr_expect_eq(remove_session(&world, &id), OK);
    cr_expect_eq(load_error(&id), ERROR_SESSION_NOT_FOUND);
    cr_expect_eq(remove_session(&world, &id), ERROR_SESSION_NOT_FOUND);
}

Test(sessions, a_deleted_session_leaves_others_alone)
{
    struct id id = start(&world, 3);
    struct id other = start(&world, 3);

    turn(&world, &id, 1, said("one"));
    turn(&world, &other, 1, said("one"));
    remove_session(&world, &id);

    cr_expect_eq(load_error(&other), OK);
    turn(&world, &other, 2, said("two"));
    claim(&world, &other, said("three"));
}

Test(sessions, an_expired_session_is_not_found)
{
    struct id id = start(&world, 3);

    world.now_ms += TTL_MS - 1;
    cr_expect_eq(load_error(&id), OK);
    world.now_ms += 1;
    cr_expect_eq(load_error(&id), ERROR_SESSION_NOT_FOUND);
}

/* The store sweeps when it comes to it, in one transaction or several; nobody is told. */
static void await_sweep_of(const struct id *id)
{
    for (int looks = 0; load_error(id) == OK; looks++)
        cr_assert_lt(looks, 1000000, "it was never swept");
    cr_assert_eq(load_error(id), ERROR_SESSION_NOT_FOUND);
}

Test(sessions, a_sweep_spares_a_session_that_was_used)
{
    struct id used = start(&world, 3);
    struct id unused = start(&world, 3);

    world.now_ms += TTL_MS / 2;
    turn(&world, &used, 1, said("one"));
    world.now_ms += TTL_MS / 2;
    store_sweep(world.backend, world.now_ms, 0);
    world.now_ms -= TTL_MS / 2; /* when both would still be there */

    await_sweep_of(&unused);
    cr_expect_eq(load_error(&used), OK);
}

Test(sessions, a_sweep_comes_back_for_a_session_that_was_used)
{
    struct id id = start(&world, 3);

    world.now_ms += TTL_MS / 2;
    turn(&world, &id, 1, said("one"));
    world.now_ms += TTL_MS / 2;
    store_sweep(world.backend, world.now_ms, 0);
    world.now_ms += TTL_MS;
    store_sweep(world.backend, world.now_ms, 0);
    world.now_ms = NOW_MS + 1;

    await_sweep_of(&id);
}

Test(sessions, a_sweep_goes_through_however_many_there_are)
{
    struct id ids[200];

    for (int i = 0; i < 200; i++)
        ids[i] = start(&world, 3);
    store_sweep(world.backend, world.now_ms + TTL_MS, 0);

    for (int i = 0; i < 200; i++)
        await_sweep_of(&ids[i]);
}

Test(sessions, reading_alone_commits_nothing)
{
    struct id id = start(&world, 3);
    struct store_stats before = store_stats(world.backend);

    load_error(&id);
    claim(&world, &id, said("one"));

    cr_expect_eq(store_stats(world.backend).commits, before.commits);
}

Test(sessions, no_store_can_be_closed)
{
    store_close(NULL);
}
