/*
 * JSON (RFC 8259): a writer that appends to a buffer, and a few helpers around json-c for
 * reading.
 *
 * The writer is our own because a reply is written once, in order, from private text:
 * building and printing json-c objects for it cost more than the whole of parsing a
 * request.
 */
#ifndef JSON_H
#define JSON_H

#include "buffer.h"
#include "clock.h"
#include "private_text.h"
#include "span.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

struct json_writer {
    struct buffer *out; /* borrowed */
    bool needs_comma;
};

void json_writer_init(struct json_writer *writer, struct buffer *out);

void json_begin_object(struct json_writer *writer);
void json_end_object(struct json_writer *writer);
void json_begin_array(struct json_writer *writer);
void json_end_array(struct json_writer *writer);

/* A key; the value follows.  The key is written as it is: a literal of ours. */
void json_key(struct json_writer *writer, const char *key);

/* Values.  Strings must be valid UTF-8; a NULL string is null. */
void json_string(struct json_writer *writer, const char *string);
void json_span(struct json_writer *writer, struct span span);
void json_private(struct json_writer *writer, const struct private_text *text);

/* One string: what stands in JSON as `escaped`, and then the text. */
void json_private_behind(struct json_writer *writer, struct span escaped,
                         const struct private_text *text);

/* A string: the bytes in base64 (RFC 4648, section 4). */
void json_private_base64(struct json_writer *writer, const struct private_text *bytes);
void json_integer(struct json_writer *writer, int64_t number);
void json_decimal(struct json_writer *writer, double number, int decimals);
void json_boolean(struct json_writer *writer, bool value);
void json_null(struct json_writer *writer);

/* A value that is JSON already. */
void json_raw(struct json_writer *writer, const char *json, size_t length);

/* A key and its value at once; of an array or an object, its beginning. */
static inline void json_put_string(struct json_writer *writer, const char *key,
                                   const char *string)
{
    json_key(writer, key);
    json_string(writer, string);
}

static inline void json_put_span(struct json_writer *writer, const char *key,
                                 struct span span)
{
    json_key(writer, key);
    json_span(writer, span);
}

static inline void json_put_private(struct json_writer *writer, const char *key,
                                    const struct private_text *text)
{
    json_key(writer, key);
    json_private(writer, text);
}

static inline void json_put_integer(struct json_writer *writer, const char *key,
                                    int64_t number)
{
    json_key(writer, key);
    json_integer(writer, number);
}

static inline void json_put_decimal(struct json_writer *writer, const char *key,
                                    double number, int decimals)
{
    json_key(writer, key);
    json_decimal(writer, number, decimals);
}

/* A time of the wall's clock, ISO 8601. */
static inline void json_put_time(struct json_writer *writer, const char *key,
                                 int64_t wall_ms)
{
    char text[CLOCK_ISO8601_BYTES];

    clock_iso8601(wall_ms, text);
    json_put_string(writer, key, text);
}

static inline void json_put_boolean(struct json_writer *writer, const char *key,
                                    bool value)
{
    json_key(writer, key);
    json_boolean(writer, value);
}

static inline void json_put_array(struct json_writer *writer, const char *key)
{
    json_key(writer, key);
    json_begin_array(writer);
}

static inline void json_put_object(struct json_writer *writer, const char *key)
{
    json_key(writer, key);
    json_begin_object(writer);
}

/* Parses one whole JSON text of at most `max_depth` levels; white space around it is
 * fine.  NULL where it is not that, or not valid UTF-8.  The caller puts the object.
 *
 * Taken besides what RFC 8259 has, by json-c and on purpose, for models write such things:
 * control characters in strings as they are, keys in single quotes, "1.", "-.5" and zeros in front, and the
 * numbers NaN, Infinity and -Infinity, which a reader of numbers has to expect. */
struct json_object *json_parse(const char *bytes, size_t length, int max_depth);

/* Before json_parse() of what a client sends: an escape of half a surrogate pair, which json-c would
 * read as U+FFFD, becomes that of NUL, which no text of ours may hold. */
void json_strike_lone_surrogates(char *bytes, size_t length);

/* The member of an object; NULL where `object` is not an object, has no such member, or the
 * member is null. */
struct json_object *json_member(struct json_object *object, const char *key);

/* The member's text, borrowed from the object; {NULL, 0} where it is no string. */
struct span json_member_string(struct json_object *object, const char *key);

/* A member that is a whole number of at least 0; -1: there is none. */
int64_t json_member_count(struct json_object *object, const char *key);

/* Wipes every string inside, then puts the object.  NULL is fine. */
void json_wipe_and_put(struct json_object *object);

#endif
