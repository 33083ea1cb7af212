/*
 * A pattern file, read and checked for shape: the entries in their order, with the
 * fragments put in and every key at its value.  Whether a pattern compiles is the rule
 * set's business.
 */
#ifndef PATTERN_FILE_INTERNAL_H
#define PATTERN_FILE_INTERNAL_H

#include "filter.h"

#include <stdbool.h>
#include <stddef.h>

/* The forms of a text that an entry looks at; bits. */
enum surface {
    SURFACE_RAW = 1,        /* as it came */
    SURFACE_NORMALISED = 2, /* as normalise_internal.h makes it */
    SURFACE_DISGUISED = 4, /* the words of it that came in a disguise, and nothing else */
};

/* Where `unless` and `only_after` look. */
enum side {
    SIDE_ONLY_AFTER, /* before the match, where there must be something */
    SIDE_AROUND,
    SIDE_BEFORE,
    SIDE_AFTER, /* and at the match itself */
    SIDE_STORY, /* around, further, and across sentences */
    SIDE_COUNT,
};

struct pattern_texts {
    char **texts; /* owned, each of them too */
    size_t count;
};

/*
 * A regular expression.  Fragments that it uses, {{name}}, are subroutines in front of
 * it, so that they are compiled once however often they are called.
 */
struct pattern_regex {
    char *text;    /* owned */
    size_t prefix; /* how much of `text` is fragments */
    char *source;  /* owned; as the file has it */
    char *spread;  /* owned; the same with every fragment spread out in its place */
};

struct pattern_entry {
    char *name; /* owned, like all below */
    char *category;
    struct pattern_regex pattern;
    struct pattern_regex around[SIDE_COUNT]; /* the texts are NULL where there is none */
    struct pattern_texts needs; /* what the prefilter looks for: all of it, or no match */
    size_t lead; /* where a match is from there: see prefilter_internal.h */
    size_t reach;
    unsigned surfaces;
    bool is_shadow;
    size_t position; /* in the file's array, from 0 */
    struct pattern_texts examples;
    struct pattern_texts counter_examples;
};

struct pattern_file {
    struct pattern_entry *entries; /* owned */
    size_t count;
    /* The words that a disguise is read as: wordbook_internal.h. */
    struct pattern_texts strong_words;
    struct pattern_texts words;
    /* Those that are also found misspelt, and forms of them that are words: readings_internal.h. */
    struct pattern_texts misspelt_words;
    struct pattern_texts other_words;
};

bool pattern_file_parse(const char *name, const char *json, size_t length,
                        struct pattern_file *ret_file,
                        struct ruleset_problem *ret_problem);

/* Zeroed and half-filled files are fine. */
void pattern_file_done(struct pattern_file *file);

#endif
