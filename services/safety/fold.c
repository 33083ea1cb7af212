/*
 * Folding, a word at a time: a letter of another script is only taken for the Latin one
 * it looks like where the rest of its word is Latin too, or where the whole word is made
 * of such letters.
 */
#include "fold_internal.h"

#include "mem.h"
#include "utf8.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#define MAX_DECOMPOSED 24 /* U+FDFA, the longest, has 18 */

struct lookalike {
    uint32_t code_point;
    char latin[3];
};

static const struct lookalike lookalikes[] = {
#define LOOKALIKE(code_point, latin) {code_point, latin},
#include "lookalikes.def"
};

static bool is_mark(utf8proc_category_t category)
{
    return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_ME;
}

static bool is_ascii_letter(uint32_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Latin letters that are full width, in circles, or mathematical alphabets. */
static bool is_styled(uint32_t c)
{
    return (c >= 0xff21 && c <= 0xff5a) || (c >= 0x1d400 && c <= 0x1d7ff) ||
           (c >= 0x24b6 && c <= 0x24e9) || (c >= 0x1f130 && c <= 0x1f149) ||
           (c >= 0x2100 && c <= 0x214f) || (c >= 0x249c && c <= 0x24b5);
}

/* Blocks with characters that decompose into Latin letters, digits or ASCII signs, and with the
 * marks that are put on them (Unicode 15). */
static bool may_hold_latin(uint32_t c)
{
    return c < 0x0250 || (c >= 0x02b0 && c < 0x0370) || (c >= 0x1ab0 && c < 0x1b00) ||
           (c >= 0x1d00 && c < 0x1f00) || (c >= 0x2000 && c < 0x2500) ||
           (c >= 0x2a70 && c < 0x2a80) || (c >= 0x2c60 && c < 0x2c80) ||
           (c >= 0x3000 && c < 0x3040) || (c >= 0x3200 && c < 0x3400) ||
           (c >= 0xa700 && c < 0xa800) || (c >= 0xfb00 && c < 0xfb07) ||
           (c >= 0xfe10 && c < 0xfe70) || (c >= 0xff00 && c < 0x10000) ||
           (c >= 0x1d400 && c < 0x1d800) || (c >= 0x1f100 && c < 0x1f200);
}

/* The first byte at or after `from` that is not ASCII; `length` where there is none. */
static size_t next_high(const char *text, size_t length, size_t from)
{
    size_t i = from;
    uint64_t eight;

    for (; i + 8 <= length; i += 8) {
        memcpy(&eight, text + i, 8);
        if ((eight & 0x8080808080808080ULL) != 0)
            break;
    }
    while (i < length && (unsigned char)text[i] < 0x80)
        i++;
    return i;
}

bool fold_is_needed(const char *text, size_t length)
{
    return next_high(text, length, 0) < length;
}

static const char *lookalike_of(uint32_t code_point)
{
    size_t low = 0;
    size_t high = sizeof(lookalikes) / sizeof(*lookalikes);

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (lookalikes[middle].code_point == code_point)
            return lookalikes[middle].latin;
        if (lookalikes[middle].code_point < code_point)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static bool reads_as_latin(const char *text, size_t start, size_t end)
{
    bool is_all_alike = true;
    bool has_sign = false;

    for (size_t i = start; i < end;) {
        uint32_t code_point = utf8_next(text, end, &i);
        utf8proc_category_t category;
        bool is_letter;

        if (is_ascii_letter(code_point))
            return true;
        if (code_point < 0x80)
            continue;
        category = utf8proc_category((utf8proc_int32_t)code_point);
        is_letter =
            (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) ||
            category == UTF8PROC_CATEGORY_SO;
        if (is_letter && !is_styled(code_point) && lookalike_of(code_point) == NULL)
            is_all_alike = false;
        has_sign = has_sign || is_letter;
    }
    return is_all_alike && has_sign;
}

/* A letter past the Latin blocks, or one of their compatibility forms. */
static bool has_foreign_letter(const char *text, size_t start, size_t end)
{
    for (size_t i = start; i < end;) {
        uint32_t code_point = utf8_next(text, end, &i);
        utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code_point);
        bool is_letter =
            (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) ||
            category == UTF8PROC_CATEGORY_SO;
        bool is_latin =
            code_point < 0x250 || (code_point >= 0x1e00 && code_point < 0x1f00);
        if (is_letter && !is_latin)
            return true;
    }
    return false;
}

static void put(struct folded_text *folded, const char *bytes, size_t length)
{
    if (length == 0)
        return;
    if (folded->capacity - folded->length < length) {
        size_t capacity = (folded->capacity + length) * 2;
        char *larger = mem_zalloc(capacity);
        if (folded->bytes != NULL) {
            memcpy(larger, folded->bytes, folded->length);
            sodium_memzero(folded->bytes, folded->capacity);
            free(folded->bytes);
        }
        folded->bytes = larger;
        folded->capacity = capacity;
    }
    memcpy(folded->bytes + folded->length, bytes, length);
    folded->length += length;
}

/* A row of emoji, arrows and other pictures stands between words and letters as one '~' does. */
static void put_other(struct folded_text *folded, utf8proc_int32_t code_point)
{
    utf8proc_category_t category = utf8proc_category(code_point);
    unsigned char encoded[4];

    if (category != UTF8PROC_CATEGORY_SO &&
        (category != UTF8PROC_CATEGORY_SM || code_point < 0x80))
        put(folded, (const char *)encoded,
            (size_t)utf8proc_encode_char(code_point, encoded));
    else if (folded->length == 0 || folded->bytes[folded->length - 1] != '~')
        put(folded, "~", 1);
}

/* Quotes, dashes, spaces and stops of all sorts as the ASCII ones. */
static bool fold_punctuation(struct folded_text *folded, uint32_t code_point)
{
    const char *ascii = NULL;

    switch (code_point) {
    case 0x00b4:
    case 0x02b9:
    case 0x02bb:
    case 0x02bc:
    case 0x02c8:
    case 0x2018:
    case 0x2019:
    case 0x201b:
    case 0x2032:
    case 0xff07: ascii = "'"; break;
    case 0x00ab:
    case 0x00bb:
    case 0x201c:
    case 0x201d:
    case 0x201e:
    case 0x201f: ascii = "\""; break;
    case 0x2010:
    case 0x2011:
    case 0x2212:
    case 0xff0d: ascii = "-"; break;
    case 0x2012:
    case 0x2013:
    case 0x2014:
    case 0x2015: ascii = "--"; break;
    case 0x2022:
    case 0x00b7:
    case 0x30fb: ascii = "."; break;
    case 0x2028:
    case 0x2029:
    case 0x3002: ascii = "."; break;
    case 0x3001: ascii = ","; break;
    case 0x0085:
    case 0x2800: ascii = " "; break;
    }
    if (ascii == NULL)
        return false;
    put(folded, ascii, strlen(ascii));
    return true;
}

static void fold_code_point(struct folded_text *folded, uint32_t code_point,
                            bool is_latin)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)code_point);
    utf8proc_int32_t parts[MAX_DECOMPOSED];
    int boundary = UTF8PROC_BOUNDCLASS_START;
    const char *alike = NULL;
    utf8proc_ssize_t count;

    if (code_point < 0x80) {
        char c = (char)code_point;
        put(folded, &c, 1);
        return;
    }
    if (utf8_is_invisible(code_point) || category == UTF8PROC_CATEGORY_CF ||
        fold_punctuation(folded, code_point))
        return;
    if (is_latin || code_point < 0x250)
        alike = lookalike_of(code_point);
    if (alike != NULL) {
        put(folded, alike, strlen(alike));
        return;
    }
    if (!may_hold_latin(code_point)) {
        put_other(folded, utf8proc_tolower((utf8proc_int32_t)code_point));
        return;
    }
    count = utf8proc_decompose_char(
        (utf8proc_int32_t)code_point, parts, MAX_DECOMPOSED,
        UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD, &boundary);
    for (utf8proc_ssize_t i = 0; i < count && count <= MAX_DECOMPOSED; i++) {
        uint32_t part = (uint32_t)parts[i];
        bool follows_ascii =
            folded->length > 0 && (unsigned char)folded->bytes[folded->length - 1] < 0x80;

        if (is_mark(utf8proc_category(parts[i])) && follows_ascii)
            continue;
        alike = is_latin ? lookalike_of(part) : NULL;
        if (alike != NULL)
            put(folded, alike, strlen(alike));
        else
            put_other(folded, parts[i]);
    }
}

