/*
 * Unicode down to the letters that a reader takes it for: compatibility and case folding,
 * marks off Latin letters, invisible and bidi characters out, letters of other scripts
 * that look Latin in.
 */
#ifndef FOLD_INTERNAL_H
#define FOLD_INTERNAL_H

#include "offsets_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Stands before a word in which letters were taken for Latin ones that are none, other
 * than by leaving marks off.  One that was in the text already does no more than that. */
#define FOLD_LOOKALIKE_MARK '\x02'

struct folded_text {
    char *bytes; /* owned; UTF-8 */
    size_t length;
    size_t capacity;
    struct offsets offsets; /* to the text that was folded */
};

/* Is there anything to do?  Plain ASCII is folded already, but for its case. */
bool fold_is_needed(const char *text, size_t length);

/* May the character stand in a normalised text (0: any)?  Signs, capitals and letters with marks may not. */
bool fold_keeps(uint32_t code_point);

/* Replaces what `folded` held.  The text must be valid UTF-8; ASCII letters keep their
 * case. */
void fold_text(struct folded_text *folded, const char *text, size_t length);

/* Wipes and frees.  A zeroed one is fine. */
void folded_text_done(struct folded_text *folded);

#endif
