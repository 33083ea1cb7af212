/*
 * Requests to ears and voices against their documentation: nothing missing, nothing that
 * is not documented.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "voice.h"

/* ---- lines and headers ---- */

static void expect_line(const struct call *call, const char *start)
{
    cr_assert_not_null(call, "no such call came");
    cr_assert(strncmp(call->head.data, start, strlen(start)) == 0, "%s", call->head.data);
}

void expect_in_request_line(const struct call *call, const char *text)
{
    size_t size = strcspn(call->head.data, "\r");

    cr_assert_not_null(memmem(call->head.data, size, text, strlen(text)), "no %s in %.*s",
                       text, (int)size, call->head.data);
}

void expect_request_header(const struct call *call, const char *name,
                           const char *expected)
{
    char value[256] = "";

    cr_assert(head_header_count(&call->head, name) == 1, "not one %s in:\n%s", name,
              call->head.data);
    head_header(&call->head, name, value, sizeof value);
    cr_assert_str_eq(value, expected);
}

static void expect_one_id_and_no_expect(const struct call *call)
{
    cr_assert(head_header_count(&call->head, "X-Request-ID") == 1, "%s", call->head.data);
    cr_assert(head_header_count(&call->head, "Expect") == 0, "%s", call->head.data);
    cr_assert(head_header_count(&call->head, "Content-Length") == 1);
}

static void expect_parameters(const struct call *call, const char *const *known)
{
    size_t size = strcspn(call->head.data, "\r");
    char *line = strndup(call->head.data, size);
    char *rest = NULL;

    *strrchr(line, ' ') = '\0';
    for (char *pair = strtok_r(strchr(line, '?') + 1, "&", &rest); pair;
         pair = strtok_r(NULL, "&", &rest)) {
        size_t i = 0;
        while (known[i] && strcmp(known[i], pair) != 0)
            i++;
        cr_assert_not_null(known[i], "a parameter that was not to be there: %s", pair);
    }
    for (size_t i = 0; known[i]; i++)
        expect_in_request_line(call, known[i]);
    free(line);
}

/* ---- Deepgram ---- */

static const char *listed_type(const struct form *form)
{
    return strcmp(form->audio_type, "application/octet-stream") == 0 ? "audio/mp4"
                                                                     : form->audio_type;
}

void expect_heard_by_deepgram(const struct call *call, const struct form *form)
{
    expect_line(call, "POST /v1/listen?");
    expect_parameters(call,
                      FIELDS_NAMED("model=nova-3", "smart_format=true", "punctuate=true",
                                   "filler_words=true", "profanity_filter=false"));
    expect_request_header(call, "Authorization", "Token " DEEPGRAM_KEY);
    expect_request_header(call, "Content-Type", listed_type(form));
    expect_one_id_and_no_expect(call);
    cr_assert(call->body.size == form->audio_size &&
                  memcmp(call->body.data, form->audio, form->audio_size) == 0,
              "the body is not the recording");
}

void expect_spoken_by_deepgram(const struct call *call, const char *text)
{
    expect_line(call, "POST /v1/speak?");
    expect_parameters(call, FIELDS_NAMED("model=aura-2-thalia-en", "encoding=mp3"));
    expect_request_header(call, "Authorization", "Token " DEEPGRAM_KEY);
    expect_request_header(call, "Content-Type", "application/json");
    expect_one_id_and_no_expect(call);
    expect_keys(call->json, FIELDS_NAMED("text"));
    cr_assert_str_eq(json_object_get_string(json_at(call->json, "text")), text);
}

/* ---- forms (RFC 7578) ---- */

struct part {
    const char *head;
    size_t head_size;
    const char *value;
    size_t size;
};

/* Goes on to the next part; false behind the last.  at: where a boundary begins. */
static bool next_part(const struct call *call, const char *boundary, const char **at,
                      struct part *ret_part)
{
    const char *end = call->body.data + call->body.size;
    char mark[128];
    int mark_size = snprintf(mark, sizeof mark, "\r\n--%s", boundary);

    cr_assert(strncmp(*at, mark + 2, (size_t)mark_size - 2) == 0, "no boundary: %.40s",
              *at);
    ret_part->head = *at + mark_size - 2;
    if (strncmp(ret_part->head, "--\r\n", 4) == 0) {
        cr_assert(ret_part->head + 4 == end, "something behind the last boundary");
        return false;
    }
    const char *gap =
        memmem(ret_part->head, (size_t)(end - ret_part->head), "\r\n\r\n", 4);
    cr_assert_not_null(gap);
    ret_part->head_size = (size_t)(gap - ret_part->head);
    ret_part->value = gap + 4;
    const char *next = memmem(gap, (size_t)(end - gap), mark, (size_t)mark_size);
    cr_assert_not_null(next, "a part without an end");
    ret_part->size = (size_t)(next - ret_part->value);
    *at = next + 2;
    return true;
}

