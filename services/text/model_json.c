/*
 * The JSON in what a model wrote: out of its fence, from behind words, closed where it was
 * cut off.
 */
#include "model_json.h"

#include "json.h"
#include "utf8.h"
#include "words.h"

#include <string.h>

#define MAX_DEPTH 16
#define MAX_CHARACTERS \
    2000 /* of one text of the model: the word bounds alone allow any word */

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

/* Where a JSON text that was cut off can be closed: behind its last complete value. */
struct scan {
    char open[MAX_DEPTH]; /* '{' or '[' of each level */
    size_t depth;
    bool expects_key; /* at this place a string is a key */
    size_t good_length;
    char good_open[MAX_DEPTH];
    size_t good_depth;
};

static void value_ended(struct scan *scan, size_t length)
{
    scan->good_length = length;
    scan->good_depth = scan->depth;
    memcpy(scan->good_open, scan->open, sizeof(scan->open));
    scan->expects_key = false;
}

/* The offset behind the string that starts at `at`; 0 where it does not end. */
static size_t string_end(struct span text, size_t at)
{
    for (at++; at < text.length; at++) {
        if (text.bytes[at] == '\\')
            at++;
        else if (text.bytes[at] == '"')
            return at + 1;
    }
    return 0;
}

/* The offset behind a number or literal; 0 where the text ends in it, since more may have
 * followed. */
static size_t atom_end(struct span text, size_t at)
{
    while (at < text.length && memchr("{}[],:\" \t\r\n", text.bytes[at], 11) == NULL)
        at++;
    return at < text.length ? at : 0;
}

/* Takes one token at `*at`.  false: the text ends, or goes wrong, here. */
static bool scan_token(struct scan *scan, struct span text, size_t *at)
{
    char character = text.bytes[*at];
    size_t end;

    switch (character) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
    case ':': (*at)++; return true;
    case '{':
    case '[':
        if (scan->depth == MAX_DEPTH)
            return false;
        scan->open[scan->depth++] = character;
        (*at)++;
        value_ended(scan, *at); /* an empty container is complete */
        scan->expects_key = character == '{';
        return true;
    case '}':
    case ']':
        if (scan->depth == 0 ||
            scan->open[scan->depth - 1] != (character == '}' ? '{' : '['))
            return false;
        scan->depth--;
        (*at)++;
        value_ended(scan, *at);
        return true;
    case ',':
        if (scan->depth == 0)
            return false;
        scan->expects_key = scan->open[scan->depth - 1] == '{';
        (*at)++;
        return true;
    case '"': end = string_end(text, *at); break;
    default: end = atom_end(text, *at); break;
    }
    if (end == 0)
        return false;
    *at = end;
    if (scan->expects_key)
        scan->expects_key = false;
    else
        value_ended(scan, end);
    return true;
}

/* Parses what of a text is complete, closed at its last whole value. */
static struct json_object *parse_complete_part(struct span text)
{
    struct scan scan = {.depth = 0};
    struct json_object *object;
    struct buffer closed;
    size_t at = 0;

    while (at < text.length && scan_token(&scan, text, &at) && scan.depth > 0)
        ;
    buffer_init(&closed, text.length + MAX_DEPTH);
    buffer_append(&closed, text.bytes, scan.good_length);
    for (size_t level = scan.good_depth; level > 0; level--)
        buffer_append_char(&closed, scan.good_open[level - 1] == '{' ? '}' : ']');
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

enum model_json_kind model_json_parse(struct span text, struct json_object **ret_object)
{
    struct json_object *object;
    size_t start;

    *ret_object = NULL;
    text = without_fence(model_text_trim(text));
    if (text.length == 0)
        return MODEL_JSON_BROKEN;
    start = object_start(text);
    if (text.bytes[0] != '{' && start == text.length)
        return text.bytes[0] == '[' || text.bytes[0] == '"' ? MODEL_JSON_BROKEN
                                                            : MODEL_JSON_NONE;
    if (text.bytes[0] != '{') {
        text.bytes += start;
        text.length -= start;
    }

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

bool model_json_words(struct json_object *value, size_t max_words,
                      struct private_text *ret_text)
{
    struct span text;

    if (!model_json_text(value, &text) ||
        utf8_count(text.bytes, text.length) > MAX_CHARACTERS ||
        words_count(text) > max_words)
        return false;
    *ret_text = private_text_copy(text.bytes, text.length);
    return true;
}
