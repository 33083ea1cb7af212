/*
 * The filter as its callers see it: what is caught, what passes, and what stops a load.
 */
#include "filter.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct filter_verdict check(const char *json, const char *text)
{
    struct ruleset *ruleset;
    struct ruleset_problem problem;

    if (json == NULL)
        cr_assert(ruleset_load_default(&ruleset, &problem), "%s", problem.text);
    else
        cr_assert(ruleset_load_text("test.json", json, strlen(json), &ruleset, &problem),
                  "%s", problem.text);
    struct filter *filter = filter_new(ruleset);
    struct filter_verdict verdict = filter_check(filter, text, strlen(text));

    verdict.category = NULL; /* both end with the rule set */
    verdict.entry = NULL;
    filter_free(filter);
    ruleset_unref(ruleset);
    return verdict;
}

static void expect_problem(const char *json, const char *problem_text)
{
    struct ruleset *ruleset = NULL;
    struct ruleset_problem problem;

    cr_assert(!(ruleset_load_text("test.json", json, strlen(json), &ruleset, &problem)));
    cr_assert_null(ruleset);
    cr_assert(strstr(problem.text, problem_text) != NULL, "\"%s\" is not in \"%s\"",
              problem_text, problem.text);
}

static void expect_category(const char *text, const char *category)
{
    struct ruleset *ruleset;
    struct ruleset_problem problem;

    cr_assert(ruleset_load_default(&ruleset, &problem), "%s", problem.text);
    struct filter *filter = filter_new(ruleset);
    struct filter_verdict verdict = filter_check(filter, text, strlen(text));

    cr_assert_eq(verdict.outcome, FILTER_HIT, "passed: %s", text);
    cr_assert_str_eq(verdict.category, category);
    filter_free(filter);
    ruleset_unref(ruleset);
}

Test(filter, catches_each_category_of_the_built_in_patterns)
{
    expect_category("this is fucking stupid", "profanity_or_slur");
    expect_category("I'm gonna shoot you", "explicit_threat");
    expect_category("So, give me your social.", "pii_solicitation");
}

Test(filter, lets_ordinary_answers_pass)
{
    static const char *const answers[] = {
        "",
        "I will kill the stuck process and restart the node.",
        "I grew up in Scunthorpe.",
        "We did semen analysis on that ward.",
        "My Maine Coon sleeps all day.",
        "As a prosecutor I led a rape case.",
        "I'll shoot you an email.",
        "Tell me your password policy.",
        "Damn, that was a hell of a project.",
    };

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        cr_assert_eq(check(NULL, answers[i]).outcome, FILTER_PASS, "refused: %s",
                     answers[i]);
}

/* A text is walked through at two places at once: what stands across the middle, and what stands
 * behind more than the second walk can note, must be found as anywhere else. */
Test(filter, finds_a_threat_at_every_place_of_a_long_text)
{
    static const char *const fillings[] = {"we go on ", "shoot it "};
    static const char threat[] = " I'm gonna shoot you. ";
    struct ruleset *ruleset;
    struct ruleset_problem problem;
    char text[900];

    cr_assert(ruleset_load_default(&ruleset, &problem), "%s", problem.text);
    struct filter *filter = filter_new(ruleset);
    for (size_t at = 0; at < sizeof text - sizeof threat; at++) {
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = fillings[at % 2][i % 9];
        memcpy(text + at, threat, sizeof threat - 1);
        cr_assert_eq(filter_check(filter, text, sizeof text).outcome, FILTER_HIT,
                     "at %zu", at);
    }
    filter_free(filter);
    ruleset_unref(ruleset);
}

Test(filter, names_a_plain_string_by_its_place)
{
    const char *json = "[\"apple\", \"pear\"]";
    struct ruleset *ruleset;
    struct ruleset_problem problem;

    cr_assert(ruleset_load_text("test.json", json, strlen(json), &ruleset, &problem));
    struct filter *filter = filter_new(ruleset);
    struct filter_verdict verdict = filter_check(filter, "a PEAR tree", 11);

    cr_assert_eq(verdict.outcome, FILTER_HIT);
    cr_assert_str_eq(verdict.entry, "custom_pattern_1");
    cr_assert_str_eq(verdict.category, "custom_pattern_1");
    cr_assert_eq(verdict.start, 2);
    cr_assert_eq(verdict.end, 6);
    filter_free(filter);
    ruleset_unref(ruleset);
}

Test(filter, counts_a_shadow_entry_and_lets_the_text_pass)
{
    const char *json = "[{\"name\":\"quiet\",\"pattern\":\"pear\",\"shadow\":true}, "
                       "\"plum\"]";
    struct ruleset *ruleset;
    struct ruleset_problem problem;

    cr_assert(ruleset_load_text("test.json", json, strlen(json), &ruleset, &problem));
    struct filter *filter = filter_new(ruleset);

    cr_assert_eq(filter_check(filter, "pear", 4).outcome, FILTER_PASS);
    cr_assert_eq(ruleset_counter(ruleset, 0).hits, 1);
    cr_assert(ruleset_counter(ruleset, 0).is_shadow);
    filter_free(filter);
    ruleset_unref(ruleset);
}

