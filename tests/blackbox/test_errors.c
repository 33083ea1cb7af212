/*
 * One scenario for every row of the error table.  A row without a reach_<SYMBOL>() does
 * not link; rows that only a later issue can reach say so.
 *
 * Every scenario sends the candidate's canary words, and expect_error() and world_end()
 * look for them in the error and in the log.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "play.h"
#include "scenarios.h"

TestSuite(errors, .timeout = 90);

/* A row that nothing of this issue reaches: the program must still know it. */
static void expect_only_in_the_table(enum expected_error error)
{
    char *directory = directory_make();
    struct run run = run_program(directory, ARGUMENTS("--errors"), SETTINGS());

    cr_assert(run.status == 0);
    cr_assert(bytes_has(&run.output, error_row(error)->code));
    bytes_free(&run.output);
    directory_remove(directory);
    free(directory);
}

#define REACHED_BY_A_LATER_ISSUE(symbol)          \
    void reach_##symbol(void)                     \
    {                                             \
        expect_only_in_the_table(ERROR_##symbol); \
    }

/* "Anything else" is what no client can bring about by a request that we know of. */
REACHED_BY_A_LATER_ISSUE(INTERNAL_ERROR)

#define ERROR(symbol, ...) \
    Test(errors, symbol)   \
    {                      \
        reach_##symbol();  \
    }
#include "errors.def"
