/*
 * The embedded retriever on a loop: what it finds, and what happens to a question that is cancelled,
 * left behind, or asked while another index takes the place of the one it began with.
 */
#include "index.h"
#include "retriever_internal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 96, ASKED_AT_ONCE = 40 };

struct world {
    char directory[PATH_BYTES - 32];
    char index[PATH_BYTES];
    struct buffer problem;
    struct loop *loop;
    struct log *log;
    struct retriever *retriever;
    unsigned done, wanted;
    enum error error;
    struct retrieval retrieval; /* of the last */
};

static void write_file(const struct world *world, const char *name, const char *text)
{
    char path[PATH_BYTES];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", world->directory, name);
    file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static void build_index(struct world *world, const char *title)
{
    struct index_report report;
    char json[128];

    snprintf(json, sizeof(json),
             "{\"title\":\"%s\",\"topics\":[\"cars\"],\"out_of_scope\":[]}", title);
    write_file(world, "corpus.json", json);
    cr_assert(
        index_build(world->directory, world->index, NULL, NULL, &report, &world->problem),
        "%s", world->problem.bytes);
}

static void world_open(struct world *world)
{
    memset(world, 0, sizeof(*world));
    strcpy(world->directory, "/tmp/poise-retriever-XXXXXX");
    cr_assert_not_null(mkdtemp(world->directory));
    snprintf(world->index, sizeof(world->index), "%s/index", world->directory);
    buffer_init(&world->problem, 4096);
    write_file(world, "brakes.md",
               "# Brakes\n\n## Pads\n\nA worn brake pad squeals before it fails.\n\n"
               "## Rotors\n\nA warped rotor shakes the pedal.\n");
    write_file(world, "tyres.md", "# Tyres\n\nA flat tyre wears at its edges.\n");
    build_index(world, "Cars");
    world->loop = loop_new();
    world->log = log_new(STDERR_FILENO, LOG_ERROR);
    world->retriever =
        retriever_sqlite_new(world->index, world->loop, world->log, &world->problem);
    cr_assert_not_null(world->retriever, "%s", world->problem.bytes);
}

static void world_close(struct world *world)
{
    char command[PATH_BYTES + 8];

    retriever_free(world->retriever);
    loop_free(world->loop);
    log_free(world->log);
    retrieval_done(&world->retrieval);
    buffer_done(&world->problem);
    snprintf(command, sizeof(command), "rm -r %s", world->directory);
    cr_assert_eq(system(command), 0);
}

static void on_found(void *context, enum error error, struct retrieval retrieval)
{
    struct world *world = context;

    retrieval_done(&world->retrieval);
    world->error = error;
    world->retrieval = retrieval;
    if (++world->done == world->wanted)
        loop_stop(world->loop);
}

static struct retriever_call *start(struct world *world, const char *question,
                                    const char *selection)
{
    struct private_text asked = private_text_copy(question, strlen(question));
    struct private_text selected =
        private_text_copy(selection, selection != NULL ? strlen(selection) : 0);
    struct retriever_ask ask = {.question = &asked,
                                .selection = selection != NULL ? &selected : NULL,
                                .limit = 2,
                                .request_id = id_random(),
                                .timeout_ms = 60000};
    unsigned done = world->done;
    struct retriever_call *call =
        world->retriever->start(world->retriever, &ask, on_found, world);

    private_text_free(&asked);
    private_text_free(&selected);
    cr_assert_eq(world->done, done, "never before start() has returned");
    return call;
}

static void ask(struct world *world, const char *question, const char *selection)
{
    world->wanted = world->done + 1;
    start(world, question, selection);
    loop_run(world->loop);
}

static const char *title(struct world *world)
{
    return corpus_title(world->retriever->corpus(world->retriever));
}

Test(retriever, finds_the_best_first_with_where_it_stands)
{
    const struct passage *best;
    struct world world;

    world_open(&world);
    ask(&world, "Why does a worn brake pad squeal?", NULL);
    cr_assert_eq(world.error, OK);
    cr_assert_eq(world.retrieval.passages.count, 2);
    best = &world.retrieval.passages.all[0];
    cr_expect_str_eq(best->id, "brakes#1");
    cr_expect_str_eq(best->chapter, "Brakes");
    cr_expect_str_eq(best->section, "Pads");
    cr_expect_gt(best->score, 0.7);
    cr_expect_gt(best->score, world.retrieval.passages.all[1].score);
    cr_expect_str_eq(title(&world), "Cars");
    world_close(&world);
}

Test(retriever, finds_nothing_of_what_is_not_there)
{
    struct world world;

    world_open(&world);
    ask(&world, "Who composed the ninth symphony?", NULL);
    cr_expect_eq(world.error, OK);
    cr_expect_eq(world.retrieval.passages.count, 0);
    ask(&world, "What is it?", NULL);
    cr_expect_eq(world.error, OK);
    cr_expect_eq(world.retrieval.passages.count, 0);
    world_close(&world);
}

Test(retriever, judges_a_selection_and_searches_nothing)
{
    struct world world;

    world_open(&world);
    ask(&world, "Why does a worn brake pad squeal?", "A worn brake pad squeals.");
    cr_expect_eq(world.error, OK);
    cr_expect_eq(world.retrieval.coverage, 1);
    cr_expect_eq(world.retrieval.passages.count, 0);
    ask(&world, "Why does a worn brake pad squeal?", "Photosynthesis makes sugar.");
    cr_expect_eq(world.retrieval.coverage, 0);
    world_close(&world);
}

Test(retriever, answers_more_questions_at_once_than_it_has_searches)
{
    struct world world;

    world_open(&world);
    world.wanted = ASKED_AT_ONCE;
    for (int i = 0; i < ASKED_AT_ONCE; i++)
        start(&world, "Why does a worn brake pad squeal?", NULL);
    loop_run(world.loop);
    cr_expect_eq(world.done, ASKED_AT_ONCE);
    cr_expect_eq(world.error, OK);
    world_close(&world);
}

/* The score of the best, with so many other files that say the same. */
static double score_among(int others)
{
    struct world world;
    double score;
    char name[32];

    world_open(&world);
    for (int i = 0; i < others; i++) {
        snprintf(name, sizeof(name), "twin%d.md", i);
        write_file(&world, name,
                   "# Squeals\n\nA worn brake pad squeals before it fails.\n");
    }
    write_file(&world, "other.md", "# Radios\n\nA radio plays music all day long.\n");
    build_index(&world, "Cars");
    ask(&world, "When does a worn brake pad squeal?", NULL);
    cr_assert_geq(world.retrieval.passages.count, 1);
    score = world.retrieval.passages.all[0].score;
    world_close(&world);
    return score;
}

/* A twin of a file must not hide it; what stands everywhere says little of where it stands. */
Test(retriever, scores_by_how_far_a_file_is_ahead_of_the_second_other_one)
{
    double alone = score_among(0), beside_twin = score_among(1), among = score_among(4);

    cr_expect_gt(alone, 0.7);
    cr_expect_gt(beside_twin, 0.7);
    cr_expect_lt(among, beside_twin, "%f, %f", among, beside_twin);
}

/* Of a corpus of two files, one of which has so many sections alike. */
static double score_among_sections(int sections)
{
    struct world world;
    char text[1024] = "# Squeals\n";
    double score;

    world_open(&world);
    for (int i = 0; i < sections; i++)
        strcat(text, "\n## Pads\n\nA worn brake pad squeals before it fails.\n");
    write_file(&world, "brakes.md", text);
    build_index(&world, "Cars");
    ask(&world, "When does a worn brake pad squeal?", NULL);
    cr_assert_geq(world.retrieval.passages.count, 1);
    score = world.retrieval.passages.all[0].score;
    world_close(&world);
    return score;
}

Test(retriever, holds_a_passage_to_the_fifth_other_one_where_there_are_no_three_files)
{
    double alone = score_among_sections(1), among_five = score_among_sections(5),
           among_six = score_among_sections(6);

    cr_expect_gt(alone, 0.7);
    cr_expect_gt(among_five, among_six + 0.005, "%f, %f", among_five, among_six);
}

Test(retriever, gives_the_same_scores_again_and_again)
{
    struct world world;
    double score;

    world_open(&world);
    ask(&world, "What shakes the pedal of a car?", NULL);
    cr_assert_gt(world.retrieval.passages.count, 0);
    score = world.retrieval.passages.all[0].score;
    for (int i = 0; i < 100; i++) {
        ask(&world, "What shakes the pedal of a car?", NULL);
        cr_assert_eq(world.retrieval.passages.all[0].score, score, "to the last bit");
        cr_assert_str_eq(world.retrieval.passages.all[0].id, "brakes#2");
    }
    world_close(&world);
}

Test(retriever, a_cancelled_question_is_never_answered)
{
    struct retriever_call *calls[ASKED_AT_ONCE];
    struct world world;

    world_open(&world);
    for (int i = 0; i < ASKED_AT_ONCE; i++)
        calls[i] = start(&world, "Why does a worn brake pad squeal?", NULL);
    for (int i = 0; i < ASKED_AT_ONCE; i++) /* some run, some wait */
        world.retriever->cancel(calls[i]);
    world.retriever->cancel(NULL);
    ask(&world, "What shakes the pedal?", NULL);
    cr_expect_eq(world.done, 1);
    world_close(&world);
}

Test(retriever, may_be_freed_while_cancelled_questions_still_run)
{
    struct retriever_call *calls[ASKED_AT_ONCE];
    struct world world;

    world_open(&world);
    for (int i = 0; i < ASKED_AT_ONCE; i++)
        calls[i] = start(&world, "Why does a worn brake pad squeal?", NULL);
    for (int i = 0; i < ASKED_AT_ONCE; i++)
        world.retriever->cancel(calls[i]);
    retriever_free(world.retriever);
    world.retriever = NULL;
    cr_expect_eq(world.done, 0);
    world_close(&world);
}

Test(retriever, goes_on_with_an_index_that_takes_the_place_of_its_own)
{
    struct world world;

    world_open(&world);
    ask(&world, "How is a clutch bled?", NULL);
    cr_expect_eq(world.retrieval.passages.count, 0);
    write_file(&world, "clutch.md", "# Clutch\n\nA clutch is bled with a hose.\n");
    build_index(&world, "Cars, second edition");
    ask(&world, "How is a clutch bled?", NULL);
    cr_assert_gt(world.retrieval.passages.count, 0);
    cr_expect_str_eq(world.retrieval.passages.all[0].id, "clutch#1");
    cr_expect_str_eq(title(&world), "Cars, second edition");
    world_close(&world);
}

Test(retriever, keeps_its_index_where_nothing_good_takes_its_place)
{
    struct world world;

    world_open(&world);
    cr_assert_eq(unlink(world.index), 0);
    ask(&world, "What shakes the pedal?", NULL);
    cr_expect_eq(world.error, OK);
    cr_expect_gt(world.retrieval.passages.count, 0);
    write_file(&world, "index", "This is no index.");
    ask(&world, "What shakes the pedal?", NULL);
    cr_expect_eq(world.error, OK);
    cr_expect_gt(world.retrieval.passages.count, 0);
    cr_expect_str_eq(title(&world), "Cars");
    world_close(&world);
}

Test(retriever, does_not_start_without_an_index)
{
    struct loop *loop = loop_new();
    struct buffer problem;

    buffer_init(&problem, 1024);
    cr_expect_null(
        retriever_sqlite_new("/tmp/no-such-index-of-poise", loop, NULL, &problem));
    cr_expect_not_null(strstr(problem.bytes, "no-such-index-of-poise"));
    buffer_done(&problem);
    loop_free(loop);
}

Test(retriever, has_the_handbook_where_no_index_is_named)
{
    struct world world;

    memset(&world, 0, sizeof(world));
    buffer_init(&world.problem, 1024);
    world.loop = loop_new();
    world.retriever = retriever_sqlite_new("", world.loop, NULL, &world.problem);
    cr_assert_not_null(world.retriever);
    ask(&world, "What is the STAR method for telling a story?", NULL);
    cr_expect_eq(world.error, OK);
    cr_assert_gt(world.retrieval.passages.count, 0);
    cr_expect_gt(world.retrieval.passages.all[0].score, 0.7);
    retrieval_done(&world.retrieval);
    retriever_free(world.retriever);
    loop_free(world.loop);
    buffer_done(&world.problem);
}
