/*
 * What PostgreSQL undoes, keeps waiting or gives back damaged, and what becomes of it.
 */
#include "clock.h"
#include "postgres_values_internal.h"
#include "postgres_world.h"

#include <pthread.h>

TestSuite(undone, .init = set_up, .fini = tear_down);

/* A trigger that does `body` for the first row that comes, and nothing for those behind it. */
static void on_first(const char *table, const char *when, const char *each,
                     const char *body)
{
    struct buffer sql;

    buffer_init(&sql, 4096);
    buffer_append_string(&sql,
                         "CREATE SEQUENCE seen; CREATE FUNCTION once() RETURNS trigger"
                         " LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN"
                         " IF nextval('seen') = 1 THEN ");
    buffer_append_string(&sql, body);
    buffer_append_string(&sql, " END IF; RETURN NEW; END $$; CREATE ");
    buffer_append_string(&sql, when);
    buffer_append_string(&sql, table);
    buffer_append_string(&sql, each);
    buffer_append_string(&sql, " FOR EACH ROW EXECUTE FUNCTION once();");
    run_sql(sql.bytes);
    buffer_done(&sql);
}

Test(undone, a_transaction_that_fails_at_its_very_end_is_tried_again)
{
    struct id id = start(&world, 3);
    struct answer answer;

    on_first("poise_turn", "CONSTRAINT TRIGGER late AFTER INSERT ON ",
             " DEFERRABLE INITIALLY DEFERRED",
             "RAISE EXCEPTION 'once' USING ERRCODE = 'serialization_failure';");
    claim(&world, &id, said("one"));
    cr_expect_eq(commit(&world, &id, 1, said("one"), "one"), OK);
    answer = load(&world, &id);
    cr_expect_eq(answer.session->turn_count, 1);
    answer_free(&answer);
}

Test(undone, a_session_whose_key_was_given_up_meanwhile_is_made)
{
    struct answer answer;

    on_first("poise_session", "TRIGGER early BEFORE INSERT ON ", "", "RETURN NULL;");
    answer = create(&world, session_of(3, NOW_MS), (struct store_key){0});
    cr_expect_eq(answer.error, OK);
    cr_expect_not(answer.is_replay);
    answer_free(&answer);
}

Test(undone, speech_of_a_kind_that_nobody_knows_is_an_error_and_nothing_more)
{
    struct id id = start(&world, 3);
    struct id request_id = spoken_turn(&world, &id, 1, speech_of(&world, "la", 8));
    struct answer answer;

    run_sql("UPDATE poise_speech SET content_type = 'audio/ogg'");
    answer = load_speech(&world, &id, &request_id);
    cr_expect_eq(answer.error, ERROR_STORE_UNAVAILABLE);
    cr_expect(private_text_is_empty(&answer.speech.audio));
    answer_free(&answer);
}

Test(undone, a_claim_is_given_back_where_too_much_is_asked_already)
{
    struct id id = start(&world, 3);

    claim(&world, &id, said("one"));
    for (int i = 0; i < 32768; i++)
        report(&world, &id, 1, true);
    end(&world, &id, (struct store_key){0}, NULL);
    while (check(&world) != OK)
        continue;
    claim(&world, &id, said("two"));
}

struct taker {
    struct world world;
    pthread_barrier_t *barrier; /* borrowed */
    bool is_other;              /* asks in the other order */
    int left;
    int64_t longest_us;
};

static void on_one(struct taker *taker)
{
    if (--taker->left == 0)
        loop_stop(taker->world.loop);
}

static void on_taken(void *context, enum error error,
                     const struct store_rate rates[STORE_RATES_MOST])
{
    (void)rates;
    cr_expect_eq(error, OK);
    on_one(context);
}

static void *take_both(void *context)
{
    struct taker *taker = context;
    struct store *store = taker->world.store;

    for (int round = 0; round < 40; round++) {
        int64_t from_us;

        pthread_barrier_wait(taker->barrier);
        from_us = clock_monotonic_us();
        taker->left = 8;
        for (int i = 0; i < 8; i++) {
            struct store_rate_request request = {
                .count = 1,
                .rates = {{.key = digest_of(taker->is_other == (i < 4) ? "alice" : "bob"),
                           .per_minute = 1000000}}};

            store_take_rates(store, &request, on_taken, taker);
        }
        loop_run(taker->world.loop);
        from_us = clock_monotonic_us() - from_us;
        if (from_us > taker->longest_us)
            taker->longest_us = from_us;
    }
    return NULL;
}

