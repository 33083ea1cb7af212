/*
 * Memory that is there, or the program ends.
 */
#include "mem.h"

#include <stdlib.h>
#include <string.h>

void *mem_zalloc(size_t bytes)
{
    void *memory = calloc(1, bytes > 0 ? bytes : 1);

    if (memory == NULL)
        abort();
    return memory;
}

void *mem_realloc(void *memory, size_t bytes)
{
    void *moved = realloc(memory, bytes > 0 ? bytes : 1);

    if (moved == NULL)
        abort();
    return moved;
}

char *mem_copy(const char *bytes, size_t length)
{
    char *copy = mem_realloc(NULL, length + 1);

    if (length > 0)
        memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

char *mem_copy_string(const char *string)
{
    return mem_copy(string, strlen(string));
}

void *mem_grow(void *array, size_t count, size_t more, size_t *capacity, size_t size)
{
    size_t wanted = *capacity == 0 ? 64 : *capacity;
    void *larger;

    if (array != NULL && *capacity - count >= more)
        return array;
    while (wanted - count < more)
        wanted *= 2;
    larger = mem_zalloc(wanted * size);
    if (count > 0)
        memcpy(larger, array, count * size);
    mem_wipe_and_free(array, count * size);
    *capacity = wanted;
    return larger;
}

void mem_wipe_and_free(void *memory, size_t bytes)
{
    if (memory != NULL)
        explicit_bzero(memory, bytes);
    free(memory);
}
