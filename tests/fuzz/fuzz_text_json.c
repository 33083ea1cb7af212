/*
 * JSON that is read and written: the reader takes what json.h says and nothing else, what was
 * read and is written again is read as the same, and what a model wrote around its JSON, or cut
 * off of it, gives an object or none.
 */
#include "fuzz.h"
#include "json.h"
#include "model_json.h"
#include "private_reveal.h"
#include "utf8.h"
#include "words.h"

enum { DEPTH_MOST = 8, WRITTEN_MOST = 1 << 22 };

/* ---- RFC 8259 in one page, and the liberties in json.h, to hold the reader to ---- */

static bool takes_value(struct span text, size_t *at, int depth);

static void skip_space(struct span text, size_t *at)
{
    while (*at < text.length && text.bytes[*at] != '\0' &&
           strchr(" \t\r\n", text.bytes[*at]) != NULL)
        ++*at;
}

static bool takes(struct span text, size_t *at, const char *word)
{
    size_t length = strlen(word);

    if (text.length - *at < length || memcmp(text.bytes + *at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

static bool takes_digits(struct span text, size_t *at)
{
    size_t start = *at;

    while (*at < text.length && text.bytes[*at] >= '0' && text.bytes[*at] <= '9')
        ++*at;
    return *at > start;
}

/* json.h says what is taken besides. */
static bool takes_number(struct span text, size_t *at)
{
    bool is_negative = takes(text, at, "-");

    if (takes(text, at, "Infinity") || (!is_negative && takes(text, at, "NaN")))
        return true;
    if (!takes_digits(text, at) && (*at == text.length || text.bytes[*at] != '.'))
        return false;
    if (takes(text, at, "."))
        takes_digits(text, at);
    if (!takes(text, at, "e") && !takes(text, at, "E"))
        return true;
    if (!takes(text, at, "+"))
        takes(text, at, "-");
    return takes_digits(text, at);
}

static bool takes_string(struct span text, size_t *at, const char *quote)
{
    if (!takes(text, at, quote))
        return false;
    while (*at < text.length && text.bytes[*at] != *quote) {
        if (text.bytes[(*at)++] != '\\')
            continue;
        if (*at == text.length)
            return false;
        if (text.bytes[*at] == 'u') {
            for (int digit = 0; digit < 4; digit++)
                if (++*at == text.length || text.bytes[*at] == '\0' ||
                    strchr("0123456789abcdefABCDEF", text.bytes[*at]) == NULL)
                    return false;
        } else if (strchr("\"\\/bfnrt", text.bytes[*at]) == NULL) {
            return false;
        }
        ++*at;
    }
    return takes(text, at, quote);
}

static bool takes_members(struct span text, size_t *at, int depth, bool is_object)
{
    skip_space(text, at);
    if (takes(text, at, is_object ? "}" : "]"))
        return true;
    for (;;) {
        skip_space(text, at);
        if (is_object) {
            if (!takes_string(text, at, "\"") && !takes_string(text, at, "'"))
                return false;
            skip_space(text, at);
            if (!takes(text, at, ":"))
                return false;
        }
        if (!takes_value(text, at, depth + 1))
            return false;
        skip_space(text, at);
        if (takes(text, at, is_object ? "}" : "]"))
            return true;
        if (!takes(text, at, ","))
            return false;
    }
}

static bool takes_value(struct span text, size_t *at, int depth)
{
    skip_space(text, at);
    if (*at == text.length || depth >= DEPTH_MOST)
        return false;
    switch (text.bytes[*at]) {
    case '{': ++*at; return takes_members(text, at, depth, true);
    case '[': ++*at; return takes_members(text, at, depth, false);
    case '"': return takes_string(text, at, "\"");
    case 't': return takes(text, at, "true");
    case 'f': return takes(text, at, "false");
    case 'n': return takes(text, at, "null");
    default: return takes_number(text, at);
    }
}

static bool is_json(struct span text)
{
    size_t at = 0;

    if (!takes_value(text, &at, 0))
        return false;
    skip_space(text, &at);
    return at == text.length;
}

/* ---- the round trip ---- */

static void write_value(struct json_writer *writer, struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_null: json_null(writer); break;
    case json_type_boolean: json_boolean(writer, json_object_get_boolean(value)); break;
    case json_type_int: json_integer(writer, json_object_get_int64(value)); break;
    case json_type_double: json_null(writer); break; /* written with fewer digits */
    case json_type_string:
        json_span(writer, (struct span){json_object_get_string(value),
                                        (size_t)json_object_get_string_len(value)});
        break;
    case json_type_array:
        json_begin_array(writer);
        for (size_t i = 0; i < json_object_array_length(value); i++)
            write_value(writer, json_object_array_get_idx(value, i));
        json_end_array(writer);
        break;
    case json_type_object: { /* keys are ours, and written as they are: not a client's */
        json_begin_array(writer);
        json_object_object_foreach(value, key, member)
        {
            json_string(writer, key);
            write_value(writer, member);
        }
        json_end_array(writer);
        break;
    }
    }
}

static struct buffer written(struct json_object *value)
{
    struct json_writer writer;
    struct buffer out;

    buffer_init(&out, WRITTEN_MOST);
    json_writer_init(&writer, &out);
    write_value(&writer, value);
    must(!out.is_over);
    return out;
}

/* A key is read up to a NUL in it: json-c keeps keys as C strings. */
static void check_round_trip(struct json_object *value)
{
    struct buffer once = written(value), twice;
    struct json_object *again;

    must(utf8_is_valid(once.bytes, once.length));
    again = json_parse(once.bytes, once.length, 2 * DEPTH_MOST);
    must(json_object_get_type(again) == json_object_get_type(value) ||
         json_object_is_type(value, json_type_object) ||
         json_object_is_type(value, json_type_double));
    twice = written(again);
    must(twice.length == once.length &&
         memcmp(twice.bytes, once.bytes, once.length) == 0);
    json_object_put(again);
    buffer_done(&once);
    buffer_done(&twice);
}

/* ---- what models write ---- */

static void check_text(struct json_object *value)
{
    struct private_text words = {NULL, 0};
    struct span text;

    if (model_json_text(value, &text)) {
        must(utf8_is_valid(text.bytes, text.length) &&
             !utf8_is_blank(text.bytes, text.length));
        must(fuzz_same(model_text_trim(text), text));
    }
    if (!model_json_words(value, 5, &words))
        return;
    text = private_reveal(&words);
    must(utf8_is_valid(text.bytes, text.length) && words_count(text) >= 1 &&
         words_count(text) <= 5 && utf8_count(text.bytes, text.length) <= 2000);
    private_text_free(&words);
}

static void check_model(struct span text)
{
    struct json_object *object = NULL;
    enum model_json_kind kind = model_json_parse(text, &object);

    must((kind == MODEL_JSON_OBJECT) == (object != NULL));
    must(object == NULL || json_object_is_type(object, json_type_object));
    if (object != NULL) {
        json_object_object_foreach(object, key, member)
        {
            (void)key;
            check_text(member);
        }
    }
    json_wipe_and_put(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span input = fuzz_input(bytes, length);
    bool is_valid = utf8_is_valid(input.bytes, input.length);
    struct json_object *value = json_parse(input.bytes, input.length, DEPTH_MOST);

    if (value != NULL) {
        must(is_valid && is_json(input));
        check_round_trip(value);
        check_text(value);
    }
    json_wipe_and_put(value);
    if (is_valid)
        check_model(input);
    return 0;
}
