/*
 * The one door to the bytes of a private_text.  tests/checks lists the files that may use
 * it.
 */
#ifndef PRIVATE_REVEAL_H
#define PRIVATE_REVEAL_H

#include "private_text.h"
#include "span.h"

/* Borrowed from the text, NUL-terminated; the empty string for no text. */
struct span private_reveal(const struct private_text *text);

#endif
