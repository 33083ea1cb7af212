/*
 * The summary of a whole session: what the coach says of it, and the averages, which are
 * computed here.
 */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "coach.h"

#define SUMMARY_MAX_LINES 4

struct summary {
    struct private_text overall_assessment;
    struct private_text strengths[SUMMARY_MAX_LINES];
    size_t strength_count; /* 1-3 */
    struct private_text improvements[SUMMARY_MAX_LINES];
    size_t improvement_count; /* 1-3 */
    struct private_text actions[SUMMARY_MAX_LINES];
    size_t action_count; /* 0-4 */
};

/* Reads the answer to COACH_SUMMARY.  false: it broke a bound of the contract. */
bool summary_parse(const struct private_text *text, struct summary *ret_summary);

/* The mean score of a dimension over the turns that were scored, to two decimals; false:
 * none was. */
bool summary_average(const struct coach_turn *turns, size_t count,
                     enum dimension dimension, double *ret_average);

/* A zeroed summary is fine. */
void summary_free(struct summary *summary);

#endif
