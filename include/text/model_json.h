/*
 * JSON as models write it: alone, in a Markdown fence, behind a few words, or cut off.
 */
#ifndef MODEL_JSON_H
#define MODEL_JSON_H

#include "private_text.h"
#include "span.h"

#include <json-c/json.h>

enum model_json_kind {
    MODEL_JSON_OBJECT, /* an object, whole or as much of it as was complete */
    MODEL_JSON_NONE,   /* no JSON at all: plain text */
    MODEL_JSON_BROKEN  /* it begins like JSON but is not valid, or is not an object */
};

/* The object is the caller's to put with json_wipe_and_put(); NULL for the other kinds.
 */
enum model_json_kind model_json_parse(struct span text, struct json_object **ret_object);

/* The text from where its object seems to begin, without a fence; all of it where it has none. */
struct span model_json_start(struct span text);

/* The text without white space around it. */
struct span model_text_trim(struct span text);

/* A copy, trimmed, of a text of 1 to `max_words` words in valid UTF-8; false: it has nothing visible,
 * more words, or more than 2,000 characters. */
bool model_text_words(struct span text, size_t max_words, struct private_text *ret_text);

/* A boolean, or its word in a string in any case; false: it is neither. */
bool model_json_flag(struct json_object *value, bool *ret_flag);

/* A string, trimmed, borrowed from the object; false: it is not a string, has nothing visible in it,
 * or has a NUL. */
bool model_json_text(struct json_object *value, struct span *ret_text);

/* Both: a copy of a string of 1 to `max_words` words. */
bool model_json_words(struct json_object *value, size_t max_words,
                      struct private_text *ret_text);

#endif