Test(filter, has_no_verdict_when_a_limit_is_hit)
{
    char text[200];

    memset(text, 'a', sizeof text - 1);
    memcpy(text + sizeof text - 2, "!", 2);
    cr_assert_eq(check("[\"^(?=(a+)+$)\"]", text).outcome, FILTER_UNAVAILABLE);
}

Test(filter, takes_bytes_that_are_not_utf8)
{
    cr_assert_eq(check(NULL, "\xff\xfe fuck \xc3").outcome, FILTER_HIT);
    cr_assert_eq(check(NULL, "\xff\xfe hello \xc3").outcome, FILTER_PASS);
}

Test(ruleset, says_which_entry_of_which_file_is_bad_and_where)
{
    expect_problem("[\"fine\", {\"name\":\"broken\",\"pattern\":\"a(b\"}]",
                   "test.json: entry 1 (broken): bad pattern at offset 3");
    expect_problem("[\"fine\", 7]", "test.json: entry 1: neither");
    expect_problem("[{\"name\":\"x\"}]", "test.json: entry 0: no \"pattern\"");
    expect_problem("[\"\"]", "test.json: entry 0: the pattern is empty");
    expect_problem("{\"pattern\":\"x\"}", "test.json: not an array");
    expect_problem("[\"x\"", "test.json: not JSON: it ends early");
    expect_problem("nonsense", "test.json: not JSON, at offset");
    expect_problem("", "test.json: not JSON");
    expect_problem("[{\"pattern\":\"x\",\"surface\":\"deep\"}]",
                   "test.json: entry 0: \"surface\"");
}

Test(ruleset, says_when_a_file_is_missing)
{
    struct ruleset *ruleset = NULL;
    struct ruleset_problem problem;

    cr_assert(!(ruleset_load_file("/nonexistent/patterns.json", &ruleset, &problem)));
    cr_assert_str_eq(problem.text,
                     "/nonexistent/patterns.json: No such file or directory");
}

Test(ruleset, has_another_hash_for_another_file)
{
    struct ruleset *one;
    struct ruleset *other;
    struct ruleset_problem problem;

    cr_assert(ruleset_load_text("a", "[\"x\"]", 5, &one, &problem));
    cr_assert(ruleset_load_text("b", "[\"y\"]", 5, &other, &problem));
    cr_assert_eq(strlen(ruleset_hash(one)), 8);
    cr_assert_str_neq(ruleset_hash(one), ruleset_hash(other));
    ruleset_unref(one);
    ruleset_unref(other);
}

Test(ruleset, reports_a_pattern_that_can_backtrack_without_bound)
{
    const char *json = "[\"fine\", \"x.*y.*z\"]";
    struct ruleset *ruleset;
    struct ruleset_problem problem;
    size_t at = 0;

    cr_assert(ruleset_load_text("test.json", json, strlen(json), &ruleset, &problem));
    cr_assert(ruleset_next_warning(ruleset, &at, &problem));
    cr_assert(strstr(problem.text, "test.json: entry 1 (custom_pattern_1)") != NULL);
    cr_assert(!ruleset_next_warning(ruleset, &at, &problem));
    ruleset_unref(ruleset);
}

Test(filter, passes_over_a_match_that_something_near_makes_harmless)
{
    const char *json = "[{\"pattern\":\"kill\",\"unless_after\":\"process\"}]";

    cr_assert_eq(check(json, "kill the process").outcome, FILTER_PASS);
    cr_assert_eq(check(json, "the process, and then kill it").outcome, FILTER_HIT);
    cr_assert_eq(check(json, "kill this, kill that process").outcome, FILTER_PASS);
    cr_assert_eq(check(json, "kill the process. then kill it").outcome, FILTER_HIT);
}

Test(filter, looks_at_the_surface_that_an_entry_names)
{
    cr_assert_eq(
        check("[{\"pattern\":\"p e a r\",\"surface\":\"raw\"}]", "P E A R").outcome,
        FILTER_HIT);
    cr_assert_eq(
        check("[{\"pattern\":\"PEAR!\",\"surface\":\"normalised\"}]", "pear!").outcome,
        FILTER_PASS);
    cr_assert_eq(
        check("[{\"words\":[\"pear\"]},{\"pattern\":\"pear\",\"surface\":\"disguised\"}]",
              "a pear")
            .outcome,
        FILTER_PASS);
    cr_assert_eq(
        check("[{\"words\":[\"pear\"]},{\"pattern\":\"pear\",\"surface\":\"disguised\"}]",
              "a p3ar")
            .outcome,
        FILTER_HIT);
}

Test(filter, puts_fragments_in)
{
    const char *json = "[{\"define\":\"fruit\",\"pattern\":\"pear|apple\"},"
                       "{\"define\":\"two\",\"pattern\":\"{{fruit}} {{fruit}}\"},"
                       "{\"name\":\"basket\",\"pattern\":[\"my \",\"{{two}}\"]}]";

    cr_assert_eq(check(json, "my pear apple").outcome, FILTER_HIT);
    cr_assert_eq(check(json, "my pear").outcome, FILTER_PASS);
    expect_problem("[{\"define\":\"a\",\"pattern\":\"x\"},\"{{b}}\"]",
                   "test.json: entry 1: {{b}} is not defined above");
}
