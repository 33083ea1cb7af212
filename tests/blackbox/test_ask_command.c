/*
 * The study material from the shell: `poise ask`, and what a service does whose index cannot be read.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "study.h"

TestSuite(ask_command, .timeout = 120);

/* Runs the program on a study, which goes with it. */
static struct run run_on(struct study *study, const char *const *arguments)
{
    return run_program(study->directory, arguments,
                       SETTINGS("SAFETY_ENABLED=false", study->setting));
}

static void expect_run(struct run run, int status, const char *text)
{
    cr_assert_eq(run.status, status, "%d: %s", run.status, run.output.data);
    cr_assert(bytes_has(&run.output, text), "%s", run.output.data);
    bytes_free(&run.output);
}

Test(ask_command, an_answer_is_printed_with_its_sources)
{
    struct study study = study_make(NULL);
    struct run run = run_on(&study, ARGUMENTS("ask", ANSWERABLE));

    cr_assert(bytes_has(&run.output, "Grippers, Speed"), "%s", run.output.data);
    expect_run(run, 0, ANSWER_WORDS);
    study_remove(&study);
}

Test(ask_command, a_refusal_is_told_by_reason_and_status)
{
    struct study study = study_make(NULL);

    expect_run(run_on(&study, ARGUMENTS("ask", ABOUT_NOTHING)), 1,
               EMPTY_MESSAGE "\n  refused: empty_retrieval\n");
    expect_run(run_on(&study, ARGUMENTS("ask", "--chat", ABOUT_NOTHING)), 1,
               "refused: Top-1 similarity (");
    expect_run(run_on(&study, ARGUMENTS("ask", ABOUT_NOTHING, "--json")), 1,
               "\"refusal_reason\":\"empty_retrieval\"");
    study_remove(&study);
}

Test(ask_command, a_selection_is_a_text_or_a_file)
{
    struct study study = study_make(NULL);

    expect_run(run_on(&study, ARGUMENTS("ask", ANSWERABLE, "--selected", SELECTED)), 0,
               "user-selection");
    expect_run(
        run_on(&study, ARGUMENTS("ask", ANSWERABLE, "--selected", "corpus/grippers.md")),
        0, "user-selection");
    expect_run(
        run_on(&study, ARGUMENTS("ask", ANSWERABLE, "--selected", "corpus/lidars.md")), 1,
        "selected_text_insufficient");
    study_remove(&study);
}

Test(ask_command, bad_usage_is_told_so)
{
    struct study study = study_make(NULL);

    expect_run(run_on(&study, ARGUMENTS("ask")), 2, "usage");
    expect_run(run_on(&study, ARGUMENTS("ask", "one", "two")), 2, "usage");
    expect_run(run_on(&study, ARGUMENTS("ask", "")), 2, "1 to 500 characters");
    expect_run(run_on(&study, ARGUMENTS("refusals", "--since", "yesterday")), 2, "usage");
    study_remove(&study);
}

/* What is asked in the shell is nobody's question to whom keeps the material. */
Test(ask_command, a_refusal_in_the_shell_is_not_noted)
{
    struct study study = study_make(NULL);
    char path[512];
    struct run run =
        run_program(study.directory, ARGUMENTS("ask", ABOUT_NOTHING),
                    SETTINGS("SAFETY_ENABLED=false", "REFUSAL_LOG=refusals.jsonl",
                             "STORE_URL=sqlite:///poise.db", study.setting));

    expect_run(run, 1, "empty_retrieval");
    snprintf(path, sizeof path, "%s/refusals.jsonl", study.directory);
    cr_assert_neq(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/poise.db", study.directory);
    cr_assert_neq(access(path, F_OK), 0);
    study_remove(&study);
}

Test(ask_command, a_service_without_its_index_does_not_start)
{
    char *directory = directory_make();
    struct run run = run_program(directory, ARGUMENTS("serve"),
                                 SETTINGS("PORT=0", "SAFETY_ENABLED=false",
                                          "STORE_URL=sqlite:///poise.db",
                                          "CORPUS_INDEX=absent.index"));

    expect_run(run, 1, "absent.index");
    run = run_program(directory, ARGUMENTS("doctor"),
                      SETTINGS("SAFETY_ENABLED=false", "STORE_URL=sqlite:///poise.db",
                               "TTS_PROVIDER=none", "CORPUS_INDEX=absent.index"));
    cr_assert(bytes_has(&run.output, "FAIL  study material"), "%s", run.output.data);
    expect_run(run, 1, "absent.index");
    directory_remove(directory);
    free(directory);
}

Test(ask_command, doctor_counts_the_passages)
{
    struct study study = study_make(NULL);
    struct run run =
        run_program(study.directory, ARGUMENTS("doctor"),
                    SETTINGS("SAFETY_ENABLED=false", "STORE_URL=sqlite:///poise.db",
                             "TTS_PROVIDER=none", study.setting));

    expect_run(run, 0, "\"Small Robots\"");
    study_remove(&study);
}

/* A new index takes the place of the old one while the service runs. */
Test(ask_command, a_service_answers_from_a_new_index_without_a_restart)
{
    struct study study = study_make(NULL);
    struct world *world =
        world_with_builtin_coach(study.setting, "WORKERS=1", "GROUND_ANSWER_SCORE=0.2",
                                 "GROUND_RELATED_SCORE=0.2");
    char path[512];
    FILE *file;

    const struct reply *before =
        ask_textbook(world, "How many legs does the Mantis crawler have?");
    cr_assert_not(bytes_has(&before->body, "six legs"));
    snprintf(path, sizeof path, "%s/corpus/crawlers.md", study.directory);
    file = fopen(path, "w");
    fputs("# Crawlers\n\nThe Mantis crawler has six legs and no wheel.\n", file);
    fclose(file);
    expect_run(run_on(&study, ARGUMENTS("index", "corpus", "--into", "index")), 0, "");

    const struct reply *reply =
        ask_textbook(world, "How many legs does the Mantis crawler have?");
    cr_assert_not_null(strstr(text_at(reply, "data.answer"), "six legs"), "%s",
                       reply->body.data);
    world_end(world);
    study_remove(&study);
}
