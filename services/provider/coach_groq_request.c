/*
 * What is sent to an OpenAI-compatible chat completions API
 * (https://console.groq.com/docs/api-reference, Create chat completion).
 */
#include "coach_groq_internal.h"

#include "json.h"
#include "mem.h"
#include "private_reveal.h"

#include <string.h>

/* Ten answers of the largest MAX_TRANSCRIPT_CHARS, escaped twice, fit. */
#define REQUEST_MAX_BYTES (32 * 1024 * 1024)

/* What a request is longer than its two messages: the schema, the settings, some escapes.
 */
#define REQUEST_EXTRA_BYTES 1600

#define TEMPERATURE   0.6 /* Groq's advice for reasoning models: 0.5 to 0.7 */
#define PASSAGES_SEED 1   /* with temperature 0: the same passages, the same answer */

static bool is_gpt_oss(const char *model)
{
    return strstr(model, "gpt-oss") != NULL;
}

enum groq_format groq_format_of(const char *model)
{
    return strstr(model, "gpt-oss-20b") != NULL || strstr(model, "gpt-oss-120b") != NULL
               ? GROQ_JSON_SCHEMA
               : GROQ_JSON_OBJECT;
}

static void write_message(struct json_writer *writer, const char *role,
                          const struct private_text *content)
{
    json_begin_object(writer);
    json_key(writer, "role");
    json_string(writer, role);
    json_key(writer, "content");
    json_private(writer, content);
    json_end_object(writer);
}

static void write_schema(struct json_writer *writer, const struct coach_ask *ask)
{
    json_key(writer, "json_schema");
    json_begin_object(writer);
    json_key(writer, "name");
    json_string(writer, ask->schema_name);
    json_key(writer, "strict");
    json_boolean(writer, true);
    json_key(writer, "schema");
    json_raw(writer, ask->schema, strlen(ask->schema));
    json_end_object(writer);
}

static void write_format(struct json_writer *writer, const struct coach_ask *ask,
                         enum groq_format format)
{
    if (format == GROQ_TEXT)
        return;
    json_key(writer, "response_format");
    json_begin_object(writer);
    json_key(writer, "type");
    json_string(writer, format == GROQ_JSON_SCHEMA ? "json_schema" : "json_object");
    if (format == GROQ_JSON_SCHEMA)
        write_schema(writer, ask);
    json_end_object(writer);
}

/* A request is held for as long as the model takes, by every turn under way: it gets no byte
 * more than it needs. */
static struct private_text take_exactly(struct buffer *out)
{
    struct private_text exact = private_text_copy(out->bytes, out->length);

    buffer_done(out);
    return exact;
}

struct private_text groq_request_write(const struct settings *settings,
                                       const struct coach_ask *ask,
                                       enum groq_format format, size_t *ret_format_offset)
{
    struct buffer out;
    struct json_writer writer;

    buffer_init(&out, REQUEST_MAX_BYTES);
    buffer_reserve(&out, private_reveal(&ask->system).length +
                             private_reveal(&ask->user).length + REQUEST_EXTRA_BYTES);
    json_writer_init(&writer, &out);
    json_begin_object(&writer);
    json_key(&writer, "model");
    json_string(&writer, settings->llm_model);
    json_key(&writer, "messages");
    json_begin_array(&writer);
    write_message(&writer, "system", &ask->system);
    write_message(&writer, "user", &ask->user);
    json_end_array(&writer);
    json_key(&writer, "temperature");
    json_decimal(&writer, ask->task == COACH_PASSAGES ? 0 : TEMPERATURE, 1);
    if (ask->task == COACH_PASSAGES) {
        json_key(&writer, "seed");
        json_integer(&writer, PASSAGES_SEED);
    }
    json_key(&writer, "max_completion_tokens");
    json_integer(&writer, settings->llm_max_tokens);
    if (is_gpt_oss(settings->llm_model)) {
        json_key(&writer, "reasoning_effort");
        json_string(&writer, "low");
        json_key(&writer, "include_reasoning");
        json_boolean(&writer, false);
    }
    if (ask->on_text != NULL) {
        json_key(&writer, "stream");
        json_boolean(&writer, true);
    }
    *ret_format_offset = out.length;
    write_format(&writer, ask, format);
    json_end_object(&writer);
    return take_exactly(&out);
}

struct private_text groq_request_weaken(struct private_text request, size_t format_offset,
                                        enum groq_format format)
{
    struct buffer out;
    struct json_writer writer;

    buffer_init(&out, REQUEST_MAX_BYTES);
    buffer_append(&out, private_reveal(&request).bytes, format_offset);
    private_text_free(&request);
    json_writer_init(&writer, &out);
    writer.needs_comma = true; /* the object is begun, and has members */
    write_format(&writer, NULL, format);
    json_end_object(&writer);
    return private_text_take(&out);
}
