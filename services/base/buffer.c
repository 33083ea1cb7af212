/*
 * The buffer, where it has to grow; what it leaves behind is wiped.
 */
#include "buffer.h"

#include "mem.h"
#include "span.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_CAPACITY 256
#define LARGE          262144

void buffer_init(struct buffer *buffer, size_t ceiling)
{
    memset(buffer, 0, sizeof(*buffer));
    buffer->ceiling = ceiling;
}

/*
 * Wipes memory that is about to be freed.  Where there is much of it its pages go back to the kernel,
 * which gives them out again as zeros: allocators keep what was freed, and a flood of recordings would
 * stay resident for good.
 */
static void wipe(char *bytes, size_t length)
{
    const uintptr_t page = 4096; /* at least: madvise() fails where pages are larger */
    uintptr_t start = (uintptr_t)bytes;
    uintptr_t first = (start + page - 1) / page * page;
    uintptr_t end = (start + length) / page * page;

    if (length < LARGE || madvise((void *)first, end - first, MADV_DONTNEED) != 0) {
        explicit_bzero(bytes, length);
        return;
    }
    explicit_bzero(bytes, first - start);
    explicit_bzero((void *)end, start + length - end);
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
        wipe(buffer->bytes, buffer->length);
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
    if (buffer->bytes != NULL)
        wipe(buffer->bytes, buffer->capacity < LARGE ? buffer->length : buffer->capacity);
    free(buffer->bytes);
    buffer->bytes = NULL;
    buffer->length = 0;
    buffer->capacity = 0;
    buffer->is_over = false;
}
