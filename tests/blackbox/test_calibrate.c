/*
 * `poise calibrate` from the shell: the tables, the picture, the exit status, and what is said of bad
 * input.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study.h"

TestSuite(calibrate, .timeout = 120);

#define GOOD                                                                                 \
    "{\"question\":\"How long does the Kestrel gripper take to open?\",\"answerable\":true," \
    "\"kind\":\"plain\"}\n"                                                                  \
    "\n"                                                                                     \
    "{\"question\":\"Which sonnets did Shakespeare write in London?\",\"answerable\":false," \
    "\"passage\":null,\"kind\":\"other domain\"}\n"

static struct run calibrate(const char *file, const char *const *arguments,
                            struct settings_list settings, const char *keep,
                            char **ret_kept)
{
    char *directory = directory_make();
    struct bytes path = {0};
    struct run run;
    FILE *stream;

    bytes_addf(&path, "%s/labelled.jsonl", directory);
    stream = fopen(path.data, "wb");
    cr_assert_not_null(stream);
    fputs(file, stream);
    fclose(stream);
    run = run_program(directory, arguments, settings);
    if (keep != NULL) {
        bytes_free(&path);
        path = (struct bytes){0};
        bytes_addf(&path, "%s/%s", directory, keep);
        stream = fopen(path.data, "rb");
        cr_assert_not_null(stream);
        *ret_kept = calloc(1, 1 << 16);
        cr_assert_gt(fread(*ret_kept, 1, (1 << 16) - 1, stream), 0);
        fclose(stream);
    }
    directory_remove(directory);
    bytes_free(&path);
    free(directory);
    return run;
}

static void expect(struct run *run, int status, const char *const *said)
{
    cr_assert(run->status == status, "status %d, not %d:\n%s", run->status, status,
              run->output.data);
    for (; *said != NULL; said++)
        cr_assert(bytes_has(&run->output, *said), "no \"%s\" in:\n%s", *said,
                  run->output.data);
    bytes_free(&run->output);
}

#define PLAIN ARGUMENTS("calibrate", "labelled.jsonl")

Test(calibrate, shows_rates_tables_and_the_pair_of_thresholds)
{
    struct study study = study_make(NULL);
    struct run run = calibrate(GOOD, PLAIN, SETTINGS(study.setting), NULL, NULL);

    expect(&run, 0,
           FIELDS_NAMED("2 questions, 1 answerable and 1 not", "answer 0.70",
                        "0 of     1   0.0 %", "other domain", "0.95",
                        "GROUND_ANSWER_SCORE="));
    study_remove(&study);
}

Test(calibrate, the_status_is_1_where_the_thresholds_miss_the_goals)
{
    struct study study = study_make(NULL);
    struct run run =
        calibrate(GOOD, ARGUMENTS("calibrate", "--explain", "labelled.jsonl"),
                  SETTINGS(study.setting, "GROUND_ANSWER_SCORE=1"), NULL, NULL);

    expect(&run, 1,
           FIELDS_NAMED("refused", "How long does the Kestrel gripper take to open?",
                        "1 of     1 100.0 %"));
    study_remove(&study);
}

Test(calibrate, draws_the_trade_off)
{
    struct study study = study_make(NULL);
    char *picture;
    struct run run =
        calibrate(GOOD, ARGUMENTS("calibrate", "--svg", "picture.svg", "labelled.jsonl"),
                  SETTINGS(study.setting), "picture.svg", &picture);

    expect(&run, 0, FIELDS_NAMED("2 questions"));
    cr_expect_eq(strncmp(picture, "<svg ", 5), 0);
    cr_expect_not_null(strstr(picture, "false refusals"));
    cr_expect_not_null(strstr(picture, "<polyline"));
    cr_expect_not_null(strstr(picture, "answer 0.70"));
    cr_expect_not_null(strstr(picture, "</svg>\n"));
    free(picture);
    study_remove(&study);
}

Test(calibrate, bad_input_is_named_by_its_line_and_the_status_is_2)
{
    static const struct {
        const char *line, *said;
    } cases[] = {
        {"no JSON\n", "line 1: it is no JSON"},
        {"{\"answerable\":true}\n", "line 1: it has no \"question\""},
        {GOOD "{\"question\":\"Why?\"}\n", "line 4: \"answerable\" is neither"},
        {"{\"question\":\"Why?\",\"answerable\":true,\"passage\":7}\n", "\"passage\" is"},
        {"{\"question\":\"Why?\",\"answerable\":false,\"passage\":\"a#1\"}\n",
         "not answerable"},
        {"{\"question\":\"Why?\",\"answerable\":true,\"passage\":\"no-such#1\"}\n",
         "no passage no-such#1"},
        {"\n", "no questions"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run run =
            calibrate(cases[i].line, PLAIN, SETTINGS("CORPUS_INDEX="), NULL, NULL);

        expect(&run, 2, FIELDS_NAMED("poise calibrate: ", cases[i].said));
    }
}

Test(calibrate, bad_usage_and_a_missing_index_are_told)
{
    struct run none =
        calibrate(GOOD, ARGUMENTS("calibrate"), SETTINGS("PORT=0"), NULL, NULL);
    struct run unknown =
        calibrate(GOOD, ARGUMENTS("calibrate", "--loud", "labelled.jsonl"),
                  SETTINGS("PORT=0"), NULL, NULL);
    struct run missing =
        calibrate(GOOD, PLAIN, SETTINGS("CORPUS_INDEX=no-such-index"), NULL, NULL);

    expect(&none, 2, FIELDS_NAMED("usage: poise calibrate"));
    expect(&unknown, 2, FIELDS_NAMED("usage: poise calibrate"));
    expect(&missing, 2, FIELDS_NAMED("no-such-index"));
}

/* The counts are those of the day on which this was written, with a little room: fewer are refused, and none of the
 * foreign ones is answered. */