Test(undone, processes_that_count_for_the_same_clients_do_not_block_each_other)
{
    struct taker takers[2];
    pthread_barrier_t barrier;
    pthread_t threads[2];

    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++)
        takers[i] = (struct taker){.world = beside(), .barrier = &barrier, .is_other = i};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, take_both, &takers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++) {
        cr_expect_lt(takers[i].longest_us, 900000); /* PostgreSQL's deadlock_timeout */
        beside_free(&takers[i].world);
    }
}

/* A process whose client goes on with another: `moved` is the session that moves. */
struct mover {
    struct world world;
    pthread_barrier_t *barrier; /* borrowed */
    struct id *moved;           /* borrowed from the test */
    bool is_left;               /* it reports the last reply there */
    int left;
    int64_t longest_us;
};

static void on_moved(struct mover *mover)
{
    if (--mover->left == 0)
        loop_stop(mover->world.loop);
}

static void on_claimed(void *context, enum error error, struct store_begun begun)
{
    cr_expect_eq(error, OK);
    session_free(begun.session);
    on_moved(context);
}

static void on_loaded(void *context, enum error error, struct session *session,
                      bool is_replay)
{
    struct mover *mover = context;

    (void)is_replay;
    cr_expect_eq(error, OK);
    session_free(session);
    if (mover->is_left)
        report(&mover->world, mover->moved, 1, true);
    on_moved(mover);
}

/* The claim and the report go in one group, behind what both were asked with. */
static void *claim_capped(void *context)
{
    struct mover *mover = context;
    struct store *store = mover->world.store;

    for (int round = 0; round < 40; round++) {
        struct store_claim claim = {.session_id = start(&mover->world, 3),
                                    .request_id = id_random(),
                                    .input = said("two"),
                                    .caps = {.turns = 1000000},
                                    .now_ms = NOW_MS};
        int64_t from_us;

        if (mover->is_left) {
            *mover->moved = start(&mover->world, 3);
            turn(&mover->world, mover->moved, 1, said("one"));
        }
        pthread_barrier_wait(mover->barrier);
        if (!mover->is_left)
            claim.session_id = *mover->moved;
        from_us = clock_monotonic_us();
        mover->left = 2;
        store_begin_turn(store, &claim, on_claimed, mover);
        store_load_session(store, &claim.session_id, NOW_MS, false, on_loaded, mover);
        loop_run(mover->world.loop);
        from_us = clock_monotonic_us() - from_us;
        if (from_us > mover->longest_us)
            mover->longest_us = from_us;
        pthread_barrier_wait(mover->barrier);
    }
    return NULL;
}

Test(undone, processes_that_count_the_turns_of_a_day_do_not_block_each_other)
{
    struct mover movers[2];
    pthread_barrier_t barrier;
    pthread_t threads[2];
    struct id moved;

    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++)
        movers[i] = (struct mover){
            .world = beside(), .barrier = &barrier, .moved = &moved, .is_left = i == 0};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, claim_capped, &movers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++) {
        cr_expect_lt(movers[i].longest_us, 900000); /* PostgreSQL's deadlock_timeout */
        beside_free(&movers[i].world);
    }
}

/* array_send()'s head of one dimension and one element, and then too little for its length. */
Test(undone, an_array_that_ends_too_early_is_damaged)
{
    static char bytes[] = "\0\0\0\1\0\0\0\0\0\0\0\x19\0\0\0\1\0\0\0\1\0\0";
    PGresAttDesc column = {.name = bytes};
    PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
    struct private_text texts[2] = {{0}};

    PQsetResultAttrs(result, 1, &column);
    for (int more = 0; more < 4; more++) {
        struct postgres_row row = postgres_row_of(result, 0);

        PQsetvalue(result, 0, 0, bytes, 20 + more);
        cr_expect_eq(postgres_row_texts(&row, texts, 2), 0);
        cr_expect(row.is_damaged);
    }
    PQclear(result);
}
