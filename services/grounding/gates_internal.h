/*
 * The gates of grounded answers: each is a row of tables/gates.def and a function in gates.c, which gets
 * plain facts and gives a verdict.  It reaches nothing: neither model nor network, neither store nor clock.
 */
#ifndef GATES_INTERNAL_H
#define GATES_INTERNAL_H

#include "ask.h"
#include "names.h"

enum gate_when { GATE_WHEN_SELECTION, GATE_WHEN_RETRIEVED, GATE_WHEN_GENERATED };

/* What is known of a question when the gates are asked. */
struct gate_facts {
    /* Of a selection. */
    bool has_selection;
    double coverage; /* how much of the question's weight it carries, 0-1 */

    /* Of a retrieval. */
    double max_score;   /* of the best passage; below 0: there is none */
    bool has_key_words; /* one of the question's stands in a passage, and so does every
                           name and number of it */
    const struct corpus *corpus; /* borrowed; its title and topics */
    enum corpus_scope scope;
    struct span out_of_scope; /* borrowed: the words of the question that are */
    const char *left_out;     /* borrowed: the topic that they are of; NULL: unnamed */

    /* Of a generated answer. */
    bool is_unanswered; /* whoever wrote it says that the passages do not carry an answer,
                           or cites none of them */
    double confidence;  /* measured, 0-1 */
    int unsupported; /* number of the first sentence that no cited passage supports, from
                           0; -1: none */
};

/* What the gates said. */
struct gate_ruling {
    enum gate refused_by; /* GATE_COUNT: none */
    struct buffer reason; /* owned: refusal_reason */
    /* Owned: what is answered; it may hold words of the question. */
    struct buffer message;
    enum warning warnings[GATE_COUNT];
    size_t warning_count;
};

void gate_ruling_init(struct gate_ruling *ruling);
void gate_ruling_done(struct gate_ruling *ruling);

/* Asks the gates of a surface that are due, in the table's order, up to the first that refuses.  The ruling
 * is initialised; warnings are added. */
void gates_ask(enum ask_surface surface, enum gate_when when,
               const struct settings *settings, const struct gate_facts *facts,
               struct gate_ruling *ruling);

#endif
