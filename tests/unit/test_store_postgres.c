/*
 * What only the store in PostgreSQL has: processes that claim, connections that break, tables
 * that several make at once.
 */
#include "postgres_world.h"

#include <pthread.h>

TestSuite(postgres, .init = set_up, .fini = tear_down);

Test(postgres, while_a_process_lives_another_does_not_claim_its_turn)
{
    struct id id = start(&world, 3);
    struct world other = beside();
    struct answer answer;

    claim(&world, &id, said("one"));
    cr_expect_eq(begin_error(&other, &id, said("two")), ERROR_TURN_IN_PROGRESS);
    end(&world, &id, (struct store_key){0}, NULL);
    answer = load(&world, &id); /* behind the end */
    answer_free(&answer);
    claim(&other, &id, said("two"));
    beside_free(&other);
}

Test(postgres,
     the_claim_of_a_process_that_was_not_seen_ends_and_its_commit_is_turned_away)
{
    struct id id = start(&world, 3);
    struct world other = beside();
    struct answer answer;

    claim(&world, &id, said("one"));
    run_sql("UPDATE poise_process SET seen = seen - interval '6 seconds'");
    claim(&other, &id, said("two"));
    run_sql("UPDATE poise_process SET seen = now()");

    cr_expect_eq(commit(&world, &id, 1, said("one"), "one"), ERROR_TURN_IN_PROGRESS);
    cr_expect_eq(commit(&other, &id, 1, said("two"), "two"), OK);
    cr_expect_eq(commit(&world, &id, 1, said("one"), "one"), ERROR_TURN_IN_PROGRESS);
    answer = load(&other, &id);
    cr_expect_eq(answer.session->turn_count, 1);
    answer_free(&answer);
    beside_free(&other);
}

Test(postgres, a_process_that_was_away_for_a_moment_commits_its_turn)
{
    struct id id = start(&world, 3);

    claim(&world, &id, said("one"));
    run_sql("UPDATE poise_process SET seen = seen - interval '1 hour'");
    cr_expect_eq(commit(&world, &id, 1, said("one"), "one"), OK);
}

Test(postgres, a_process_that_ended_on_this_machine_is_forgotten_by_the_next)
{
    struct id id = start(&world, 3);
    struct world other;

    claim(&world, &id, said("one"));
    /* The claim is another's, whose number is over any pid_max. */
    run_sql("INSERT INTO poise_process (id, seen, place, number, born)"
            " SELECT gen_random_uuid(), seen, place, 4194303, 1 FROM poise_process;"
            "UPDATE poise_session SET process ="
            " (SELECT id FROM poise_process WHERE number = 4194303)");
    other = beside();
    claim(&other, &id, said("two"));
    beside_free(&other);
}

/* Some of this store's, and of nobody else's. */
static void break_connections(const struct place *place)
{
    char sql[256];

    snprintf(sql, sizeof(sql),
             "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
             " WHERE application_name = '%s' AND random() < 0.1",
             schema_of(place));
    run_in_postgres(sql);
}

Test(postgres, what_is_asked_when_the_connections_break_is_asked_again)
{
    struct id id = start(&world, 10);
    struct answer answer;

    for (unsigned number = 1; number <= 6; number++) {
        claim(&world, &id, said("answer"));
        break_connections(&world.place);
        cr_expect_eq(commit(&world, &id, number, said("answer"), "answer"), OK);
        report(&world, &id, number, true);
    }
    answer = load(&world, &id);
    cr_expect_eq(answer.session->turn_count, 6);
    answer_free(&answer);
}

static void *open_one(void *context)
{
    struct store_backend **place = context;

    *place = world_open(world.place.url);
    return NULL;
}

