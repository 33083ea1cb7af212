/*
 * Writing tips: the two files that do share these.
 */
#ifndef TIPS_INTERNAL_H
#define TIPS_INTERNAL_H

#include "rubric_internal.h"

#include <stdio.h>

enum { QUOTED_WORDS = 7, QUOTED_WORDS_FEW = 5, QUOTE_BYTES = 80 };

#define SAY(tip, ...) ((void)snprintf((tip), TIP_BYTES, __VA_ARGS__))

/* The tip for the structure; `tip` has TIP_BYTES. */
void tips_structure(const struct reading *reading, int score, char *tip);

#endif
