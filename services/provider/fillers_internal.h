/*
 * Fillers of an answer that has been read already: the built-in coach's way in.
 */
#ifndef FILLERS_INTERNAL_H
#define FILLERS_INTERNAL_H

#include "answer_internal.h"
#include "fillers.h"

struct fillers fillers_count(const struct answer *answer);

#endif