static bool part_has(const struct part *part, const char *text)
{
    return memmem(part->head, part->head_size, text, strlen(text)) != NULL;
}

static void boundary_of(const struct call *call, char *ret_boundary, size_t room)
{
    char type[256] = "";

    head_header(&call->head, "Content-Type", type, sizeof type);
    const char *start = "multipart/form-data; boundary=";
    cr_assert(strncmp(type, start, strlen(start)) == 0, "%s", type);
    cr_assert(strlen(type + strlen(start)) < room);
    strcpy(ret_boundary, type + strlen(start));
}

static int find_parts(const struct call *call, const char *name, struct part *ret_last)
{
    char boundary[128];
    char wanted[64];
    const char *at = call->body.data;
    struct part part;
    int count = 0;

    boundary_of(call, boundary, sizeof boundary);
    snprintf(wanted, sizeof wanted, "form-data; name=\"%s\"", name);
    while (next_part(call, boundary, &at, &part)) {
        if (!part_has(&part, wanted))
            continue;
        *ret_last = part;
        count++;
    }
    return count;
}

const char *form_field(const struct call *call, const char *name)
{
    static char value[512];
    struct part part;

    if (find_parts(call, name, &part) != 1)
        return NULL;
    snprintf(value, sizeof value, "%.*s", (int)part.size, part.value);
    return value;
}

/* ---- OpenAI's interface ---- */

static void expect_only_documented_fields(const struct call *call)
{
    static const char *const FIELDS[] = {
        "file",   "model",           "language",
        "prompt", "response_format", "temperature",
        "url",    "include[]",       "timestamp_granularities[]"};
    char boundary[128];
    const char *at = call->body.data;
    struct part part;

    boundary_of(call, boundary, sizeof boundary);
    while (next_part(call, boundary, &at, &part)) {
        bool is_known = false;
        for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++) {
            char name[64];
            snprintf(name, sizeof name, "name=\"%s\"", FIELDS[i]);
            is_known = is_known || part_has(&part, name);
        }
        cr_assert(is_known, "an undocumented field: %.*s", (int)part.head_size,
                  part.head);
    }
}

/* Vendors tell the container by the extension: one of those that they list. */
static void expect_listed_file_name(const struct part *part)
{
    static const char *const LISTED[] = {"flac", "mp3", "mp4", "mpeg", "mpga",
                                         "m4a",  "ogg", "wav", "webm"};
    bool is_listed = false;

    for (size_t i = 0; i < sizeof LISTED / sizeof *LISTED; i++) {
        char name[32];
        snprintf(name, sizeof name, ".%s\"", LISTED[i]);
        is_listed = is_listed || part_has(part, name);
    }
    cr_assert(is_listed && part_has(part, "filename=\""), "%.*s", (int)part->head_size,
              part->head);
}

void expect_heard_by_whisper(const struct call *call, const struct form *form,
                             const char *model, const char *key)
{
    struct part part;
    char authorization[256];

    cr_assert_not_null(call, "no such call came");
    expect_in_request_line(call, "/audio/transcriptions HTTP/1.1");
    snprintf(authorization, sizeof authorization, "Bearer %s", key);
    expect_request_header(call, "Authorization", authorization);
    expect_one_id_and_no_expect(call);
    expect_only_documented_fields(call);
    cr_assert(find_parts(call, "file", &part) == 1);
    expect_listed_file_name(&part);
    cr_assert(part_has(&part, listed_type(form)), "%.*s", (int)part.head_size, part.head);
    cr_assert(part.size == form->audio_size &&
                  memcmp(part.value, form->audio, part.size) == 0,
              "the file is not the recording");
    cr_assert_str_eq(form_field(call, "model"), model);
}

const char *expect_spoken_by_openai(const struct call *call, const char *model,
                                    const char *voice, const char *format,
                                    const char *key)
{
    char authorization[256];

    cr_assert_not_null(call, "no such call came");
    expect_in_request_line(call, "/audio/speech HTTP/1.1");
    snprintf(authorization, sizeof authorization, "Bearer %s", key);
    expect_request_header(call, "Authorization", authorization);
    expect_request_header(call, "Content-Type", "application/json");
    expect_one_id_and_no_expect(call);
    expect_keys(call->json, FIELDS_NAMED("model", "input", "voice", "response_format"));
    cr_assert_str_eq(json_object_get_string(json_at(call->json, "model")), model);
    cr_assert_str_eq(json_object_get_string(json_at(call->json, "voice")), voice);
    cr_assert_str_eq(json_object_get_string(json_at(call->json, "response_format")),
                     format);
    return json_object_get_string(json_at(call->json, "input"));
}
