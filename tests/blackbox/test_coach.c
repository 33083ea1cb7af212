/*
 * `poise coach` from the shell: answers in, judgements out, in order; and labelled answers, with a
 * table and a status that say how far the coach agrees with them.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"

TestSuite(coach, .timeout = 120);

#define LINE(id, question, answer)                                                \
    "{\"id\":" id                                                                 \
    ",\"role\":\"Nurse\",\"interview_type\":\"general\",\"question\":\"" question \
    "\",\"answer\":\"" answer "\"}\n"
#define LEAD "Tell me about a time that you demonstrated leadership."

static void write_file(const char *directory, const char *name, const char *text)
{
    struct bytes path = {0};
    FILE *file;

    bytes_addf(&path, "%s/%s", directory, name);
    file = fopen(path.data, "wb");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
    bytes_free(&path);
}

/* One run over a file, or over a directory with that one file. */
static struct run run_over(const char *mode, const char *name, const char *text)
{
    char *directory = directory_make();
    struct bytes path = {0};
    struct run result;

    write_file(directory, name, text);
    bytes_addf(&path, strcmp(mode, "--corpus") == 0 ? "%s" : "%s/%s", directory, name);
    result = run_program(directory, (const char *const[]){"coach", mode, path.data, NULL},
                         SETTINGS());
    directory_remove(directory);
    bytes_free(&path);
    free(directory);
    return result;
}

static void expect_said(const struct run *result, const char *what)
{
    cr_expect_not_null(strstr(result->output.data ? result->output.data : "", what),
                       "no %s in:\n%s", what, result->output.data);
}

Test(coach, every_answer_has_its_judgement_in_order)
{
    struct run result = run_over(
        "--jsonl", "lines",
        LINE("\"a\"", LEAD, "I was captain of the team and I gave everyone a part.")
            LINE("7", LEAD, "sorry could you repeat that please")
                LINE("\"c\"", LEAD, "can we skip this one") LINE(
                    "null", LEAD, "Ich habe ein Team geleitet und das war sehr gut."));
    const char *first = strstr(
        result.output.data, "{\"id\":\"a\",\"kind\":\"answer\",\"scores\":{\"clarity\":");

    cr_expect_eq(result.status, 0);
    cr_expect_eq(first, result.output.data, "%s", result.output.data);
    expect_said(&result,
                "\n{\"id\":7,\"kind\":\"repeat\",\"scores\":null,\"tips\":{}}\n"
                "{\"id\":\"c\",\"kind\":\"skip\",\"scores\":null,\"tips\":{}}\n"
                "{\"id\":null,\"kind\":\"answer\",\"scores\":null,\"tips\":{}}\n");
    bytes_free(&result.output);
}

Test(coach, a_line_that_is_no_answer_is_answered_too)
{
    struct run result =
        run_over("--jsonl", "lines",
                 "{\n[1]\n{\"id\":1,\"answer\":\"x\"}\n"
                 "{\"id\":2,\"question\":\"Why?\",\"answer\":5}\n" LINE("3", LEAD, "no"));

    cr_expect_eq(result.status, 3);
    expect_said(&result, "{\"id\":null,\"error\":\"no JSON object\"}\n"
                         "{\"id\":null,\"error\":\"no JSON object\"}\n"
                         "{\"id\":1,\"error\":\"no question\"}\n"
                         "{\"id\":2,\"error\":\"no answer\"}\n"
                         "{\"id\":3,\"kind\":\"answer\",\"scores\":{\"clarity\":1,");
    bytes_free(&result.output);
}

Test(coach, agrees_with_the_labelled_answers_as_far_as_wanted)
{
    struct run result = run_program(
        ".", (const char *const[]){"coach", "--corpus", LABELLED_ANSWERS, NULL},
        SETTINGS());

    cr_expect_eq(result.status, 0, "%s", result.output.data);
    expect_said(&result, "\nblind ");
    expect_said(&result, "\ntuned ");
    bytes_free(&result.output);
}

/* Of writers who knew neither the rubric nor its words. */
Test(coach, agrees_with_the_labels_of_strangers_as_far_as_wanted)
{
    struct run result =
        run_program(".",
                    (const char *const[]){"coach", "--corpus",
                                          LABELLED_ANSWERS "/stranger_students", NULL},
                    SETTINGS());

    cr_expect_eq(result.status, 0, "%s", result.output.data);
    expect_said(&result, "\nblind ");
    bytes_free(&result.output);
}

Test(coach, says_where_it_does_not_agree)
{
#define LABELLED(answer, overall)                     \
    "{\"question\":\"" LEAD "\",\"answer\":\"" answer \
    "\",\"kind\":\"answer\",\"overall\":" overall "}\n"
    struct run result = run_over(
        "--corpus", "odd.jsonl",
        LABELLED("asdf qwer zxcv uiop", "7") LABELLED(
            "I was captain of the team, and I gave everyone one part of the plan. "
            "In the end we won the cup, because everybody knew what to do.",
            "1"));

    cr_expect_eq(result.status, 1);
    expect_said(&result, "\nodd.jsonl ");
    expect_said(&result, " -1.00");
    bytes_free(&result.output);
}

Test(coach, help_is_on_standard_output_and_bad_usage_has_the_status_2)
{
    const char *const *const bad[] = {
        (const char *const[]){"coach", NULL},
        (const char *const[]){"coach", "--lines", NULL},
        (const char *const[]){"coach", "--jsonl", "a", "b", NULL},
        (const char *const[]){"coach", "--jsonl", "no/such/file", NULL},
        (const char *const[]){"coach", "--corpus", "no/such/directory", NULL},
    };
    char *directory = directory_make();
    struct run result = run_program(
        directory, (const char *const[]){"coach", "--help", NULL}, SETTINGS());

    cr_expect_eq(result.status, 0);
    expect_said(&result, "usage: poise coach --jsonl");
    bytes_free(&result.output);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        result = run_program(directory, bad[i], SETTINGS());
        cr_expect_eq(result.status, 2, "%zu: status %d:\n%s", i, result.status,
                     result.output.data);
        bytes_free(&result.output);
    }
    directory_remove(directory);
    free(directory);
}
