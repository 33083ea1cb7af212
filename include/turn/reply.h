/*
 * The model's answer: parsed leniently, judged strictly.
 */
#ifndef REPLY_H
#define REPLY_H

#include "coach.h"

#define REPLY_TIP_WORDS         25
#define REPLY_SUMMARY_TIP_WORDS 30
#define REPLY_QUOTE_WORDS       30

struct feedback {
    int scores[DIMENSION_COUNT]; /* 1-5 */
    struct private_text tips[DIMENSION_COUNT];
    struct private_text quotes[DIMENSION_COUNT]; /* words of the answer that a tip refers
                                                    to, as the model says; may be empty */
    struct private_text summary_tip;
};

enum feedback_state { FEEDBACK_MISSING, FEEDBACK_INVALID, FEEDBACK_GOOD };

struct reply {
    bool is_refused;
    struct private_text
        question; /* or closing statement, or refusal; empty: none was found */
    enum feedback_state feedback_state;
    struct feedback feedback; /* only with FEEDBACK_GOOD */
};

/* Reads the answer to COACH_NEXT_QUESTION or COACH_CLOSING: JSON, fenced JSON, JSON that
 * was cut off (what is complete is used), or plain text, which counts as the question. */
void reply_parse(const struct private_text *text, struct reply *ret_reply);

/* "Clarity", ...: the name of a dimension in every reply. */
const char *dimension_label(enum dimension dimension);

/* A zeroed reply is fine. */
void reply_free(struct reply *reply);

#endif
