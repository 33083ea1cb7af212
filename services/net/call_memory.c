/*
 * curl's memory, wiped when it is given back: requests and replies pass through it, which
 * are somebody's words.
 */
#include "call_internal.h"

#include "mem.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static void *take(size_t bytes)
{
    return mem_realloc(NULL, bytes > 0 ? bytes : 1);
}

static void *take_zeroed(size_t count, size_t bytes)
{
    if (bytes > 0 && count > SIZE_MAX / bytes)
        return NULL;
    return mem_zalloc(count * bytes);
}

static char *take_copy(const char *string)
{
    return mem_copy_string(string);
}

static void give_back(void *memory)
{
    if (memory != NULL)
        explicit_bzero(memory, malloc_usable_size(memory));
    free(memory);
}

/* Not realloc(), which would leave the old bytes behind. */
static void *take_more(void *memory, size_t bytes)
{
    size_t held = memory != NULL ? malloc_usable_size(memory) : 0;
    void *more;

    if (memory != NULL && bytes <= held)
        return memory;
    more = take(bytes);
    if (held > 0)
        memcpy(more, memory, held);
    give_back(memory);
    return more;
}

void call_memory_init(void)
{
    if (curl_global_init_mem(CURL_GLOBAL_DEFAULT, take, give_back, take_more, take_copy,
                             take_zeroed) != CURLE_OK)
        abort();
}
