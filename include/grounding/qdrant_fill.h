/*
 * Brings a Qdrant collection up to date with an index: makes it where there is none, embeds and sends
 * what is new or has changed, and removes what the index no longer has.
 */
#ifndef QDRANT_FILL_H
#define QDRANT_FILL_H

#include "buffer.h"
#include "index.h"
#include "settings.h"

#include <stdbool.h>
#include <stdint.h>

struct qdrant_fill_report {
    int64_t passages; /* in the collection now */
    int64_t embedded; /* of these, new or changed */
    int64_t removed;
};

typedef void qdrant_fill_progress_fn(void *context, int64_t done, int64_t total);

/* Blocks until it is done; not from a loop's thread.  `progress` may be NULL.  false, with a
 * line for a terminal appended to `problem`: what was sent until then stays, and the next
 * call goes on from there. */
bool qdrant_fill(const struct settings *settings, struct index_reader *reader,
                 qdrant_fill_progress_fn *progress, void *context,
                 struct qdrant_fill_report *ret_report, struct buffer *problem);

#endif
