#include "expect.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

#define UPLOAD  "upload"
#define STT     "stt"
#define LLM     "llm"
#define TTS     "tts"
#define UNKNOWN "unknown"
#define RETRY   true
#define FINAL   false

static const struct error_row ROWS[] = {
#define ERROR(symbol, stage, code, status, retry, message) \
    {#symbol, stage, code, status, retry, message},
#include "errors.def"
};

static const char FILTER_MESSAGE[] =
    "Your response couldn't be processed. Please rephrase your answer to focus on the "
    "interview question.";

const struct error_row *error_row(enum expected_error error)
{
    return &ROWS[error];
}

static const struct error_row *row_of_code(const char *code)
{
    for (size_t i = 0; i < EXPECTED_ERROR_COUNT; i++) {
        if (code && strcmp(ROWS[i].code, code) == 0)
            return &ROWS[i];
    }
    return NULL;
}

static bool is_uuid(const char *text)
{
    for (size_t i = 0; i < 36; i++) {
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? text[i] != '-'
                    : !strchr("0123456789abcdefABCDEF", text[i]) || !text[i])
            return false;
    }
    return text[36] == '\0';
}

static const char *error_fault(const struct reply *reply, struct json_object *error)
{
    const char *code = json_object_get_string(json_at(error, "code"));
    const struct error_row *row = row_of_code(code);
    char value[64];

    if (!row)
        return "an error code that is not in the table";
    if (reply->status != row->status)
        return "the status is not the code's";
    if (json_object_object_length(error) != 5 || !json_has(error, "details"))
        return "error must have stage, code, message_safe, retryable and details";
    if (strcmp(json_object_get_string(json_at(error, "stage")), row->stage) != 0)
        return "the stage is not the code's";
    if (json_object_get_boolean(json_at(error, "retryable")) != row->is_retryable)
        return "retryable is not the code's";
    if (!json_object_get_string_len(json_at(error, "message_safe")))
        return "message_safe is empty";
    if (json_at(error, "details") &&
        !json_object_is_type(json_at(error, "details"), json_type_object))
        return "details is neither an object nor null";
    if (!reply_header(reply, "X-Stage", value, sizeof value) ||
        strcmp(value, row->stage) != 0)
        return "X-Stage is not the stage";
    bool must_wait = row->is_retryable && (row->status == 429 || row->status == 503);
    value[0] = '\0';
    reply_header(reply, "Retry-After", value, sizeof value);
    if (must_wait && value[0] == '\0')
        return "no Retry-After on a retryable 429 or 503";
    if (value[strspn(value, "0123456789")] != '\0')
        return "Retry-After is not whole seconds";
    if (bytes_has(&reply->body, CANARY) || bytes_has(&reply->head, CANARY))
        return "an error that repeats the candidate's words";
    return NULL;
}

const char *envelope_fault(const struct reply *reply)
{
    char id[64] = "";
    char type[64] = "";

    if (!reply)
        return "no whole response came";
    if (!json_object_is_type(reply->json, json_type_object))
        return "the body is not one JSON object";
    if (json_object_object_length(reply->json) != 3 || !json_has(reply->json, "data") ||
        !json_has(reply->json, "error") || !json_has(reply->json, "request_id"))
        return "the keys are not exactly data, error and request_id";
    struct json_object *data = json_at(reply->json, "data");
    struct json_object *error = json_at(reply->json, "error");
    if (!data == !error || !json_object_is_type(data ? data : error, json_type_object))
        return "not exactly one of data and error is an object";
    reply_header(reply, "X-Request-ID", id, sizeof id);
    if (reply_header_count(reply, "X-Request-ID") != 1 || !is_uuid(id))
        return "X-Request-ID is not one UUID";
    if (strcmp(json_object_get_string(json_at(reply->json, "request_id")), id) != 0)
        return "request_id is not X-Request-ID";
    reply_header(reply, "Content-Type", type, sizeof type);
    if (strncmp(type, "application/json", strlen("application/json")) != 0)
        return "Content-Type is not application/json";
    if (bytes_has(&reply->body, SECRET_KEY) || bytes_has(&reply->body, GROQ_KEY) ||
        bytes_has(&reply->body, DEEPGRAM_KEY))
        return "a secret in the body";
    if ((reply->status / 100 == 2) != (data != NULL))
        return "the status does not match data or error";
    return error ? error_fault(reply, error) : NULL;
}

