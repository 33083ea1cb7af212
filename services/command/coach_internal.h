/*
 * What the files of `poise coach` share.
 */
#ifndef COACH_INTERNAL_H
#define COACH_INTERNAL_H

#include "coach_judge.h"
#include "json.h"

/* Exit statuses. */
enum {
    COACH_GOOD = 0,
    COACH_FINDING = 1,   /* a figure of --corpus is below what is wanted */
    COACH_BAD_USAGE = 2, /* also an input that cannot be read */
    COACH_NO_ANSWER = 3, /* a line was no answer to judge */
};

/* One answer of the input: borrowed from the object that it was read from. */
struct coach_line {
    struct span role, question, answer;
    const char *problem; /* static; NULL: it is one */
};

/* The caller puts the object (json_wipe_and_put); NULL is possible, with a problem. */
struct json_object *coach_line_parse(struct span line, struct coach_line *ret_line);

extern const char *const coach_dimension_keys[DIMENSION_COUNT];

/* `--corpus`: how far the coach agrees with labelled answers, on standard output. */
int coach_corpus(const struct coach_judge *judge, const char *directory);

#endif
