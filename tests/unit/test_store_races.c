/*
 * Two processes on one file, a process that dies at any moment, a disk that is full.
 */
#include "clock.h"
#include "store_world.h"

#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>

static struct world world;

static void set_up(void)
{
    world = world_new();
}

static void tear_down(void)
{
    world_free(&world);
}

TestSuite(races, .init = set_up, .fini = tear_down);

#define ROUNDS 40

/* One of two processes: its own store on the same file, its own loop. */
struct rival {
    struct world world;
    pthread_barrier_t *barrier; /* borrowed */
    const struct id *ids;       /* borrowed: a session for each round */
    enum error errors[ROUNDS];
};

static void *race(void *context)
{
    struct rival *rival = context;

    for (int round = 0; round < ROUNDS; round++) {
        const struct id *id = &rival->ids[round];

        claim(&rival->world, id, said("answer"));
        pthread_barrier_wait(rival->barrier);
        rival->errors[round] = commit(&rival->world, id, 1, said("answer"), "answer");
    }
    return NULL;
}

static struct rival rival_new(pthread_barrier_t *barrier, const struct id *ids)
{
    return (struct rival){.world = world_beside(&world), .barrier = barrier, .ids = ids};
}

static void rival_free(struct rival *rival)
{
    world_end(&rival->world);
}

Test(races, of_two_processes_exactly_one_commits_a_turn)
{
    pthread_barrier_t barrier;
    struct id ids[ROUNDS];
    struct rival rivals[2];
    pthread_t threads[2];

    ONLY_ON_SQLITE();
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < ROUNDS; i++)
        ids[i] = start(&world, 3);
    for (int i = 0; i < 2; i++)
        rivals[i] = rival_new(&barrier, ids);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, race, &rivals[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);

    for (int i = 0; i < ROUNDS; i++) {
        bool first_won = rivals[0].errors[i] == OK;

        cr_expect_eq(rivals[first_won ? 0 : 1].errors[i], OK);
        cr_expect_eq(rivals[first_won ? 1 : 0].errors[i], ERROR_TURN_IN_PROGRESS);
    }
    rival_free(&rivals[0]);
    rival_free(&rivals[1]);
}

#define CLAIMS 10000

/* One of two loops of one process, which claim the same turns at the same moment. */
struct claimant {
    struct world world;         /* its backend is borrowed */
    pthread_barrier_t *barrier; /* borrowed */
    struct id id;               /* of the session */
    atomic_bool *is_over;       /* borrowed */
    int lag;                    /* microseconds a round that it comes later by */
    bool is_running[CLAIMS];
};

static void *claim_on(void *context)
{
    struct claimant *claimant = context;

    for (int round = 0; round < CLAIMS; round++) {
        struct answer answer;
        struct store_end end;

        pthread_barrier_wait(claimant->barrier);
        for (int64_t until_us = clock_monotonic_us() + round % 100 * claimant->lag;
             clock_monotonic_us() < until_us;)
            ;
        answer = begin(&claimant->world, &claimant->id, said("answer"));
        claimant->is_running[round] = answer.error == OK;
        answer_free(&answer);
        pthread_barrier_wait(claimant->barrier);
        end = (struct store_end){.session_id = claimant->id,
                                 .request_id = claimant->world.request_id};
        if (claimant->is_running[round])
            store_end_turn(claimant->world.store, &end);
    }
    return NULL;
}

/* Keeps the thread that writes busy, so that the other reads as well. */
static void *write_on(void *context)
{
    struct claimant *writer = context;

    while (!atomic_load(writer->is_over))
        check(&writer->world);
    return NULL;
}