Test(postgres, tables_are_made_once_by_however_many_start_at_the_same_time)
{
    enum { OPENERS = 8 };
    struct store_backend *stores[OPENERS];
    pthread_t threads[OPENERS];

    world_end(&world);
    run_sql(
        "DROP TABLE poise_version, poise_process, poise_session, poise_turn, poise_record,"
        " poise_heard, poise_speech, poise_refusal, poise_gate, poise_day, poise_rate,"
        " poise_papers, poise_finish");
    for (int i = 0; i < OPENERS; i++)
        pthread_create(&threads[i], NULL, open_one, &stores[i]);
    for (int i = 0; i < OPENERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < OPENERS; i++)
        store_close(stores[i]);
    world_begin(&world);
    start(&world, 3);
}

static char *problem_of(const char *url)
{
    struct buffer problem;
    size_t length;

    buffer_init(&problem, 4096);
    cr_expect_null(store_open(url, &problem));
    buffer_append_char(&problem, '\n');
    return buffer_take(&problem, &length);
}

Test(postgres, tables_of_the_first_version_are_brought_up_to_date)
{
    struct id id = start(&world, 3);
    struct answer answer = {0};

    turn(&world, &id, 1, said("one"));
    report(&world, &id, 1, true);
    world_stop(&world);
    run_sql("ALTER TABLE poise_session DROP COLUMN commit_count,"
            " DROP COLUMN attempt_count, DROP COLUMN is_finished,"
            " DROP COLUMN has_papers;"
            "ALTER TABLE poise_turn DROP COLUMN question_number, DROP COLUMN at_ms,"
            " DROP COLUMN is_skipped;"
            "ALTER TABLE poise_record DROP COLUMN is_reply;"
            "DROP TABLE poise_papers, poise_finish;"
            "UPDATE poise_version SET version = 1");
    world_begin(&world);

    answer.loop = world.loop;
    store_load_session(world.store, &id, world.now_ms, true, take_session, &answer);
    loop_run(world.loop);
    cr_assert_eq(answer.error, OK);
    cr_expect_eq(answer.session->commit_count, 1);
    cr_expect_eq(answer.session->attempt_count, 1);
    cr_expect_eq(answer.session->turns[0].number, 1);
    cr_expect_str_eq(shown(&answer.session->turns[0].outcome), "{\"turn\":1}");
    answer_free(&answer);
    turn(&world, &id, 2, said("one")); /* whose reply had arrived */
}

Test(postgres, tables_of_a_newer_version_are_left_alone)
{
    char *problem;

    run_sql("UPDATE poise_version SET version = 1000");
    problem = problem_of(world.place.url);
    cr_expect_not_null(strstr(problem, "newer version"), "%s", problem);
    free(problem);
}

Test(postgres, a_bad_url_is_refused_and_its_password_not_shown)
{
    char *problem = problem_of("postgresql://u:hunter2@host/x?nonsense=1");

    cr_expect_not_null(strstr(problem, "STORE_URL"));
    cr_expect_null(strstr(problem, "hunter2"));
    free(problem);
}

Test(postgres, a_database_that_is_not_there_is_refused)
{
    struct buffer url;
    char *problem;

    buffer_init(&url, 1024);
    buffer_append_string(&url, postgres_url());
    buffer_append_string(&url, "&dbname=no_such_database");
    problem = problem_of(url.bytes);
    cr_expect_not_null(strstr(problem, "no_such_database"), "%s", problem);
    free(problem);
    buffer_done(&url);
}

Test(postgres, where_nobody_answers_the_store_is_there_and_not_available)
{
    struct buffer problem;
    struct world away = {.loop = loop_new(), .metrics = MEM_NEW(struct metrics)};

    buffer_init(&problem, 4096);
    away.backend = store_open("postgresql:///x?host=/tmp/no-such-place&user=x", &problem);
    cr_assert_not_null(away.backend);
    away.store = store_new(away.backend, away.loop, away.metrics, NULL);
    cr_expect_not_null(strstr(problem.bytes, "tried again"));
    cr_expect_eq(check(&away), ERROR_STORE_UNAVAILABLE);
    cr_expect_str_eq(store_trouble(away.backend).code, "08001");
    buffer_done(&problem);
    beside_free(&away);
}

struct rates_answer {
    struct loop *loop;
    enum error error;
    struct store_rate rates[STORE_RATES_MOST];
};

