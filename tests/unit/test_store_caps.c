/*
 * What a day and a client may use up: counted with the claim and with the session, and
 * only where a cap is set.
 */
#include "store_world.h"

#define DAY_MS     (INT64_C(24) * 60 * 60 * 1000)
#define NEXT_DAY   ((NOW_MS / DAY_MS + 1) * DAY_MS)
#define TWO_TURNS  ((struct store_day_caps){.turns = 2})
#define TEN_SECOND ((struct store_day_caps){.audio_ms = 10000})

static struct world world;

static void set_up(void)
{
    world = world_new();
}

static void tear_down(void)
{
    world_free(&world);
}

TestSuite(caps, .init = set_up, .fini = tear_down);

static struct answer begin_under(struct store_day_caps caps, int64_t audio_ms,
                                 const struct id *id, struct store_input input)
{
    struct answer answer = {.loop = world.loop};
    struct store_claim claim = {.session_id = *id,
                                .request_id = id_random(),
                                .input = input,
                                .audio_ms = audio_ms,
                                .caps = caps,
                                .now_ms = world.now_ms};

    store_begin_turn(world.store, &claim, take_begun, &answer);
    loop_run(world.loop);
    if (answer.error == OK && answer.begun.decision == STORE_RUN)
        world.request_id = claim.request_id;
    return answer;
}

/* A turn in a session of its own, which is left claimed. */
static enum error typed(struct store_day_caps caps)
{
    struct id id = start(&world, 3);
    struct answer answer = begin_under(caps, 0, &id, said("one"));

    answer_free(&answer);
    return answer.error;
}

static enum error spoken(struct store_day_caps caps, int64_t audio_ms)
{
    struct id id = start(&world, 3);
    struct answer answer = begin_under(caps, audio_ms, &id, recorded("sound"));

    answer_free(&answer);
    return answer.error;
}

/* A recording that is not taken: might the same be typed? */
static bool could_be_typed(struct store_day_caps caps, int64_t audio_ms)
{
    struct id id = start(&world, 3);
    struct answer answer = begin_under(caps, audio_ms, &id, recorded("sound"));

    cr_expect_eq(answer.error, ERROR_USAGE_CAP_REACHED);
    answer_free(&answer);
    return answer.begun.may_be_typed;
}

static struct store_usage usage(void)
{
    return store_stats(world.backend).usage;
}

Test(caps, a_day_has_so_many_turns_and_the_next_has_its_own)
{
    cr_expect_eq(typed(TWO_TURNS), OK);
    cr_expect_eq(typed(TWO_TURNS), OK);
    cr_expect_eq(typed(TWO_TURNS), ERROR_USAGE_CAP_REACHED);
    world.now_ms = NEXT_DAY - 1;
    cr_expect_eq(typed(TWO_TURNS), ERROR_USAGE_CAP_REACHED);
    world.now_ms = NEXT_DAY;
    cr_expect_eq(typed(TWO_TURNS), OK);
    cr_expect_eq(usage().day, NEXT_DAY / DAY_MS);
    cr_expect_eq(usage().turns, 1);
}

Test(caps, a_turn_that_is_turned_away_leaves_nothing)
{
    struct id id = start(&world, 3);
    struct answer answer;

    cr_assert_eq(typed(TWO_TURNS), OK);
    cr_assert_eq(typed(TWO_TURNS), OK);
    answer = begin_under(TWO_TURNS, 0, &id, said("one"));
    cr_expect_eq(answer.error, ERROR_USAGE_CAP_REACHED);
    answer_free(&answer);

    cr_expect_eq(usage().turns, 2);
    turn(&world, &id, 1, said("one")); /* the session is free */
}

Test(caps, a_turn_that_came_to_nothing_counts)
{
    struct id id = start(&world, 3);
    struct answer answer;

    for (int i = 0; i < 2; i++) {
        answer = begin_under(TWO_TURNS, 0, &id, said("one"));
        cr_assert_eq(answer.error, OK);
        answer_free(&answer);
        end(&world, &id, (struct store_key){0}, NULL);
    }
    cr_expect_eq(typed(TWO_TURNS), ERROR_USAGE_CAP_REACHED);
}

