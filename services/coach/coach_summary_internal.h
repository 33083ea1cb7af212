/*
 * The built-in coach's summary of a whole session.
 */
#ifndef COACH_SUMMARY_INTERNAL_H
#define COACH_SUMMARY_INTERNAL_H

#include "buffer.h"
#include "coach.h"
#include "lexicon_internal.h"

/* Appends the JSON object of COACH_SUMMARY. */
void coach_summary_write(const struct lexicon *lexicon, const struct coach_facts *facts,
                         struct buffer *out);

#endif