static void fold_word(struct folded_text *folded, const char *text, size_t start,
                      size_t end)
{
    bool is_latin = reads_as_latin(text, start, end);

    if (is_latin && has_foreign_letter(text, start, end)) {
        static const char mark = FOLD_LOOKALIKE_MARK;
        offsets_add(&folded->offsets, folded->length, start);
        put(folded, &mark, 1);
    }
    for (size_t i = start; i < end;) {
        size_t before = folded->length;
        size_t at = i;
        uint32_t code_point = utf8_next(text, end, &i);

        fold_code_point(folded, code_point, is_latin);
        if (folded->length > before)
            offsets_add(&folded->offsets, before, at);
    }
}

/* What is plain is copied up to the word with the next character that is not. */
void fold_text(struct folded_text *folded, const char *text, size_t length)
{
    folded->length = 0;
    offsets_clear(&folded->offsets);
    for (size_t i = 0; i < length;) {
        size_t start = next_high(text, length, i);
        size_t end = start;

        while (start < length && start > i && (unsigned char)text[start - 1] > ' ')
            start--;
        while (end < length && (unsigned char)text[end] > ' ')
            end++;
        offsets_add(&folded->offsets, folded->length, i);
        put(folded, text + i, start - i);
        if (start < end)
            fold_word(folded, text, start, end);
        i = end;
    }
    offsets_add(&folded->offsets, folded->length, length);
    put(folded, "", 1);
    folded->length--;
}

bool fold_keeps(uint32_t code_point)
{
    struct folded_text folded = {0};
    unsigned char encoded[4];
    size_t length;
    bool is_same;

    if (code_point < 0x80)
        return code_point == 0 || is_ascii_letter(code_point) ||
               (code_point >= '0' && code_point <= '9') ||
               strchr(" ,.?'", (int)code_point) != NULL;
    if (code_point >= 0x250 && (code_point < 0x1e00 || code_point >= 0x2100))
        return true; /* in a word of its own script */
    length = (size_t)utf8proc_encode_char(utf8proc_tolower((utf8proc_int32_t)code_point),
                                          encoded);
    fold_text(&folded, (const char *)encoded, length);
    is_same = folded.length == length && memcmp(folded.bytes, encoded, length) == 0;
    folded_text_done(&folded);
    return is_same;
}

void folded_text_done(struct folded_text *folded)
{
    if (folded->bytes != NULL)
        sodium_memzero(folded->bytes, folded->capacity);
    free(folded->bytes);
    offsets_done(&folded->offsets);
    *folded = (struct folded_text){0};
}
