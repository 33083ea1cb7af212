/*
 * JSON: the writer, and what json-c does not do by itself when it reads.
 */
#include "json.h"

#include "private_reveal.h"
#include "utf8.h"

#include <ctype.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

void json_writer_init(struct json_writer *writer, struct buffer *out)
{
    writer->out = out;
    writer->needs_comma = false;
}

/* Before each value and key. */
static void separate(struct json_writer *writer)
{
    if (writer->needs_comma)
        buffer_append_char(writer->out, ',');
    writer->needs_comma = true;
}

static void begin(struct json_writer *writer, char bracket)
{
    separate(writer);
    buffer_append_char(writer->out, bracket);
    writer->needs_comma = false;
}

static void end(struct json_writer *writer, char bracket)
{
    buffer_append_char(writer->out, bracket);
    writer->needs_comma = true;
}

void json_begin_object(struct json_writer *writer)
{
    begin(writer, '{');
}

void json_end_object(struct json_writer *writer)
{
    end(writer, '}');
}

void json_begin_array(struct json_writer *writer)
{
    begin(writer, '[');
}

void json_end_array(struct json_writer *writer)
{
    end(writer, ']');
}

void json_key(struct json_writer *writer, const char *key)
{
    separate(writer);
    buffer_append_char(writer->out, '"');
    buffer_append_string(writer->out, key);
    buffer_append(writer->out, "\":", 2);
    writer->needs_comma = false;
}

static bool is_plain(char character)
{
    return (unsigned char)character >= 0x20 && character != '"' && character != '\\';
}

#define BLOCK_BYTES 16

/* Written for the compiler, which makes a few vector instructions of it. */
static bool is_block_plain(const char *block)
{
    unsigned char found = 0;

    for (size_t at = 0; at < BLOCK_BYTES; at++) {
        unsigned char byte = (unsigned char)block[at];

        found |= (unsigned char)((byte < 0x20) | (byte == '"') | (byte == '\\'));
    }
    return found == 0;
}

/* The offset of the first byte at or behind `at` that wants escaping, or the length. */
static size_t plain_until(struct span span, size_t at)
{
    while (span.length - at >= BLOCK_BYTES && is_block_plain(span.bytes + at))
        at += BLOCK_BYTES;
    while (at < span.length && is_plain(span.bytes[at]))
        at++;
    return at;
}

#define ESCAPE_BYTES 6

/* Returns the length, at most ESCAPE_BYTES. */
static size_t write_escape(char *escape, char character)
{
    static const char digits[] = "0123456789abcdef";

    escape[0] = '\\';
    switch (character) {
    case '"':
    case '\\': escape[1] = character; return 2;
    case '\n': escape[1] = 'n'; return 2;
    case '\r': escape[1] = 'r'; return 2;
    case '\t': escape[1] = 't'; return 2;
    default:
        memcpy(escape + 1, "u00", 3);
        escape[4] = digits[(unsigned char)character >> 4];
        escape[5] = digits[(unsigned char)character & 0xf];
        return 6;
    }
}

static void write_string(struct json_writer *writer, struct span escaped,
                         struct span span)
{
    size_t at = 0;

    separate(writer);
    /* Two quotes and, mostly, no escapes: one growth at the most. */
    if (buffer_reserve(writer->out, escaped.length + span.length + 2) == NULL)
        return;
    buffer_append_char(writer->out, '"');
    buffer_append(writer->out, escaped.bytes, escaped.length);
    while (at < span.length) {
        size_t end = plain_until(span, at), written = end - at;
        size_t most = written + (end < span.length ? ESCAPE_BYTES : 0);
        char *room = buffer_reserve(writer->out, most);

        if (room == NULL)
            return; /* the buffer is over */
        memcpy(room, span.bytes + at, written);
        if (end < span.length)
            written += write_escape(room + written, span.bytes[end++]);
        buffer_advance(writer->out, written);
        at = end;
    }
    buffer_append_char(writer->out, '"');
}

void json_span(struct json_writer *writer, struct span span)
{
    write_string(writer, (struct span){NULL, 0}, span);
}

void json_private_behind(struct json_writer *writer, struct span escaped,
                         const struct private_text *text)
{
    write_string(writer, escaped, private_reveal(text));
}

void json_string(struct json_writer *writer, const char *string)
{
    if (string == NULL)
        json_null(writer);
    else
        json_span(writer, span_of(string));
}

void json_private(struct json_writer *writer, const struct private_text *text)
{
    json_span(writer, private_reveal(text));
}

void json_private_base64(struct json_writer *writer, const struct private_text *bytes)
{
    const int variant = sodium_base64_VARIANT_ORIGINAL;
    struct span span = private_reveal(bytes);
    size_t size = sodium_base64_encoded_len(span.length, variant); /* with its NUL */
    char *room;

    separate(writer);
    buffer_append_char(writer->out, '"');
    room = buffer_reserve(writer->out, size);
    if (room != NULL) {
        sodium_bin2base64(room, size, (const unsigned char *)span.bytes, span.length,
                          variant);
        buffer_advance(writer->out, size - 1);
    }
    buffer_append_char(writer->out, '"');
}