Test(caps, a_replay_is_given_though_the_day_is_used_up)
{
    struct id id = start(&world, 3);
    struct store_day_caps one = {.turns = 1};
    struct answer answer = begin_under(one, 0, &id, said("one"));

    cr_assert_eq(answer.error, OK);
    answer_free(&answer);
    cr_assert_eq(commit(&world, &id, 1, said("one"), "one"), OK);
    report(&world, &id, 1, false);

    answer = begin_under(one, 0, &id, said("one"));
    cr_expect_eq(answer.error, OK);
    cr_expect_eq(answer.begun.decision, STORE_REPLAY);
    cr_expect_eq(usage().turns, 1);
    answer_free(&answer);
}

Test(caps, what_would_not_run_in_any_case_is_told_why)
{
    struct id id = start(&world, 3);
    struct store_day_caps one = {.turns = 1};
    struct answer answer = begin_under(one, 0, &id, said("one"));

    answer_free(&answer);
    answer = begin_under(one, 0, &id, said("two"));
    cr_expect_eq(answer.error, ERROR_TURN_IN_PROGRESS);
    answer_free(&answer);
    id = id_random();
    answer = begin_under(one, 0, &id, said("two"));
    cr_expect_eq(answer.error, ERROR_SESSION_NOT_FOUND);
    answer_free(&answer);
}

Test(caps, a_day_has_so_much_sound_and_typed_answers_go_on)
{
    cr_expect_eq(spoken(TEN_SECOND, 6000), OK);
    cr_expect_eq(spoken(TEN_SECOND, 4001), ERROR_USAGE_CAP_REACHED);
    cr_expect_eq(spoken(TEN_SECOND, 4000), OK);
    cr_expect_eq(spoken(TEN_SECOND, 1), ERROR_USAGE_CAP_REACHED);
    cr_expect_eq(typed(TEN_SECOND), OK);
    cr_expect_eq(usage().audio_ms, 10000);
    cr_expect_eq(usage().turns, 3);
}

Test(caps, both_hold_together)
{
    struct store_day_caps both = {.turns = 1, .audio_ms = 10000};

    cr_expect(could_be_typed(both, 10001));
    cr_expect_eq(spoken(both, 100), OK);
    cr_expect_not(could_be_typed(both, 100));
    cr_expect_not(could_be_typed(both, 10001));
}

Test(caps, without_one_nothing_is_written)
{
    struct store_stats before;
    struct id id = start(&world, 3);
    struct answer answer;

    before = store_stats(world.backend);
    answer = begin_under((struct store_day_caps){0}, 5000, &id, recorded("sound"));
    cr_expect_eq(answer.error, OK);
    answer_free(&answer);
    cr_expect_eq(store_stats(world.backend).commits, before.commits);
    cr_expect_eq(usage().turns, 0);
}

Test(caps, what_was_used_up_is_known_after_a_restart)
{
    cr_assert_eq(typed(TWO_TURNS), OK);
    cr_assert_eq(typed(TWO_TURNS), OK);
    world_restart(&world);

    cr_expect_eq(typed(TWO_TURNS), ERROR_USAGE_CAP_REACHED);
}

Test(caps, two_processes_count_together)
{
    struct world own = world;
    struct world other = world_beside(&world);

    cr_expect_eq(typed(TWO_TURNS), OK);
    world = other;
    cr_expect_eq(typed(TWO_TURNS), OK);
    cr_expect_eq(usage().turns, 2);
    cr_expect_eq(typed(TWO_TURNS), ERROR_USAGE_CAP_REACHED);
    world = own;
    cr_expect_eq(typed(TWO_TURNS), ERROR_USAGE_CAP_REACHED);
    world_stop(&other);
}

static struct answer create_for(const char *client, int64_t most, struct session *session,
                                struct store_key key)
{
    struct answer answer = {.loop = world.loop};
    struct store_new_session request = {.session = session,
                                        .key = key,
                                        .client = digest_of(client),
                                        .client_most = most,
                                        .now_ms = world.now_ms};

    store_create_session(world.store, &request, take_session, &answer);
    loop_run(world.loop);
    return answer;
}

/* A session of one question for a client that may have two. */
static struct answer open_for(const char *client)
{
    return create_for(client, 2, session_of(1, world.now_ms), (struct store_key){0});
}

static enum error open_error(const char *client)
{
    struct answer answer = open_for(client);

