/*
 * Which patterns can go back on themselves without bound.
 */
#include "backtracking_internal.h"

#include <criterion/criterion.h>

Test(backtracking, is_seen_where_a_repeat_can_match_what_follows)
{
    static const char *const patterns[] = {
        "a.*b",       "(a+)+",         "(a+)+$",    "\\w+\\d", "[a-z]*ing",
        "(?:a|b)*a",  "x(\\s|\\w)*y",  "(a)\\1",    ".+.+x",   "a{3,}a",
        "\\S+@\\S+x", "(?i)foo.*?bar", "[^\"]*\\w", "(?R)?a",  "a{1,500}a",
    };

    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        cr_assert(backtracking_of(patterns[i]).is_unbounded, "%s", patterns[i]);
}

Test(backtracking, is_not_seen_where_it_cannot)
{
    static const char *const patterns[] = {
        "abc",
        "\\bfoo\\b",
        "\\s+bar",
        "[0-9]+px",
        "a+",
        "a*+a",
        "(?>a+)a",
        "foo(?: bar){0,3} baz",
        "[^,]*,",
        "\\d{3}-\\d{4}",
        "(?:ab)+c",
        "\\(a+\\)",
        "[a-z]+ [0-9]+",
        "(?#a.*b)c",
        "a\\Q.*\\Eb",
    };

    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        cr_assert_not(backtracking_of(patterns[i]).is_unbounded, "%s", patterns[i]);
}

Test(backtracking, says_where_the_repeat_ends)
{
    cr_assert_eq(backtracking_of("foo.*bar").offset, 5);
}

Test(backtracking, counts_the_choices_that_have_a_bound)
{
    cr_assert(backtracking_is_costly(backtracking_of("a?a?a?a?a?a?a?a?a?a?aaaaaaaaaa")));
    cr_assert_not(backtracking_is_costly(backtracking_of("colou?r(?: s)?")));
}
