/*
 * Pattern files: any bytes are a rule set or a problem that names the file, loading twice gives the
 * same, and a rule set judges any text, with its prefilter as without.
 *
 * The input is a file; behind a line of "----" stands a text to judge.  What an author says of a
 * pattern's "needs" may be wrong, and then hides matches: files that say it are not compared.
 */
#include "filter.h"
#include "filter_internal.h"
#include "fuzz.h"

enum { FILE_MOST = 4096, TEXT_MOST = 512 };

static bool has(struct span text, const char *word)
{
    return text.length > 0 && memmem(text.bytes, text.length, word, strlen(word)) != NULL;
}

static void check_examples(struct ruleset *ruleset)
{
    struct ruleset_problem problem;
    size_t at = 0, before = 0;

    while (!ruleset_check_examples(ruleset, &at, &problem)) {
        must(at > before && problem.text[0] != '\0');
        before = at;
    }
}

static void check_names(const struct ruleset *ruleset)
{
    struct ruleset_problem problem;

    for (size_t i = 0; i < ruleset_counter_count(ruleset); i++) {
        struct ruleset_counter counter = ruleset_counter(ruleset, i);

        must(*counter.name != '\0' && *counter.category != '\0');
        must(strspn(counter.name, "abcdefghijklmnopqrstuvwxyz0123456789_") ==
             strlen(counter.name));
        must(strspn(counter.category, "abcdefghijklmnopqrstuvwxyz0123456789_") ==
             strlen(counter.category));
    }
    for (size_t i = 0; ruleset_next_warning(ruleset, &i, &problem);)
        must(*problem.text != '\0');
}

/* Without a verdict there is nothing to compare: limits are met sooner without the prefilter. */
static void check_text(struct ruleset *ruleset, struct span text, bool is_compared)
{
    struct filter *filter = filter_new(ruleset), *unfiltered = filter_new(ruleset);
    struct filter_verdict verdict = filter_check(filter, text.bytes, text.length), other;

    if (verdict.outcome == FILTER_HIT)
        must(verdict.start <= verdict.end && verdict.end <= text.length);
    else
        must(verdict.category == NULL);
    if (is_compared) {
        filter_ignore_prefilter(unfiltered);
        other = filter_check(unfiltered, text.bytes, text.length);
        if (other.outcome != FILTER_UNAVAILABLE && verdict.outcome != FILTER_UNAVAILABLE)
            must(other.outcome == verdict.outcome && other.entry == verdict.entry);
    }
    filter_free(filter);
    filter_free(unfiltered);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span input = fuzz_input(bytes, length), file = {"", 0};
    struct ruleset *ruleset, *again;
    struct ruleset_problem problem = {""};

    fuzz_next(&input, FUZZ_LINE, &file);
    if (file.length > FILE_MOST || input.length > TEXT_MOST)
        return 0;
    if (!ruleset_load_text("mine.json", file.bytes, file.length, &ruleset, &problem)) {
        must(strncmp(problem.text, "mine.json", 9) == 0);
        return 0;
    }
    must(strlen(ruleset_hash(ruleset)) == 8);
    must(ruleset_load_text("mine.json", file.bytes, file.length, &again, &problem));
    must(strcmp(ruleset_hash(ruleset), ruleset_hash(again)) == 0);
    ruleset_unref(again);
    check_names(ruleset);
    check_examples(ruleset);
    check_text(ruleset, input.bytes != NULL ? input : file,
               !has(file, "needs") && !has(file, "\\u"));
    ruleset_unref(ruleset);
    return 0;
}
