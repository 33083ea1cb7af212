/*
 * Reads JSON (RFC 8259) into json-c's objects.
 *
 *   json_parse > take_value > take_object, take_array, take_string, take_number, take_word
 *
 * json-c's own tokener takes every byte through a state machine and makes a locale for each text: it
 * was a tenth of a turn.  It also takes what is no JSON, such as NaN, or keys in single quotes.  One
 * thing that is none is taken here as well: control characters in strings, because models write line
 * breaks there.
 *
 * Each function takes what begins at `at` and leaves `at` behind it.  false: the text is no JSON.
 */
#include "json.h"

#include "mem.h"
#include "utf8.h"

#include <endian.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    const char *at;
    const char *end;
    int levels_left;         /* of values in values */
    struct buffer unescaped; /* the last string with escapes in it */
};

static bool take_value(struct parser *parser, struct json_object **ret_value);
static bool take_object(struct parser *parser, struct json_object *object);
static bool take_member(struct parser *parser, struct json_object *object);
static bool take_array(struct parser *parser, struct json_object *array);
static bool take_string(struct parser *parser, struct span *ret_string);
static bool take_escape(struct parser *parser);
static bool take_number(struct parser *parser, struct json_object **ret_value);
static bool take_word(struct parser *parser, const char *word);

struct json_object *json_parse(const char *bytes, size_t length, int max_depth)
{
    struct parser parser = {bytes, bytes + length, max_depth, {0}};
    struct json_object *value = NULL;
    bool is_whole;

    if (length == 0 || length >= INT_MAX || !utf8_is_valid(bytes, length))
        return NULL;
    buffer_init(&parser.unescaped, length); /* no escape is shorter than what it means */
    is_whole = take_value(&parser, &value) && parser.at == parser.end;
    buffer_done(&parser.unescaped);
    if (is_whole)
        return value;
    json_wipe_and_put(value);
    return NULL;
}

static bool is_next(const struct parser *parser, char character)
{
    return parser->at < parser->end && *parser->at == character;
}

static bool take_if(struct parser *parser, char character)
{
    bool is_there = is_next(parser, character);

    parser->at += is_there;
    return is_there;
}

static void skip_space(struct parser *parser)
{
    while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == '\n' ||
                                        *parser->at == '\r' || *parser->at == '\t'))
        parser->at++;
}

/* With the white space around it.  *ret_value is the caller's, also where this fails. */
static bool take_value(struct parser *parser, struct json_object **ret_value)
{
    struct span string;
    bool is_good;

    *ret_value = NULL;
    skip_space(parser);
    if (parser->at == parser->end || parser->levels_left == 0)
        return false;
    parser->levels_left--;
    switch (*parser->at) {
    case '{':
        *ret_value = json_object_new_object();
        is_good = take_object(parser, *ret_value);
        break;
    case '[':
        *ret_value = json_object_new_array();
        is_good = take_array(parser, *ret_value);
        break;
    case '"':
        is_good = take_string(parser, &string);
        if (is_good)
            *ret_value = json_object_new_string_len(string.bytes, (int)string.length);
        break;
    case 't':
        is_good = take_word(parser, "true");
        *ret_value = json_object_new_boolean(true);
        break;
    case 'f':
        is_good = take_word(parser, "false");
        *ret_value = json_object_new_boolean(false);
        break;
    case 'n': is_good = take_word(parser, "null"); break; /* json-c's null is NULL */
    default: is_good = take_number(parser, ret_value); break;
    }
    parser->levels_left++;
    skip_space(parser);
    return is_good;
}

static bool take_object(struct parser *parser, struct json_object *object)
{
    parser->at++;
    skip_space(parser);
    if (take_if(parser, '}'))
        return true;
    do {
        if (!take_member(parser, object))
            return false;
    } while (take_if(parser, ','));
    return take_if(parser, '}');
}

/* Of members with the same key the last counts, and a key with a NUL in it ends there. */
static bool take_member(struct parser *parser, struct json_object *object)
{
    struct json_object *value = NULL;
    struct span key;
    char usual[64];
    char *name = usual;
    bool is_good;

    skip_space(parser);
    if (!is_next(parser, '"') || !take_string(parser, &key))
        return false;
    if (key.length >= sizeof(usual))
        name = mem_realloc(NULL, key.length + 1);
    memcpy(name, key.bytes, key.length);
    name[key.length] = '\0';

    skip_space(parser);
    is_good = take_if(parser, ':') && take_value(parser, &value);
    if (json_object_object_add(object, name, value) != 0)
        abort(); /* out of memory */
    if (name != usual)
        free(name);
    return is_good;
}

static bool take_array(struct parser *parser, struct json_object *array)
{
    struct json_object *value;
    bool is_good;

    parser->at++;
    skip_space(parser);
    if (take_if(parser, ']'))
        return true;
    do {
        is_good = take_value(parser, &value);
        if (json_object_array_add(array, value) != 0)
            abort(); /* out of memory */
    } while (is_good && take_if(parser, ','));
    return is_good && take_if(parser, ']');
}

#define EACH(byte) (0x0101010101010101ULL * (byte))

/* The offset behind `at` of the first quote or backslash: eight bytes at once.  A mark is the high
 * bit of a byte that is zero; above such a byte there may be wrong ones, below there are none. */
