/*
 * UTF-8 as RFC 3629 has it: no surrogates, no overlong forms, nothing past U+10FFFF.
 */
#ifndef UTF8_H
#define UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Valid, and without a NUL. */
bool utf8_is_valid(const char *bytes, size_t length);

/* Code points of a valid text. */
size_t utf8_count(const char *bytes, size_t length);

/* The code point at `*offset`, which moves past it.  The text must be valid. */
uint32_t utf8_next(const char *bytes, size_t length, size_t *offset);

bool utf8_is_space(uint32_t code_point);

/* Of a valid text: is nothing in it but white space and what is below? */
bool utf8_is_blank(const char *bytes, size_t length);

/* Cc, and the line and paragraph separators: what has no place in a name. */
bool utf8_is_control(uint32_t code_point);

/* Shown as nothing at all: soft hyphens, joiners, bidi controls, variation selectors, tags ... */
bool utf8_is_invisible(uint32_t code_point);

#endif
