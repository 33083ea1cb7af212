/*
 * corpus.json, read and held to its rules.
 */
#include "corpus.h"

#include "json.h"
#include "mem.h"
#include "utf8.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

enum {
    TOPICS_MOST = 100,
    PATTERNS_MOST = 1000,
    TITLE_BYTES_MOST = 300,
    TOPIC_BYTES_MOST = 300,
    PATTERN_BYTES_MOST = 4000,
    JSON_DEPTH_MOST = 8,
};

/* A question has at most a few thousand bytes: what needs more steps than this is the pattern's fault. */
#define MATCH_STEPS_MOST 200000

/* An entry of what is left out. */
struct scope {
    pcre2_code *pattern; /* owned, like the next */
    char *topic;         /* NULL: it names none */
};

struct corpus {
    char *title;          /* owned, like all below */
    struct buffer topics; /* "a, b and c" */
    struct scope *scopes;
    size_t scope_count;
    pcre2_match_data *match;
    pcre2_match_context *limits;
};

/* Where in the file a problem is. */
struct place {
    const char *name; /* borrowed, like the buffer */
    struct buffer *problem;
    const char *entry; /* "topics", "out_of_scope" */
    size_t index;
};

static bool refuse(struct place *place, const char *what)
{
    buffer_append_string(place->problem, place->name);
    buffer_append_string(place->problem, ": ");
    if (place->entry != NULL) {
        buffer_append_string(place->problem, place->entry);
        buffer_append_string(place->problem, "[");
        buffer_append_number(place->problem, (int64_t)place->index);
        buffer_append_string(place->problem, "]: ");
    }
    buffer_append_string(place->problem, what);
    buffer_append_string(place->problem, "\n");
    return false;
}

/* Where json-c stops reading, for the line that says so. */
static bool refuse_json(struct place *place, struct span json)
{
    struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH_MOST);
    struct json_object *object;
    struct buffer line;

    if (tokener == NULL)
        abort();
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    object = json_tokener_parse_ex(tokener, json.bytes, (int)json.length);
    buffer_init(&line, 256);
    buffer_append_string(&line, "not JSON, at offset ");
    buffer_append_number(&line, (int64_t)json_tokener_get_parse_end(tokener));
    buffer_append(&line, "", 1);
    refuse(place, line.bytes);
    buffer_done(&line);
    json_object_put(object);
    json_tokener_free(tokener);
    return false;
}

/* A text of one line that is not empty. */
static bool is_text(struct span text, size_t most)
{
    return text.bytes != NULL && text.length > 0 && text.length <= most &&
           memchr(text.bytes, '\n', text.length) == NULL &&
           utf8_is_valid(text.bytes, text.length);
}

static bool read_topics(struct corpus *corpus, struct json_object *list,
                        struct place *place)
{
    size_t count;

    if (list == NULL)
        return true;
    if (json_object_get_type(list) != json_type_array ||
        json_object_array_length(list) > TOPICS_MOST)
        return refuse(place, "\"topics\" must be a list of at most 100 texts");
    count = json_object_array_length(list);
    place->entry = "topics";
    for (size_t i = 0; i < count; i++) {
        struct json_object *item = json_object_array_get_idx(list, i);
        struct span topic = {NULL, 0};

        place->index = i;
        if (json_object_get_type(item) == json_type_string)
            topic = (struct span){json_object_get_string(item),
                                  (size_t)json_object_get_string_len(item)};
        if (!is_text(topic, TOPIC_BYTES_MOST))
            return refuse(place, "must be a text of 1 to 300 bytes in one line");
        if (i > 0)
            buffer_append_string(&corpus->topics, i + 1 == count ? " and " : ", ");
        buffer_append(&corpus->topics, topic.bytes, topic.length);
    }
    place->entry = NULL;
    return true;
}

static bool compile(struct corpus *corpus, struct span pattern, struct span topic,
                    struct place *place)
{
    PCRE2_UCHAR message[160];
    struct buffer line;
    size_t offset;
    int error;
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)pattern.bytes, pattern.length,
                      PCRE2_CASELESS | PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C,
                      &error, &offset, NULL);

    if (code != NULL) {
        corpus->scopes[corpus->scope_count++] =
            (struct scope){.pattern = code,
                           .topic = is_text(topic, TOPIC_BYTES_MOST)
                                        ? mem_copy(topic.bytes, topic.length)
                                        : NULL};
        return true;
    }
    pcre2_get_error_message(error, message, sizeof(message));
    buffer_init(&line, 512);
    buffer_append_string(&line, "the pattern does not compile: ");
    buffer_append_string(&line, (const char *)message);
    buffer_append_string(&line, ", at offset ");
    buffer_append_number(&line, (int64_t)offset);
    buffer_append(&line, "", 1);
    refuse(place, line.bytes);
    buffer_done(&line);
    return false;
}

