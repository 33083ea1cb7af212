/*
 * The buffer, where it has to grow; what it leaves behind is wiped.
 */
#include "buffer.h"

#include "mem.h"
#include "span.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 256

void buffer_init(struct buffer *buffer, size_t ceiling)
{
    memset(buffer, 0, sizeof(*buffer));
    buffer->ceiling = ceiling;
}

/* Not realloc(), which would leave the old bytes behind unwiped. */
static void grow(struct buffer *buffer, size_t needed)
{
    size_t capacity = buffer->capacity > 0 ? buffer->capacity * 2 : FIRST_CAPACITY;
    char *bytes;

    /* What is asked for at once is mostly all that there will be. */
    if (capacity < needed)
        capacity = needed;
    if (capacity > buffer->ceiling)
        capacity = buffer->ceiling;

    bytes = mem_realloc(NULL, capacity + 1);
    if (buffer->bytes != NULL) {
        memcpy(bytes, buffer->bytes, buffer->length);
        explicit_bzero(buffer->bytes, buffer->length);
        free(buffer->bytes);
    }
    buffer->bytes = bytes;
    buffer->capacity = capacity;
}

char *buffer_make_room(struct buffer *buffer, size_t length)
{
    if (length > buffer->ceiling - buffer->length) {
        buffer->is_over = true;
        return NULL;
    }
    grow(buffer, buffer->length + length);
    return buffer->bytes + buffer->length;
}

bool buffer_append_number(struct buffer *buffer, int64_t number)
{
    char digits[SPAN_NUMBER_BYTES];
    struct span text = span_of_number(number, digits);

    return buffer_append(buffer, text.bytes, text.length);
}

void buffer_clear(struct buffer *buffer)
{
    if (buffer->bytes != NULL)
        explicit_bzero(buffer->bytes, buffer->length);
    buffer->length = 0;
    buffer->is_over = false;
}

char *buffer_take(struct buffer *buffer, size_t *ret_length)
{
    char *bytes = buffer->bytes;
    size_t length = buffer->length;

    if (bytes == NULL)
        bytes = mem_copy("", 0);
    buffer->bytes = NULL;
    buffer->length = 0;
    buffer->capacity = 0;
    *ret_length = length;
    return bytes;
}

void buffer_done(struct buffer *buffer)
{
    buffer_clear(buffer);
    free(buffer->bytes);
    buffer->bytes = NULL;
    buffer->capacity = 0;
}
