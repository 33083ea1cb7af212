/*
 * A table of texts by hash (FNV-1a), at most half full.
 */
#include "intern_internal.h"

#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 1024

/* Where the text is, or where it would be. */
static uint32_t *slot_of(const struct intern *intern, const char *bytes, size_t length)
{
    uint32_t hash = 2166136261u;
    size_t at;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 16777619u;
    for (at = hash % intern->slot_count; intern->slots[at] != 0;
         at = (at + 1) % intern->slot_count) {
        struct span other = intern_text(intern, intern->slots[at] - 1);

        if (other.length == length && memcmp(other.bytes, bytes, length) == 0)
            break;
    }
    return &intern->slots[at];
}

static void fill_slots(struct intern *intern)
{
    memset(intern->slots, 0, intern->slot_count * sizeof(*intern->slots));
    for (uint32_t number = 0; number < intern->count; number++) {
        struct span text = intern_text(intern, number);

        *slot_of(intern, text.bytes, text.length) = number + 1;
    }
}

uint32_t intern_put(struct intern *intern, const char *bytes, size_t length)
{
    uint32_t *slot;

    if (intern->count * 2 >= intern->slot_count) {
        intern->slot_count =
            intern->slot_count == 0 ? SLOTS_FIRST : intern->slot_count * 2;
        intern->slots =
            mem_realloc(intern->slots, intern->slot_count * sizeof(*intern->slots));
        fill_slots(intern);
    }
    slot = slot_of(intern, bytes, length);
    if (*slot != 0)
        return *slot - 1;
    MEM_ROOM(intern->all, intern->count, intern->capacity, 1);
    MEM_ROOM(intern->bytes, intern->length, intern->bytes_capacity, length);
    memcpy(intern->bytes + intern->length, bytes, length);
    intern->all[intern->count] =
        (struct interned){(uint32_t)intern->length, (uint32_t)length};
    intern->length += length;
    *slot = (uint32_t)++intern->count;
    return *slot - 1;
}

bool intern_find(const struct intern *intern, const char *bytes, size_t length,
                 uint32_t *ret_number)
{
    uint32_t held = intern->slot_count > 0 ? *slot_of(intern, bytes, length) : 0;

    if (held > 0)
        *ret_number = held - 1;
    return held > 0;
}

struct span intern_text(const struct intern *intern, uint32_t number)
{
    const struct interned *text = &intern->all[number];

    return (struct span){intern->bytes + text->start, text->length};
}

void intern_keep(struct intern *intern, size_t count)
{
    size_t length = count < intern->count ? intern->all[count].start : intern->length;

    if (count >= intern->count)
        return;
    explicit_bzero(intern->bytes + length, intern->length - length);
    intern->length = length;
    intern->count = count;
    fill_slots(intern);
}

void intern_done(struct intern *intern)
{
    free(intern->all);
    mem_wipe_and_free(intern->bytes, intern->bytes_capacity);
    free(intern->slots);
    *intern = (struct intern){0};
}
