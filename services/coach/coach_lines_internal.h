/*
 * What the built-in coach says besides the bank's questions: follow-ups that react to an
 * answer, closing words, refusals.
 */
#ifndef COACH_LINES_INTERNAL_H
#define COACH_LINES_INTERNAL_H

#include "buffer.h"
#include "coach.h"
#include "coach_tables_internal.h"
#include "span.h"

/* NULL: nothing is known about a topic of that name. */
const struct bank_topic *coach_lines_topic(struct span name);

/* Which follow-up a spoken question is, and the topic that it names (NULL: none);
 * LINE_KIND_COUNT where it is none of ours. */
enum line_kind coach_lines_kind(struct span spoken, const struct bank_topic **ret_topic);

/* Appends a line of a kind, chosen by the seed among those that were not asked.  false,
 * and nothing appended: all of them were.  `topic` may be NULL. */
bool coach_lines_say(enum line_kind kind, const struct bank_topic *topic,
                     const struct private_text *asked, size_t asked_count, uint64_t seed,
                     struct buffer *out);

#endif