static bool read_patterns(struct corpus *corpus, struct json_object *list,
                          struct place *place)
{
    size_t count;

    if (list == NULL)
        return true;
    if (json_object_get_type(list) != json_type_array ||
        json_object_array_length(list) > PATTERNS_MOST)
        return refuse(place, "\"out_of_scope\" must be a list of at most 1000 entries");
    count = json_object_array_length(list);
    corpus->scopes = mem_zalloc(count * sizeof(*corpus->scopes));
    place->entry = "out_of_scope";
    for (size_t i = 0; i < count; i++) {
        struct json_object *item = json_object_array_get_idx(list, i);
        struct span pattern;

        place->index = i;
        if (json_object_get_type(item) != json_type_object)
            return refuse(place, "must be { \"topic\": text, \"pattern\": regex }");
        pattern = json_member_string(item, "pattern");
        if (!is_text(pattern, PATTERN_BYTES_MOST))
            return refuse(place, "\"pattern\" must be a text of 1 to 4000 bytes");
        if (!compile(corpus, pattern, json_member_string(item, "topic"), place))
            return false;
    }
    place->entry = NULL;
    corpus->match = pcre2_match_data_create(1, NULL);
    if (corpus->match == NULL)
        abort();
    return true;
}

static bool read_corpus(struct corpus *corpus, struct json_object *object,
                        struct place *place)
{
    struct span title = json_member_string(object, "title");

    if (!is_text(title, TITLE_BYTES_MOST))
        return refuse(place, "\"title\" must be a text of 1 to 300 bytes in one line");
    corpus->title = mem_copy(title.bytes, title.length);
    return read_topics(corpus, json_member(object, "topics"), place) &&
           read_patterns(corpus, json_member(object, "out_of_scope"), place);
}

struct corpus *corpus_new(const char *name, struct span json, struct buffer *problem)
{
    struct corpus *corpus = MEM_NEW(struct corpus);
    struct place place = {.name = name, .problem = problem};
    struct json_object *object = NULL;
    bool is_good;

    buffer_init(&corpus->topics, 1 << 16);
    corpus->limits = pcre2_match_context_create(NULL);
    if (corpus->limits == NULL)
        abort();
    pcre2_set_match_limit(corpus->limits, MATCH_STEPS_MOST);
    pcre2_set_depth_limit(corpus->limits, MATCH_STEPS_MOST);
    pcre2_set_heap_limit(corpus->limits, 4096);

    if (json.length < INT32_MAX)
        object = json_parse(json.bytes, json.length, JSON_DEPTH_MOST);
    if (object == NULL)
        is_good = refuse_json(&place, json);
    else if (json_object_get_type(object) != json_type_object)
        is_good = refuse(&place, "not a JSON object, at offset 0");
    else
        is_good = read_corpus(corpus, object, &place);
    json_object_put(object);
    if (is_good)
        return corpus;
    corpus_free(corpus);
    return NULL;
}

void corpus_free(struct corpus *corpus)
{
    if (corpus == NULL)
        return;
    for (size_t i = 0; i < corpus->scope_count; i++) {
        pcre2_code_free(corpus->scopes[i].pattern);
        free(corpus->scopes[i].topic);
    }
    pcre2_match_data_free(corpus->match);
    pcre2_match_context_free(corpus->limits);
    buffer_done(&corpus->topics);
    free(corpus->scopes);
    free(corpus->title);
    free(corpus);
}

const char *corpus_title(const struct corpus *corpus)
{
    return corpus->title;
}

const char *corpus_topics(const struct corpus *corpus)
{
    return corpus->topics.length > 0 ? corpus->topics.bytes : "";
}

enum corpus_scope corpus_judge(struct corpus *corpus, struct span question,
                               struct span *ret_match, const char **ret_topic)
{
    bool is_undecided = false;

    for (size_t i = 0; i < corpus->scope_count; i++) {
        size_t *bounds;
        /* One group of match data holds the whole match: 0 says that there were more groups. */
        int result = pcre2_match(corpus->scopes[i].pattern, (PCRE2_SPTR)question.bytes,
                                 question.length, 0, PCRE2_NOTEMPTY, corpus->match,
                                 corpus->limits);

        if (result >= 0) {
            bounds = pcre2_get_ovector_pointer(corpus->match);
            if (bounds[0] > bounds[1]) /* \K in a lookahead */
                continue;
            *ret_match = (struct span){question.bytes + bounds[0], bounds[1] - bounds[0]};
            *ret_topic = corpus->scopes[i].topic;
            return CORPUS_OUT_OF_SCOPE;
        }
        is_undecided |= result != PCRE2_ERROR_NOMATCH;
    }
    return is_undecided ? CORPUS_UNDECIDED : CORPUS_IN_SCOPE;
}