void json_integer(struct json_writer *writer, int64_t number)
{
    separate(writer);
    buffer_append_number(writer->out, number);
}

void json_decimal(struct json_writer *writer, double number, int decimals)
{
    char digits[64];

    separate(writer);
    snprintf(digits, sizeof(digits), "%.*f", decimals, number);
    buffer_append_string(writer->out, digits);
}

void json_boolean(struct json_writer *writer, bool value)
{
    separate(writer);
    buffer_append_string(writer->out, value ? "true" : "false");
}

void json_null(struct json_writer *writer)
{
    separate(writer);
    buffer_append(writer->out, "null", 4);
}

void json_raw(struct json_writer *writer, const char *json, size_t length)
{
    separate(writer);
    buffer_append(writer->out, json, length);
}

struct json_object *json_parse(const char *bytes, size_t length, int max_depth)
{
    struct json_tokener *tokener;
    struct json_object *object;

    if (length == 0 || length >= INT_MAX || !utf8_is_valid(bytes, length))
        return NULL;
    tokener = json_tokener_new_ex(max_depth);
    if (tokener == NULL)
        return NULL;

    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
    object = json_tokener_parse_ex(tokener, bytes, (int)length);
    /* A number at the top ends only with something behind it. */
    if (json_tokener_get_error(tokener) == json_tokener_continue)
        object = json_tokener_parse_ex(tokener, "", 1);
    if (json_tokener_get_error(tokener) != json_tokener_success) {
        json_object_put(object);
        object = NULL;
    }
    json_tokener_free(tokener);
    return object;
}

/* The code unit of an escape \uXXXX; 0 where none stands there. */
static unsigned escaped_unit(const char *at, const char *end)
{
    unsigned unit = 0;

    if (end - at < ESCAPE_BYTES || at[0] != '\\' || at[1] != 'u')
        return 0;
    for (int digit = 2; digit < ESCAPE_BYTES; digit++) {
        int value = isxdigit((unsigned char)at[digit]) == 0 ? -1
                    : isdigit((unsigned char)at[digit]) != 0
                        ? at[digit] - '0'
                        : (at[digit] | 0x20) - 'a' + 10;

        if (value < 0)
            return 0;
        unit = unit << 4 | (unsigned)value;
    }
    return unit;
}

void json_strike_lone_surrogates(char *bytes, size_t length)
{
    char *end, *at;

    if (length == 0) /* there may be no bytes to point at */
        return;
    end = bytes + length;
    at = memchr(bytes, '\\', length);
    while (at != NULL) {
        unsigned unit = escaped_unit(at, end);
        bool is_first = unit >= 0xd800 && unit <= 0xdbff;
        unsigned second = is_first ? escaped_unit(at + ESCAPE_BYTES, end) : 0;
        bool is_pair = second >= 0xdc00 && second <= 0xdfff;

        if (unit >= 0xd800 && unit <= 0xdfff && !is_pair)
            memset(at + 2, '0', ESCAPE_BYTES - 2);
        at += is_pair ? 2 * ESCAPE_BYTES : unit != 0 ? ESCAPE_BYTES : 2;
        at = at < end ? memchr(at, '\\', (size_t)(end - at)) : NULL;
    }
}

struct json_object *json_member(struct json_object *object, const char *key)
{
    struct json_object *member = NULL;

    if (!json_object_is_type(object, json_type_object) ||
        !json_object_object_get_ex(object, key, &member))
        return NULL;
    return member;
}

struct span json_member_string(struct json_object *object, const char *key)
{
    struct json_object *member = json_member(object, key);
    struct span none = {NULL, 0}, span;

    if (!json_object_is_type(member, json_type_string))
        return none;
    span.bytes = json_object_get_string(member);
    span.length = (size_t)json_object_get_string_len(member);
    return span;
}

int64_t json_member_count(struct json_object *object, const char *key)
{
    struct json_object *member = json_member(object, key);
    int64_t count;

    if (!json_object_is_type(member, json_type_int))
        return -1;
    count = json_object_get_int64(member);
    return count >= 0 ? count : -1;
}

static void wipe(struct json_object *object)
{
    if (json_object_is_type(object, json_type_string)) {
        explicit_bzero((char *)(uintptr_t)json_object_get_string(object),
                       (size_t)json_object_get_string_len(object));
    } else if (json_object_is_type(object, json_type_array)) {
        for (size_t at = 0; at < json_object_array_length(object); at++)
            wipe(json_object_array_get_idx(object, at));
    } else if (json_object_is_type(object, json_type_object)) {
        json_object_object_foreach(object, key, member)
        {
            (void)key;
            wipe(member);
        }
    }
}

void json_wipe_and_put(struct json_object *object)
{
    if (object == NULL)
        return;
    wipe(object);
    json_object_put(object);
}
