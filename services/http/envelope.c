/*
 * The only writer of replies: {"data","error","request_id"} and the headers that go with them.
 */
#include "envelope_internal.h"

#include "json.h"
#include "private_reveal.h"

#include <stdio.h>
#include <string.h>

#define MAX_ENVELOPE_BYTES (1024 * 1024) /* beside data that is longer */
/* The envelope without data, message and details: less than this. */
#define FRAME_BYTES 512

/*
 * Whole seconds, on every retryable 429 and 503 and on usage_cap_reached; 0: none.  Where
 * nobody said how long: an hour for a cap of the day, two seconds for what passes
 * quickly.  Another error has it where somebody knows: a provider is left alone for so
 * long, and to come back sooner is of no use.
 */
static int64_t retry_after_s(const struct answer *answer)
{
    const struct error_info *info;

    if (answer->error == OK)
        return 0;
    info = error_info(answer->error);
    if (answer->error == ERROR_USAGE_CAP_REACHED)
        return answer->retry_after_s > 0 ? answer->retry_after_s : 3600;
    if (!info->retryable)
        return 0;
    if (answer->retry_after_s > 0)
        return answer->retry_after_s;
    return info->http_status == 429 || info->http_status == 503 ? 2 : 0;
}

/* What the whole is, where no part of it was sent (RFC 9110 14.4). */
static void add_content_range(struct response *response, int64_t complete_bytes)
{
    struct buffer text;

    buffer_init(&text, 64);
    buffer_append_string(&text, "bytes */");
    buffer_append_number(&text, complete_bytes);
    response_header_copy(response, "Content-Range",
                         (struct span){text.bytes, text.length});
    buffer_done(&text);
}

/* "upload;dur=1.2, stt;dur=0.0, ..., total;dur=512.7" (W3C Server Timing), in
 * milliseconds. */
static void add_server_timing(struct response *response,
                              const struct turn_timings *timings)
{
    static const char *const names[] = {
#define TIMING(symbol, name) name ";dur=",
#include "metric_labels.def"
    };
    struct buffer text;

    buffer_init(&text, 256);
    for (int part = 0; part < TIMING_COUNT; part++) {
        buffer_append_string(&text, part > 0 ? ", " : "");
        buffer_append_string(&text, names[part]);
        buffer_append_number(&text, timings->us[part] / 1000);
        buffer_append_char(&text, '.');
        buffer_append_char(&text, (char)('0' + timings->us[part] % 1000 / 100));
    }
    response_header_copy(response, "Server-Timing",
                         (struct span){text.bytes, text.length});
    buffer_done(&text);
}

void envelope_make(struct response *response, const struct envelope_reader *reader,
                   const struct answer *answer)
{
    const struct error_info *info =
        answer->error == OK ? NULL : error_info(answer->error);
    int64_t wait_s = retry_after_s(answer);

    size_t data_bytes = info == NULL ? answer->data->length : 0;

    response_init(response, info != NULL ? info->http_status : 200,
                  MAX_ENVELOPE_BYTES + data_bytes);
    envelope_write(&response->body, reader->request_id, answer);
    response_header(response, "Content-Type", "application/json; charset=utf-8");
    envelope_common_headers(response, reader);
    if (info != NULL)
        response_header(response, "X-Stage", stage_name(info->stage));
    if (wait_s > 0)
        response_header_number(response, "Retry-After", wait_s);
    if (answer->error == ERROR_METHOD_NOT_ALLOWED && answer->allow != NULL)
        response_header(response, "Allow", answer->allow);
    if (answer->vary != NULL)
        response_header(response, "Vary", answer->vary);
    if (answer->error == ERROR_RANGE_NOT_SATISFIABLE)
        add_content_range(response, answer->complete_bytes);
    if (answer->error == ERROR_INVALID_TOKEN)
        response_header(response, "WWW-Authenticate", "Bearer");
    if (answer->is_replay)
        response_header(response, "Idempotent-Replayed", "true");
    if (answer->timings != NULL)
        add_server_timing(response, answer->timings);
}

