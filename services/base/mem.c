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
