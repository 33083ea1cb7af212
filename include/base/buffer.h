/*
 * A growing array of bytes that declares its ceiling at birth and is wiped when it goes,
 * because what passes through one is mostly somebody's words.
 */
#ifndef BUFFER_H
#define BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
    char *bytes; /* owned; a NUL stands behind the last byte once anything was appended */
    size_t length;
    size_t capacity;
    size_t ceiling;
    bool is_over; /* something did not fit; stays set */
};

/* An empty buffer that never holds more than `ceiling` bytes.  Allocates nothing yet. */
void buffer_init(struct buffer *buffer, size_t ceiling);

/* Appends all or nothing.  false, and is_over set, where the ceiling would be passed. */
bool buffer_append(struct buffer *buffer, const void *bytes, size_t length);
bool buffer_append_string(struct buffer *buffer, const char *string);
bool buffer_append_char(struct buffer *buffer, char character);
bool buffer_append_number(struct buffer *buffer, int64_t number);

/* Room for `length` more bytes, to be filled by the caller and then counted with
 * buffer_advance(); NULL where the ceiling would be passed. */
char *buffer_reserve(struct buffer *buffer, size_t length);
void buffer_advance(struct buffer *buffer, size_t length);

/* Forgets what it holds (wiped) and keeps the memory. */
void buffer_clear(struct buffer *buffer);

/* Gives the bytes away, NUL-terminated, for the caller to wipe and free; the buffer is
 * empty after. */
char *buffer_take(struct buffer *buffer, size_t *ret_length);

/* Wipes and frees.  A zeroed buffer is fine. */
void buffer_done(struct buffer *buffer);

#endif
