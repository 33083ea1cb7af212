/*
 * Words of a text, for counting and comparing.
 */
#include "words.h"

#include "utf8.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

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

bool words_is_on(const char *list, struct span word)
{
    while (*list != '\0') {
        const char *end = strchrnul(list, ' ');

        if ((size_t)(end - list) == word.length &&
            strncasecmp(list, word.bytes, word.length) == 0)
            return true;
        list = *end == ' ' ? end + 1 : end;
    }
    return false;
}

static inline bool is_plain_inside(unsigned char byte)
{
    return byte > ' ' && byte < 0x80;
}

size_t words_count(struct span text)
{
    size_t count = 0, at = 0;
    bool is_after_space = true;

    while (at < text.length) {
        size_t next = at;
        bool is_space;

        if (is_plain_inside((unsigned char)text.bytes[at])) {
            count += is_after_space;
            is_after_space = false;
            while (++at < text.length && is_plain_inside((unsigned char)text.bytes[at]))
                continue;
            continue;
        }
        is_space = utf8_is_space(utf8_next(text.bytes, text.length, &next));
        at = next;
        count += is_after_space && !is_space;
        is_after_space = is_space;
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

bool words_find_run(struct span text, struct span run, struct span *ret_place)
{
    struct span word, last;
    size_t offset = 0, length = 0;

    while (words_next(run, &offset, &word))
        length++;
    offset = 0;
    while (length > 0 && words_next(text, &offset, &word)) {
        size_t start = (size_t)(word.bytes - text.bytes), end = start;

        if (!runs_equal(text, start, run, 0, length))
            continue;
        for (size_t i = 0; i < length; i++)
            words_next(text, &end, &last);
        *ret_place = (struct span){word.bytes, end - start};
        return true;
    }
    return false;
}
