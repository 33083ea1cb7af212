/*
 * The words that are worth recognising in disguise, and how disguises are read: sh1t,
 * @sshole, f***, fuuuck, s.h.i.t, sociaI, f u c k  y o u.
 *
 * Only what comes out as one of these words is rewritten, so that no other text can be.
 */
#ifndef WORDBOOK_INTERNAL_H
#define WORDBOOK_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

struct wordbook;

#define WORDBOOK_LONGEST 32 /* bytes of a word, and of a disguise that is looked at */

struct wordbook *wordbook_new(void);
void wordbook_free(struct wordbook *book);

/* Adds a word of letters and apostrophes, as fold.h writes it ("scheiße" is "scheisse"); false where it
 * is none.  Words that are not Latin then are only read in their own letters (readings_internal.h).  Strong words
 * are the ones that are also read from masks (f***), whatever stands around them. */
bool wordbook_add(struct wordbook *book, const char *word, bool is_strong);

/* The word, borrowed from the book, that `length` bytes without white space disguise;
 * NULL where they disguise none.  The letters of the word itself are no disguise but read
 * as the word too. */
const char *wordbook_read(const struct wordbook *book, const char *bytes, size_t length);

/* The words that a row of letters spells out, each letter a byte: "fuckyou" gives "fuck"
 * and "you". Returns how many, at most `capacity`; 0 where the row is not made of words.
 * Up to two letters at either end may be left over; they come back as words of one letter
 * in `ret_words` too. */
size_t wordbook_spell(const struct wordbook *book, const char *bytes, size_t length,
                      const char **ret_words, size_t capacity);

#endif
