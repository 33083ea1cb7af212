/*
 * The examples of a pattern file, held against its entries.
 */
#include "filter_internal.h"
#include "ruleset_internal.h"

#include <stdio.h>
#include <string.h>

/* Texts of one list, of which `*seen` were counted before; false at the first that does not hold. */
static bool check_list(struct filter *filter, size_t index,
                       const struct pattern_texts *list, bool is_to_match, size_t *seen,
                       size_t *at, struct ruleset_problem *ret_problem)
{
    const struct pattern_entry *entry = &filter_ruleset(filter)->file.entries[index];

    for (size_t i = 0; i < list->count; i++) {
        const char *text;
        enum filter_outcome outcome;

        if ((*seen)++ < *at)
            continue;
        *at = *seen;
        text = list->texts[i];
        outcome = filter_check_entry(filter, index, text, strlen(text));
        if (outcome == (is_to_match ? FILTER_HIT : FILTER_PASS))
            continue;
        snprintf(ret_problem->text, sizeof(ret_problem->text),
                 "entry %zu (%s): %s %zu %s", entry->position, entry->name,
                 is_to_match ? "example" : "counter-example", i,
                 is_to_match ? "is not caught" : "is caught");
        return false;
    }
    return true;
}

bool ruleset_check_examples(struct ruleset *ruleset, size_t *at,
                            struct ruleset_problem *ret_problem)
{
    struct filter *filter = filter_new(ruleset);
    size_t seen = 0;
    bool is_fine = true;

    for (size_t i = 0; i < ruleset->file.count && is_fine; i++) {
        const struct pattern_entry *entry = &ruleset->file.entries[i];
        if (seen++ >= *at && ruleset_never_matches(ruleset, i)) {
            snprintf(ret_problem->text, sizeof ret_problem->text,
                     "entry %zu (%s): can never match: normalised texts have only small "
                     "letters without marks, digits, and one of \" ,.?'\" between words",
                     entry->position, entry->name);
            *at = seen;
            is_fine = false;
            break;
        }
        is_fine = check_list(filter, i, &entry->examples, true, &seen, at, ret_problem) &&
                  check_list(filter, i, &entry->counter_examples, false, &seen, at,
                             ret_problem);
    }
    filter_free(filter);
    return is_fine;
}
