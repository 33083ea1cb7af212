/*
 * Text that belongs to a person, or must stay secret: transcripts, model text, questions,
 * keys, tokens.  It cannot be printed or logged by accident, since nothing here gives its
 * bytes away, and it is wiped when it is freed.  Who must look inside includes
 * private_reveal.h, and stands on the list of those who may.
 */
#ifndef PRIVATE_TEXT_H
#define PRIVATE_TEXT_H

#include "buffer.h"

#include <stdbool.h>
#include <stddef.h>

struct private_text {
    char *bytes; /* owned; NUL-terminated; NULL for no text.  Not to be touched:
                    private_reveal() */
    size_t length;
};

struct private_text private_text_copy(const char *bytes, size_t length);

/* Takes the bytes out of a buffer, which is empty afterwards. */
struct private_text private_text_take(struct buffer *buffer);

struct private_text private_text_clone(const struct private_text *text);

/* The text for another owner; this one is empty afterwards. */
static inline struct private_text private_text_move(struct private_text *text)
{
    struct private_text moved = *text;

    *text = (struct private_text){NULL, 0};
    return moved;
}

/* Wipes and frees; the text is empty afterwards.  NULL is fine. */
void private_text_free(struct private_text *text);

bool private_text_is_empty(const struct private_text *text);

/* Nothing in it but what nobody sees: white space (Unicode's) and invisible characters.  Only of a valid
 * text. */
bool private_text_is_blank(const struct private_text *text);

/* Valid UTF-8 without a NUL. */
bool private_text_is_valid(const struct private_text *text);

/* Number of Unicode code points; only of a valid text. */
size_t private_text_characters(const struct private_text *text);

/* In constant time for texts of one length. */
bool private_text_equals(const struct private_text *one,
                         const struct private_text *other);

#endif
