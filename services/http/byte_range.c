/*
 * The Range header (RFC 9110 14.2): one range of bytes, or none that is to be believed.
 */
#include "byte_range_internal.h"

#include <strings.h>

#define UNSAID (-1)

/* A number that is too large for anything stands for the largest. */
static bool take_number(struct span text, size_t *at, int64_t *ret_number)
{
    const size_t start = *at;
    int64_t number = 0;

    while (*at < text.length && text.bytes[*at] >= '0' && text.bytes[*at] <= '9') {
        int digit = text.bytes[*at] - '0';

        number = number > (INT64_MAX - digit) / 10 ? INT64_MAX : number * 10 + digit;
        ++*at;
    }
    if (*at == start)
        return false;
    *ret_number = number;
    return true;
}

/* false: not exactly one range of bytes. */
static bool parse(struct span range, int64_t *ret_first, int64_t *ret_last)
{
    static const char unit[] = "bytes=";
    size_t at = sizeof(unit) - 1;
    int64_t first = UNSAID;
    int64_t last = UNSAID;
    bool has_first;
    bool has_last;

    if (range.length < at || strncasecmp(range.bytes, unit, at) != 0)
        return false;
    has_first = take_number(range, &at, &first);
    if (at == range.length || range.bytes[at++] != '-')
        return false;
    has_last = take_number(range, &at, &last);
    if (at != range.length || (!has_first && !has_last) ||
        (has_first && has_last && last < first))
        return false;
    *ret_first = first;
    *ret_last = last;
    return true;
}

struct byte_range byte_range_of(struct span range, int64_t length)
{
    const struct byte_range whole = {.kind = BYTE_RANGE_WHOLE};
    const struct byte_range none = {.kind = BYTE_RANGE_UNSATISFIABLE};
    int64_t first;
    int64_t last;

    if (!parse(range, &first, &last))
        return whole;
    if (first == UNSAID) { /* the last so many bytes */
        if (last == 0 || length == 0)
            return none;
        first = last < length ? length - last : 0;
        last = length - 1;
    } else if (first >= length) {
        return none;
    }
    if (last == UNSAID || last >= length)
        last = length - 1;
    return (struct byte_range){BYTE_RANGE_PART, first, last};
}

bool byte_range_holds(struct span if_range, const char *tag)
{
    return if_range.bytes == NULL || span_equals(if_range, tag);
}
