/*
 * Fillers of an answer that has been read already: the built-in coach's way in.
 */
#ifndef FILLERS_INTERNAL_H
#define FILLERS_INTERNAL_H

#include "answer_internal.h"
#include "fillers.h"

/* The number of an ASCII letter in the alphabet, whatever its case; others share these. */
static inline unsigned letter_number(char byte)
{
    return (unsigned char)byte & 31;
}

struct fillers fillers_count(const struct answer *answer);

#endif
