/*
 * `poise support --jsonl` from the shell: a line in, a line out, in order, and a status that says how it went.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"

TestSuite(support, .timeout = 60);

#define PASSAGES \
    "\"passages\":[\"The Ardelle is 412 kilometres long. It never freezes.\",\"Bread.\"]"
#define TRUE_LINE                                                                                           \
    "{\"id\":\"a\",\"question\":\"How long?\",\"answer\":\"The Ardelle is 412 kilometres long.\"," PASSAGES \
    "}\n"
#define FALSE_LINE                                                                             \
    "{\"id\":7,\"answer\":\"It never freezes. The Ardelle is 421 kilometres long.\"," PASSAGES \
    "}\n"
#define TRUE_VERDICT "{\"id\":\"a\",\"supported\":true,\"unsupported\":[]}\n"
#define FALSE_VERDICT                                                                 \
    "{\"id\":7,\"supported\":false,\"unsupported\":[\"The Ardelle is 421 kilometres " \
    "long.\"]}\n"

/* One run over a file of lines. */
static struct run judge(const char *lines)
{
    char *directory = directory_make();
    struct bytes path = {0};
    struct run result;
    FILE *file;

    bytes_addf(&path, "%s/lines", directory);
    file = fopen(path.data, "wb");
    cr_assert_not_null(file);
    fputs(lines, file);
    fclose(file);
    result = run_program(directory,
                         (const char *const[]){"support", "--jsonl", path.data, NULL},
                         SETTINGS());
    directory_remove(directory);
    bytes_free(&path);
    free(directory);
    return result;
}

static void expect_lines(const char *lines, int status, const char *verdicts)
{
    struct run result = judge(lines);

    cr_expect_eq(result.status, status, "status %d:\n%s", result.status,
                 result.output.data);
    cr_expect_str_eq(result.output.data ? result.output.data : "", verdicts);
    bytes_free(&result.output);
}

Test(support, every_line_has_its_verdict_in_order)
{
    expect_lines(TRUE_LINE FALSE_LINE TRUE_LINE, 0,
                 TRUE_VERDICT FALSE_VERDICT TRUE_VERDICT);
    expect_lines("", 0, "");
}

Test(support, a_line_that_is_none_is_answered_too)
{
    expect_lines(TRUE_LINE "{\n"
                           "\n"
                           "[1]\n"
                           "{\"id\":\"b\",\"answer\":5," PASSAGES "}\n"
                           "{\"id\":\"c\",\"answer\":\"It.\",\"passages\":\"x\"}\n"
                           "{\"id\":{},\"answer\":\"It.\",\"passages\":[1]}\n" FALSE_LINE,
                 3,
                 TRUE_VERDICT
                 "{\"id\":null,\"error\":\"no JSON object\"}\n"
                 "{\"id\":null,\"error\":\"no JSON object\"}\n"
                 "{\"id\":null,\"error\":\"no JSON object\"}\n"
                 "{\"id\":\"b\",\"error\":\"no answer\"}\n"
                 "{\"id\":\"c\",\"error\":\"no passages\"}\n"
                 "{\"id\":null,\"error\":\"a passage is no string\"}\n" FALSE_VERDICT);
}

Test(support, bad_usage_has_the_status_2)
{
    const char *const *const bad[] = {
        (const char *const[]){"support", NULL},
        (const char *const[]){"support", "--lines", NULL},
        (const char *const[]){"support", "--jsonl", "a", "b", NULL},
        (const char *const[]){"support", "--jsonl", "no/such/file", NULL},
    };
    char *directory = directory_make();

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct run result = run_program(directory, bad[i], SETTINGS());

        cr_expect_eq(result.status, 2, "%zu: status %d:\n%s", i, result.status,
                     result.output.data);
        bytes_free(&result.output);
    }
    directory_remove(directory);
    free(directory);
}
