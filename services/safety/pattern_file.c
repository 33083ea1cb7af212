/*
 * Reading a pattern file: an array of strings, of objects that describe a pattern, of
 * objects that define a fragment for the patterns after them ({{name}}), and of objects
 * that list words.
 */
#include "pattern_reader_internal.h"

#include "buffer.h"
#include "mem.h"

#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_distance(struct pattern_reader *reader, struct json_object *item,
                          const char *key, size_t *distance)
{
    struct json_object *value;

    if (!json_object_object_get_ex(item, key, &value))
        return true;
    if (!json_object_is_type(value, json_type_int) || json_object_get_int(value) < 1 ||
        json_object_get_int(value) > MAX_DISTANCE_BYTES)
        return pattern_reader_refuse(reader, "\"%s\" is no number from 1 to %d", key,
                                     MAX_DISTANCE_BYTES);
    *distance = (size_t)json_object_get_int(value);
    return true;
}

/* "needs": patterns that each occur wherever the entry's does; there may be none. */
static bool read_needs(struct pattern_reader *reader, struct json_object *item,
                       struct pattern_entry *entry)
{
    struct json_object *array = NULL;
    struct pattern_texts *needs = &entry->needs;
    size_t count;

    if (!json_object_is_type(item, json_type_object) ||
        !json_object_object_get_ex(item, "needs", &array))
        return true;
    if (!read_distance(reader, item, "lead", &entry->lead) ||
        !read_distance(reader, item, "reach", &entry->reach))
        return false;
    count =
        json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
    if (count == 0 || count > MAX_NEEDS)
        return pattern_reader_refuse(reader, "\"needs\" is no array of 1 to %d patterns",
                                     MAX_NEEDS);
    needs->texts = mem_zalloc(count * sizeof *needs->texts);
    for (size_t i = 0; i < count; i++) {
        struct pattern_regex regex = {0};
        bool is_read = pattern_reader_regex(reader, json_object_array_get_idx(array, i),
                                            "needs", &regex);
        if (is_read) {
            needs->texts[needs->count++] = regex.spread;
            regex.spread = NULL;
        }
        pattern_regex_done(&regex);
        if (!is_read)
            return false;
    }
    return true;
}

static bool read_list(struct pattern_reader *reader, struct json_object *item,
                      const char *key, struct pattern_texts *list)
{
    struct json_object *array;
    size_t count;

    if (!json_object_object_get_ex(item, key, &array))
        return true;
    if (!json_object_is_type(array, json_type_array))
        return pattern_reader_refuse(reader, "\"%s\" is no array", key);

    count = json_object_array_length(array);
    list->texts =
        mem_realloc(list->texts, (list->count + count + 1) * sizeof *list->texts);
    for (size_t i = 0; i < count; i++) {
        struct json_object *text = json_object_array_get_idx(array, i);
        if (!json_object_is_type(text, json_type_string))
            return pattern_reader_refuse(reader,
                                         "\"%s\" holds something that is no string", key);
        list->texts[list->count++] = mem_copy_string(json_object_get_string(text));
    }
    return true;
}

static bool read_surface(struct pattern_reader *reader, struct json_object *item,
                         unsigned *surfaces)
{
    struct json_object *value;

    if (!json_object_object_get_ex(item, "surface", &value))
        return true;
    if (json_object_is_type(value, json_type_string)) {
        const char *name = json_object_get_string(value);
        if (strcmp(name, "raw") == 0) {
            *surfaces = SURFACE_RAW;
            return true;
        }
        if (strcmp(name, "normalised") == 0) {
            *surfaces = SURFACE_NORMALISED;
            return true;
        }
        if (strcmp(name, "disguised") == 0) {
            *surfaces = SURFACE_DISGUISED;
            return true;
        }
    }
    return pattern_reader_refuse(
        reader, "\"surface\" is none of \"raw\", \"normalised\" and \"disguised\"");
}

/* Names go into logs, metrics and replies, so they are made of [a-z0-9_] whatever the
 * file says. */
static char *plain_name(const char *name)
{
    size_t length = strnlen(name, MAX_NAME_BYTES);
    char *plain = mem_copy(name, length);

    for (size_t i = 0; i < length; i++) {
        char c = plain[i];
        if (c >= 'A' && c <= 'Z')
            plain[i] = (char)(c - 'A' + 'a');
        else if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')))
            plain[i] = '_';
    }
    return plain;
}

