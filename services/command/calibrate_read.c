/*
 * Labelled questions, read from lines of JSON.
 */
#include "calibrate_internal.h"

#include "json.h"
#include "lines_internal.h"
#include "mem.h"

#include <stdlib.h>

/* As POST /ask takes them. */
#define QUESTION_CHARACTERS_MOST 500

static void labelled_free(struct labelled *question)
{
    private_text_free(&question->text);
    for (size_t i = 0; i < question->expected_count; i++)
        free(question->expected[i]);
    free(question->expected);
    free(question->kind);
}

void labelled_done(struct labelled_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        labelled_free(&set->all[i]);
    free(set->all);
    *set = (struct labelled_set){0};
}

static bool add_expected(struct labelled *question, struct json_object *id)
{
    if (!json_object_is_type(id, json_type_string))
        return false;
    question->expected = mem_realloc(question->expected, (question->expected_count + 1) *
                                                             sizeof(*question->expected));
    question->expected[question->expected_count++] =
        mem_copy_string(json_object_get_string(id));
    return true;
}

static bool read_expected(struct labelled *question, struct json_object *passage)
{
    if (passage == NULL)
        return true;
    if (!json_object_is_type(passage, json_type_array))
        return add_expected(question, passage);
    for (size_t i = 0; i < json_object_array_length(passage); i++)
        if (!add_expected(question, json_object_array_get_idx(passage, i)))
            return false;
    return true;
}

/* What is wrong with the line; NULL: nothing. */
static const char *read_question(struct labelled *question, struct json_object *object)
{
    struct span text = json_member_string(object, "question");
    struct span kind = json_member_string(object, "kind");
    struct json_object *answerable = json_member(object, "answerable");

    *question = (struct labelled){.of_right = -1};
    if (object == NULL)
        return "it is no JSON";
    if (text.length == 0)
        return "it has no \"question\"";
    if (!json_object_is_type(answerable, json_type_boolean))
        return "\"answerable\" is neither true nor false";
    question->text = private_text_copy(text.bytes, text.length);
    question->is_answerable = json_object_get_boolean(answerable);
    if (kind.length > 0)
        question->kind = mem_copy(kind.bytes, kind.length);
    if (private_text_characters(&question->text) > QUESTION_CHARACTERS_MOST)
        return "the question is longer than 500 characters";
    if (!read_expected(question, json_member(object, "passage")))
        return "\"passage\" is neither an id nor a list of ids";
    if (!question->is_answerable && question->expected_count > 0)
        return "it expects a passage, and is not answerable";
    return NULL;
}

static struct labelled *add(struct labelled_set *set)
{
    MEM_ROOM(set->all, set->count, set->capacity, 1);
    return &set->all[set->count++];
}

bool labelled_read(struct labelled_set *set, const char *name, int file)
{
    const char *problem = NULL;
    struct line_reader reader;
    struct span line;
    size_t number = 0;

    line_reader_init(&reader, file);
    while (problem == NULL && line_reader_next(&reader, &line)) {
        struct json_object *object;

        number++;
        if (line.length == 0)
            continue;
        object = json_parse(line.bytes, line.length, 8);
        problem = read_question(add(set), object);
        json_wipe_and_put(object);
    }
    if (reader.has_failed)
        problem = "it cannot be read";
    line_reader_done(&reader);
    if (problem != NULL)
        fprintf(stderr, "poise calibrate: %s, line %zu: %s\n", name, number, problem);
    return problem == NULL;
}
