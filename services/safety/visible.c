/*
 * Taking invisible characters out of a text: each is looked at with its neighbours, which say whether
 * it shapes them.
 */
#include "visible_internal.h"

#include "fold_internal.h"
#include "private_reveal.h"
#include "utf8.h"

#include <string.h>
#include <utf8proc.h>

#define ZERO_WIDTH_SPACE      0x200b
#define ZERO_WIDTH_NON_JOINER 0x200c
#define ZERO_WIDTH_JOINER     0x200d
#define TEXT_STYLE            0xfe0e
#define EMOJI_STYLE           0xfe0f
#define KEYCAP                0x20e3

#define POP_ORDER        "\xe2\x80\xac" /* U+202C */
#define RIGHT_TO_LEFT    "\xe2\x80\xae" /* U+202E */
#define DIRECTION_LENGTH 3

static bool is_within(uint32_t code_point, uint32_t first, uint32_t last)
{
    return code_point >= first && code_point <= last;
}

static bool is_picture(uint32_t code_point)
{
    return utf8proc_get_property((utf8proc_int32_t)code_point)->boundclass ==
           UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

/* The end of a part of an emoji: a picture, its style, or the colour of its skin. */
static bool ends_picture(uint32_t code_point)
{
    return code_point == EMOJI_STYLE || is_within(code_point, 0x1f3fb, 0x1f3ff) ||
           is_picture(code_point);
}

/* Letters and marks of scripts that are joined or stacked: Hebrew and Arabic to Myanmar, the Philippines
 * to Mongolian, Balinese and its neighbours, their extensions, and those past U+FFFF. */
static bool is_joined(uint32_t code_point)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code_point);

    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_ME &&
           (is_within(code_point, 0x0590, 0x109f) ||
            is_within(code_point, 0x1700, 0x1c7f) ||
            is_within(code_point, 0xa800, 0xabff) ||
            is_within(code_point, 0xfb1d, 0xfdff) ||
            is_within(code_point, 0xfe70, 0xfefc) ||
            is_within(code_point, 0x10a00, 0x11fff) ||
            is_within(code_point, 0x1e900, 0x1e95f));
}

/* Thai, Lao, Tibetan, Myanmar and Khmer, which put no spaces between words. */
static bool has_no_spaces(uint32_t code_point)
{
    return is_within(code_point, 0x0e00, 0x109f) || is_within(code_point, 0x1780, 0x17ff);
}

static bool is_ideograph(uint32_t code_point)
{
    return is_within(code_point, 0x3400, 0x9fff) ||
           is_within(code_point, 0xf900, 0xfaff) ||
           is_within(code_point, 0x20000, 0x3ffff);
}

/* Is there a variant of `before` for this selector, or may there be one? */
static bool selects_variant(uint32_t selector, uint32_t before, uint32_t after)
{
    if (is_within(selector, 0xe0100, 0xe01ef))
        return is_ideograph(before);
    if (selector == TEXT_STYLE || selector == EMOJI_STYLE)
        return is_picture(before) ||
               (after == KEYCAP &&
                (before == '#' || before == '*' || is_within(before, '0', '9')));
    return is_ideograph(before) || is_joined(before) ||
           utf8proc_category((utf8proc_int32_t)before) == UTF8PROC_CATEGORY_SM;
}

static bool has_meaning(uint32_t code_point, uint32_t before, uint32_t after)
{
    switch (code_point) {
    case ZERO_WIDTH_JOINER:
        return is_joined(before) || is_joined(after) ||
               (ends_picture(before) && is_picture(after));
    case ZERO_WIDTH_NON_JOINER: return is_joined(before);
    case ZERO_WIDTH_SPACE: return has_no_spaces(before) && has_no_spaces(after);
    }
    if (is_within(code_point, 0xfe00, 0xfe0f) || is_within(code_point, 0xe0100, 0xe01ef))
        return selects_variant(code_point, before, after);
    if (is_within(code_point, 0x115f, 0x1160)) /* a place in an old Korean syllable */
        return is_within(before, 0x1100, 0x11ff) || is_within(after, 0x1100, 0x11ff);
    if (is_within(code_point, 0x17b4, 0x17b5) || is_within(code_point, 0x180b, 0x180f))
        return is_joined(before);
    if (is_within(code_point, 0x1bca0, 0x1bca3)) /* shorthand */
        return is_within(before, 0x1bc00, 0x1bc9f);
    return is_within(code_point, 0x1d173, 0x1d17a) && /* music */
           is_within(before, 0x1d100, 0x1d1ff);
}

static bool has_invisible(struct span text)
{
    for (size_t at = 0; at < text.length;) {
        if ((unsigned char)text.bytes[at] < 0x80)
            at++;
        else if (utf8_is_invisible(utf8_next(text.bytes, text.length, &at)))
            return true;
    }
    return false;
}

void visible_keep(struct private_text *text)
{
    struct span from = private_reveal(text);
    struct buffer kept;
    uint32_t before = 0;

    if (!fold_is_needed(from.bytes, from.length) ||
        !utf8_is_valid(from.bytes, from.length) || !has_invisible(from))
        return;
    buffer_init(&kept, from.length);
    for (size_t at = 0; at < from.length;) {
        size_t start = at;
        uint32_t code_point = utf8_next(from.bytes, from.length, &at);
        size_t next = at;
        uint32_t after = at < from.length ? utf8_next(from.bytes, from.length, &next) : 0;

        if (utf8_is_invisible(code_point) && !has_meaning(code_point, before, after))
            continue;
        buffer_append(&kept, from.bytes + start, at - start);
        before = code_point;
    }
    private_text_free(text);
    *text = private_text_take(&kept);
}

static void append_reversed(struct buffer *out, struct span text)
{
    size_t end = text.length;

    while (end > 0) {
        size_t start = end - 1;
        while (start > 0 && ((unsigned char)text.bytes[start] & 0xc0) == 0x80)
            start--;
        buffer_append(out, text.bytes + start, end - start);
        end = start;
    }
}

struct private_text visible_order(const struct private_text *text)
{
    struct span from = private_reveal(text);
    const char *end = from.bytes + from.length;
    const char *turn =
        !fold_is_needed(from.bytes, from.length)
            ? NULL
            : memmem(from.bytes, from.length, RIGHT_TO_LEFT, DIRECTION_LENGTH);
    struct buffer shown;
    struct private_text result;

    if (turn == NULL)
        return (struct private_text){NULL, 0};
    buffer_init(&shown, from.length);
    for (const char *at = from.bytes; at < end;) {
        const char *stop = turn != NULL ? turn : end;

        buffer_append(&shown, at, (size_t)(stop - at));
        if (turn == NULL)
            break;
        at = turn + DIRECTION_LENGTH;
        stop = memmem(at, (size_t)(end - at), POP_ORDER, DIRECTION_LENGTH);
        if (stop == NULL)
            stop = end;
        append_reversed(&shown, (struct span){at, (size_t)(stop - at)});
        at = stop;
        turn = memmem(at, (size_t)(end - at), RIGHT_TO_LEFT, DIRECTION_LENGTH);
    }
    result = private_text_take(&shown);
    visible_keep(&result);
    return result;
}
