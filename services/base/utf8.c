/*
 * UTF-8: valid or not, counted, taken apart.
 */
#include "utf8.h"

#include <string.h>

/* Length of the sequence at `bytes`, 0 where it is not valid. */
static size_t sequence_length(const unsigned char *bytes, size_t left)
{
    unsigned char first = bytes[0];

    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first <= 0xdf)
        return left >= 2 && (bytes[1] & 0xc0) == 0x80 ? 2 : 0;
    if (first >= 0xe0 && first <= 0xef) {
        if (left < 3 || (bytes[1] & 0xc0) != 0x80 || (bytes[2] & 0xc0) != 0x80)
            return 0;
        if (first == 0xe0 && bytes[1] < 0xa0)
            return 0;
        return first == 0xed && bytes[1] > 0x9f ? 0 : 3;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        if (left < 4 || (bytes[1] & 0xc0) != 0x80 || (bytes[2] & 0xc0) != 0x80 ||
            (bytes[3] & 0xc0) != 0x80)
            return 0;
        if (first == 0xf0 && bytes[1] < 0x90)
            return 0;
        return first == 0xf4 && bytes[1] > 0x8f ? 0 : 4;
    }
    return 0;
}

/* Eight bytes at once while they are plain: no high bit, no NUL. */
static size_t plain_prefix(const char *bytes, size_t length)
{
    size_t at = 0;
    uint64_t word;

    while (length - at >= sizeof(word)) {
        memcpy(&word, bytes + at, sizeof(word));
        if ((word | (word - 0x0101010101010101ULL)) & 0x8080808080808080ULL)
            break;
        at += sizeof(word);
    }
    return at;
}

bool utf8_is_valid(const char *bytes, size_t length)
{
    size_t at = 0, step;

    while (at < length) {
        at += plain_prefix(bytes + at, length - at);
        if (at == length)
            break;
        if (bytes[at] == '\0')
            return false;
        step = sequence_length((const unsigned char *)bytes + at, length - at);
        if (step == 0)
            return false;
        at += step;
    }
    return true;
}

size_t utf8_count(const char *bytes, size_t length)
{
    const uint64_t ones = 0x0101010101010101ULL;
    size_t at = 0, count = length;
    uint64_t word;

    /* A byte that continues a sequence is 10xxxxxx. */
    for (; length - at >= sizeof(word); at += sizeof(word)) {
        memcpy(&word, bytes + at, sizeof(word));
        count -= (size_t)((((word >> 7) & ~(word >> 6) & ones) * ones) >> 56);
    }
    for (; at < length; at++)
        count -= ((unsigned char)bytes[at] & 0xc0) == 0x80;
    return count;
}

uint32_t utf8_next(const char *bytes, size_t length, size_t *offset)
{
    const unsigned char *at = (const unsigned char *)bytes + *offset;

    switch (at[0] < 0x80 ? 1 : sequence_length(at, length - *offset)) {
    case 2: *offset += 2; return (uint32_t)(at[0] & 0x1f) << 6 | (at[1] & 0x3f);
    case 3:
        *offset += 3;
        return (uint32_t)(at[0] & 0x0f) << 12 | (uint32_t)(at[1] & 0x3f) << 6 |
               (at[2] & 0x3f);
    case 4:
        *offset += 4;
        return (uint32_t)(at[0] & 0x07) << 18 | (uint32_t)(at[1] & 0x3f) << 12 |
               (uint32_t)(at[2] & 0x3f) << 6 | (at[3] & 0x3f);
    default: *offset += 1; return at[0];
    }
}

bool utf8_is_space(uint32_t code_point)
{
    switch (code_point) {
    case ' ':
    case 0x85:
    case 0xa0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202f:
    case 0x205f:
    case 0x3000: return true;
    default:
        return (code_point >= '\t' && code_point <= '\r') ||
               (code_point >= 0x2000 && code_point <= 0x200a);
    }
}

bool utf8_is_control(uint32_t code_point)
{
    return code_point < 0x20 || (code_point >= 0x7f && code_point <= 0x9f) ||
           code_point == 0x2028 || code_point == 0x2029;
}

/* Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties, and the marks around an
 * annotation between lines. */
bool utf8_is_invisible(uint32_t code_point)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0xad, 0xad},       {0x34f, 0x34f},    {0x61c, 0x61c},
                  {0x115f, 0x1160},   {0x17b4, 0x17b5},  {0x180b, 0x180f},
                  {0x200b, 0x200f},   {0x202a, 0x202e},  {0x2060, 0x206f},
                  {0x3164, 0x3164},   {0xfe00, 0xfe0f},  {0xfeff, 0xfeff},
                  {0xffa0, 0xffa0},   {0xfff0, 0xfffb},  {0x1bca0, 0x1bca3},
                  {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};

    for (size_t at = 0; at < sizeof(ranges) / sizeof(*ranges); at++) {
        if (code_point <= ranges[at].last)
            return code_point >= ranges[at].first;
    }
    return false;
}

bool utf8_is_blank(const char *bytes, size_t length)
{
    for (size_t offset = 0; offset < length;) {
        uint32_t code_point = utf8_next(bytes, length, &offset);

        if (!utf8_is_space(code_point) && !utf8_is_control(code_point) &&
            !utf8_is_invisible(code_point))
            return false;
    }
    return true;
}
