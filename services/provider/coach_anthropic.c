/*
 * The wire of Anthropic's Messages API
 * (https://docs.claude.com/en/api/messages; streaming: /en/docs/build-with-claude/streaming;
 * errors: /en/api/errors; stop reasons: /en/api/handling-stop-reasons; structured outputs:
 * /en/docs/build-with-claude/structured-outputs; /en/api/models).
 *
 * No temperature is sent: models from Claude Opus 4.7 on answer 400 to it.
 */
#include "coach_http_internal.h"

#include <string.h>

static enum coach_form strongest(const char *model)
{
    (void)model;
    return COACH_FORM_SCHEMA; /* a model that has none answers 400, and is asked without */
}

/* ---- the request ---- */

static void write_members(struct json_writer *writer, const struct coach_request *request)
{
    json_put_string(writer, "model", request->model);
    json_put_integer(writer, "max_tokens", request->settings->llm_max_tokens);
    json_key(writer, "system");
    json_private_behind(writer, request->instructions, &request->ask->system);
    json_put_array(writer, "messages");
    json_begin_object(writer);
    json_put_string(writer, "role", "user");
    json_put_private(writer, "content", &request->ask->user);
    json_end_object(writer);
    json_end_array(writer);
    if (request->ask->on_text != NULL)
        json_put_boolean(writer, "stream", true);
}

/* There is no form but the schema. */
static void write_form(struct json_writer *writer, enum coach_form form, const char *name,
                       const char *schema)
{
    (void)name;
    if (form != COACH_FORM_SCHEMA)
        return;
    json_put_object(writer, "output_config");
    json_put_object(writer, "format");
    json_put_string(writer, "type", "json_schema");
    json_key(writer, "schema");
    json_raw(writer, schema, strlen(schema));
    json_end_object(writer);
    json_end_object(writer);
}

/* ---- the reply ---- */

/* What is read of a message, of an event of a stream, and of an error.  A message may have more
 * blocks than one; what a block of another kind says is under another name than `text`. */
enum place {
    WHOLE,
    TYPE,
    DELTA,
    CONTENT,
    STOP_REASON,
    ERROR,
    USAGE,
    MESSAGE,
    DELTA_TEXT,
    DELTA_STOP_REASON,
    BLOCK,
    ERROR_TYPE,
    ERROR_MESSAGE,
    INPUT,
    OUTPUT,
    STARTED_USAGE,
    TEXT,
    STARTED_INPUT
};

static const struct json_place places[] = {
    [WHOLE] = {WHOLE, ""},
    [TYPE] = {WHOLE, "type"},
    [DELTA] = {WHOLE, "delta"},
    [CONTENT] = {WHOLE, "content"},
    [STOP_REASON] = {WHOLE, "stop_reason"},
    [ERROR] = {WHOLE, "error"},
    [USAGE] = {WHOLE, "usage"},
    [MESSAGE] = {WHOLE, "message"},
    [DELTA_TEXT] = {DELTA, "text"},
    [DELTA_STOP_REASON] = {DELTA, "stop_reason"},
    [BLOCK] = {CONTENT, "*"},
    [ERROR_TYPE] = {ERROR, "type"},
    [ERROR_MESSAGE] = {ERROR, "message"},
    [INPUT] = {USAGE, "input_tokens"},
    [OUTPUT] = {USAGE, "output_tokens"},
    [STARTED_USAGE] = {MESSAGE, "usage"},
    [TEXT] = {BLOCK, "text"},
    [STARTED_INPUT] = {STARTED_USAGE, "input_tokens"},
};

/* An error of a stream has nothing else to go by.  invalid_request_error is not among them: it
 * may be the schema, or anything. */
static const struct coach_code codes[] = {
    {"authentication_error", ERROR_LLM_AUTH_ERROR},
    {"billing_error", ERROR_LLM_AUTH_ERROR},
    {"permission_error", ERROR_LLM_AUTH_ERROR},
    {"not_found_error", ERROR_LLM_MODEL_NOT_FOUND},
    {"request_too_large", ERROR_LLM_BAD_REQUEST},
    {"rate_limit_error", ERROR_LLM_RATE_LIMIT},
    {"timeout_error", ERROR_LLM_TIMEOUT},
    {"overloaded_error", ERROR_LLM_PROVIDER_ERROR},
    {"api_error", ERROR_LLM_PROVIDER_ERROR},
    {NULL, OK},
};

static void take_stop(struct coach_reading *reading, struct span reason)
{
    reading->has_ended = true;
    reading->is_cut_off = span_equals(reason, "max_tokens") ||
                          span_equals(reason, "model_context_window_exceeded");
    if (span_equals(reason, "refusal")) /* its safety classifiers', not the model's own */
        reading->error = reading->code_error = ERROR_LLM_CONTENT_FILTER;
}

static void take(struct coach_reading *reading, size_t place, enum json_token kind,
                 struct span value)
{
    switch ((enum place)place) {
    case TYPE: reading->has_ended |= span_equals(value, "message_stop"); break;
    case TEXT:
    case DELTA_TEXT:
        if (!reading->was_over)
            coach_reading_text(reading, kind, value);
        break;
    case STOP_REASON:
    case DELTA_STOP_REASON:
        if (!reading->was_over && kind == JSON_STRING)
            take_stop(reading, value);
        break;
    case ERROR: coach_reading_error(reading, kind, value); break;
    case ERROR_TYPE: coach_reading_code(reading, value); break;
    case ERROR_MESSAGE: coach_reading_message(reading, value); break;
    case INPUT:
    case STARTED_INPUT: coach_reading_count(&reading->input_tokens, kind, value); break;
    case OUTPUT: coach_reading_count(&reading->output_tokens, kind, value); break;
    case WHOLE: /* nothing stands in the rest but the others */
    case DELTA:
    case CONTENT:
    case BLOCK:
    case USAGE:
    case MESSAGE:
    case STARTED_USAGE: break;
    }
}

const struct coach_wire coach_anthropic = {
    .name = "anthropic",
    .path = "/v1/messages",
    .models_path = "/v1/models/",
    .key_header = "x-api-key",
    .key_scheme = "",
    .extra_header = "anthropic-version",
    .extra_value = "2023-06-01",
    .places = places,
    .place_count = sizeof(places) / sizeof(*places),
    .codes = codes,
    .weakest_streamed = COACH_FORM_OBJECT,
    .strongest = strongest,
    .write = write_members,
    .write_form = write_form,
    .take = take,
};
