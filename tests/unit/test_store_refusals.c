/*
 * The table of the refusal log: what is noted is read beside the store, and goes when it is old, when its
 * session is deleted, and when there are too many.
 */
#include "store_world.h"

#include "refusal.h"

#include <signal.h>
#include <sys/resource.h>

struct read {
    struct refusal last;
    size_t count;
};

static bool take_refusal(void *context, const struct refusal *refusal)
{
    struct read *read = context;

    refusal_done(&read->last);
    read->last = *refusal;
    read->last.question = private_text_clone(&refusal->question);
    read->count++;
    return true;
}

static struct read read_all(const struct world *world, int64_t since_ms)
{
    struct read read = {.count = 0};
    struct buffer problem;

    buffer_init(&problem, 4096);
    cr_assert(store_refusals(world->place.url, since_ms, take_refusal, &read, &problem),
              "%s", problem.bytes);
    buffer_done(&problem);
    return read;
}

static size_t count_all(const struct world *world)
{
    struct read read = read_all(world, 0);

    refusal_done(&read.last);
    return read.count;
}

static void note(struct world *world, const struct id *session_id, int64_t at_ms,
                 const char *question)
{
    struct answer answer = {.loop = world->loop};
    struct refusal refusal = {.at_ms = at_ms,
                              .reason = "insufficient_context",
                              .chunks_retrieved = 3,
                              .max_score = 0.625};

    if (session_id != NULL)
        refusal.session_id = *session_id;
    if (question != NULL)
        refusal.question = text_of(question);
    store_note_refusal(world->store, &refusal, take_done, &answer);
    cr_assert(private_text_is_empty(&refusal.question));
    loop_run(world->loop);
    cr_assert_eq(answer.error, OK);
}

/* Everything that was asked for before has been done. */
static void sweep(struct world *world, int64_t refusals_before_ms)
{
    store_sweep(world->backend, world->now_ms, refusals_before_ms);
    world_restart(world);
}

Test(refusals, what_is_noted_is_read_beside_the_store)
{
    struct world world = world_new();
    struct id session_id = id_random();
    struct read read;

    note(&world, &session_id, NOW_MS, "Which llamas?");

    read = read_all(&world, 0);
    cr_expect_eq(read.count, 1);
    cr_expect_eq(read.last.at_ms, NOW_MS);
    cr_expect_str_eq(read.last.session_id.text, session_id.text);
    cr_expect_str_eq(shown(&read.last.question), "Which llamas?");
    cr_expect_str_eq(read.last.reason, "insufficient_context");
    cr_expect_eq(read.last.chunks_retrieved, 3);
    cr_expect_eq(read.last.max_score, 0.625);
    refusal_done(&read.last);
    world_free(&world);
}

Test(refusals, without_question_and_session_nothing_stands_for_them)
{
    struct world world = world_new();
    struct read read;

    note(&world, NULL, NOW_MS, NULL);

    read = read_all(&world, 0);
    cr_expect(private_text_is_empty(&read.last.question));
    cr_expect_str_eq(read.last.session_id.text, "");
    refusal_done(&read.last);
    world_free(&world);
}

Test(refusals, a_line_of_json_is_read_as_it_was_written)
{
    struct refusal refusal = {.at_ms = NOW_MS + 7, .max_score = -1, .reason = "x"};
    struct refusal again;
    struct buffer line;

    refusal.question = text_of("\"Wie\"\n\xc3\xbc?");
    buffer_init(&line, 4096);
    refusal_write(&refusal, &line);

    cr_assert(refusal_read((struct span){line.bytes, line.length - 1}, &again));
    cr_expect_eq(again.at_ms, NOW_MS + 7);
    cr_expect_eq(again.max_score, -1);
    cr_expect(private_text_equals(&refusal.question, &again.question));
    refusal_done(&refusal);
    refusal_done(&again);
    cr_expect_not(refusal_read(span_of("{\"event\":\"turn\"}"), &again));
    cr_expect_not(refusal_read(span_of("[1"), &again));
    buffer_done(&line);
}

Test(refusals, since_leaves_out_what_is_older)
{
    struct world world = world_new();
    struct read read;

    note(&world, NULL, NOW_MS, "old");
    note(&world, NULL, NOW_MS + 5, "new");

    read = read_all(&world, NOW_MS + 1);
    cr_expect_eq(read.count, 1);
    cr_expect_str_eq(shown(&read.last.question), "new");
    refusal_done(&read.last);
    world_free(&world);
}

