/*
 * The JSON in what a model wrote: out of its fence, from behind words, closed where it was
 * cut off.
 */
#include "model_json.h"

#include "json.h"
#include "json_scan.h"
#include "utf8.h"
#include "words.h"

#include <string.h>
#include <strings.h>

#define MAX_DEPTH 16
/* Of one text of the model: the word bounds alone allow any word. */
#define MAX_CHARACTERS 2000

/* The offset of the last character's first byte. */
static size_t last_character(struct span text)
{
    size_t at = text.length - 1;

    while (at > 0 && ((unsigned char)text.bytes[at] & 0xc0) == 0x80)
        at--;
    return at;
}

struct span model_text_trim(struct span text)
{
    size_t start = 0, next = 0;

    while (start < text.length &&
           utf8_is_space(utf8_next(text.bytes, text.length, &next)))
        start = next;
    text.bytes += start;
    text.length -= start;
    while (text.length > 0) {
        size_t last = next = last_character(text);

        if (!utf8_is_space(utf8_next(text.bytes, text.length, &next)))
            break;
        text.length = last;
    }
    return text;
}

/* ```json ... ``` around everything goes; the closing fence may be missing. */
static struct span without_fence(struct span text)
{
    const char *newline;

    if (text.length < 3 || memcmp(text.bytes, "```", 3) != 0)
        return text;
    newline = memchr(text.bytes, '\n', text.length);
    if (newline == NULL)
        return text;
    text.length -= (size_t)(newline + 1 - text.bytes);
    text.bytes = newline + 1;
    text = model_text_trim(text);
    if (text.length >= 3 && memcmp(text.bytes + text.length - 3, "```", 3) == 0)
        text.length -= 3;
    return model_text_trim(text);
}

/* Parses what of a text is complete, closed behind its last whole value: where it was cut off, or
 * where a bracket closes what is not open. */
static struct json_object *parse_complete_part(struct span text)
{
    struct json_scan scan = {.at = 0}, good = {.at = 0};
    struct json_object *object = NULL;
    enum json_token token;
    struct buffer closed;

    do {
        token = json_scan_next(&scan, text);
        if (token != JSON_KEY && token != JSON_MORE && token != JSON_WRONG)
            good = scan;
    } while (token != JSON_MORE && token != JSON_WRONG && scan.depth > 0);

    buffer_init(&closed, text.length + JSON_SCAN_DEPTH);
    buffer_append(&closed, text.bytes, good.at);
    for (unsigned level = good.depth; level > 0; level--)
        buffer_append_char(&closed, (good.objects >> (level - 1) & 1) != 0 ? '}' : ']');
    if (token != JSON_WRONG || strchr("]}", text.bytes[scan.at]) != NULL)
        object = json_parse(closed.bytes, closed.length, MAX_DEPTH);
    buffer_done(&closed);
    return object;
}

/* A '{' that a quote or a brace follows: where an object begins behind words. */
static size_t object_start(struct span text)
{
    for (size_t at = 0; at + 1 < text.length; at++) {
        size_t next = at + 1;

        if (text.bytes[at] != '{')
            continue;
        while (next < text.length && memchr(" \t\r\n", text.bytes[next], 4) != NULL)
            next++;
        if (next < text.length && text.bytes[next] == '"')
            return at;
    }
    return text.length;
}

struct span model_json_start(struct span text)
{
    size_t start;

    text = without_fence(model_text_trim(text));
    start = object_start(text);
    if (text.length > 0 && text.bytes[0] != '{' && start < text.length)
        text = (struct span){text.bytes + start, text.length - start};
    return text;
}

enum model_json_kind model_json_parse(struct span text, struct json_object **ret_object)
{
    struct json_object *object;

    *ret_object = NULL;
    text = model_json_start(text);
    if (text.length == 0)
        return MODEL_JSON_BROKEN;
    if (text.bytes[0] != '{')
        return text.bytes[0] == '[' || text.bytes[0] == '"' ? MODEL_JSON_BROKEN
                                                            : MODEL_JSON_NONE;
    object = json_parse(text.bytes, text.length, MAX_DEPTH);
    if (object == NULL)
        object = parse_complete_part(text);
    if (!json_object_is_type(object, json_type_object)) {
        json_wipe_and_put(object);
        return MODEL_JSON_BROKEN;
    }
    *ret_object = object;
    return MODEL_JSON_OBJECT;
}

bool model_json_flag(struct json_object *value, bool *ret_flag)
{
    const char *word;

    if (json_object_is_type(value, json_type_boolean)) {
        *ret_flag = json_object_get_boolean(value);
        return true;
    }
    if (!json_object_is_type(value, json_type_string))
        return false;
    word = json_object_get_string(value);
    *ret_flag = strcasecmp(word, "true") == 0;
    return *ret_flag || strcasecmp(word, "false") == 0;
}

bool model_json_text(struct json_object *value, struct span *ret_text)
{
    struct span text;

    if (!json_object_is_type(value, json_type_string))
        return false;
    text.bytes = json_object_get_string(value);
    text.length = (size_t)json_object_get_string_len(value);
    if (!utf8_is_valid(text.bytes, text.length))
        return false;
    *ret_text = model_text_trim(text);
    return !utf8_is_blank(ret_text->bytes, ret_text->length);
}

bool model_text_words(struct span text, size_t max_words, struct private_text *ret_text)
{
    text = model_text_trim(text);
    if (utf8_is_blank(text.bytes, text.length) ||
        utf8_count(text.bytes, text.length) > MAX_CHARACTERS ||
        (max_words != SIZE_MAX && words_count(text) > max_words))
        return false;
    *ret_text = private_text_copy(text.bytes, text.length);
    return true;
}

bool model_json_words(struct json_object *value, size_t max_words,
                      struct private_text *ret_text)
{
    struct span text;

    return model_json_text(value, &text) && model_text_words(text, max_words, ret_text);
}
