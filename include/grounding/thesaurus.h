/*
 * What grounded answers know of words: how a text is read into terms, which words are ordinary, and which
 * say the same.  Made once for each thread that reads.
 */
#ifndef THESAURUS_H
#define THESAURUS_H

#include "terms.h"

struct thesaurus;

struct thesaurus *thesaurus_new(void);
void thesaurus_free(struct thesaurus *thesaurus); /* NULL is fine */

struct terms_reader *thesaurus_reader(const struct thesaurus *thesaurus); /* borrowed */

#endif