void envelope_common_headers(struct response *response,
                             const struct envelope_reader *reader)
{
    response_header(response, "Cache-Control", "no-store");
    envelope_cacheable_headers(response, reader);
}

/* `"turns";q=30;w=60` and `"turns";r=29;t=2`: draft-ietf-httpapi-ratelimit-headers-10. */
static void add_rate(struct response *response, const struct rate *rate)
{
    char text[96];
    int length;

    length = snprintf(text, sizeof(text), "\"%s\";q=%lld;w=60", rate->name,
                      (long long)rate->quota);
    response_header_copy(response, "RateLimit-Policy",
                         (struct span){text, (size_t)length});
    length = snprintf(text, sizeof(text), "\"%s\";r=%lld;t=%lld", rate->name,
                      (long long)rate->remaining, (long long)rate->reset_s);
    response_header_copy(response, "RateLimit", (struct span){text, (size_t)length});
}

void envelope_cacheable_headers(struct response *response,
                                const struct envelope_reader *reader)
{
    response_header(response, "X-Request-ID", reader->request_id->text);
    response_header(response, "X-Content-Type-Options", "nosniff");
    response_header(response, "Vary", "Origin");
    if (reader->rate != NULL && reader->rate->quota > 0)
        add_rate(response, reader->rate);
    if (reader->allowed_origin.length > 0) {
        response_header_copy(response, "Access-Control-Allow-Origin",
                             reader->allowed_origin);
        response_header(response, "Access-Control-Expose-Headers",
                        "X-Request-ID, Retry-After, RateLimit, RateLimit-Policy, "
                        "Server-Timing, Content-Range, Accept-Ranges");
    }
}

void envelope_make_options(struct response *response,
                           const struct envelope_reader *reader, const char *allow)
{
    response_init(response, 204, 0);
    envelope_common_headers(response, reader);
    response_header(response, "Allow", allow);
    if (reader->allowed_origin.length > 0) {
        response_header(response, "Access-Control-Allow-Methods", allow);
        response_header(response, "Access-Control-Allow-Headers",
                        "Authorization, Content-Type, X-Request-ID, Idempotency-Key, "
                        "traceparent, tracestate");
        response_header(response, "Access-Control-Max-Age", "600");
    }
}

static void write_error(struct json_writer *json, const struct answer *answer)
{
    const struct error_info *info = error_info(answer->error);

    json_begin_object(json);
    json_put_string(json, "stage", stage_name(info->stage));
    json_put_string(json, "code", info->code);
    json_key(json, "message_safe");
    if (answer->message != NULL && !private_text_is_empty(answer->message))
        json_private(json, answer->message);
    else
        json_string(json, info->message_safe);
    json_put_boolean(json, "retryable", info->retryable);
    json_key(json, "details");
    if (answer->details != NULL && !private_text_is_empty(answer->details)) {
        struct span details = private_reveal(answer->details);

        json_raw(json, details.bytes, details.length);
    } else {
        json_null(json);
    }
    json_end_object(json);
}

void envelope_write(struct buffer *out, const struct id *request_id,
                    const struct answer *answer)
{
    struct span data = {NULL, 0};
    struct json_writer json;

    if (answer->error == OK)
        data = private_reveal(answer->data);
    buffer_reserve(out, FRAME_BYTES + data.length); /* so that it grows once */
    json_writer_init(&json, out);
    json_begin_object(&json);
    json_key(&json, "data");
    if (answer->error == OK)
        json_raw(&json, data.bytes, data.length);
    else
        json_null(&json);
    json_key(&json, "error");
    if (answer->error == OK)
        json_null(&json);
    else
        write_error(&json, answer);
    json_put_string(&json, "request_id", request_id->text);
    json_end_object(&json);
}
