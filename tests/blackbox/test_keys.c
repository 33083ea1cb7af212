/*
 * Secrets that are in files, and a secret key that changes while interviews go on.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"

TestSuite(keys, .timeout = 90);

#define FIRST    "the-first-key-that-signs-the-tokens-of-this-story"
#define SECOND   "the-second-key-that-signs-after-the-first-has-gone"
#define THIRD    "a-third-one-of-which-nobody-has-heard-before-today"
#define SESSIONS 20
#define KEY      "Idempotency-Key: 7f1c\r\n"

/* The keys of a story's programs: two files that it rewrites. */
struct ring {
    char *directory; /* owned, with the files */
    struct bytes now, other;
};

static void ring_write(const struct ring *ring, const char *name, const char *key)
{
    struct bytes path = {0};

    bytes_addf(&path, "%s/%s", ring->directory, name);
    FILE *file = fopen(path.data, "wb");
    cr_assert_not_null(file);
    fprintf(file, "%s\n", key);
    fclose(file);
    bytes_free(&path);
}

static void ring_set(const struct ring *ring, const char *now, const char *other)
{
    ring_write(ring, "now", now);
    ring_write(ring, "other", other);
}

static struct ring ring_make(void)
{
    struct ring ring = {.directory = directory_make()};

    bytes_addf(&ring.now, "SECRET_KEY_FILE=%s/now", ring.directory);
    bytes_addf(&ring.other, "SECRET_KEY_PREVIOUS_FILE=%s/other", ring.directory);
    return ring;
}

static void ring_end(struct ring *ring)
{
    directory_remove(ring->directory);
    free(ring->directory);
    bytes_free(&ring->now);
    bytes_free(&ring->other);
}

static void restart(struct world *world)
{
    world_signal(world, SIGTERM);
    cr_assert_eq(world_await_exit(world), 0);
    world_restart(world);
}

/* Answers of all sessions at one process are under way while the other starts anew. */
static void restart_under_load(struct world *restarting, struct world *working,
                               struct session *sessions, int round)
{
    struct connection *under_way[SESSIONS];

    for (size_t i = 0; i < SESSIONS; i++)
        under_way[i] =
            begin_answer(working, &sessions[i], words(working, ANSWER " %d", round));
    restart(restarting);
    for (size_t i = 0; i < SESSIONS; i++)
        expect_number(finish(working, under_way[i]), "data.question_number", round);
}

Test(keys, are_changed_under_load_in_two_processes_without_a_401)
{
    struct ring ring = ring_make();
    struct session sessions[SESSIONS];
    ring_set(&ring, FIRST, SECOND); /* the next one is taken already */
    struct world *one =
        world_with_builtin_coach("SECRET_KEY=", ring.now.data, ring.other.data);
    struct world *two = world_beside(one);
    for (size_t i = 0; i < SESSIONS; i++)
        sessions[i] = start_session(i % 2 ? one : two, 10);
    struct session repeating = start_session(one, 10);
    expect_success(answer_with(one, &repeating, ANSWER, KEY));

    ring_set(&ring, SECOND, FIRST);
    restart_under_load(one, two, sessions, 1);
    sessions[0] = start_session(one, 10); /* signed by the second key */
    expect_success(answer(one, &sessions[0], ANSWER " 1"));
    restart_under_load(two, one, sessions, 2);
    restart_under_load(one, two, sessions, 3);

    /* What was sent before the change is known again, at either. */
    expect_header(answer_with(one, &repeating, ANSWER, KEY), "Idempotent-Replayed",
                  "true");
    expect_header(answer_with(two, &repeating, ANSWER, KEY), "Idempotent-Replayed",
                  "true");
    ring_set(&ring, SECOND, THIRD);
    restart(one);
    expect_error(get_session(one, &sessions[1]), ERROR_INVALID_TOKEN);
    expect_success(get_session(one, &sessions[0]));
    world_end(two);
    world_end(one);
    ring_end(&ring);
}

Test(keys, are_lent_by_systemd)
{
    struct ring ring = ring_make();
    struct bytes lent = {0};
    bytes_addf(&lent, "CREDENTIALS_DIRECTORY=%s", ring.directory);
    ring_write(&ring, "SECRET_KEY", FIRST);
    ring_write(&ring, "ADMIN_KEY", THIRD);
    struct world *world =
        world_with_builtin_coach("SECRET_KEY=", "APP_ENV=production", lent.data);

    expect_success(
        ask(world,
            (struct request){.method = "GET", .path = "/admin/stats", .token = THIRD}));
    cr_assert_eq(log_lines_with(
                     world, (const char *const[]){"secret_key_made_for_this_run", NULL}),
                 0);
    world_end(world);
    bytes_free(&lent);
    ring_end(&ring);
}

static void expect_refused(struct settings_list settings, const char *said)
{
    char *directory = directory_make();
    struct run run = run_program(directory, ARGUMENTS("serve"), settings);

    cr_assert_eq(run.status, 2);
    cr_assert(bytes_has(&run.output, said), "no \"%s\" in: %s", said, run.output.data);
    cr_assert_not(bytes_has(&run.output, FIRST));
    bytes_free(&run.output);
    directory_remove(directory);
    free(directory);
}

Test(keys, that_cannot_be_read_or_are_there_twice_are_named)
{
    struct ring ring = ring_make();
    ring_set(&ring, FIRST, "short");

    expect_refused(SETTINGS("GROQ_API_KEY_FILE=/nowhere/key"),
                   "GROQ_API_KEY_FILE=/nowhere/key: No such file");
    expect_refused(SETTINGS("ADMIN_KEY_FILE=/"), "Is a directory");
    expect_refused(SETTINGS("ADMIN_KEY_FILE=/dev/null"), "is empty");
    expect_refused(SETTINGS("SECRET_KEY=" FIRST, ring.now.data), "SECRET_KEY_FILE");
    expect_refused(SETTINGS(ring.other.data),
                   "SECRET_KEY_PREVIOUS: must have at least 32");
    ring_end(&ring);
}
