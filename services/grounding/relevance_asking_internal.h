/*
 * Words of a question, for relevance.c.
 */
#ifndef RELEVANCE_ASKING_INTERNAL_H
#define RELEVANCE_ASKING_INTERNAL_H

#include "terms.h"

#include <stdbool.h>
#include <stddef.h>

/* What people say around a question, and of nothing that it is about. */
bool relevance_is_around(const struct terms *terms, const struct term *term);

/* Does this word only say what is asked for ("how many", "happen", "mean")?  A passage that answers says
 * something else in its place. */
bool relevance_asks(const struct terms *terms, size_t at);

/* Long enough to be told from another by one letter.  Digits do not count: 1876 is not a misspelt 1776. */
bool relevance_may_be_misspelt(const char *stem);

#endif
