/*
 * The words of a sentence: where they begin and end, how they are written, and their folded form.
 */
#include "terms_internal.h"

#include "utf8.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#define DECOMPOSED_MOST 24 /* U+FDFA, the longest, has 18 */

static bool is_ideograph(uint32_t c)
{
    return (c >= 0x3041 && c <= 0x30ff) || (c >= 0x3400 && c <= 0x9fff) ||
           (c >= 0xf900 && c <= 0xfaff) || (c >= 0x20000 && c <= 0x3ffff);
}

enum letter terms_letter(uint32_t c)
{
    if (c < 0x80)
        return c >= 'a' && c <= 'z'   ? LETTER_LOWER
               : c >= 'A' && c <= 'Z' ? LETTER_UPPER
               : c >= '0' && c <= '9' ? LETTER_DIGIT
                                      : LETTER_NONE;
    if (is_ideograph(c))
        return LETTER_IDEOGRAPH;
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT: return LETTER_UPPER;
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return LETTER_LOWER;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return LETTER_MARK;
    default: return LETTER_NONE;
    }
}

static enum letter letter_at(struct span text, size_t at, size_t end, size_t *ret_next)
{
    *ret_next = at;
    if (at >= end)
        return LETTER_NONE;
    return terms_letter(utf8_next(text.bytes, end, ret_next));
}

static bool is_letter(enum letter letter)
{
    return letter == LETTER_LOWER || letter == LETTER_UPPER;
}

/* Length of the apostrophe at `at`; 0: there is none. */
static size_t apostrophe(struct span text, size_t at, size_t end)
{
    if (at < end && text.bytes[at] == '\'')
        return 1;
    return end - at >= 3 && memcmp(text.bytes + at, "’", 3) == 0 ? 3 : 0;
}

/* What stands between two words moves the second to a beginning: a colon, a bracket, a quotation. */
static bool begins_anew(struct span text, size_t at, size_t end)
{
    for (; at < end; at++) {
        if (strchr(":([\"|", text.bytes[at]) != NULL && text.bytes[at] != '\0')
            return true;
        if (end - at >= 3 && (memcmp(text.bytes + at, "“", 3) == 0 ||
                              memcmp(text.bytes + at, "‘", 3) == 0))
            return true;
        if (text.bytes[at] == '\'' && at + 1 == end)
            return true;
    }
    return false;
}

/* "](address)": the end of a link's address, or `at`. */
static size_t skip_address(struct span text, size_t at, size_t end)
{
    const char *close;

    if (text.bytes[at] != ']' || end - at < 2 || text.bytes[at + 1] != '(')
        return at;
    close = memchr(text.bytes + at, ')', end - at);
    return close == NULL ? at : (size_t)(close - text.bytes);
}

/* "U.S.", "e.g.": the end of letters that each have a stop, or `at`. */
static size_t initials(struct span text, size_t at, size_t end)
{
    size_t from = at, next, after;

    while (is_letter(letter_at(text, at, end, &next)) && next < end &&
           text.bytes[next] == '.' &&
           letter_at(text, next + 1, end, &after) != LETTER_DIGIT)
        at = next + 1;
    if (at == from)
        return from;
    /* The last may go without its stop, but is a letter by itself. */
    if (is_letter(letter_at(text, at, end, &next))) {
        if (letter_at(text, next, end, &after) != LETTER_NONE)
            return from;
        at = next;
    }
    for (next = from; next < at && text.bytes[next] != '.'; next++)
        ;
    return at > next + 1 ? at : from;
}

static void read_word(struct span text, size_t end, struct word *word)
{
    size_t at = initials(text, word->start, end), next, behind, letters = 0;
    enum letter letter;

    if (at > word->start) {
        word->end = at;
        return;
    }
    for (at = word->start; at < end; at = next) {
        letter = letter_at(text, at, end, &next);
        if (letter == LETTER_DIGIT) {
            /* "ROS2" is "ROS 2"; "MP3" and "B2B" are one word. */
            for (behind = at;
                 behind < end && text.bytes[behind] >= '0' && text.bytes[behind] <= '9';
                 behind++)
                ;
            if (letters >= 3 && !is_letter(letter_at(text, behind, end, &next)))
                break;
            next = behind;
            continue;
        }
        if (letter == LETTER_NONE || letter == LETTER_IDEOGRAPH) {
            behind = apostrophe(text, at, end);
            if (behind == 0 || !is_letter(letter_at(text, at + behind, end, &next)))
                break;
            continue;
        }
        letters += letter != LETTER_MARK;
    }
    word->end = at;
    /* C++, C#, F#. */
    if (at - word->start == 1 && end - at >= 2 && memcmp(text.bytes + at, "++", 2) == 0)
        word->end = at + 2;
    else if (at - word->start == 1 && at < end && text.bytes[at] == '#')
        word->end = at + 1;
}

static void read_number(struct span text, size_t end, struct word *word)
{
    struct span part = {text.bytes, end};
    size_t at = word->start + number_of_digits(part, word->start, word->folded), next;
    static const char *const ordinal[] = {"st", "nd", "rd", "th", "s"};

    word->shape |= WORD_DIGITS;
    word->length = strlen(word->folded);
    word->end = at;
    for (size_t i = 0; i < sizeof(ordinal) / sizeof(ordinal[0]); i++) {
        size_t length = strlen(ordinal[i]);

        if (end - at >= length && strncasecmp(text.bytes + at, ordinal[i], length) == 0 &&
            letter_at(text, at + length, end, &next) == LETTER_NONE)
            word->end = at + length;
    }
    /* "10k" */
    if (at < end && (text.bytes[at] == 'k' || text.bytes[at] == 'K') &&
        letter_at(text, at + 1, end, &next) == LETTER_NONE && word->length < 12 &&
        strchr(word->folded, '.') == NULL) {
        memcpy(word->folded + word->length, "000", 4);
        word->length += 3;
        word->end = at + 1;
    }
}

