/*
 * GET /openapi.json: the OpenAPI 3.1 description of the service, written by hand in openapi.json beside
 * this file and compiled in, but for the errors, which come from tables/errors.def.
 */
#include "errors.h"
#include "json.h"
#include "names.h"
#include "request_internal.h"
#include "span.h"

#include <stdbool.h>
#include <string.h>

#define MAX_BYTES (256 * 1024)

/* openapi.json, compiled in (services/embedded.cmake). */
extern const char embedded_openapi[];
extern const char embedded_openapi_end[];

static void write_version(struct json_writer *json);
static void write_stages(struct json_writer *json);
static void write_error_codes(struct json_writer *json);
static void write_warning_codes(struct json_writer *json);
static void write_errors(struct json_writer *json);

/* What openapi.json leaves open, each written there as a string. */
static const struct {
    const char *name;
    void (*write)(struct json_writer *json);
} blanks[] = {
    {"\"$version\"", write_version},         {"\"$stages\"", write_stages},
    {"\"$error_codes\"", write_error_codes}, {"\"$warning_codes\"", write_warning_codes},
    {"\"$errors\"", write_errors},
};

/* Fills in the blank at `at`.  Returns its length; 0: there is none. */
static size_t fill_in(const char *at, size_t length, struct buffer *out)
{
    for (size_t i = 0; i < sizeof(blanks) / sizeof(blanks[0]); i++) {
        size_t blank = strlen(blanks[i].name);
        struct json_writer json;

        if (blank > length || memcmp(at, blanks[i].name, blank) != 0)
            continue;
        json_writer_init(&json, out);
        blanks[i].write(&json);
        return blank;
    }
    return 0;
}

static void openapi_write(struct buffer *ret_text)
{
    const char *at = embedded_openapi;
    const char *end = embedded_openapi_end;

    buffer_init(ret_text, MAX_BYTES);
    while (at < end) {
        const char *next = memmem(at, (size_t)(end - at), "\"$", 2);
        size_t blank;

        if (next == NULL)
            next = end;
        buffer_append(ret_text, at, (size_t)(next - at));
        blank = fill_in(next, (size_t)(end - next), ret_text);
        if (blank == 0 && next < end) /* "$ref" */
            buffer_append_char(ret_text, *next++);
        at = next + blank;
    }
}

static void write_version(struct json_writer *json)
{
    json_string(json, version());
}

static void write_stages(struct json_writer *json)
{
    for (enum stage stage = 0; stage < STAGE_COUNT; stage++)
        json_string(json, stage_name(stage));
}

static void write_error_codes(struct json_writer *json)
{
    for (enum error error = OK + 1; error < ERROR_COUNT; error++) {
        if (error_info(error)->http_status != 0)
            json_string(json, error_info(error)->code);
    }
}

/* Those of warnings.def, and the errors that only ever are warnings. */
static void write_warning_codes(struct json_writer *json)
{
    for (enum warning warning = 0; warning < WARNING_COUNT; warning++)
        json_string(json, warning_info(warning)->code);
    for (enum error error = OK + 1; error < ERROR_COUNT; error++) {
        if (error_info(error)->http_status == 0)
            json_string(json, error_info(error)->code);
    }
}

static void write_errors(struct json_writer *json)
{
    for (enum error error = OK + 1; error < ERROR_COUNT; error++) {
        const struct error_info *info = error_info(error);

        if (info->http_status == 0)
            continue;
        json_begin_object(json);
        json_put_string(json, "code", info->code);
        json_put_string(json, "stage", stage_name(info->stage));
        json_put_integer(json, "status", info->http_status);
        json_put_boolean(json, "retryable", info->retryable);
        json_put_string(json, "message_safe", info->message_safe);
        json_end_object(json);
    }
}

static void finish(struct request *request);

const struct endpoint ENDPOINT_OPENAPI = {.finish = finish};

static void finish(struct request *request)
{
    struct buffer text;

    openapi_write(&text);
    request_answer_raw(request, "application/json", &text);
}
