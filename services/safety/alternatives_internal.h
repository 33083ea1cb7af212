/*
 * A pattern's alternatives: taken apart, so that each is looked for by phrases of its own, and put together by their
 * first letters.
 */
#ifndef ALTERNATIVES_INTERNAL_H
#define ALTERNATIVES_INTERNAL_H

#include "pattern_file_internal.h"

/* Patterns that together match where the pattern does, in its order; the pattern itself where it has no
 * alternatives, few of them, or where a part of it would mean something else alone.  Every text is owned by
 * the caller. */
struct pattern_texts alternatives_of(const char *pattern);

/* The same pattern, written so that PCRE2 does not try every alternative of a long list at every place.  Owned by
 * the caller. */
char *alternatives_by_letter(const char *pattern);

#endif
