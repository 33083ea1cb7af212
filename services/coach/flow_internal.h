/*
 * How an answer flows: how many different words it has, where it stumbles, and what it says again.
 */
#ifndef FLOW_INTERNAL_H
#define FLOW_INTERNAL_H

#include "answer_internal.h"

struct flow {
    size_t words;         /* all but hesitations */
    size_t different;     /* of these, different ones */
    size_t restarts;      /* "the the", "we were we were": words said twice in a row */
    size_t first_restart; /* index of the first */
    size_t rows;          /* of four words; rows run into each other */
    size_t said_again;    /* rows that were said before */
    size_t most_times;    /* how often the row was said that was said most often */
    size_t most_first;    /* index of that row's first word */
};

void flow_measure(struct flow *flow, const struct answer *answer);

#endif
