/*
 * For the tests of a rule set: that the prefilter hides nothing, and what one entry does alone.
 */
#ifndef FILTER_INTERNAL_H
#define FILTER_INTERNAL_H

#include "filter.h"

/* Every pattern is tried on every text from here on. */
void filter_ignore_prefilter(struct filter *filter);

/* As filter_check(), but for the entry at `index` alone, also where it is a shadow. */
enum filter_outcome filter_check_entry(struct filter *filter, size_t index,
                                       const char *text, size_t length);

#endif
