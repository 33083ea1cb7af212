/*
 * Our JSON parser beside json-c's tokener: what ours takes the other takes too, and for the same;
 * what only the other takes is no JSON, for one of a few known reasons.
 */
#include "json.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

#define DEPTH 6

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static struct json_object *parse_as_json_c(const char *text, size_t length,
                                           bool *ret_is_good)
{
    struct json_tokener *tokener = json_tokener_new_ex(DEPTH);
    struct json_object *object;

    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
    object = json_tokener_parse_ex(tokener, text, (int)length);
    if (json_tokener_get_error(tokener) == json_tokener_continue)
        object = json_tokener_parse_ex(tokener, "", 1);
    *ret_is_good = json_tokener_get_error(tokener) == json_tokener_success;
    json_tokener_free(tokener);
    return object;
}

/* NaN, Infinity, 'keys', "1.", "-.1" and numbers with a zero in front. */
static bool has_what_json_c_takes(const char *text, size_t length)
{
    for (size_t at = 0; at < length; at++) {
        bool digit_follows = at + 1 < length && isdigit((unsigned char)text[at + 1]);
        bool digit_before = at > 0 && isdigit((unsigned char)text[at - 1]);

        if (strchr("'NI", text[at]) != NULL ||
            (text[at] == '.' && !(digit_before && digit_follows)) ||
            (text[at] == '0' && digit_follows))
            return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char *text = malloc(length + 1);
    struct json_object *ours, *other;
    bool is_good;

    if (text == NULL)
        return 0;
    memcpy(text, bytes, length);
    text[length] = '\0';
    if (length > 0 && utf8_is_valid(text, length) && strlen(text) == length) {
        ours = json_parse(text, length, DEPTH);
        other = parse_as_json_c(text, length, &is_good);
        if (ours != NULL && (!is_good || !json_object_equal(ours, other)))
            abort();
        if (ours == NULL && is_good && other != NULL &&
            !has_what_json_c_takes(text, length))
            abort();
        json_wipe_and_put(ours);
        json_object_put(other);
    }
    free(text);
    return 0;
}