static const char *find_end_of_run(const char *at, const char *end)
{
    while (end - at >= 8) {
        uint64_t eight, quote, backslash, marks;

        memcpy(&eight, at, sizeof(eight));
        eight = le64toh(eight);
        quote = eight ^ EACH('"');
        backslash = eight ^ EACH('\\');
        marks = (((quote - EACH(1)) & ~quote) | ((backslash - EACH(1)) & ~backslash)) &
                EACH(0x80);
        if (marks != 0)
            return at + __builtin_ctzll(marks) / 8;
        at += 8;
    }
    while (at < end && *at != '"' && *at != '\\')
        at++;
    return at;
}

/* Borrowed from the text or, where it has escapes, from parser->unescaped, until the next string. */
static bool take_string(struct parser *parser, struct span *ret_string)
{
    struct buffer *unescaped = &parser->unescaped;
    const char *start = ++parser->at;

    parser->at = find_end_of_run(start, parser->end);
    if (is_next(parser, '"')) {
        *ret_string = (struct span){start, (size_t)(parser->at++ - start)};
        return true;
    }
    buffer_clear(unescaped);
    for (;;) {
        buffer_append(unescaped, start, (size_t)(parser->at - start));
        if (parser->at == parser->end)
            return false;
        if (take_if(parser, '"'))
            break;
        if (!take_escape(parser))
            return false;
        start = parser->at;
        parser->at = find_end_of_run(start, parser->end);
    }
    *ret_string = (struct span){unescaped->bytes, unescaped->length};
    return true;
}

/* Four hexadecimal digits. */
static bool take_code_unit(struct parser *parser, uint32_t *ret_unit)
{
    uint32_t unit = 0;

    if (parser->end - parser->at < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        unsigned char digit = (unsigned char)*parser->at++;
        unsigned char letter = digit | 0x20;

        if (digit >= '0' && digit <= '9')
            unit = unit << 4 | (digit - '0');
        else if (letter >= 'a' && letter <= 'f')
            unit = unit << 4 | (letter - 'a' + 10u);
        else
            return false;
    }
    *ret_unit = unit;
    return true;
}

/* A character past U+FFFF is written as two escapes (RFC 8259, section 7); half of one becomes
 * U+FFFD, the replacement character. */
static bool take_code_point(struct parser *parser, uint32_t *ret_code_point)
{
    uint32_t high, low;

    if (!take_code_unit(parser, &high))
        return false;
    *ret_code_point = high >= 0xd800 && high <= 0xdfff ? 0xfffd : high;
    if (high >= 0xd800 && high <= 0xdbff && parser->end - parser->at >= 6 &&
        parser->at[0] == '\\' && parser->at[1] == 'u') {
        struct parser ahead = *parser;

        ahead.at += 2;
        if (take_code_unit(&ahead, &low) && low >= 0xdc00 && low <= 0xdfff) {
            *ret_code_point = 0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00));
            parser->at = ahead.at;
        }
    }
    return true;
}

static void append_utf8(struct buffer *out, uint32_t code_point)
{
    char bytes[4];
    size_t length = code_point < 0x80      ? 1
                    : code_point < 0x800   ? 2
                    : code_point < 0x10000 ? 3
                                           : 4;
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};

    for (size_t i = length - 1; i > 0; i--, code_point >>= 6)
        bytes[i] = (char)(0x80 | (code_point & 0x3f));
    bytes[0] = (char)(leads[length] | code_point);
    buffer_append(out, bytes, length);
}

static bool take_escape(struct parser *parser)
{
    static const char names[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    uint32_t code_point;
    const char *name;

    if (parser->end - parser->at < 2)
        return false;
    parser->at += 2;
    if (parser->at[-1] == 'u') {
        if (!take_code_point(parser, &code_point))
            return false;
        append_utf8(&parser->unescaped, code_point);
        return true;
    }
    name = memchr(names, parser->at[-1], sizeof(names) - 1);
    if (name == NULL)
        return false;
    buffer_append_char(&parser->unescaped, meanings[name - names]);
    return true;
}

static bool take_digits(struct parser *parser)
{
    const char *start = parser->at;

    while (parser->at < parser->end && *parser->at >= '0' && *parser->at <= '9')
        parser->at++;
    return parser->at > start;
}

/* What is too large for an integer is the largest.  A decimal number keeps its text. */
static struct json_object *number_of(const char *text, bool is_decimal)
{
    uint64_t positive;

    if (is_decimal)
        return json_object_new_double_s(strtod(text, NULL), text);
    if (*text == '-')
        return json_object_new_int64(strtoll(text, NULL, 10));
    positive = strtoull(text, NULL, 10);
    return positive <= INT64_MAX ? json_object_new_int64((int64_t)positive)
                                 : json_object_new_uint64(positive);
}

static bool take_number(struct parser *parser, struct json_object **ret_value)
{
    const char *start = parser->at;
    bool is_decimal = false;
    size_t length;
    char usual[32];
    char *text = usual;

    take_if(parser, '-');
    if (!take_if(parser, '0') && !take_digits(parser))
        return false;
    if (take_if(parser, '.')) {
        is_decimal = true;
        if (!take_digits(parser))
            return false;
    }
    if (take_if(parser, 'e') || take_if(parser, 'E')) {
        is_decimal = true;
        if (!take_if(parser, '+'))
            take_if(parser, '-');
        if (!take_digits(parser))
            return false;
    }

    length = (size_t)(parser->at - start);
    if (length >= sizeof(usual))
        text = mem_realloc(NULL, length + 1);
    memcpy(text, start, length);
    text[length] = '\0';
    *ret_value = number_of(text, is_decimal);
    if (text != usual)
        free(text);
    return true;
}

static bool take_word(struct parser *parser, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(parser->end - parser->at) < length ||
        memcmp(parser->at, word, length) != 0)
        return false;
    parser->at += length;
    return true;
}