static bool read_pattern(struct pattern_reader *reader, struct json_object *item)
{
    struct pattern_entry *entry = &reader->file->entries[reader->file->count++];
    struct json_object *shadow = NULL;
    char *name = NULL;
    char *category = NULL;
    bool is_object = json_object_is_type(item, json_type_object);

    entry->position = reader->position;
    entry->surfaces = SURFACE_RAW | SURFACE_NORMALISED;
    if (is_object &&
        (!pattern_reader_text(reader, item, "name", &name) ||
         !pattern_reader_text(reader, item, "category", &category) ||
         !pattern_reader_regex(reader, item, "unless", &entry->around[SIDE_AROUND]) ||
         !pattern_reader_regex(reader, item, "unless_before",
                               &entry->around[SIDE_BEFORE]) ||
         !pattern_reader_regex(reader, item, "unless_after",
                               &entry->around[SIDE_AFTER]) ||
         !pattern_reader_regex(reader, item, "unless_story",
                               &entry->around[SIDE_STORY]) ||
         !pattern_reader_regex(reader, item, "only_after",
                               &entry->around[SIDE_ONLY_AFTER]) ||
         !read_list(reader, item, "examples", &entry->examples) ||
         !read_list(reader, item, "counter_examples", &entry->counter_examples) ||
         !read_surface(reader, item, &entry->surfaces))) {
        free(name);
        free(category);
        return false;
    }
    if (name == NULL) {
        name = mem_zalloc(MAX_NAME_BYTES);
        snprintf(name, MAX_NAME_BYTES, "custom_pattern_%zu", reader->position);
    }
    entry->name = plain_name(name);
    entry->category = plain_name(category != NULL ? category : name);
    free(name);
    free(category);

    if (is_object && json_object_object_get_ex(item, "shadow", &shadow)) {
        if (!json_object_is_type(shadow, json_type_boolean))
            return pattern_reader_refuse(reader, "\"shadow\" is neither true nor false");
        entry->is_shadow = json_object_get_boolean(shadow);
    }
    if (!pattern_reader_regex(reader, item, "pattern", &entry->pattern))
        return false;
    if (entry->pattern.text[0] == '\0')
        return pattern_reader_refuse(reader, "the pattern is empty");
    return read_needs(reader, item, entry);
}

static bool read_fragment(struct pattern_reader *reader, struct json_object *item)
{
    struct fragment *fragment = &reader->fragments[reader->fragment_count];
    bool is_read;

    if (reader->fragment_count == MAX_FRAGMENTS)
        return pattern_reader_refuse(reader, "more than %d fragments", MAX_FRAGMENTS);
    is_read = pattern_reader_text(reader, item, "define", &fragment->name) &&
              pattern_reader_regex(reader, item, "pattern", &fragment->regex);
    reader->fragment_count++;
    if (is_read && fragment->regex.text == NULL)
        is_read = pattern_reader_refuse(reader, "no \"pattern\"");
    return is_read;
}

static bool read_entry(struct pattern_reader *reader, struct json_object *item)
{
    if (json_object_is_type(item, json_type_string))
        return read_pattern(reader, item);
    if (!json_object_is_type(item, json_type_object))
        return pattern_reader_refuse(reader, "neither a string nor an object");
    if (json_object_object_get_ex(item, "define", NULL))
        return read_fragment(reader, item);
    if (json_object_object_get_ex(item, "strong_words", NULL))
        return read_list(reader, item, "strong_words", &reader->file->strong_words);
    if (json_object_object_get_ex(item, "words", NULL))
        return read_list(reader, item, "words", &reader->file->words);
    if (json_object_object_get_ex(item, "misspelt_words", NULL))
        return read_list(reader, item, "misspelt_words", &reader->file->misspelt_words);
    if (json_object_object_get_ex(item, "other_words", NULL))
        return read_list(reader, item, "other_words", &reader->file->other_words);
    if (json_object_object_get_ex(item, "pattern", NULL))
        return read_pattern(reader, item);
    return pattern_reader_refuse(reader, "no \"pattern\"");
}

static bool read_entries(struct pattern_reader *reader, struct json_object *array)
{
    size_t count = json_object_array_length(array);

    if (count > MAX_ENTRIES)
        return pattern_reader_refuse(reader, "more than %d entries", MAX_ENTRIES);

    reader->file->entries = mem_zalloc(count * sizeof *reader->file->entries);
    reader->fragments = mem_zalloc(MAX_FRAGMENTS * sizeof *reader->fragments);
    for (size_t i = 0; i < count; i++) {
        reader->position = i;
        if (!read_entry(reader, json_object_array_get_idx(array, i)))
            return false;
    }
    return true;
}

bool pattern_file_parse(const char *name, const char *json, size_t length,
                        struct pattern_file *ret_file,
                        struct ruleset_problem *ret_problem)
{
    struct json_tokener *tokener = json_tokener_new_ex(MAX_DEPTH);
    struct pattern_file file = {0};
    struct pattern_reader reader = {
        .file_name = name, .file = &file, .problem = ret_problem};
    struct json_object *array = NULL;
    bool is_read = false;
    enum json_tokener_error error;
    size_t end;

