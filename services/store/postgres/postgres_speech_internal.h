/*
 * Speech in the store: a turn's, stored with it, and room for it.
 *
 * How many bytes all of it takes is not summed with each commit, nor kept in a row that all
 * commits would wait for.  Each process has a figure of its own: what the sweep found, and what it
 * has stored itself since.  Where that says that there is no room, older speech goes, by the true
 * sum.  Several processes may pass the bound together by what they store between two sweeps.
 */
#ifndef POSTGRES_SPEECH_INTERNAL_H
#define POSTGRES_SPEECH_INTERNAL_H

#include "postgres_operation_internal.h"

/* The values of the turn's speech; NULLs where there is none, or more than may be stored. */
void postgres_speech_values(struct postgres_values *values,
                            const struct store_speech *speech);

/* Before the commit: sends the statement that makes room, if one is needed. */
bool postgres_speech_make_room(struct postgres_operation *operation,
                               struct postgres_ground *ground,
                               struct postgres_link *link);

/* A commit has come to its end. */
void postgres_speech_count(const struct postgres_operation *operation,
                           struct postgres_ground *ground);

#endif
