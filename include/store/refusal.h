/*
 * The refusal log: questions about the study material that were refused, for those who keep the
 * material.  It is the one place where a person's text is kept on purpose; REFUSAL_LOG_QUESTIONS=false
 * keeps all but the question.
 *
 * It is a table of the store, or a file of JSON lines that REFUSAL_LOG names.  The file is opened for
 * each line, so that it may be moved away at any time, and locked (flock(2)) while a line is written or
 * old ones are removed.
 */
#ifndef REFUSAL_H
#define REFUSAL_H

#include "id.h"
#include "private_text.h"
#include "span.h"

#include <stdbool.h>
#include <stdint.h>

#define REFUSAL_REASON_BYTES 48

struct refusal {
    int64_t at_ms;                /* since 1970 UTC */
    struct id session_id;         /* "": none was named */
    struct private_text question; /* owned; empty: not kept */
    char reason[REFUSAL_REASON_BYTES];
    int64_t chunks_retrieved;
    double max_score; /* below 0: no chunk, no score */
};

/* Borrowed during the call.  false ends the reading. */
typedef bool refusal_fn(void *context, const struct refusal *refusal);

/* Wipes the question. */
void refusal_done(struct refusal *refusal);

/* Appends it as one line of JSON, with the end of the line. */
void refusal_write(const struct refusal *refusal, struct buffer *out);

/* Reads such a line (without its end); false where it is none.  refusal_done() by the caller. */
bool refusal_read(struct span line, struct refusal *ret_refusal);

/* Could a line be appended to the file?  Makes nothing.  false, with a line in `problem`. */
bool refusal_can_append(const char *path, struct buffer *problem);

/* Appends a line to the file at `path`, which is made (mode 0600) where it does not exist.  Blocks. */
bool refusal_append(const char *path, const struct refusal *refusal);

/* Removes the lines from before a time, once the first of them is more than a day too old: the file is written
 * anew for that.  A file that does not begin with a refusal is left alone.  Blocks.  false: it failed, and the
 * file is as it was. */
bool refusal_prune(const char *path, int64_t before_ms);

#endif
