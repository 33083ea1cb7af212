/*
 * A growing array of bytes that declares its ceiling at birth and is wiped when it goes,
 * because it mostly holds people's words.
 */
#ifndef BUFFER_H
#define BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buffer {
    char *bytes; /* owned; a NUL stands behind the last byte once anything was appended */
    size_t length;
    size_t capacity;
    size_t ceiling;
    bool is_over; /* something did not fit; stays set */
};

/* An empty buffer that never holds more than `ceiling` bytes.  Allocates nothing yet. */
void buffer_init(struct buffer *buffer, size_t ceiling);

/* What follows is here, and not in buffer.c, because a turn appends some 700 times: where
 * there is room already, that is no call. */

/* buffer_reserve() where there is not. */
char *buffer_make_room(struct buffer *buffer, size_t length);

/* Room for `length` more bytes, to be filled by the caller and then counted with
 * buffer_advance(); NULL where the ceiling would be passed. */
static inline char *buffer_reserve(struct buffer *buffer, size_t length)
{
    if (buffer->bytes == NULL || length > buffer->capacity - buffer->length)
        return buffer_make_room(buffer, length);
    return buffer->bytes + buffer->length;
}

static inline void buffer_advance(struct buffer *buffer, size_t length)
{
    buffer->length += length;
    buffer->bytes[buffer->length] = '\0';
}

/* Appends all or nothing.  false, and is_over set, where the ceiling would be passed. */
static inline bool buffer_append(struct buffer *buffer, const void *bytes, size_t length)
{
    char *room = buffer_reserve(buffer, length);

    if (room == NULL)
        return false;
    if (length > 0)
        memcpy(room, bytes, length);
    buffer_advance(buffer, length);
    return true;
}

static inline bool buffer_append_string(struct buffer *buffer, const char *string)
{
    return buffer_append(buffer, string, strlen(string));
}

static inline bool buffer_append_char(struct buffer *buffer, char character)
{
    return buffer_append(buffer, &character, 1);
}

bool buffer_append_number(struct buffer *buffer, int64_t number);

/* Forgets what it holds (wiped) and keeps the memory. */
void buffer_clear(struct buffer *buffer);

/* Gives the bytes away, NUL-terminated, for the caller to wipe and free; the buffer is
 * empty after. */
char *buffer_take(struct buffer *buffer, size_t *ret_length);

/* Wipes and frees.  A zeroed buffer is fine. */
void buffer_done(struct buffer *buffer);

#endif