Test(races, of_two_loops_exactly_one_runs_a_turn, .timeout = 60)
{
    static struct claimant claimants[3];
    atomic_bool is_over = false;
    pthread_barrier_t barrier;
    pthread_t threads[3];
    struct id id;

    ONLY_ON_SQLITE();
    id = start(&world, 3);
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 3; i++) {
        claimants[i] = (struct claimant){
            .world = world, .barrier = &barrier, .id = id, .is_over = &is_over, .lag = i};
        claimants[i].world.loop = loop_new();
        claimants[i].world.metrics = MEM_NEW(struct metrics);
        claimants[i].world.store = store_new(world.backend, claimants[i].world.loop,
                                             claimants[i].world.metrics, NULL);
        pthread_create(&threads[i], NULL, i < 2 ? claim_on : write_on, &claimants[i]);
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    atomic_store(&is_over, true);
    pthread_join(threads[2], NULL);
    for (int round = 0; round < CLAIMS; round++)
        cr_assert(claimants[0].is_running[round] != claimants[1].is_running[round],
                  "round %d: %d and %d", round, claimants[0].is_running[round],
                  claimants[1].is_running[round]);
    world_restart(&world);
    for (int i = 0; i < 3; i++) {
        store_free(claimants[i].world.store);
        loop_free(claimants[i].world.loop);
        free(claimants[i].world.metrics);
    }
}

/* Commits turn after turn and says so on `pipe` once each is acknowledged, until it is
 * killed. */
static void live_until_killed(int pipe, const struct id *ids, int sessions)
{
    struct world own = world_beside(&world);

    for (unsigned char number = 1; number <= 10; number++)
        for (unsigned char at = 0; at < sessions; at++) {
            unsigned char acknowledged[2] = {at, number};

            turn(&own, &ids[at], number, said("answer"));
            report(&own, &ids[at], number, true);
            if (write(pipe, acknowledged, 2) != 2)
                _exit(1);
        }
    _exit(0);
}

/* The turns of each session that were acknowledged before the end of the pipe. */
static int read_acknowledged(int pipe, unsigned *counts, int most)
{
    unsigned char acknowledged[2];
    int total = 0;

    while (total < most && read(pipe, acknowledged, 2) == 2) {
        counts[acknowledged[0]] = acknowledged[1];
        total++;
    }
    return total;
}

static void assert_there(const struct id *id, unsigned acknowledged)
{
    struct answer answer = load(&world, id);

    cr_assert_eq(answer.error, OK);
    cr_expect(answer.session->turn_count == acknowledged ||
                  answer.session->turn_count == acknowledged + 1,
              "%u acknowledged, %u there", acknowledged, answer.session->turn_count);
    cr_expect_eq(answer.session->asked_count, answer.session->turn_count + 1);
    answer_free(&answer);
}

Test(races, what_was_acknowledged_before_a_kill_is_there)
{
    enum { SESSIONS = 8 };
    srand(11);
    for (int round = 0; round < 12; round++) {
        struct id ids[SESSIONS];
        unsigned counts[SESSIONS] = {0};
        int pipes[2];
        pid_t child;

        for (int i = 0; i < SESSIONS; i++)
            ids[i] = start(&world, 10);
        cr_assert_eq(pipe(pipes), 0);
        child = fork();
        if (child == 0)
            live_until_killed(pipes[1], ids, SESSIONS);
        close(pipes[1]);
        read_acknowledged(pipes[0], counts, rand() % 60);
        kill(child, SIGKILL);
        read_acknowledged(pipes[0], counts, 1000);
        close(pipes[0]);
        waitpid(child, NULL, 0);

        for (int i = 0; i < SESSIONS; i++)
            assert_there(&ids[i], counts[i]);
    }
}

static void take_nothing(void *context, enum error error)
{
    (void)context;
    cr_expect_eq(error, OK);
}

Test(races, what_is_asked_after_a_commit_of_its_session_sees_it)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct id id = start(&world, 3);
        struct store_commit request;
        struct answer answer;

        claim(&world, &id, said("one"));
        request = commit_of(&world, &id, 1, said("one"), "one");
        store_commit_turn(world.store, &request, take_nothing, NULL);

        answer = load(&world, &id);
        cr_expect_eq(answer.session->turn_count, 1);
        answer_free(&answer);
    }
}

Test(races, what_is_asked_before_a_deletion_of_its_session_does_not_see_it)
{
    struct id id = start(&world, 3);
    struct answer answer = {.loop = world.loop};

    store_load_session(world.store, &id, world.now_ms, false, take_session, &answer);
    store_delete_session(world.store, &id, world.now_ms, take_nothing, NULL);
    loop_run(world.loop);
    cr_expect_eq(answer.error, OK);
    answer_free(&answer);
    cr_expect_eq(remove_session(&world, &id), ERROR_SESSION_NOT_FOUND);
}

