/*
 * A pattern's alternatives, taken apart and put together.
 */
#include "alternatives_internal.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define PLUMS \
    "plums(?! (?:with|and|in|of) (?:cream|sugar|honey|milk|rum|brandy|ice|cake))"
#define TEN PLUMS PLUMS PLUMS PLUMS PLUMS PLUMS PLUMS PLUMS PLUMS PLUMS

static void expect_parts(const char *pattern, size_t count, const char *second)
{
    struct pattern_texts parts = alternatives_of(pattern);

    cr_assert_eq(parts.count, count, "%zu parts, not %zu", parts.count, count);
    if (second != NULL)
        cr_expect_str_eq(parts.texts[1], second);
    for (size_t i = 0; i < parts.count; i++)
        free(parts.texts[i]);
    free(parts.texts);
}

Test(alternatives, of_a_long_pattern_are_parts_of_their_own)
{
    expect_parts("\\b(?:" TEN "|pear" TEN ")$", 2, "\\b(?:pear" TEN ")$");
    expect_parts(TEN "|" TEN "|fig" TEN, 3, TEN);
}

Test(alternatives, stay_where_they_are_short_or_mean_something_together)
{
    expect_parts("plum|pear", 1, NULL);
    expect_parts("(" TEN ")|\\1" TEN, 1, NULL);
    expect_parts("(?<fruit>" TEN ")|" TEN, 1, NULL);
    expect_parts("(?i)" TEN "|" TEN, 1, NULL);
}

Test(alternatives, are_put_together_by_their_first_letters)
{
    static const char *const rows[][2] = {
        {"plum|pear|fig", "p(?:lum|ear)|fig"},
        {"plum|fig|pear", "p(?:lum|ear)|fig"},
        {"plums|plum", "plum(?:s|)"},
        {"(?:plum|plan)s", "(?:pl(?:um|an))s"},
        {"plum|\\w|pear", "plum|\\w|pear"},      /* behind one that may be any */
        {"p?ear|plum|pin", "p?ear|p(?:lum|in)"}, /* or none */
        {"(?<=plum|pear)s|[p|q]|\\|", "(?<=plum|pear)s|[p|q]|\\|"},
        {"(plum|pear)", "(plum|pear)"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = alternatives_by_letter(rows[i][0]);
        cr_expect_str_eq(text, rows[i][1], "%s: %s", rows[i][0], text);
        free(text);
    }
}
