/*
 * The safety filter: patterns that say which words of a candidate, or of the model, go no
 * further.
 *
 * A rule set is a pattern file, compiled.  It never changes once it is loaded, so every
 * thread may use it at once, and a reload is a second rule set that takes the first one's
 * place.  A filter is what one thread needs besides: memory for normalising and matching.
 *
 * The file is a JSON array.  patterns/safety.md describes its entries one key at a time.
 */
#ifndef FILTER_H
#define FILTER_H

#include "private_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ruleset;
struct filter;

/* Where and why a pattern file was not taken.  Fit for a terminal and for a log: it holds
 * nothing but the file's name, the entry, the reason and the offset. */
struct ruleset_problem {
    char text[512];
};

/* The patterns that are compiled into the program. */
bool ruleset_load_default(struct ruleset **ret_ruleset,
                          struct ruleset_problem *ret_problem);

/* A file that takes their place.  false, with the problem, where it cannot be read, is
 * not JSON, is not an array of patterns, or has a pattern that does not compile. */
bool ruleset_load_file(const char *path, struct ruleset **ret_ruleset,
                       struct ruleset_problem *ret_problem);

/* The same from memory; `name` stands for the file's name in problems. */
bool ruleset_load_text(const char *name, const char *json, size_t length,
                       struct ruleset **ret_ruleset, struct ruleset_problem *ret_problem);

/* Rule sets are counted, from any thread.  A load returns the first reference. */
struct ruleset *ruleset_ref(struct ruleset *ruleset);
void ruleset_unref(struct ruleset *ruleset);

/* Eight hexadecimal digits that tell two rule sets apart. */
const char *ruleset_hash(const struct ruleset *ruleset);

/* How many entries refuse what they match; the others only count.  A rule set has at least one. */
size_t ruleset_enforced_count(const struct ruleset *ruleset);

/* What is no reason to refuse a list: patterns that can backtrack without bound, one at a
 * time, from the entry numbered `*at` on, which moves past it.  false: no more.  It takes a
 * while, so that loading leaves it to those who tell people. */
bool ruleset_next_warning(const struct ruleset *ruleset, size_t *at,
                          struct ruleset_problem *ret_warning);

/* Holds every entry to its "examples" and "counter_examples": it alone must catch the former and let
 * the latter pass.  Writes what does not hold to `ret_problem`, from the example numbered `*at` on
 * (which is counted through the whole file and moved on), so that a caller can go through them all;
 * true when there are no more problems. */
bool ruleset_check_examples(struct ruleset *ruleset, size_t *at,
                            struct ruleset_problem *ret_problem);

/* One name in the file and how often a text was caught by it.  Entries of one name count
 * together, so that names are unique here. */
struct ruleset_counter {
    const char *name;     /* borrowed from the rule set, [a-z0-9_] */
    const char *category; /* likewise */
    bool is_shadow;       /* counted, not enforced */
    uint64_t hits;
};

size_t ruleset_counter_count(const struct ruleset *ruleset);
struct ruleset_counter ruleset_counter(const struct ruleset *ruleset, size_t index);

/* Takes a reference of its own. */
struct filter *filter_new(struct ruleset *ruleset);
void filter_free(struct filter *filter);

/* The rule set in use, borrowed from the filter. */
struct ruleset *filter_ruleset(const struct filter *filter);

enum filter_outcome {
    FILTER_PASS,
    FILTER_HIT,
    FILTER_UNAVAILABLE, /* a limit was hit: there is no verdict, and the text goes nowhere
                         */
};

struct filter_verdict {
    enum filter_outcome outcome;
    /* Borrowed from the rule set, [a-z0-9_]; NULL unless FILTER_HIT. */
    const char *category;
    const char *entry; /* likewise: the entry's name */
    size_t start,
        end; /* the bytes of the text that were hit; for `poise check --explain` only */
};

/* The first entry of the file, in its order, that the text is caught by.  Bytes that are
 * not UTF-8 are looked at as if each were a character of its own that no pattern knows.
 */
struct filter_verdict filter_check(struct filter *filter, const char *text,
                                   size_t length);

/* The door for what people write and say: takes invisible characters that carry no meaning out of the
 * text, and gives the verdict on what is left, which is what goes on.  Where an override (U+202E) had
 * the text shown in another order, that is looked at too.  Without a filter everything passes. */
struct filter_verdict filter_admit(struct filter *filter, struct private_text *text);

#endif
