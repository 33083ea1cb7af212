/*
 * Origins of a rewritten text's bytes.
 */
#include "offsets_internal.h"

#include "mem.h"

#include <stdlib.h>

void offsets_add_step(struct offsets *offsets, size_t to, size_t from)
{
    if (offsets->count > 0 && offsets->steps[offsets->count - 1].to == to)
        offsets->count--;
    if (offsets->count == offsets->capacity) {
        offsets->capacity = offsets->capacity * 2 + 64;
        offsets->steps =
            mem_realloc(offsets->steps, offsets->capacity * sizeof(*offsets->steps));
    }
    offsets->steps[offsets->count++] =
        (struct offset_step){.to = (uint32_t)to, .from = (uint32_t)from};
    offsets->distance = from - to;
}

void offsets_cut(struct offsets *offsets, size_t to)
{
    while (offsets->count > 0 && offsets->steps[offsets->count - 1].to >= to)
        offsets->count--;
    offsets->distance = offsets->count > 0
                            ? offsets->steps[offsets->count - 1].from -
                                  (size_t)offsets->steps[offsets->count - 1].to
                            : 0;
}

void offsets_clear(struct offsets *offsets)
{
    offsets->count = 0;
    offsets->distance = 0;
}

size_t offsets_origin(const struct offsets *offsets, size_t to)
{
    size_t low = 0;
    size_t high = offsets->count;
    size_t origin;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (offsets->steps[middle].to <= to)
            low = middle + 1;
        else
            high = middle;
    }
    origin = to;
    if (low > 0)
        origin = offsets->steps[low - 1].from + (to - offsets->steps[low - 1].to);
    if (low < offsets->count && origin > offsets->steps[low].from)
        origin = offsets->steps[low].from; /* more was written than stood there */
    return origin;
}

void offsets_done(struct offsets *offsets)
{
    free(offsets->steps);
    *offsets = (struct offsets){0};
}
