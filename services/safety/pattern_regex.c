/*
 * One regular expression of a pattern file, with the fragments that it names: {{name}}.
 */
#include "pattern_reader_internal.h"

#include "buffer.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

/* {{name}} becomes a call of the fragment, and the fragment itself.  In a file without
 * fragments it is left alone. */
static bool put_fragments_in(struct pattern_reader *reader, const char *text,
                             struct buffer *called, struct buffer *spread)
{
    for (;;) {
        const char *open = reader->fragment_count > 0 ? strstr(text, "{{") : NULL;
        const char *close = open != NULL ? strstr(open, "}}") : NULL;
        size_t length;
        const struct fragment *found;

        if (close == NULL)
            break;
        buffer_append(called, text, (size_t)(open - text));
        buffer_append(spread, text, (size_t)(open - text));

        length = (size_t)(close - open) - 2;
        found = NULL;
        for (size_t i = 0; i < reader->fragment_count && found == NULL; i++) {
            const struct fragment *one = &reader->fragments[i];
            if (one->regex.text != NULL && strlen(one->name) == length &&
                memcmp(one->name, open + 2, length) == 0)
                found = one;
        }
        if (found == NULL)
            return pattern_reader_refuse(
                reader, "{{%.*s}} is not defined above",
                length < MAX_NAME_BYTES ? (int)length : MAX_NAME_BYTES, open + 2);
        buffer_append_string(called, "(?&");
        buffer_append_string(called, found->name);
        buffer_append_string(called, ")");
        buffer_append_string(spread, "(?:");
        buffer_append_string(spread, found->regex.spread);
        buffer_append_string(spread, ")");
        text = close + 2;
    }
    buffer_append_string(called, text);
    buffer_append_string(spread, text);
    return true;
}

static bool uses_fragment(const struct pattern_reader *reader, const char *text,
                          size_t index)
{
    const char *name = reader->fragments[index].name;
    size_t length = strlen(name);

    while ((text = strstr(text, "{{")) != NULL) {
        text += 2;
        if (strncmp(text, name, length) == 0 && strncmp(text + length, "}}", 2) == 0)
            return true;
    }
    return false;
}

/* Fragments only use those above them. */
static bool is_used_by_later(const struct pattern_reader *reader, const bool *is_used,
                             size_t index)
{
    for (size_t later = index + 1; later < reader->fragment_count; later++) {
        if (is_used[later] && reader->fragments[later].regex.source != NULL &&
            uses_fragment(reader, reader->fragments[later].regex.source, index))
            return true;
    }
    return false;
}

static void add_definition(struct buffer *out, const struct fragment *fragment)
{
    buffer_append_string(out, "(?(DEFINE)(?<");
    buffer_append_string(out, fragment->name);
    buffer_append_string(out, ">");
    buffer_append_string(out, fragment->regex.text + fragment->regex.prefix);
    buffer_append_string(out, "))");
}

/* A text with its fragments: called in one form of it, spread out in the other. */
bool pattern_reader_regex(struct pattern_reader *reader, struct json_object *item,
                          const char *key, struct pattern_regex *regex)
{
    bool is_used[MAX_FRAGMENTS] = {false};
    char *source = NULL;
    struct buffer called;
    struct buffer spread;
    bool is_fine;

    if (!pattern_reader_text(reader, item, key, &source))
        return false;
    if (source == NULL)
        return true;
    buffer_init(&called, MAX_PATTERN_BYTES);
    buffer_init(&spread, MAX_SPREAD_BYTES);
    for (size_t i = reader->fragment_count; i-- > 0;)
        is_used[i] =
            uses_fragment(reader, source, i) || is_used_by_later(reader, is_used, i);
    for (size_t i = 0; i < reader->fragment_count; i++) {
        if (is_used[i])
            add_definition(&called, &reader->fragments[i]);
    }
    regex->prefix = called.length;

    is_fine = put_fragments_in(reader, source, &called, &spread);
    if (is_fine && (called.is_over || spread.is_over))
        is_fine =
            pattern_reader_refuse(reader, "\"%s\" is too long with its fragments", key);
    if (is_fine) {
        regex->text = mem_copy(called.length > 0 ? called.bytes : "", called.length);
        regex->spread = mem_copy(spread.length > 0 ? spread.bytes : "", spread.length);
        regex->source = source;
        source = NULL;
    }
    free(source);
    buffer_done(&called);
    buffer_done(&spread);
    return is_fine;
}

void pattern_regex_done(struct pattern_regex *regex)
{
    free(regex->text);
    free(regex->source);
    free(regex->spread);
}