/* No file of this process may grow: the disk is full. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit = {bytes, RLIM_INFINITY};

    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

Test(races, a_commit_that_cannot_be_written_changes_nothing_and_leaves_no_claim)
{
    struct id id = start(&world, 3);
    struct answer answer;

    ONLY_ON_SQLITE();
    claim(&world, &id, said("one"));
    limit_files(1);
    cr_expect_eq(commit(&world, &id, 1, said("one"), "one"), ERROR_STORE_UNAVAILABLE);
    cr_expect_eq(check(&world), ERROR_STORE_UNAVAILABLE);
    cr_expect_str_neq(store_trouble(world.backend).code, "");
    limit_files(RLIM_INFINITY);

    answer = load(&world, &id);
    cr_expect_eq(answer.session->turn_count, 0);
    answer_free(&answer);
    turn(&world, &id, 1, said("one"));
}

Test(races, a_full_disk_can_still_be_read)
{
    struct id id = start(&world, 3);
    struct answer answer;

    ONLY_ON_SQLITE();
    limit_files(1);
    answer = load(&world, &id);
    cr_expect_eq(answer.error, OK);
    answer_free(&answer);
    claim(&world, &id, said("one"));
    limit_files(RLIM_INFINITY);
}

/* Another program holds the file's lock for writing: the commit waits for it, and nobody who
 * only reads does. */
Test(races, a_turn_begins_while_the_commit_of_another_has_to_wait)
{
    struct answer committed = {.loop = world.loop, .error = ERROR_INTERNAL_ERROR};
    struct id writer = start(&world, 3);
    struct id reader = start(&world, 3);
    struct store_commit request;
    char path[128];
    sqlite3 *db;

    ONLY_ON_SQLITE();
    snprintf(path, sizeof(path), "%s/poise.db", world.place.directory);
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    claim(&world, &writer, said("one"));
    cr_assert_eq(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    request = commit_of(&world, &writer, 1, said("one"), "one");
    store_commit_turn(world.store, &request, take_done, &committed);

    for (int i = 0; i < 20; i++) {
        claim(&world, &reader, said("one"));
        end(&world, &reader, (struct store_key){0}, NULL);
    }
    cr_expect_eq(committed.error, ERROR_INTERNAL_ERROR, "it still waits");

    cr_assert_eq(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    loop_run(world.loop);
    cr_expect_eq(committed.error, OK);
}

/* A loop that stops before its answers come: they are freed with the store. */
Test(races, closing_finishes_what_was_asked_for)
{
    struct id id = start(&world, 3);
    struct answer unheard = {.loop = world.loop};
    struct store_commit request;
    struct answer answer;

    claim(&world, &id, said("one"));
    request = commit_of(&world, &id, 1, said("one"), "one");
    store_commit_turn(world.store, &request, take_done, &unheard);
    world_end(&world);

    world_begin(&world);
    answer = load(&world, &id);
    cr_expect_eq(answer.session->turn_count, 1);
    answer_free(&answer);
}

Test(races, of_two_processes_with_one_key_the_first_outcome_stays)
{
    struct id id = start(&world, 3);
    struct store_input input = input_of("one", NULL, "key 1", "body 1");
    struct world other;
    struct answer answer;

    ONLY_ON_SQLITE();
    other = world_beside(&world);
    claim(&world, &id, input);
    claim(&other, &id, input);
    end(&other, &id, input.key, "{\"refused\":true}");
    cr_assert_eq(check(&other), OK);
    cr_expect_eq(commit(&world, &id, 1, input, "one"), ERROR_TURN_IN_PROGRESS);
    world_end(&other);

    answer = begin(&world, &id, input);
    cr_expect(answer.begun.is_refusal);
    cr_expect_str_eq(shown(&answer.begun.outcome), "{\"refused\":true}");
    answer_free(&answer);
}
