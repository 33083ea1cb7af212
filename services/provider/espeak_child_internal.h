/*
 * One espeak-ng process: text in, WAV out.
 */
#ifndef ESPEAK_CHILD_INTERNAL_H
#define ESPEAK_CHILD_INTERNAL_H

#include "loop.h"
#include "private_text.h"
#include "span.h"

struct espeak_child;

/* The process is gone and has been waited for.  `output` is all that it wrote, owned by
 * whom it is given to; empty where it failed, was killed, or wrote too much.  Exactly
 * once, from the loop, never before espeak_child_start() has returned. */
typedef void espeak_child_done_fn(void *context, struct private_text output);

/* NULL where it could not be started.  `program` is a path; the text is copied. */
struct espeak_child *espeak_child_start(struct loop *loop, const char *program,
                                        const char *voice, struct span text,
                                        espeak_child_done_fn *done, void *context);

/* Ends the process at once; done() comes as always. */
void espeak_child_kill(struct espeak_child *child);

/* Ends the process, waits for that, which blocks for a moment, and makes no more of it:
 * done() does not come. */
void espeak_child_free(struct espeak_child *child);

/* Where a program is: a path as it is, a name out of PATH.  NULL where there is none that
 * may be run; the caller frees it. */
char *espeak_child_find(const char *program);

#endif
