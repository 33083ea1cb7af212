/*
 * What a reader is shown of a sentence of the passages.
 */
#ifndef EXTRACT_INTERNAL_H
#define EXTRACT_INTERNAL_H

#include "buffer.h"
#include "span.h"

#include <stdbool.h>

/* Does it begin with a word that means what was said before: "It", "However"? */
bool extract_hangs(struct span sentence);

/* "Figure 3. The gripper" */
bool extract_is_caption(struct span sentence);

/* In plain text a heading may stand right above its text, and be taken for the sentence's beginning. */
struct span extract_without_heading(struct span sentence);

/* Appends the text in one line, without the signs of Markdown and of citation. */
void extract_clean(struct span text, struct buffer *out);

/* The same of a row of a table: "first cell: second, third". */
void extract_clean_row(struct span row, struct buffer *out);

#endif
