/*
 * The built-in pattern file: its examples, its cost, and the corpora.
 */
#include "filter.h"
#include "filter_internal.h"
#include "json.h"
#include "ruleset_internal.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void corpus_path(const char *name, char *path, size_t bytes)
{
    snprintf(path, bytes, TESTS "/corpus/%s", name);
}

static struct ruleset *load(void)
{
    struct ruleset_problem problem;
    struct ruleset *ruleset;

    cr_assert(ruleset_load_default(&ruleset, &problem), "%s", problem.text);
    return ruleset;
}

Test(patterns, keep_to_their_examples)
{
    struct ruleset *ruleset = load();
    struct ruleset_problem problem;
    size_t at = 0;

    cr_assert(ruleset_check_examples(ruleset, &at, &problem), "%s", problem.text);
    cr_assert(at > 200, "only %zu examples were looked at", at);
    ruleset_unref(ruleset);
}

Test(patterns, cannot_backtrack_without_bound)
{
    struct ruleset *ruleset = load();
    struct ruleset_problem problem;
    size_t at = 0;

    cr_assert(!ruleset_next_warning(ruleset, &at, &problem), "%s", problem.text);
    ruleset_unref(ruleset);
}

Test(patterns, can_all_be_looked_for_at_once)
{
    struct ruleset *ruleset = load();

    for (int surface = 0; surface < SURFACE_COUNT; surface++)
        cr_assert_eq(prefilter_unfiltered(ruleset->prefilters[surface]), 0);
    ruleset_unref(ruleset);
}

/* Or each start of the program would take half a second. */
Test(patterns, load_from_a_file_as_they_do_built_in)
{
    extern const char embedded_safety_patterns[], embedded_safety_patterns_end[];
    size_t length = (size_t)(embedded_safety_patterns_end - embedded_safety_patterns);
    struct ruleset *built_in = load();
    struct ruleset_problem problem;
    struct ruleset *own;

    cr_assert(
        ruleset_load_text("own.json", embedded_safety_patterns, length, &own, &problem),
        "%s", problem.text);
    cr_assert_str_eq(ruleset_hash(own), ruleset_hash(built_in));
    ruleset_unref(own);
    ruleset_unref(built_in);
}

/* Does the prefilter hide a match of the text, or of the text with its end cut off? */
static void compare(struct filter *filter, struct filter *unfiltered, const char *text,
                    size_t length)
{
    struct filter_verdict with = filter_check(filter, text, length);
    struct filter_verdict without = filter_check(unfiltered, text, length);

    cr_assert(with.outcome == without.outcome && with.entry == without.entry,
              "%.*s: %s with the prefilter, %s without", (int)length, text,
              with.entry != NULL ? with.entry : "nothing",
              without.entry != NULL ? without.entry : "nothing");
}

static void compare_file(const char *path, struct filter *filter,
                         struct filter *unfiltered)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;

    cr_assert_not_null(file, "%s", path);
    while ((length = getline(&line, &capacity, file)) > 0) {
        struct json_object *object = json_parse(line, (size_t)length, 8);
        struct span text = json_member_string(object, "text");
        if (text.bytes != NULL) {
            compare(filter, unfiltered, text.bytes, text.length);
            compare(filter, unfiltered, text.bytes, text.length / 2);
            compare(filter, unfiltered, text.bytes + text.length / 3,
                    text.length - text.length / 3);
        }
        json_object_put(object);
    }
    free(line);
    fclose(file);
}

Test(patterns, are_never_hidden_by_the_prefilter, .timeout = 110)
{
    struct ruleset *ruleset = load();
    struct filter *filter = filter_new(ruleset);
    struct filter *unfiltered = filter_new(ruleset);
    struct dirent **names;
    char path[512];
    int files = 0;

    corpus_path("", path, sizeof path);
    int count = scandir(path, &names, NULL, alphasort);
    filter_ignore_prefilter(unfiltered);
    for (int i = 0; i < count; i++) {
        if (strstr(names[i]->d_name, ".jsonl") != NULL) {
            corpus_path(names[i]->d_name, path, sizeof path);
            compare_file(path, filter, unfiltered);
            files++;
        }
        free(names[i]);
    }
    free(names);
    cr_assert(files > 20);
    filter_free(filter);
    filter_free(unfiltered);
    ruleset_unref(ruleset);
}
