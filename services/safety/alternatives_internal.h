/*
 * Taking a pattern apart at its alternatives, so that each is looked for by phrases of its own.
 */
#ifndef ALTERNATIVES_INTERNAL_H
#define ALTERNATIVES_INTERNAL_H

#include "pattern_file_internal.h"

/* Patterns that together match where the pattern does, in its order; the pattern itself where it has no
 * alternatives, few of them, or where a part of it would mean something else alone.  Every text is owned by
 * the caller. */
struct pattern_texts alternatives_of(const char *pattern);

#endif
