/*
 * One line of Markdown: what it is by itself, and where what it says begins.  Block structure that takes
 * more than a line to see (what is inside a fence, a heading by its underline) is the caller's.
 */
#ifndef MARKDOWN_H
#define MARKDOWN_H

#include "span.h"

#include <stdbool.h>
#include <stddef.h>

enum markdown_kind {
    MARKDOWN_BLANK,
    MARKDOWN_TEXT,
    MARKDOWN_HEADING,   /* # to ###### */
    MARKDOWN_UNDERLINE, /* === or ---: a heading where text stands above, else a rule */
    MARKDOWN_RULE,      /* ***, ___, - - - */
    MARKDOWN_FENCE,     /* ``` or ~~~ */
    MARKDOWN_TABLE,     /* a row */
    MARKDOWN_ITEM,      /* of a list */
    MARKDOWN_QUOTE      /* > */
};

struct markdown_line {
    enum markdown_kind kind;
    size_t start, end; /* in the text; without the line's end */
    size_t next;       /* where the next line starts; the text's length: there is none */
    size_t content;    /* behind indentation and the sign of what it is */
    size_t indent;     /* columns, a tab to the next multiple of four */
    int level;         /* of a heading: 1 to 6; an underline: 1 or 2 */
    /* Of an item: it ends a paragraph, which "1986." in front of a line does not. */
    bool may_interrupt;
    char sign;  /* of a fence */
    size_t run; /* its length */
};

/* The line that starts at `at`. */
struct markdown_line markdown_line(struct span text, size_t at);

/* Does the line end the code block that `fence` opened? */
bool markdown_closes(const struct markdown_line *line, const struct markdown_line *fence);

/* The line's content without white space behind it, and without the signs that close a heading. */
struct span markdown_content(struct span text, const struct markdown_line *line);

#endif
