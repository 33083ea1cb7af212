/*
 * The wire of OpenAI-compatible chat completions, by default Groq's
 * (https://console.groq.com/docs/api-reference, Create chat completion; errors:
 * https://console.groq.com/docs/errors).
 *
 * What depends on the model, by Groq's documentation:
 *   - strict structured output, a schema that the text must match, is there for gpt-oss-20b and
 *     gpt-oss-120b (/docs/structured-outputs); others are asked for some JSON object.
 *   - Structured outputs are not streamed, by that documentation, and JSON mode was not always:
 *     a streamed text may have to be asked for without a form; the prompt says it.
 *   - reasoning_effort and include_reasoning are for gpt-oss alone: others answer 400 to them
 *     (/docs/reasoning).  Reasoning counts into max_completion_tokens.
 */
#include "coach_http_internal.h"

#include <string.h>

#define TEMPERATURE   0.6 /* Groq's advice for reasoning models: 0.5 to 0.7 */
#define PASSAGES_SEED 1   /* with temperature 0: the same passages, the same answer */

static bool is_gpt_oss(const char *model)
{
    return strstr(model, "gpt-oss") != NULL;
}

static enum coach_form strongest(const char *model)
{
    return strstr(model, "gpt-oss-20b") != NULL || strstr(model, "gpt-oss-120b") != NULL
               ? COACH_FORM_SCHEMA
               : COACH_FORM_OBJECT;
}

/* ---- the request ---- */

static void write_message(struct json_writer *writer, const char *role,
                          struct span instructions, const struct private_text *text)
{
    json_begin_object(writer);
    json_put_string(writer, "role", role);
    json_key(writer, "content");
    json_private_behind(writer, instructions, text);
    json_end_object(writer);
}

static void write_members(struct json_writer *writer, const struct coach_request *request)
{
    const struct coach_ask *ask = request->ask;
    bool is_from_passages = ask->task == COACH_PASSAGES;

    json_put_string(writer, "model", request->model);
    json_put_array(writer, "messages");
    write_message(writer, "system", request->instructions, &ask->system);
    write_message(writer, "user", (struct span){NULL, 0}, &ask->user);
    json_end_array(writer);
    json_put_decimal(writer, "temperature", is_from_passages ? 0 : TEMPERATURE, 1);
    if (is_from_passages)
        json_put_integer(writer, "seed", PASSAGES_SEED);
    json_put_integer(writer, "max_completion_tokens", request->settings->llm_max_tokens);
    if (is_gpt_oss(request->model)) {
        json_put_string(writer, "reasoning_effort", "low");
        json_put_boolean(writer, "include_reasoning", false);
    }
    if (ask->on_text != NULL)
        json_put_boolean(writer, "stream", true);
}

static void write_form(struct json_writer *writer, enum coach_form form, const char *name,
                       const char *schema)
{
    json_put_object(writer, "response_format");
    json_put_string(writer, "type",
                    form == COACH_FORM_SCHEMA ? "json_schema" : "json_object");
    if (form == COACH_FORM_SCHEMA) {
        json_put_object(writer, "json_schema");
        json_put_string(writer, "name", name);
        json_put_boolean(writer, "strict", true);
        json_key(writer, "schema");
        json_raw(writer, schema, strlen(schema));
        json_end_object(writer);
    }
    json_end_object(writer);
}

/* ---- the reply ---- */

/* What is read of a completion, of a chunk of a stream (`delta` for `message`), and of an error.
 * Groq puts the tokens of a stream, and what goes wrong behind its end, into x_groq. */
enum place {
    WHOLE,
    CHOICES,
    ERROR,
    USAGE,
    X_GROQ,
    CHOICE,
    CODE,
    FAILED_GENERATION,
    ERROR_MESSAGE,
    INPUT,
    OUTPUT,
    X_GROQ_ERROR,
    X_GROQ_USAGE,
    DELTA,
    MESSAGE,
    FINISH_REASON,
    X_GROQ_CODE,
    X_GROQ_INPUT,
    X_GROQ_OUTPUT,
    DELTA_CONTENT,
    DELTA_REFUSAL,
    CONTENT,
    REFUSAL
};