void expect_envelope(const struct reply *reply)
{
    const char *fault = envelope_fault(reply);

    cr_assert_null(fault, "%s:\n%s\n%s", fault, reply ? reply->head.data : "",
                   reply && reply->body.data ? reply->body.data : "");
}

static void expect_row(const struct reply *reply, const struct error_row *row)
{
    expect_envelope(reply);
    cr_assert(reply->status == row->status, "expected %s (%d), got %d:\n%s", row->code,
              row->status, reply->status, reply->body.data);
    expect_text(reply, "error.code", row->code);
}

void expect_error(const struct reply *reply, enum expected_error error)
{
    expect_row(reply, &ROWS[error]);
    expect_text(reply, "error.message_safe", ROWS[error].message);
}

void expect_filter_refusal(const struct reply *reply, const char *category)
{
    expect_row(reply, &ROWS[ERROR_CONTENT_REFUSED]);
    expect_text(reply, "error.message_safe", FILTER_MESSAGE);
    expect_text(reply, "error.details.source", "filter");
    expect_text(reply, "error.details.category", category);
    const char *ruleset = text_at(reply, "error.details.ruleset");
    cr_assert(ruleset[0] != '\0' && strlen(ruleset) <= 64);
}

void expect_model_refusal(const struct reply *reply, const char *message)
{
    expect_row(reply, &ROWS[ERROR_CONTENT_REFUSED]);
    expect_text(reply, "error.message_safe", message);
    expect_text(reply, "error.details.source", "model");
}

void expect_usage_cap(const struct reply *reply, const char *cap)
{
    const char *message = ROWS[ERROR_USAGE_CAP_REACHED].message;

    expect_row(reply, &ROWS[ERROR_USAGE_CAP_REACHED]);
    expect_text(reply, "error.details.cap", cap);
    if (strcmp(cap, "audio") == 0)
        message = "The limit for spoken answers today is reached. You can still type "
                  "your answer.";
    if (strcmp(cap, "sessions") == 0)
        message = "Too many interviews are open from your network. Please finish one of "
                  "them, or come back later.";
    expect_text(reply, "error.message_safe", message);
}

void expect_success(const struct reply *reply)
{
    expect_envelope(reply);
    cr_assert(reply->status == 200, "expected success, got %d:\n%s", reply->status,
              reply->body.data);
}

static bool is_named(struct json_object *entry, const char *field)
{
    const char *name = json_object_get_string(json_at(entry, "field"));
    const char *reason = json_object_get_string(json_at(entry, "reason"));
    size_t size = strcspn(field, ":");

    return name && reason && strlen(name) == size && strncmp(name, field, size) == 0 &&
           (field[size] == '\0' || strcmp(reason, field + size + 1) == 0);
}

void expect_bad_fields(const struct reply *reply, const char *const *fields)
{
    expect_error(reply, ERROR_VALIDATION_ERROR);
    struct json_object *errors = json_at(reply->json, "error.details.errors");
    size_t count = 0;

    cr_assert(json_object_is_type(errors, json_type_array), "no details.errors:\n%s",
              reply->body.data);
    for (; fields[count]; count++) {
        bool found = false;
        for (size_t i = 0; i < json_object_array_length(errors); i++)
            found =
                found || is_named(json_object_array_get_idx(errors, i), fields[count]);
        cr_assert(found, "%s is not among the bad fields:\n%s", fields[count],
                  reply->body.data);
    }
    cr_assert(json_object_array_length(errors) == count, "more bad fields than %zu:\n%s",
              count, reply->body.data);
}
