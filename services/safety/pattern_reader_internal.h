/*
 * What reading a pattern file and reading one regular expression of it share.
 */
#ifndef PATTERN_READER_INTERNAL_H
#define PATTERN_READER_INTERNAL_H

#include "pattern_file_internal.h"

#include <json-c/json.h>

enum {
    MAX_ENTRIES = 4096,
    MAX_FRAGMENTS = 512,
    MAX_PATTERN_BYTES = 65536,
    MAX_SPREAD_BYTES = 1 << 20,
    MAX_NAME_BYTES = 64,
    MAX_DEPTH = 6,
    MAX_NEEDS = 2,
    MAX_DISTANCE_BYTES = 4096,
};

struct fragment {
    char *name; /* owned */
    struct pattern_regex regex;
};

struct pattern_reader {
    const char *file_name; /* borrowed */
    struct pattern_file *file;
    struct fragment *fragments; /* owned */
    size_t fragment_count;
    size_t position; /* of the entry being read */
    struct ruleset_problem *problem;
};

/* Why the entry that is being read is not taken.  Returns false. */
bool pattern_reader_refuse(struct pattern_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A string, or an array of strings that are read as one after the other; a string item stands for
 * itself.  A key that is not there leaves `*ret_text`. */
bool pattern_reader_text(struct pattern_reader *reader, struct json_object *item,
                         const char *key, char **ret_text);

/* The same as a regular expression, with its fragments put in. */
bool pattern_reader_regex(struct pattern_reader *reader, struct json_object *item,
                          const char *key, struct pattern_regex *regex);

void pattern_regex_done(struct pattern_regex *regex);

#endif