    answer_free(&answer);
    return answer.error;
}

static struct id opened(const char *client)
{
    struct answer answer = open_for(client);
    struct id id;

    cr_assert_eq(answer.error, OK);
    id = answer.session->id;
    answer_free(&answer);
    return id;
}

/* The only turn of a session: no question comes after it. */
static void complete(const struct id *id)
{
    struct answer answer = {.loop = world.loop};
    struct store_commit request;

    claim(&world, id, said("all"));
    request = commit_of(&world, id, 1, said("all"), "all");
    private_text_free(&request.next_question);
    store_commit_turn(world.store, &request, take_done, &answer);
    loop_run(world.loop);
    cr_assert_eq(answer.error, OK);
}

Test(caps, a_client_has_so_many_sessions_open_and_others_have_theirs)
{
    opened("alice");
    opened("alice");
    cr_expect_eq(open_error("alice"), ERROR_USAGE_CAP_REACHED);
    cr_expect_eq(open_error("bob"), OK);
}

static void finish(const struct id *id, unsigned commit_count)
{
    struct answer answer = {.loop = world.loop};
    struct store_finish request = {.session_id = *id,
                                   .request_id = world.request_id,
                                   .commit_count = commit_count,
                                   .outcome = text_of("{}"),
                                   .now_ms = world.now_ms,
                                   .expires_ms = world.now_ms + TTL_MS};

    store_finish_session(world.store, &request, take_done, &answer);
    loop_run(world.loop);
    cr_assert_eq(answer.error, OK);
}

Test(caps, a_session_that_is_complete_deleted_or_expired_is_open_no_more)
{
    struct id first = opened("alice");

    opened("alice");
    cr_assert_eq(open_error("alice"), ERROR_USAGE_CAP_REACHED);
    complete(&first);
    first = opened("alice");
    cr_assert_eq(open_error("alice"), ERROR_USAGE_CAP_REACHED);
    turn(&world, &first, 1, said("one"));
    finish(&first, 1);
    first = opened("alice");
    cr_assert_eq(open_error("alice"), ERROR_USAGE_CAP_REACHED);
    cr_assert_eq(remove_session(&world, &first), OK);
    opened("alice");
    cr_assert_eq(open_error("alice"), ERROR_USAGE_CAP_REACHED);
    world.now_ms += TTL_MS;
    cr_expect_eq(open_error("alice"), OK);
}

Test(caps, a_known_key_gives_its_session_again_though_no_more_may_be_opened)
{
    struct store_key key = input_of(NULL, NULL, "key", "body").key;
    struct answer first = create_for("alice", 1, session_of(3, world.now_ms), key);
    struct answer again = create_for("alice", 1, session_of(3, world.now_ms), key);

    cr_expect_eq(again.error, OK);
    cr_expect(again.is_replay);
    cr_expect(id_equals(&again.session->id, &first.session->id));
    answer_free(&first);
    answer_free(&again);
}

/* What is in a file that SQLite keeps in whole pages. */
static bool is_in_files(const struct digest *digest)
{
    static const char *const names[] = {"poise.db", "poise.db-wal"};
    bool is_there = false;

    for (size_t i = 0; i < 2; i++) {
        char path[128];
        char *bytes = malloc(1 << 20);
        FILE *file;
        size_t length;

        snprintf(path, sizeof(path), "%s/%s", world.place.directory, names[i]);
        file = fopen(path, "rb");
        cr_assert_not_null(file);
        length = fread(bytes, 1, 1 << 20, file);
        is_there |= memmem(bytes, length, digest->bytes, DIGEST_BYTES) != NULL;
        fclose(file);
        free(bytes);
    }
    return is_there;
}

Test(caps, of_a_client_nothing_is_kept_without_a_cap_or_after_its_session)
{
    struct digest alice = digest_of("alice");
    struct answer answer;
    struct id id;

    ONLY_ON_SQLITE();
    answer = create_for("alice", 0, session_of(3, world.now_ms), (struct store_key){0});
    cr_assert_eq(answer.error, OK);
    answer_free(&answer);
    cr_expect_not(is_in_files(&alice));
    id = opened("alice");
    cr_expect(is_in_files(&alice));
    cr_assert_eq(remove_session(&world, &id), OK);
    cr_expect_not(is_in_files(&alice));
}
