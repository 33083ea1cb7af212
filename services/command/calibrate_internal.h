/*
 * What the files of `poise calibrate` share.
 */
#ifndef CALIBRATE_INTERNAL_H
#define CALIBRATE_INTERNAL_H

#include "private_text.h"
#include "settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What a pair of thresholds must meet. */
#define CALIBRATE_FALSE_REFUSALS_MOST 0.10
#define CALIBRATE_FALSE_ANSWERS_MOST  0.01

/* Passages that are asked for: those that an answer is made from. */
#define CALIBRATE_SOURCES 5

/* One labelled question, and what the retriever made of it. */
struct labelled {
    struct private_text text; /* owned; wiped */
    char *kind;               /* owned; NULL: the line says none */
    char **expected;          /* owned: ids of passages, any of which will do */
    size_t expected_count;
    bool is_answerable;
    double best; /* highest score; 0: nothing was found */
    /* Highest score of an expected passage among the sources; -1: none */
    double of_right;
};

struct labelled_set {
    struct labelled *all; /* owned */
    size_t count, capacity;
};

/* Appends the questions of a file, by its name for messages.  false: it says on standard error
 * what is wrong. */
bool labelled_read(struct labelled_set *set, const char *name, int file);
void labelled_done(struct labelled_set *set);

/* Puts all questions to the retriever of the settings.  false: it says on standard error why
 * it cannot. */
bool calibrate_run(const struct settings *settings, struct labelled_set *set);

/* What a threshold does. */
struct shares {
    size_t answerable, unanswerable;
    size_t false_refusals, false_answers;
    size_t labelled,
        right; /* answered with an expected passage; it is among the sources */
};

/* `kind` NULL: of all. */
struct shares shares_at(const struct labelled_set *set, double threshold,
                        const char *kind);
double shares_false_refusals(const struct shares *shares); /* shares; 0 of none */
double shares_false_answers(const struct shares *shares);
double shares_right(const struct shares *shares);
bool shares_meet(const struct shares *shares);

/* The pair of thresholds that meets both: false: there is none. */
bool calibrate_pair(const struct labelled_set *set, double *ret_answer,
                    double *ret_related);

/* The tables. */
void calibrate_print(const struct settings *settings, const struct labelled_set *set);
void calibrate_explain(const struct settings *settings, const struct labelled_set *set);

/* The trade-off as a picture. */
void calibrate_draw(FILE *out, const struct settings *settings,
                    const struct labelled_set *set);

#endif
