/*
 * One pass over the answer, each byte looked at once, however small the pieces.
 */
#include "reply_stream.h"

#include "json.h"
#include "model_json.h"
#include "private_reveal.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#define MAX_DEPTH 16

static bool is_space(char character)
{
    return character == ' ' || character == '\t' || character == '\r' ||
           character == '\n';
}

void reply_stream_init(struct reply_stream *stream, size_t ceiling)
{
    memset(stream, 0, sizeof(*stream));
    buffer_init(&stream->text, ceiling);
}

/* White space and the line that opens a fence may stand before the object. */
static void skip_to_object(struct reply_stream *stream)
{
    const char *bytes = stream->text.bytes;
    size_t length = stream->text.length, at = stream->at;

    while (at < length && is_space(bytes[at]))
        at++;
    if (at < length && bytes[at] == '`') {
        const char *newline = memchr(bytes + at, '\n', length - at);

        if (newline == NULL)
            return; /* the fence's line is not complete */
        if (strncmp(bytes + at, "```", 3) != 0) {
            stream->state = REPLY_STREAM_SILENT;
            return;
        }
        at = (size_t)(newline - bytes) + 1;
        while (at < length && is_space(bytes[at]))
            at++;
    }
    if (at == length)
        return;
    stream->state = bytes[at] == '{' ? REPLY_STREAM_KEY : REPLY_STREAM_SILENT;
    stream->at = at + 1;
}

/* The value of a member that is complete, as json-c reads it; the caller puts it.  false: it is no
 * JSON, and then the whole answer is none. */
static bool read_value(const struct reply_stream *stream, size_t end,
                       struct json_object **ret_value)
{
    struct span value = {stream->text.bytes + stream->value, end - stream->value};

    while (value.length > 0 && is_space(value.bytes[value.length - 1]))
        value.length--;
    *ret_value = json_parse(value.bytes, value.length, MAX_DEPTH - 1);
    return *ret_value != NULL || span_equals(value, "null");
}

static bool key_is(const struct reply_stream *stream, const char *key)
{
    struct span found = {stream->text.bytes + stream->key, stream->key_length};

    return span_equals(found, key);
}

static bool is_refusal(struct json_object *value)
{
    if (json_object_is_type(value, json_type_boolean))
        return json_object_get_boolean(value);
    return json_object_is_type(value, json_type_string) &&
           strcasecmp(json_object_get_string(value), "true") == 0;
}

/* A member named twice counts with its last value: where that is seen in time nothing is announced.
 * A model that writes `refused` again behind the question is judged by the whole answer alone. */
static void take_member(struct reply_stream *stream, size_t end)
{
    struct json_object *value;
    bool is_good = read_value(stream, end, &value);

    if (is_good && key_is(stream, "refused")) {
        is_good = !stream->is_verdict_known && !is_refusal(value);
        stream->is_verdict_known = true;
    } else if (is_good && key_is(stream, "follow_up_question")) {
        is_good =
            !stream->has_question && model_json_words(value, SIZE_MAX, &stream->question);
        stream->has_question = true;
    }
    json_wipe_and_put(value);
    stream->state = is_good ? REPLY_STREAM_COMMA : REPLY_STREAM_SILENT;
}

/* One byte inside a value.  true: the value ended before this byte, which is not its own.
 */
static bool value_ends(struct reply_stream *stream, char character)
{
    if (stream->is_escaped) {
        stream->is_escaped = false;
    } else if (stream->is_in_string) {
        stream->is_escaped = character == '\\';
        stream->is_in_string = character != '"';
    } else if (character == '"') {
        stream->is_in_string = true;
    } else if (character == '{' || character == '[') {
        if (++stream->depth > MAX_DEPTH)
            stream->state = REPLY_STREAM_SILENT;
    } else if (character == '}' || character == ']') {
        if (stream->depth == 0)
            return true;
        stream->depth--;
    } else if (character == ',') {
        return stream->depth == 0;
    }
    return false;
}

/* A string is complete at its closing quote; so what follows need not be waited for. */
static bool string_is_complete(const struct reply_stream *stream)
{
    return stream->depth == 0 && !stream->is_in_string &&
           stream->at - 1 > stream->value && stream->text.bytes[stream->value] == '"' &&
           stream->text.bytes[stream->at - 1] == '"';
}

static void step_value(struct reply_stream *stream, char character)
{
    if (value_ends(stream, character))
        take_member(stream, --stream->at); /* the byte is looked at again, behind it */
    else if (string_is_complete(stream))
        take_member(stream, stream->at);
}

/* White space, or the one character that leads on. */
static void expect(struct reply_stream *stream, char character, char expected,
                   enum reply_stream_state next)
{
    if (character == expected)
        stream->state = next;
    else if (!is_space(character))
        stream->state = REPLY_STREAM_SILENT;
}

static void step(struct reply_stream *stream)
{
    char character = stream->text.bytes[stream->at++];

    switch (stream->state) {
    case REPLY_STREAM_COMMA: expect(stream, character, ',', REPLY_STREAM_KEY); break;
    case REPLY_STREAM_KEY:
        stream->key = stream->at;
        expect(stream, character, '"', REPLY_STREAM_IN_KEY);
        break;
    case REPLY_STREAM_IN_KEY:
        if (character == '\\') {
            stream->state = REPLY_STREAM_SILENT; /* no key that we know has an escape */
        } else if (character == '"') {
            stream->key_length = stream->at - 1 - stream->key;
            stream->state = REPLY_STREAM_COLON;
        }
        break;
    case REPLY_STREAM_COLON: expect(stream, character, ':', REPLY_STREAM_SPACE); break;
    case REPLY_STREAM_SPACE:
        if (is_space(character))
            break;
        stream->value = --stream->at;
        stream->depth = 0;
        stream->is_in_string = false;
        stream->is_escaped = false;
        stream->state = REPLY_STREAM_VALUE;
        break;
    case REPLY_STREAM_VALUE: step_value(stream, character); break;
    case REPLY_STREAM_START:
    case REPLY_STREAM_SILENT: break;
    }
}

bool reply_stream_feed(struct reply_stream *stream, struct span piece,
                       struct private_text *ret_question)
{
    if (stream->state == REPLY_STREAM_SILENT)
        return false;
    if (!buffer_append(&stream->text, piece.bytes, piece.length)) {
        stream->state = REPLY_STREAM_SILENT;
        return false;
    }
    if (stream->state == REPLY_STREAM_START && stream->text.length > 0)
        skip_to_object(stream);
    while (stream->state != REPLY_STREAM_START && stream->state != REPLY_STREAM_SILENT &&
           stream->at < stream->text.length) {
        step(stream);
        if (!stream->is_verdict_known || !stream->has_question ||
            stream->state == REPLY_STREAM_SILENT)
            continue;
        *ret_question = stream->question;
        memset(&stream->question, 0, sizeof(stream->question));
        stream->state = REPLY_STREAM_SILENT;
        return true;
    }
    return false;
}

void reply_stream_done(struct reply_stream *stream)
{
    private_text_free(&stream->question);
    buffer_done(&stream->text);
}
