#include "reply.h"

#include "json.h"
#include "model_json.h"
#include "private_reveal.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

static const char *const labels[DIMENSION_COUNT] = {
    [DIMENSION_CLARITY] = "Clarity",
    [DIMENSION_RELEVANCE] = "Relevance",
    [DIMENSION_STRUCTURE] = "Structure",
    [DIMENSION_FILLER_WORDS] = "Filler Words",
};

const char *dimension_label(enum dimension dimension)
{
    return labels[dimension];
}

/* The boolean, or the word in a string in any case; nothing else. */
static bool is_true(struct json_object *value)
{
    if (json_object_is_type(value, json_type_boolean))
        return json_object_get_boolean(value);
    return json_object_is_type(value, json_type_string) &&
           json_object_get_string_len(value) == 4 &&
           strcasecmp(json_object_get_string(value), "true") == 0;
}

/* A whole number from 1 to 5, also when it is written 4.0. */
static bool read_score(struct json_object *value, int *ret_score)
{
    double number;

    if (!json_object_is_type(value, json_type_int) &&
        !json_object_is_type(value, json_type_double))
        return false;
    number = json_object_get_double(value);
    if (!(number >= 1 && number <= 5) || number != (double)(int)number)
        return false;
    *ret_score = (int)number;
    return true;
}

static int find_dimension(struct json_object *entry)
{
    struct span label = json_member_string(entry, "label");

    for (int dimension = 0; dimension < DIMENSION_COUNT; dimension++)
        if (span_equals_ignoring_case(label, labels[dimension]))
            return dimension;
    return -1;
}

/* Each of the four dimensions exactly once, in any order. */
static bool read_dimensions(struct json_object *list, struct feedback *feedback)
{
    if (!json_object_is_type(list, json_type_array) ||
        json_object_array_length(list) != DIMENSION_COUNT)
        return false;
    for (size_t at = 0; at < DIMENSION_COUNT; at++) {
        struct json_object *entry = json_object_array_get_idx(list, at);
        int dimension = find_dimension(entry);

        if (dimension < 0 || feedback->scores[dimension] != 0 ||
            !read_score(json_member(entry, "score"), &feedback->scores[dimension]) ||
            !model_json_words(json_member(entry, "tip"), REPLY_TIP_WORDS,
                              &feedback->tips[dimension]))
            return false;
        model_json_words(json_member(entry, "quote"), REPLY_QUOTE_WORDS,
                         &feedback->quotes[dimension]);
    }
    return true;
}

static void feedback_free(struct feedback *feedback)
{
    for (int dimension = 0; dimension < DIMENSION_COUNT; dimension++) {
        private_text_free(&feedback->tips[dimension]);
        private_text_free(&feedback->quotes[dimension]);
    }
    private_text_free(&feedback->summary_tip);
}

static enum feedback_state read_feedback(struct json_object *object,
                                         struct feedback *ret_feedback)
{
    struct feedback feedback = {.scores = {0}};

    if (object == NULL)
        return FEEDBACK_MISSING;
    if (!read_dimensions(json_member(object, "dimensions"), &feedback) ||
        !model_json_words(json_member(object, "summary_tip"), REPLY_SUMMARY_TIP_WORDS,
                          &feedback.summary_tip)) {
        feedback_free(&feedback);
        return FEEDBACK_INVALID;
    }
    *ret_feedback = feedback;
    return FEEDBACK_GOOD;
}

/* Plain text that is no JSON at all counts as the question; so does what came before the
 * cut. */
static void read_plain(struct span text, struct reply *reply)
{
    struct json_object *string = json_object_new_string_len(
        text.bytes, text.length < INT_MAX ? (int)text.length : 0);

    model_json_words(string, SIZE_MAX, &reply->question);
    json_wipe_and_put(string);
}

void reply_parse(const struct private_text *text, struct reply *ret_reply)
{
    struct reply reply = {.feedback_state = FEEDBACK_MISSING};
    struct json_object *object;

    switch (model_json_parse(private_reveal(text), &object)) {
    case MODEL_JSON_OBJECT:
        reply.is_refused = is_true(json_member(object, "refused"));
        model_json_words(json_member(object, "follow_up_question"), SIZE_MAX,
                         &reply.question);
        reply.feedback_state =
            read_feedback(json_member(object, "coaching_feedback"), &reply.feedback);
        json_wipe_and_put(object);
        break;
    case MODEL_JSON_NONE: read_plain(private_reveal(text), &reply); break;
    case MODEL_JSON_BROKEN: break;
    }
    *ret_reply = reply;
}

void reply_free(struct reply *reply)
{
    private_text_free(&reply->question);
    feedback_free(&reply->feedback);
}
