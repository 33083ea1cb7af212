#include "words.h"

#include "utf8.h"

#include <ctype.h>
#include <endian.h>
#include <string.h>

static bool is_word_byte(char byte)
{
    unsigned char value = (unsigned char)byte;

    return value >= 0x80 || isalnum(value) || value == '\'';
}

bool words_next(struct span text, size_t *offset, struct span *ret_word)
{
    size_t start = *offset;

    while (start < text.length && !is_word_byte(text.bytes[start]))
        start++;
    if (start == text.length)
        return false;

    *offset = start;
    while (*offset < text.length && is_word_byte(text.bytes[*offset]))
        (*offset)++;
    ret_word->bytes = text.bytes + start;
    ret_word->length = *offset - start;
    return true;
}

#define ONES  0x0101010101010101ULL
#define HIGHS 0x8080808080808080ULL

/* The high bit of each byte that is white space, of eight that are all ASCII: no sum
 * carries into the next byte. */
static uint64_t mark_spaces(uint64_t word)
{
    uint64_t not_blank = (word ^ (ONES * ' ')) + ONES * 0x7f;
    uint64_t from_tab = word + ONES * (0x80 - '\t');
    uint64_t past_return = word + ONES * (0x80 - '\r' - 1);

    return (~not_blank | (from_tab & ~past_return)) & HIGHS;
}

/* Eight bytes at once while they are ASCII, as nearly all are.  A word begins where there
 * is no space behind one. */
size_t words_count(struct span text)
{
    size_t count = 0, offset = 0;
    uint64_t word, spaces, after_space = 0x80; /* as the high bit of the lowest byte */

    while (offset < text.length) {
        if (text.length - offset >= sizeof(word)) {
            memcpy(&word, text.bytes + offset, sizeof(word));
            word = le64toh(word);
            if ((word & HIGHS) == 0) {
                spaces = mark_spaces(word);
                word = ~spaces & (spaces << 8 | after_space) & HIGHS;
                count += (word >> 7) * ONES >> 56;
                after_space = spaces >> 56;
                offset += sizeof(word);
                continue;
            }
        }
        spaces = utf8_is_space(utf8_next(text.bytes, text.length, &offset)) ? 0x80 : 0;
        count += (after_space & ~spaces) >> 7;
        after_space = spaces;
    }
    return count;
}

static bool words_equal(struct span one, struct span other)
{
    if (one.length != other.length)
        return false;
    for (size_t at = 0; at < one.length; at++)
        if (tolower((unsigned char)one.bytes[at]) !=
            tolower((unsigned char)other.bytes[at]))
            return false;
    return true;
}

/* Do the next `run` words at both offsets agree? */
static bool runs_equal(struct span one, size_t one_offset, struct span other,
                       size_t other_offset, size_t run)
{
    struct span one_word, other_word;

    for (size_t count = 0; count < run; count++)
        if (!words_next(one, &one_offset, &one_word) ||
            !words_next(other, &other_offset, &other_word) ||
            !words_equal(one_word, other_word))
            return false;
    return true;
}

bool words_share_run(struct span one, struct span other, size_t run)
{
    struct span word, other_word;
    size_t start = 0, offset = 0;

    while (words_next(one, &offset, &word)) {
        size_t other_start = 0, other_offset = 0;

        start = (size_t)(word.bytes - one.bytes);
        while (words_next(other, &other_offset, &other_word)) {
            other_start = (size_t)(other_word.bytes - other.bytes);
            if (runs_equal(one, start, other, other_start, run))
                return true;
        }
    }
    return false;
}