static void take_rates(void *context, enum error error,
                       const struct store_rate rates[STORE_RATES_MOST])
{
    struct rates_answer *answer = context;

    answer->error = error;
    memcpy(answer->rates, rates, sizeof(answer->rates));
    loop_stop(answer->loop);
}

static struct rates_answer take(struct world *from, const char *one, const char *other,
                                int64_t per_minute)
{
    struct rates_answer answer = {.loop = from->loop};
    struct store_rate_request request = {
        .count = other == NULL ? 1 : 2,
        .rates = {{.key = digest_of(one), .per_minute = per_minute}},
    };

    if (other != NULL) {
        request.rates[1].key = digest_of(other);
        request.rates[1].per_minute = per_minute;
    }
    store_take_rates(from->store, &request, take_rates, &answer);
    loop_run(from->loop);
    return answer;
}

Test(postgres, a_quota_holds_over_all_processes)
{
    struct world other = beside();
    struct rates_answer answer;

    for (int i = 0; i < 4; i++)
        cr_expect(take(i % 2 == 0 ? &world : &other, "alice", NULL, 4).rates[0].is_taken);
    answer = take(&other, "alice", "session", 4);
    cr_expect_eq(answer.error, OK);
    cr_expect_not(answer.rates[0].is_taken);
    cr_expect(answer.rates[0].whole_us > 45000000 &&
              answer.rates[0].whole_us <= 60000000);
    cr_expect_not(answer.rates[1].is_taken); /* nor is the one behind it */
    cr_expect_eq(answer.rates[1].whole_us, 0);
    answer = take(&world, "bob", "session", 4);
    cr_expect(answer.rates[0].is_taken && answer.rates[1].is_taken);
    cr_expect_lt(answer.rates[1].whole_us, 15000001);
    beside_free(&other);
}

struct opener {
    struct world world;
    pthread_barrier_t *barrier; /* borrowed */
    unsigned opened;
};

static void *open_sessions(void *context)
{
    struct opener *opener = context;

    for (int round = 0; round < 20; round++) {
        struct answer answer = {.loop = opener->world.loop};
        struct store_new_session request = {.session = session_of(3, NOW_MS),
                                            .client = digest_of("alice"),
                                            .client_most = round + 1,
                                            .now_ms = NOW_MS};

        pthread_barrier_wait(opener->barrier);
        store_create_session(opener->world.store, &request, take_session, &answer);
        loop_run(opener->world.loop);
        opener->opened += answer.error == OK;
        pthread_barrier_wait(opener->barrier);
        answer_free(&answer);
    }
    return NULL;
}

Test(postgres, of_two_sessions_made_for_a_client_at_once_one_is_made_where_one_may_be)
{
    struct opener openers[2];
    pthread_barrier_t barrier;
    pthread_t threads[2];

    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++)
        openers[i] = (struct opener){.world = beside(), .barrier = &barrier};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, open_sessions, &openers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    cr_expect_eq(openers[0].opened + openers[1].opened, 20);
    for (int i = 0; i < 2; i++)
        beside_free(&openers[i].world);
}

static bool count_refusal(void *context, const struct refusal *refusal)
{
    (void)refusal;
    ++*(size_t *)context;
    return true;
}

/* Beside a service that is still to be brought up to date. */
Test(postgres, refusals_of_an_earlier_version_are_read)
{
    struct answer answer = {.loop = world.loop};
    struct refusal refusal = {.at_ms = world.now_ms, .reason = "x", .max_score = -1};
    struct buffer problem;
    size_t count = 0;

    store_note_refusal(world.store, &refusal, take_done, &answer);
    loop_run(world.loop);
    run_sql("UPDATE poise_version SET version = 1");
    buffer_init(&problem, 4096);
    cr_expect(store_refusals(world.place.url, 0, count_refusal, &count, &problem), "%s",
              problem.bytes);
    cr_expect_eq(count, 1);
    run_sql("UPDATE poise_version SET version = 2");
    buffer_done(&problem);
}
