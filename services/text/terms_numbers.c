/*
 * Numbers in their plain form: from digits with their separators, and from words.
 */
#include "terms_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum numeral_kind {
    NUMERAL_UNIT,
    NUMERAL_TEEN,
    NUMERAL_TENS,
    NUMERAL_HUNDRED,
    NUMERAL_SCALE
};

struct numeral {
    const char *word;
    enum numeral_kind kind;
    bool is_ordinal;
    int64_t value;
};

/* Sorted by the word. */
static const struct numeral numerals[] = {
    {"billion", NUMERAL_SCALE, false, 1000000000},
    {"eight", NUMERAL_UNIT, false, 8},
    {"eighteen", NUMERAL_TEEN, false, 18},
    {"eighteenth", NUMERAL_TEEN, true, 18},
    {"eighth", NUMERAL_UNIT, true, 8},
    {"eightieth", NUMERAL_TENS, true, 80},
    {"eighty", NUMERAL_TENS, false, 80},
    {"eleven", NUMERAL_TEEN, false, 11},
    {"eleventh", NUMERAL_TEEN, true, 11},
    {"fifteen", NUMERAL_TEEN, false, 15},
    {"fifteenth", NUMERAL_TEEN, true, 15},
    {"fifth", NUMERAL_UNIT, true, 5},
    {"fiftieth", NUMERAL_TENS, true, 50},
    {"fifty", NUMERAL_TENS, false, 50},
    {"first", NUMERAL_UNIT, true, 1},
    {"five", NUMERAL_UNIT, false, 5},
    {"fortieth", NUMERAL_TENS, true, 40},
    {"forty", NUMERAL_TENS, false, 40},
    {"four", NUMERAL_UNIT, false, 4},
    {"fourteen", NUMERAL_TEEN, false, 14},
    {"fourteenth", NUMERAL_TEEN, true, 14},
    {"fourth", NUMERAL_UNIT, true, 4},
    {"hundred", NUMERAL_HUNDRED, false, 100},
    {"hundredth", NUMERAL_HUNDRED, true, 100},
    {"million", NUMERAL_SCALE, false, 1000000},
    {"nine", NUMERAL_UNIT, false, 9},
    {"nineteen", NUMERAL_TEEN, false, 19},
    {"nineteenth", NUMERAL_TEEN, true, 19},
    {"ninetieth", NUMERAL_TENS, true, 90},
    {"ninety", NUMERAL_TENS, false, 90},
    {"ninth", NUMERAL_UNIT, true, 9},
    {"one", NUMERAL_UNIT, false, 1},
    {"second", NUMERAL_UNIT, true, 2},
    {"seven", NUMERAL_UNIT, false, 7},
    {"seventeen", NUMERAL_TEEN, false, 17},
    {"seventeenth", NUMERAL_TEEN, true, 17},
    {"seventh", NUMERAL_UNIT, true, 7},
    {"seventieth", NUMERAL_TENS, true, 70},
    {"seventy", NUMERAL_TENS, false, 70},
    {"six", NUMERAL_UNIT, false, 6},
    {"sixteen", NUMERAL_TEEN, false, 16},
    {"sixteenth", NUMERAL_TEEN, true, 16},
    {"sixth", NUMERAL_UNIT, true, 6},
    {"sixtieth", NUMERAL_TENS, true, 60},
    {"sixty", NUMERAL_TENS, false, 60},
    {"ten", NUMERAL_TEEN, false, 10},
    {"tenth", NUMERAL_TEEN, true, 10},
    {"third", NUMERAL_UNIT, true, 3},
    {"thirteen", NUMERAL_TEEN, false, 13},
    {"thirteenth", NUMERAL_TEEN, true, 13},
    {"thirtieth", NUMERAL_TENS, true, 30},
    {"thirty", NUMERAL_TENS, false, 30},
    {"thousand", NUMERAL_SCALE, false, 1000},
    {"thousandth", NUMERAL_SCALE, true, 1000},
    {"three", NUMERAL_UNIT, false, 3},
    {"trillion", NUMERAL_SCALE, false, 1000000000000},
    {"twelfth", NUMERAL_TEEN, true, 12},
    {"twelve", NUMERAL_TEEN, false, 12},
    {"twentieth", NUMERAL_TENS, true, 20},
    {"twenty", NUMERAL_TENS, false, 20},
    {"two", NUMERAL_UNIT, false, 2},
};

static int compare_numeral(const void *word, const void *numeral)
{
    return strcmp(word, ((const struct numeral *)numeral)->word);
}