Test(calibrate, questions_in_words_that_the_text_has_not_are_found)
{
    char *directory = directory_make();
    struct run indexed = run_program(
        directory, ARGUMENTS("index", LABELLED_QUESTIONS "/articles", "--into", "index"),
        SETTINGS("PORT=0"));
    struct run run = run_program(
        directory, ARGUMENTS("calibrate", LABELLED_QUESTIONS "/articles_blind.jsonl"),
        SETTINGS("CORPUS_INDEX=index"));
    const char *row = strstr(run.output.data, "answer 0.70");
    int refused = 93;

    cr_assert_eq(indexed.status, 0, "%s", indexed.output.data);
    cr_assert_eq(row != NULL ? sscanf(row, "answer 0.70 %d of 93", &refused) : 0, 1);
    cr_assert_leq(refused, 41, "%s", run.output.data);
    expect(&run, 1,
           FIELDS_NAMED("147 questions, 93 answerable and 54 not", "0 of    18   0.0 %"));
    bytes_free(&indexed.output);
    directory_remove(directory);
    free(directory);
}

/* Where the goals cannot be met together, it says what comes nearest. */
Test(calibrate, says_what_threshold_suits_where_no_threshold_meets_the_goals)
{
    char *directory = directory_make();
    struct run indexed = run_program(
        directory,
        ARGUMENTS("index", LABELLED_QUESTIONS "/encyclopedia", "--into", "index"),
        SETTINGS("PORT=0"));
    struct run run = run_program(
        directory, ARGUMENTS("calibrate", LABELLED_QUESTIONS "/encyclopedia.jsonl"),
        SETTINGS("CORPUS_INDEX=index"));

    cr_assert_eq(indexed.status, 0, "%s", indexed.output.data);
    expect(&run, 1,
           FIELDS_NAMED("288 questions, 164 answerable and 124 not",
                        "no threshold meets both; fewest wrong of both with "
                        "GROUND_ANSWER_SCORE=",
                        "0 of    60   0.0 %"));
    bytes_free(&indexed.output);
    directory_remove(directory);
    free(directory);
}

Test(calibrate, our_own_questions_get_no_false_answer_from_the_handbook)
{
    struct run run =
        run_program(".", ARGUMENTS("calibrate", LABELLED_QUESTIONS "/handbook.jsonl"),
                    SETTINGS("CORPUS_INDEX="));

    cr_assert_lt(run.status, 2, "%s", run.output.data);
    cr_assert(bytes_has(&run.output, "259 questions, 178 answerable and 81 not"), "%s",
              run.output.data);
    cr_assert(bytes_has(&run.output, "GROUND_ANSWER_SCORE="), "a pair meets both:\n%s",
              run.output.data);
    bytes_free(&run.output);
}