static void put(struct word *word, const char *bytes, size_t length)
{
    if (word->length + length <= STEM_BYTES_MOST) {
        memcpy(word->folded + word->length, bytes, length);
        word->length += length;
    } else {
        word->length = STEM_BYTES_MOST + 1; /* full: nothing more of it */
    }
}

/* Case, compatibility forms and accents away: "Café" is "cafe". */
static void fold(struct word *word, uint32_t code_point)
{
    utf8proc_int32_t parts[DECOMPOSED_MOST];
    utf8proc_uint8_t bytes[4];
    utf8proc_ssize_t count =
        utf8proc_decompose_char((utf8proc_int32_t)code_point, parts, DECOMPOSED_MOST,
                                UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD |
                                    UTF8PROC_STRIPMARK | UTF8PROC_IGNORE,
                                NULL);

    for (utf8proc_ssize_t i = 0; i < count && i < DECOMPOSED_MOST; i++)
        if (parts[i] != ' ')
            put(word, (char *)bytes, (size_t)utf8proc_encode_char(parts[i], bytes));
}

/* Takes "'s", "n't", "'ll" and their like off the end; other apostrophes just go: O'Brien is one word. */
static void take_contraction_off(struct word *word)
{
    static const char *const endings[] = {"'s", "'re", "'ll", "'ve", "'d", "'m"};
    char *last = strrchr(word->folded, '\''), *to = word->folded;

    if (last == NULL)
        return;
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
        if (strcmp(last, endings[i]) == 0)
            *last = '\0';
    if (strcmp(last, "'t") == 0 && last > word->folded && last[-1] == 'n') {
        word->shape |= WORD_NOT;
        last[-1] = '\0';
        if (strcmp(word->folded, "ca") == 0)
            strcpy(word->folded, "can");
        else if (strcmp(word->folded, "wo") == 0)
            strcpy(word->folded, "will");
    }
    for (const char *from = word->folded; *from != '\0'; from++)
        if (*from != '\'')
            *to++ = *from;
    *to = '\0';
    word->length = (size_t)(to - word->folded);
}

/* How the word is written, and its folded form. */
static void finish_word(struct span text, struct word *word)
{
    size_t uppers = 0, lowers = 0, digits = 0;
    bool has_inner = false;

    if (word->shape & WORD_DIGITS)
        return;
    if (text.bytes[word->start] == '%') {
        word->length = (size_t)(stpcpy(word->folded, "percent") - word->folded);
        word->shape |= WORD_SMALL;
        return;
    }
    for (size_t at = word->start; at < word->end;) {
        size_t before = at;
        uint32_t c = utf8_next(text.bytes, word->end, &at);
        enum letter letter = terms_letter(c);

        has_inner |= letter == LETTER_UPPER && lowers > 0;
        uppers += letter == LETTER_UPPER;
        lowers += letter == LETTER_LOWER;
        digits += letter == LETTER_DIGIT;
        if (before == word->start && letter == LETTER_UPPER && at < word->end)
            word->shape |= WORD_CAPITAL; /* a single letter is a plan B or 12 V */
        if (c == '\'' || c == 0x2019)
            put(word, "'", 1);
        else if (c < 0x80 && c != '.')
            put(word, &(char){letter == LETTER_UPPER ? (char)(c + 32) : (char)c}, 1);
        else if (c != '.')
            fold(word, c);
    }
    if (word->length > STEM_BYTES_MOST)
        word->length = strnlen(word->folded, STEM_BYTES_MOST);
    word->folded[word->length] = '\0';
    take_contraction_off(word);
    if (uppers == 0)
        word->shape |= WORD_SMALL;
    if (uppers >= 2 && lowers == 0)
        word->shape |= WORD_CAPITALS;
    if (has_inner || (uppers > 0 && digits > 0))
        word->shape |= WORD_MIXED;
}

bool word_next(struct span text, struct span sentence, size_t *offset,
               struct word *ret_word)
{
    size_t start = (size_t)(sentence.bytes - text.bytes), end = start + sentence.length;
    size_t from = *offset < start ? start : *offset, at = from, next;
    enum letter letter = LETTER_NONE;

    for (; at < end; at = next) {
        letter = letter_at(text, at, end, &next);
        if (letter != LETTER_NONE && letter != LETTER_MARK)
            break;
        if (text.bytes[at] == '%')
            break;
        if (skip_address(text, at, end) > at)
            next = skip_address(text, at, end);
    }
    if (at >= end)
        return false;
    *ret_word = (struct word){.start = at, .end = next};
    if (from == start || begins_anew(text, from, at))
        ret_word->shape |= WORD_FIRST;
    if (letter == LETTER_DIGIT)
        read_number(text, end, ret_word);
    else if (letter != LETTER_NONE && letter != LETTER_IDEOGRAPH)
        read_word(text, end, ret_word);
    finish_word(text, ret_word);
    *offset = ret_word->end;
    return true;
}