static const struct json_place places[] = {
    [WHOLE] = {WHOLE, ""},
    [CHOICES] = {WHOLE, "choices"},
    [ERROR] = {WHOLE, "error"},
    [USAGE] = {WHOLE, "usage"},
    [X_GROQ] = {WHOLE, "x_groq"},
    [CHOICE] = {CHOICES, "0"},
    [CODE] = {ERROR, "code"},
    [FAILED_GENERATION] = {ERROR, "failed_generation"},
    [ERROR_MESSAGE] = {ERROR, "message"},
    [INPUT] = {USAGE, "prompt_tokens"},
    [OUTPUT] = {USAGE, "completion_tokens"},
    [X_GROQ_ERROR] = {X_GROQ, "error"},
    [X_GROQ_USAGE] = {X_GROQ, "usage"},
    [DELTA] = {CHOICE, "delta"},
    [MESSAGE] = {CHOICE, "message"},
    [FINISH_REASON] = {CHOICE, "finish_reason"},
    [X_GROQ_CODE] = {X_GROQ_ERROR, "code"},
    [X_GROQ_INPUT] = {X_GROQ_USAGE, "prompt_tokens"},
    [X_GROQ_OUTPUT] = {X_GROQ_USAGE, "completion_tokens"},
    [DELTA_CONTENT] = {DELTA, "content"},
    [DELTA_REFUSAL] = {DELTA, "refusal"},
    [CONTENT] = {MESSAGE, "content"},
    [REFUSAL] = {MESSAGE, "refusal"},
};

/* The model did not keep to its form: its fault, not the request's. */
#define LOST_ITS_FORM "json_validate_failed"

static const struct coach_code codes[] = {
    {"model_not_found", ERROR_LLM_MODEL_NOT_FOUND},
    {"model_decommissioned", ERROR_LLM_MODEL_NOT_FOUND},
    {"invalid_api_key", ERROR_LLM_AUTH_ERROR},
    {"content_filter", ERROR_LLM_CONTENT_FILTER}, /* Azure's OpenAI */
    {"content_policy_violation", ERROR_LLM_CONTENT_FILTER},
    {LOST_ITS_FORM, ERROR_LLM_PROVIDER_ERROR},
    {"context_length_exceeded", ERROR_LLM_BAD_REQUEST},
    {"rate_limit_exceeded", OK}, /* 429; or 413: this request alone is over a limit */
    {"capacity_exceeded", OK},
    {NULL, OK},
};

static void take_finish(struct coach_reading *reading, struct span reason)
{
    reading->has_ended = true;
    reading->is_cut_off = span_equals(reason, "length");
    if (span_equals(reason, "content_filter"))
        reading->error = reading->code_error = ERROR_LLM_CONTENT_FILTER;
}

static void take(struct coach_reading *reading, size_t place, enum json_token kind,
                 struct span value)
{
    switch ((enum place)place) {
    case CONTENT:
    case DELTA_CONTENT:
        if (!reading->was_over)
            coach_reading_text(reading, kind, value);
        break;
    case REFUSAL:
    case DELTA_REFUSAL:
        if (!reading->was_over && kind == JSON_STRING)
            json_unescape(value, &reading->refusal);
        break;
    case FINISH_REASON:
        if (!reading->was_over && kind == JSON_STRING && value.length > 0)
            take_finish(reading, value);
        break;
    case ERROR:
    case X_GROQ_ERROR: coach_reading_error(reading, kind, value); break;
    case CODE:
    case X_GROQ_CODE:
        coach_reading_code(reading, value);
        reading->has_lost_its_form |= span_equals(value, LOST_ITS_FORM);
        break;
    case ERROR_MESSAGE: coach_reading_message(reading, value); break;
    case FAILED_GENERATION: /* what the model wrote: it has been paid for */
        if (reading->text.length == 0 && kind == JSON_STRING)
            coach_reading_text(reading, kind, value);
        break;
    case INPUT:
    case X_GROQ_INPUT: coach_reading_count(&reading->input_tokens, kind, value); break;
    case OUTPUT:
    case X_GROQ_OUTPUT: coach_reading_count(&reading->output_tokens, kind, value); break;
    case WHOLE: /* nothing stands in the rest but the others */
    case CHOICES:
    case CHOICE:
    case DELTA:
    case MESSAGE:
    case USAGE:
    case X_GROQ:
    case X_GROQ_USAGE: break;
    }
}

const struct coach_wire coach_groq = {
    .name = "groq",
    .path = "/chat/completions",
    .models_path = "/models/",
    .key_scheme = "Bearer",
    .places = places,
    .place_count = sizeof(places) / sizeof(*places),
    .codes = codes,
    .weakest_streamed = COACH_FORM_NONE,
    /* Retired in August 2026 (https://console.groq.com/docs/deprecations), and what many
     * deployments have in their settings. */
    .retired_model = "llama-3.3-70b-versatile",
    .advice = "set_llm_model_to_openai/gpt-oss-120b",
    .strongest = strongest,
    .write = write_members,
    .write_form = write_form,
    .take = take,
};
