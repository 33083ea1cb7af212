/*
 * Numbers out of a container's bytes, which may be anything.
 */
#include "audio_internal.h"

#include <string.h>

#define LONGEST_S (366ULL * 24 * 3600)

static uint64_t byte_at(struct span bytes, size_t offset)
{
    return offset < bytes.length ? (unsigned char)bytes.bytes[offset] : 0;
}

uint64_t audio_big(struct span bytes, size_t offset, size_t width)
{
    uint64_t number = 0;

    for (size_t i = 0; i < width; i++)
        number = number << 8 | byte_at(bytes, offset + i);
    return number;
}

uint64_t audio_little(struct span bytes, size_t offset, size_t width)
{
    uint64_t number = 0;

    for (size_t i = width; i-- > 0;)
        number = number << 8 | byte_at(bytes, offset + i);
    return number;
}

bool audio_has(struct span bytes, size_t offset, const char *magic, size_t length)
{
    return offset <= bytes.length && bytes.length - offset >= length &&
           memcmp(bytes.bytes + offset, magic, length) == 0;
}

struct span audio_from(struct span bytes, uint64_t offset)
{
    if (offset >= bytes.length)
        return (struct span){bytes.bytes, 0};
    return (struct span){bytes.bytes + offset, bytes.length - (size_t)offset};
}

int64_t audio_ms(uint64_t units, uint64_t per_second)
{
    if (units == 0 || per_second == 0)
        return -1;
    if (units / per_second >= LONGEST_S)
        return (int64_t)(LONGEST_S * 1000);
    return (int64_t)(units / per_second * 1000 + (uint64_t)((double)(units % per_second) *
                                                            1000.0 / (double)per_second));
}

size_t audio_id3_bytes(struct span bytes)
{
    size_t length = 0;

    if (!audio_has(bytes, 0, "ID3", 3))
        return 0;
    for (size_t i = 6; i < 10; i++)
        length = length << 7 | (size_t)(byte_at(bytes, i) & 0x7f);
    return length + 10 + (byte_at(bytes, 5) & 0x10 ? 10 : 0); /* the bit: a footer */
}
