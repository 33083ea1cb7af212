/*
 * Private text: copied, compared, wiped.
 */
#include "private_reveal.h"

#include "mem.h"
#include "utf8.h"

#include <stdlib.h>
#include <string.h>

#include <sodium.h>

struct private_text private_text_copy(const char *bytes, size_t length)
{
    struct private_text text = {mem_copy(bytes, length), length};

    return text;
}

struct private_text private_text_take(struct buffer *buffer)
{
    struct private_text text;

    text.bytes = buffer_take(buffer, &text.length);
    return text;
}

struct private_text private_text_clone(const struct private_text *text)
{
    struct private_text none = {NULL, 0};

    return text->bytes != NULL ? private_text_copy(text->bytes, text->length) : none;
}

void private_text_free(struct private_text *text)
{
    if (text == NULL || text->bytes == NULL)
        return;
    explicit_bzero(text->bytes, text->length);
    free(text->bytes);
    text->bytes = NULL;
    text->length = 0;
}

bool private_text_is_empty(const struct private_text *text)
{
    return text->length == 0;
}

bool private_text_is_blank(const struct private_text *text)
{
    return utf8_is_blank(text->bytes, text->length);
}

bool private_text_is_valid(const struct private_text *text)
{
    return utf8_is_valid(text->bytes, text->length);
}

size_t private_text_characters(const struct private_text *text)
{
    return utf8_count(text->bytes, text->length);
}

bool private_text_equals(const struct private_text *one, const struct private_text *other)
{
    return one->length == other->length &&
           (one->length == 0 ||
            sodium_memcmp(one->bytes, other->bytes, one->length) == 0);
}

struct span private_reveal(const struct private_text *text)
{
    struct span span = {text->bytes != NULL ? text->bytes : "", text->length};

    return span;
}
