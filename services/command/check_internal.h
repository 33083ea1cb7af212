/*
 * What the files of `poise check` share.
 */
#ifndef CHECK_INTERNAL_H
#define CHECK_INTERNAL_H

#include "buffer.h"
#include "filter.h"
#include "span.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses. */
enum {
    CHECK_SAFE = 0,
    CHECK_FINDING = 1,    /* something was refused; a corpus has misses or false alarms */
    CHECK_BAD_USAGE = 2,  /* also a pattern file or an input that cannot be read */
    CHECK_NO_VERDICT = 3, /* a limit was hit, or a line was no {"text": ...} */
};

/* The verdict on a text as it comes to the door (filter_admit()); the text is what is left of it. */
struct filter_verdict check_admit(struct filter *filter, struct span text,
                                  struct private_text *ret_visible);

/* The entry and the span that was hit, in its text, for people who tune the list. */
void check_explain(FILE *out, struct filter_verdict verdict,
                   const struct private_text *visible);

/* `--corpus`: labelled files of a directory to a table on standard output. */
int check_corpus(struct filter *filter, const char *directory, bool is_explained);

#endif
