/*
 * Text as a row of words, for counting and comparing: runs of letters, digits and
 * apostrophes, ASCII case folded.  Bytes past ASCII count as letters.
 */
#ifndef WORDS_H
#define WORDS_H

#include "span.h"

#include <stdbool.h>
#include <stddef.h>

/* The next word at or after `*offset`, which moves past it.  false: no more. */
bool words_next(struct span text, size_t *offset, struct span *ret_word);

/* Words as a person counts them: runs between white space. */
size_t words_count(struct span text);

/* Is a word on a list, which has its words in small letters with blanks between them? */
bool words_is_on(const char *list, struct span word);

/* Do the texts share `run` words in a row, case and punctuation aside? */
bool words_share_run(struct span one, struct span other, size_t run);

/* Where the words of `run` stand in a text, in a row, case and punctuation aside; false: nowhere, or it has none. */
bool words_find_run(struct span text, struct span run, struct span *ret_place);

#endif
