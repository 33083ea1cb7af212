/*
 * What every line that the program writes must obey.
 */
#ifndef BLACKBOX_LOG_RULES_H
#define BLACKBOX_LOG_RULES_H

#include "bytes.h"

/* Fails the test unless all output is lines of one JSON object each, with "time",
 * "level", "event" and fields of tables/log_fields.def, no secret, nobody's words, and
 * nothing from a sanitizer.  Lines for the operator on standard error ("poise: ...") need
 * not be JSON.  may_be_torn: the program was killed, which may have cut a line. */
void expect_clean_output(const struct bytes *output, bool may_be_torn);

#endif