Test(refusals, the_sweep_takes_what_is_too_old_and_no_byte_is_left)
{
    struct world world = world_new();
    char command[256];

    for (int at = 0; at < 300; at++)
        note(&world, NULL, NOW_MS + at, "marked-llama-canary");
    sweep(&world, NOW_MS + 299);
    cr_expect_eq(count_all(&world), 1);
    sweep(&world, NOW_MS + 300);

    cr_expect_eq(count_all(&world), 0);
    snprintf(command, sizeof(command), "grep -qa marked-llama-canary %s/poise.db*",
             world.place.directory);
    cr_expect_neq(system(command), 0);
    world_free(&world);
}

Test(refusals, those_of_a_session_go_with_it)
{
    struct world world = world_new();
    struct id session_id = start(&world, 3);

    note(&world, &session_id, NOW_MS, "mine");
    note(&world, NULL, NOW_MS, "nobody's");
    cr_assert_eq(remove_session(&world, &session_id), OK);

    cr_expect_eq(count_all(&world), 1);
    world_free(&world);
}

Test(refusals, a_store_that_is_not_there_is_named_and_not_made)
{
    struct world world = world_new();
    struct buffer problem;
    char url[160];

    snprintf(url, sizeof(url), "sqlite:///%s/absent.db", world.place.directory);
    buffer_init(&problem, 4096);
    cr_expect_not(store_refusals(url, 0, take_refusal, NULL, &problem));
    cr_expect_not_null(strstr(problem.bytes, "absent.db"));
    cr_expect_neq(access(url + strlen("sqlite:///"), F_OK), 0);
    buffer_done(&problem);
    world_free(&world);
}

/* Writes refusals of these times, in days before now, and removes those of more than ten; a point for each
 * that is left. */
static char *prune(const char *path, const int *days, size_t count)
{
    struct buffer left;
    char line[4096];
    size_t length;
    FILE *file;

    for (size_t at = 0; at < count; at++) {
        struct refusal refusal = {.at_ms = NOW_MS - days[at] * INT64_C(86400000),
                                  .reason = "x",
                                  .max_score = -1};

        cr_assert(refusal_append(path, &refusal));
    }
    cr_assert(refusal_prune(path, NOW_MS - 10 * INT64_C(86400000)));
    buffer_init(&left, sizeof(line));
    file = fopen(path, "r");
    while (fgets(line, sizeof(line), file) != NULL)
        buffer_append_char(&left, '.');
    fclose(file);
    unlink(path);
    buffer_append_char(&left, '|');
    return buffer_take(&left, &length);
}

Test(refusals, a_file_is_pruned_once_its_first_line_is_a_day_too_old)
{
    char path[] = "/tmp/poise-refusals-XXXXXX";
    char *left;

    close(mkstemp(path));
    left = prune(path, (int[]){10, 9, 1}, 3);
    cr_expect_str_eq(left, "...|");
    free(left);
    left = prune(path, (int[]){30, 12, 9, 1}, 4);
    cr_expect_str_eq(left, "..|");
    free(left);
    left = prune(path, (int[]){30, 12}, 2);
    cr_expect_str_eq(left, "|");
    free(left);
}

/* A disk that was full, or a kill: what is behind half a line is neither lost nor kept for ever. */
Test(refusals, half_a_line_spoils_no_other)
{
    char path[] = "/tmp/poise-refusals-XXXXXX", line[4096];
    struct refusal refusal = {
        .at_ms = NOW_MS - 30 * INT64_C(86400000), .reason = "x", .max_score = -1};
    struct rlimit limit = {.rlim_cur = 200, .rlim_max = RLIM_INFINITY};
    FILE *file;
    char *left;
    int lines = 0;

    close(mkstemp(path));
    cr_assert(refusal_append(path, &refusal));
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cr_expect_not(refusal_append(path, &refusal), "there is room for half of it");
    limit.rlim_cur = RLIM_INFINITY;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    file = fopen(path, "a+");
    while (fgets(line, sizeof(line), file) != NULL)
        lines++;
    cr_expect_eq(lines, 1, "nothing is left of it");
    fputs("{\"event\":\"refu", file);
    fclose(file);

    left = prune(path, (int[]){12, 9}, 2);
    cr_expect_str_eq(left, ".|", "%s", left);
    free(left);
}

Test(refusals, a_file_that_is_no_refusal_log_is_left_alone)
{
    char path[] = "/tmp/poise-refusals-XXXXXX";
    int file = mkstemp(path);
    char bytes[32] = {0};

    cr_assert_eq(write(file, "Dear diary,\n", 12), 12);
    cr_expect(refusal_prune(path, INT64_MAX));
    cr_expect(refusal_prune("/dev/null", INT64_MAX));
    cr_expect(refusal_prune("/tmp/absent/refusals", INT64_MAX));
    cr_expect_eq(pread(file, bytes, sizeof(bytes), 0), 12);
    close(file);
    unlink(path);
}