static const struct numeral *numeral_of(const struct word *word)
{
    if (word->shape & WORD_DIGITS || word->length < 3 ||
        strchr("befhmnost", word->folded[0]) == NULL)
        return NULL;
    return bsearch(word->folded, numerals, sizeof(numerals) / sizeof(numerals[0]),
                   sizeof(numerals[0]), compare_numeral);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "," and three digits, and no fourth. */
static bool is_group(const char *bytes, size_t left)
{
    return left >= 4 && bytes[0] == ',' && is_digit(bytes[1]) && is_digit(bytes[2]) &&
           is_digit(bytes[3]) && (left == 4 || !is_digit(bytes[4]));
}

/* "007" is "7", "3.50" is "3.5", "1.0" is "1"; a version ("1.2.10") stays as it is. */
static void strip_zeros(char *digits)
{
    char *dot = strchr(digits, '.');
    size_t length = strlen(digits), zeros = 0;

    if (dot != NULL && strchr(dot + 1, '.') != NULL)
        return;
    while (dot != NULL && digits[length - 1] == '0')
        digits[--length] = '\0';
    if (dot != NULL && digits[length - 1] == '.')
        digits[--length] = '\0';
    while (zeros + 1 < length && digits[zeros] == '0' && is_digit(digits[zeros + 1]))
        zeros++;
    memmove(digits, digits + zeros, length - zeros + 1);
}

size_t number_of_digits(struct span text, size_t at, char ret_digits[STEM_BYTES_MOST + 1])
{
    size_t from = at, length = 0, run = at;
    bool has_dot = false;

    while (at < text.length) {
        if (is_digit(text.bytes[at])) {
            if (length < STEM_BYTES_MOST)
                ret_digits[length++] = text.bytes[at];
        } else if (!has_dot && at - run <= 3 &&
                   is_group(text.bytes + at, text.length - at)) {
            run = at + 1; /* behind the first group, each has three digits */
        } else if (text.bytes[at] == '.' && at + 1 < text.length &&
                   is_digit(text.bytes[at + 1])) {
            has_dot = true;
            if (length < STEM_BYTES_MOST)
                ret_digits[length++] = '.';
        } else {
            break;
        }
        at++;
    }
    ret_digits[length] = '\0';
    strip_zeros(ret_digits);
    return at - from;
}

/* May two words be parts of one number?  Between them are blanks, or one hyphen. */
static bool are_joined(struct span text, const struct word *one, const struct word *next)
{
    size_t at = one->end, hyphens = 0;

    for (; at < next->start; at++) {
        hyphens += text.bytes[at] == '-';
        if (text.bytes[at] != '-' && text.bytes[at] != ' ' && text.bytes[at] != '\n')
            return false;
    }
    return hyphens <= 1;
}

/* A number as its words are read. */
struct sum {
    double total;    /* of the scales that are closed */
    double current;  /* -1: nothing yet */
    double scale;    /* the smallest so far */
    bool is_decimal; /* in digits, so that only a scale may follow */
};

/* Adds a word, where the number may go on with it. */
static bool add_numeral(struct sum *sum, const struct numeral *numeral)
{
    double value = (double)numeral->value, current = sum->current;

    switch (numeral->kind) {
    case NUMERAL_UNIT:
        if (sum->is_decimal || (current >= 0 && ((int64_t)current % 10 != 0 ||
                                                 (int64_t)current % 100 == 10)))
            return false;
        break;
    case NUMERAL_TEEN:
    case NUMERAL_TENS:
        if (sum->is_decimal || (current >= 0 && (int64_t)current % 100 != 0))
            return false;
        break;
    case NUMERAL_HUNDRED:
        if (current >= 100 || current == 0)
            return false;
        sum->current = (current < 0 ? 1 : current) * value;
        return true;
    case NUMERAL_SCALE:
        if (value >= sum->scale || (current < 0 && sum->total > 0))
            return false;
        sum->total += (current < 0 ? 1 : current) * value;
        sum->scale = value;
        sum->current = -1;
        sum->is_decimal = false;
        return true;
    }
    if (current == 0)
        return false;
    sum->current = (current < 0 ? 0 : current) + value;
    return true;
}

static bool is_plain_decimal(const struct word *word)
{
    const char *dot = strchr(word->folded, '.');

    return word->length <= 15 && (dot == NULL || strchr(dot + 1, '.') == NULL);
}

/* "one hundred and five": the word behind "and", where the number can go on there. */
static bool is_and(const struct word *words, size_t at, size_t count)
{
    const struct numeral *last = numeral_of(&words[at - 1]);
    const struct numeral *next;

    if (last == NULL || (last->kind != NUMERAL_HUNDRED && last->kind != NUMERAL_SCALE) ||
        at + 1 >= count || strcmp(words[at].folded, "and") != 0)
        return false;
    next = numeral_of(&words[at + 1]);
    return next != NULL && next->kind <= NUMERAL_TENS;
}

size_t number_of_words(struct span text, const struct word *words, size_t count,
                       char ret_digits[STEM_BYTES_MOST + 1], bool *ret_is_number)
{
    struct sum sum = {.current = -1, .scale = 1e15};
    const struct numeral *numeral = numeral_of(&words[0]);
    size_t at = 1;
    bool is_ended = false;

    if (words[0].shape & WORD_DIGITS) {
        if (!is_plain_decimal(&words[0]))
            is_ended = true;
        sum.current = strtod(words[0].folded, NULL);
        sum.is_decimal = true;
    } else if (numeral == NULL || !add_numeral(&sum, numeral)) {
        return 0;
    } else {
        is_ended = numeral->is_ordinal;
    }
    while (!is_ended && at < count && are_joined(text, &words[at - 1], &words[at])) {
        size_t step = is_and(words, at, count) ? 1 : 0;

        numeral = numeral_of(&words[at + step]);
        if (numeral == NULL || (sum.is_decimal && numeral->kind != NUMERAL_SCALE) ||
            !add_numeral(&sum, numeral))
            break;
        is_ended = numeral->is_ordinal;
        at += step + 1;
    }
    *ret_is_number = true;
    if (at == 1 && (words[0].shape & WORD_DIGITS)) {
        memcpy(ret_digits, words[0].folded, words[0].length + 1);
        return 1;
    }
    sum.total += sum.current < 0 ? 0 : sum.current;
    snprintf(ret_digits, STEM_BYTES_MOST + 1, "%.15g", sum.total);
    /* One, two, first and second are words more often than numbers. */
    if (at == 1 && sum.total < 3) {
        *ret_is_number = false;
        return strcmp(words[0].folded, "two") == 0 ? 1 : 0;
    }
    return at;
}
