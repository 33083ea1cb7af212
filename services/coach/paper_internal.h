/*
 * An advert or a CV as it is read: its lines, what they consist of, and phrases cut out of them.
 */
#ifndef PAPER_INTERNAL_H
#define PAPER_INTERNAL_H

#include "coach_tables_internal.h"
#include "span.h"

/* What stands between white space. */
struct token {
    struct span raw;
    struct span core; /* without the punctuation around it */
};

/* A row of tokens: a line, a sentence, a phrase. */
struct row {
    const struct token *tokens; /* borrowed */
    size_t count;
};

struct paper_line {
    struct row row;
    bool is_item; /* of a list */
    bool
        is_heading; /* it looks like one: marked as such, in capitals, or short and by itself */
};

typedef void paper_line_fn(void *context, const struct paper_line *line);

/* Tells the lines of a text in valid UTF-8, one after the other; those that were wrapped are one.  They live
 * as long as the call. */
void paper_read(struct span text, paper_line_fn *on_line, void *context);

/* The next sentence of a row, from `*at` on, which moves behind it.  false: no more. */
bool row_sentence(const struct row *row, size_t *at, struct row *ret_sentence);

/* A part of it. */
struct row row_from(const struct row *row, size_t first);
struct row row_until(const struct row *row, size_t end);

/* Case is ignored here, and the punctuation around words. */

/* Is the word on the list, which has small letters? */
bool list_has(const struct string_list *list, struct span word);

/* The words of the longest phrase of the list that stands at `at`; 0: none. */
size_t row_match(const struct row *row, size_t at, const struct string_list *phrases);

/* The first place with a phrase of the list, and how many words that has; 0: none has. */
size_t row_find(const struct row *row, const struct string_list *phrases, size_t *ret_at);

bool row_ends_with(const struct row *row, char mark);

/* "managing", not "training". */
bool is_gerund(struct span word);

enum { PHRASE_BYTES = 240, PHRASE_TOKENS = 64 };

/* The row as a phrase of at most `most_words` words that reads well: without brackets, labels and what
 * leads up to it or only weighs it, and cut where it can be.  false: nothing is left. */
bool row_phrase(const struct row *row, size_t most_words, char ret_phrase[PHRASE_BYTES]);

/* Makes the first letter small where the word is not written with a capital in a sentence. */
void phrase_lower(char *phrase);

#endif
