/*
 * The report of an interview: questions, every attempt at them with its feedback and how it was
 * spoken, and the summary.
 */
#ifndef REPORT_H
#define REPORT_H

#include "session.h"

/* Of a whole session: `data` as JSON, and the same as Markdown (CommonMark, with tables).  Whatever
 * anybody said stands in it as text and nothing else. */
struct private_text report_json(const struct session *session);
struct private_text report_markdown(const struct session *session);

#endif
