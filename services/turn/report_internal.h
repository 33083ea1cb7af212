/*
 * What a session's turns and its end were answered with, read again.
 */
#ifndef REPORT_INTERNAL_H
#define REPORT_INTERNAL_H

#include "json.h"
#include "session.h"

#define REPORT_BYTES (64 * 1024 * 1024) /* a hundred of the longest answers, escaped */

/* JSON as it was stored, which json_wipe_and_put() ends; NULL: there is none. */
struct json_object *outcome_read(const struct private_text *stored);

/* What a finish or, behind it or without it, the last commit was answered with: there the session's
 * summary stands.  Of a whole session; NULL: it is not complete. */
struct json_object *outcome_last(const struct session *session);

/* Writes a value of one as it was; NULL is null. */
void outcome_write(struct json_writer *writer, struct json_object *value);

/* "answer" or "skip". */
const char *report_kind(const struct session_turn *turn);

/* When it was, or what comes nearest: earlier versions did not note it. */
int64_t report_time_ms(const struct session *session, const struct session_turn *turn);

#endif
