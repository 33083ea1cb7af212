/*
 * The sentences of a text, one after the other.
 *
 * A sentence ends at its full stop (not at an abbreviation's, an initial's or a decimal number's), at the
 * end of its paragraph, and at the end of a heading, of an item of a list, of a row of a table and of a
 * line of code.  Lines that are wrapped belong together.
 */
#ifndef SENTENCES_H
#define SENTENCES_H

#include "markdown.h"
#include "span.h"
#include "terms.h"

#include <stdbool.h>
#include <stddef.h>

struct sentences {
    struct span text;
    size_t at;
    bool is_line_start;
    bool is_item;               /* the paragraph is an item's */
    enum term_place place;      /* of the sentence that was given last */
    struct markdown_line fence; /* its kind is MARKDOWN_FENCE inside a code block */
};

void sentences_init(struct sentences *sentences, struct span text);

/* The next one, without white space around it and without the signs of what it stands in; it may have no
 * word.  false: no more. */
bool sentences_next(struct sentences *sentences, struct span *ret_sentence);

#endif