    if (tokener == NULL)
        abort();
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
    if (length < INT32_MAX)
        array = json_tokener_parse_ex(tokener, json, (int)length);

    error = json_tokener_get_error(tokener);
    end = json_tokener_get_parse_end(tokener);
    while (end < length && strchr(" \t\r\n", json[end]) != NULL && json[end] != '\0')
        end++;

    if (error == json_tokener_continue)
        snprintf(ret_problem->text, sizeof ret_problem->text,
                 "%s: not JSON: it ends early, at offset %zu", name, length);
    else if (error != json_tokener_success || end != length)
        snprintf(ret_problem->text, sizeof ret_problem->text,
                 "%s: not JSON, at offset %zu: %s", name, end,
                 error == json_tokener_success ? "more text after the array"
                                               : json_tokener_error_desc(error));
    else if (!json_object_is_type(array, json_type_array))
        snprintf(ret_problem->text, sizeof ret_problem->text,
                 "%s: not an array of patterns", name);
    else
        is_read = read_entries(&reader, array);

    json_object_put(array);
    json_tokener_free(tokener);
    for (size_t i = 0; i < reader.fragment_count; i++) {
        free(reader.fragments[i].name);
        pattern_regex_done(&reader.fragments[i].regex);
    }
    free(reader.fragments);

    if (is_read)
        *ret_file = file;
    else
        pattern_file_done(&file);
    return is_read;
}

/*
 * A string, or an array of strings that are read as one after the other; a string item
 * stands for itself.  A key that is not there leaves NULL.
 */
bool pattern_reader_text(struct pattern_reader *reader, struct json_object *item,
                         const char *key, char **ret_text)
{
    struct json_object *value = item;
    struct buffer joined;
    bool is_over;
    bool has_nul;
    char *text;

    if (json_object_is_type(item, json_type_object) &&
        !json_object_object_get_ex(item, key, &value))
        return true;

    buffer_init(&joined, MAX_PATTERN_BYTES);
    if (json_object_is_type(value, json_type_string)) {
        buffer_append(&joined, json_object_get_string(value),
                      (size_t)json_object_get_string_len(value));
    } else if (json_object_is_type(value, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(value); i++) {
            struct json_object *part = json_object_array_get_idx(value, i);
            if (!json_object_is_type(part, json_type_string)) {
                buffer_done(&joined);
                return pattern_reader_refuse(
                    reader, "\"%s\" holds something that is no string", key);
            }
            buffer_append(&joined, json_object_get_string(part),
                          (size_t)json_object_get_string_len(part));
        }
    } else {
        return pattern_reader_refuse(reader, "\"%s\" is no string", key);
    }

    is_over = joined.is_over;
    has_nul = joined.length > 0 && memchr(joined.bytes, 0, joined.length) != NULL;
    text = mem_copy(joined.length > 0 ? joined.bytes : "", joined.length);
    buffer_done(&joined);

    if (is_over || has_nul) {
        free(text);
        return is_over ? pattern_reader_refuse(reader, "\"%s\" is longer than %d bytes",
                                               key, MAX_PATTERN_BYTES)
                       : pattern_reader_refuse(reader, "\"%s\" holds a NUL", key);
    }
    *ret_text = text;
    return true;
}

bool pattern_reader_refuse(struct pattern_reader *reader, const char *format, ...)
{
    struct ruleset_problem *problem = reader->problem;
    int start = snprintf(problem->text, sizeof problem->text,
                         "%s: entry %zu: ", reader->file_name, reader->position);
    va_list values;

    if (start < 0 || (size_t)start >= sizeof problem->text)
        return false;
    va_start(values, format);
    vsnprintf(problem->text + start, sizeof problem->text - (size_t)start, format,
              values);
    va_end(values);
    return false;
}

static void free_texts(struct pattern_texts *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->texts[i]);
    free(list->texts);
}

void pattern_file_done(struct pattern_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        struct pattern_entry *entry = &file->entries[i];
        free(entry->name);
        free(entry->category);
        pattern_regex_done(&entry->pattern);
        for (int side = 0; side < SIDE_COUNT; side++)
            pattern_regex_done(&entry->around[side]);
        free_texts(&entry->needs);
        free_texts(&entry->examples);
        free_texts(&entry->counter_examples);
    }
    free(file->entries);
    free_texts(&file->strong_words);
    free_texts(&file->words);
    free_texts(&file->misspelt_words);
    free_texts(&file->other_words);
    *file = (struct pattern_file){0};
}
