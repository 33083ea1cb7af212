/*
 * A compiled rule set, as filter.c sees it.
 */
#ifndef RULESET_INTERNAL_H
#define RULESET_INTERNAL_H

#include "filter.h"
#include "pattern_file_internal.h"
#include "prefilter_internal.h"
#include "readings_internal.h"
#include "wordbook_internal.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdatomic.h>

/* The surfaces, as indices. */
enum { RAW, NORMALISED, DISGUISED, SURFACE_COUNT };

struct rule {
    pcre2_code *around[SURFACE_COUNT][SIDE_COUNT]; /* owned; NULL where there is none */
    bool is_shadow;
    size_t counter;
    size_t first_probe, probe_count;
};

/* Some of the alternatives of a rule's pattern: what the prefilter names and PCRE2 looks for. */
struct probe {
    char *pattern;                   /* owned */
    pcre2_code *code[SURFACE_COUNT]; /* owned; NULL where the entry does not look at the
                                        surface */
    size_t rule;
};

struct rule_counter {
    const char *name;     /* borrowed from the file's entry */
    const char *category; /* likewise */
    bool is_shadow;
    _Atomic uint64_t hits;
};

struct ruleset {
    _Atomic size_t references;
    struct pattern_file file; /* owned */
    struct rule *rules;       /* owned; one for each entry of the file */
    struct probe *probes;     /* owned; in the order of the rules */
    size_t probe_count;
    struct rule_counter *counters; /* owned */
    size_t counter_count;
    struct wordbook *words;                      /* owned */
    struct readings *readings;                   /* owned */
    struct prefilter *prefilters[SURFACE_COUNT]; /* owned */
    bool is_trusted; /* built in: its patterns need no watch on their backtracking */
    char *name;      /* owned: the file's, for problems */
    char hash[9];
};

/* Is an entry of no use, since normalised texts never have what its pattern wants? */
bool ruleset_never_matches(const struct ruleset *ruleset, size_t index);

#endif
