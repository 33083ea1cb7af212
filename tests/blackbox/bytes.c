#include "bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_room(struct bytes *bytes, size_t more)
{
    size_t needed = bytes->size + more + 1;

    if (needed <= bytes->room)
        return;
    bytes->room = needed * 2;
    bytes->data = realloc(bytes->data, bytes->room);
    if (!bytes->data)
        abort();
}

void bytes_add(struct bytes *bytes, const void *data, size_t size)
{
    make_room(bytes, size);
    if (size > 0)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    bytes->data[bytes->size] = '\0';
}

void bytes_add_text(struct bytes *bytes, const char *text)
{
    bytes_add(bytes, text, strlen(text));
}

void bytes_addf(struct bytes *bytes, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    int size = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (size < 0)
        abort();
    bytes_add(bytes, text, (size_t)size);
    free(text);
}

void bytes_drop(struct bytes *bytes, size_t size)
{
    if (size == 0)
        return;
    memmove(bytes->data, bytes->data + size, bytes->size - size + 1);
    bytes->size -= size;
}

bool bytes_has(const struct bytes *bytes, const char *needle)
{
    return bytes->size > 0 &&
           memmem(bytes->data, bytes->size, needle, strlen(needle)) != NULL;
}

void bytes_free(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){0};
}

bool bytes_add_file(struct bytes *bytes, const char *path)
{
    FILE *file = fopen(path, "rb");
    char block[65536];
    size_t size;

    if (!file)
        return false;
    while ((size = fread(block, 1, sizeof block, file)) > 0)
        bytes_add(bytes, block, size);
    fclose(file);
    return true;
}
