/*
 * What all calls of vendors over HTTP have in common: the URL and the key, one call, doctor's
 * question, and what a failure means, counts and leaves in the log.
 */
#include "provider_http_internal.h"

#include "buffer.h"
#include "clock.h"
#include "mem.h"
#include "private_reveal.h"

#include <stdlib.h>
#include <string.h>

#define AUTHORIZATION_MAX_BYTES 4096
#define PROBE_MAX_BYTES         (1024 * 1024)

/* Who has waited for so long has given any server its chance. */
#define PATIENCE_MS 5000

/* Whose line it is; what a call came to, where there was one. */
static void log_call(struct log_line *line, const struct provider *provider,
                     const struct call_answer *answer)
{
    log_word(line, LOG_PROVIDER, provider->name);
    if (*provider->host != '\0')
        log_word(line, LOG_HOST, provider->host);
    if (answer == NULL)
        return;
    log_word(line, LOG_OUTCOME, call_outcome_name(answer->outcome));
    if (answer->reason != NULL)
        log_word(line, LOG_REASON, answer->reason);
    if (answer->outcome == CALL_ANSWERED)
        log_number(line, LOG_PROVIDER_STATUS, answer->status);
    if (*answer->server_id != '\0')
        log_word(line, LOG_PROVIDER_REQUEST_ID, answer->server_id);
}

static void on_breaker(void *context, bool is_open, const struct call_answer *answer)
{
    const struct provider *provider = context;
    struct log_line *line = log_begin(provider->log, LOG_WARNING,
                                      is_open ? "breaker_opened" : "breaker_closed");

    log_word(line, LOG_ROLE, provider->role->name);
    log_word(line, LOG_MODEL, provider->model);
    log_call(line, provider, answer);
    log_end(line);
}

void provider_init(struct provider *provider, const struct provider_role *role,
                   const struct provider_tools *tools, const char *name,
                   const char *model, char *url, const int64_t *timeout_s)
{
    int64_t timeout_ms = *timeout_s * 1000;
    /* A little less: part of the time is gone before the first try begins. */
    int64_t whole_ms = timeout_ms - timeout_ms / 10;
    struct upstream_limits limits = {
        .retries = (unsigned)tools->settings->provider_retries,
        .breaker_threshold = (unsigned)tools->settings->breaker_failures,
        .patience_ms = whole_ms < PATIENCE_MS ? whole_ms : PATIENCE_MS,
    };

    provider->role = role;
    provider->name = name;
    provider->model = mem_copy_string(model);
    provider->url = url;
    provider->log = tools->log;
    provider->pool = tools->pool;
    provider->spans = tools->spans;
    provider->timeout_s = timeout_s;
    provider->meter = metrics_meter(tools->metrics, &(struct meter_name){
                                                        .role = role->name,
                                                        .provider = name,
                                                        .operation = role->operation,
                                                        .model = model,
                                                        .url = url,
                                                    });
    if (url == NULL)
        return;
    url_write_host(url, provider->host);
    provider->upstream = upstream_new(tools->pool, limits, provider->meter);
    upstream_watch(provider->upstream, on_breaker, provider);
}

void provider_done(struct provider *provider)
{
    upstream_free(provider->upstream);
    private_text_free(&provider->authorization);
    free(provider->url);
    free(provider->probe_url);
    free(provider->model);
}

static void append_encoded(struct buffer *url, const char *value)
{
    static const char digits[] = "0123456789ABCDEF";
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";

    for (; *value != '\0'; value++) {
        unsigned char byte = (unsigned char)*value;

        if (strchr(plain, *value) != NULL) {
            buffer_append_char(url, *value);
        } else {
            buffer_append_char(url, '%');
            buffer_append_char(url, digits[byte >> 4]);
            buffer_append_char(url, digits[byte & 15]);
        }
    }
}

char *provider_url(const char *base, const char *path, const char *value,
                   const char *tail)
{
    size_t base_length = strlen(base), length;
    struct buffer url;

    while (base_length > 0 && base[base_length - 1] == '/')
        base_length--;
    buffer_init(&url, base_length + strlen(path) + 3 * strlen(value) + strlen(tail));
    buffer_append(&url, base, base_length);
    buffer_append_string(&url, path);
    append_encoded(&url, value);
    buffer_append_string(&url, tail);
    return buffer_take(&url, &length);
}

struct private_text provider_authorization(const char *scheme,
                                           const struct private_text *key)
{
    struct span value = private_reveal(key);
    struct buffer out;

    while (value.length > 0 && (unsigned char)value.bytes[value.length - 1] <= ' ')
        value.length--;
    for (; value.length > 0 && (unsigned char)*value.bytes <= ' '; value.length--)
        value.bytes++;
    for (size_t i = 0; i < value.length; i++)
        if (value.bytes[i] < '!' || value.bytes[i] > '~')
            return (struct private_text){NULL, 0};

    buffer_init(&out, AUTHORIZATION_MAX_BYTES);
    if (value.length == 0 || !buffer_append_string(&out, scheme) ||
        !buffer_append_string(&out, *scheme != '\0' ? " " : "") ||
        !buffer_append(&out, value.bytes, value.length)) {
        buffer_done(&out);
        return (struct private_text){NULL, 0};
    }
    return private_text_take(&out);
}

const char *provider_or(const char *setting, const char *standard)
{
    return *setting != '\0' ? setting : standard;
}

/* ---- one call ---- */

struct errand provider_errand(const struct provider *provider,
                              const struct id *request_id, const struct trace *trace,
                              int64_t timeout_ms)
{
    int64_t most_ms = *provider->timeout_s * 1000;
    struct errand errand = {.request_id = *request_id};

    if (trace != NULL)
        errand.trace = trace_child(trace);
    if (timeout_ms > most_ms)
        timeout_ms = most_ms;
    errand.started_us = clock_monotonic_us();
    errand.deadline_us = errand.started_us + timeout_ms * 1000;
    return errand;
}

/* Of every request, doctor's too. */
static void identify(const struct provider *provider, struct call_request *request)
{
    if (!private_text_is_empty(&provider->authorization))
        request->authorization = &provider->authorization;
    request->authorization_name = provider->authorization_name;
    request->extra_header = provider->extra_header;
    request->extra_value = provider->extra_value;
}

struct upstream_call *provider_send(const struct provider *provider,
                                    const struct errand *errand,
                                    struct call_request *request, call_done_fn *done,
                                    void *context)
{
    int64_t left_ms = (errand->deadline_us - clock_monotonic_us()) / 1000;

    identify(provider, request);
    if (request->url == NULL)
        request->url = provider->url;
    request->request_id = &errand->request_id;
    request->trace = &errand->trace;
    request->timeout_ms = left_ms > 0 ? left_ms : 1;
    return upstream_call(provider->upstream, request, done, context);
}

struct upstream_call *provider_post(const struct provider *provider,
                                    const struct errand *errand, struct private_text json,
                                    size_t max_reply_bytes, call_done_fn *done,
                                    void *context)
{
    struct call_request request = {.content_type = "application/json",
                                   .body = json,
                                   .max_reply_bytes = max_reply_bytes};

    return provider_send(provider, errand, &request, done, context);
}

/* ---- doctor's question ---- */

struct probe {
    const struct provider *provider; /* borrowed */
    probe_done_fn *done;
    void *context; /* borrowed from the caller */
};

static void on_probed(void *context, struct call_answer answer)
{
    struct probe *probe = context;
    enum error error = provider_error(probe->provider, &answer);

    if (probe->provider->is_probe_optional &&
        (answer.status == 404 || answer.status == 405))
        error = OK;
    probe->done(probe->context, error,
                &(struct probe_reply){probe->provider->host, &answer});
    call_answer_free(&answer);
    free(probe);
}

void provider_probe(const struct provider *provider, probe_done_fn *done, void *context)
{
    struct probe *probe = MEM_NEW(struct probe);
    struct call_request request = {
        .url = provider->probe_url,
        .timeout_ms = *provider->timeout_s * 1000,
        .max_reply_bytes = PROBE_MAX_BYTES,
    };

    *probe = (struct probe){provider, done, context};
    identify(provider, &request);
    call_start(provider->pool, &request, on_probed, probe);
}

/* ---- failures ---- */

static enum error error_of_status(long status, const struct provider_errors *errors)
{
    if (status >= 200 && status <= 299)
        return OK;
    switch (status) {
    case 401:
    case 402: /* the account behind the key cannot pay */
    case 403: return errors->auth;
    case 404: return errors->not_found;
    case 400:
    case 413:
    case 415:
    case 422: return errors->bad_request;
    case 408: return errors->timeout;
    case 429:
    case 498: return errors->rate_limit; /* Groq: flex tier at its capacity */
    case 499: return errors->other;      /* Groq: cancelled, though not by us */
    default: return status >= 400 && status < 500 ? errors->unknown_4xx : errors->other;
    }
}

enum error provider_error(const struct provider *provider,
                          const struct call_answer *answer)
{
    const struct provider_errors *errors = &provider->role->errors;

    switch (answer->outcome) {
    case CALL_ANSWERED: return error_of_status(answer->status, errors);
    case CALL_TIMED_OUT: return errors->timeout;
    case CALL_UNREACHABLE:
    case CALL_BROKEN:
    case CALL_TOO_LARGE:
    case CALL_HELD_BACK: return errors->other;
    }
    abort();
}

/* Of an error that more than one thing may have come to. */
static enum call_result result_of_answer(const struct call_answer *answer)
{
    switch (answer->outcome) {
    case CALL_ANSWERED: break;
    case CALL_TIMED_OUT: return CALL_RESULT_TIMEOUT;
    case CALL_HELD_BACK: return CALL_RESULT_HELD_BACK;
    case CALL_UNREACHABLE:
    case CALL_BROKEN:
    case CALL_TOO_LARGE: return CALL_RESULT_PROVIDER_ERROR;
    }
    if (answer->status == 401 || answer->status == 403)
        return CALL_RESULT_AUTH;
    if (answer->status == 429)
        return CALL_RESULT_RATE_LIMITED;
    return answer->status >= 400 && answer->status < 500 ? CALL_RESULT_BAD_REQUEST
                                                         : CALL_RESULT_PROVIDER_ERROR;
}

enum call_result provider_result(enum error error, const struct call_answer *answer)
{
    switch (error) {
    case OK:
    case ERROR_STT_EMPTY_TRANSCRIPT: return CALL_RESULT_OK;
    case ERROR_LLM_TIMEOUT:
    case ERROR_STT_TIMEOUT:
    case ERROR_TTS_TIMEOUT: return CALL_RESULT_TIMEOUT;
    case ERROR_LLM_RATE_LIMIT:
    case ERROR_STT_RATE_LIMIT:
    case ERROR_TTS_RATE_LIMIT: return CALL_RESULT_RATE_LIMITED;
    case ERROR_LLM_AUTH_ERROR:
    case ERROR_STT_AUTH_ERROR:
    case ERROR_TTS_AUTH_ERROR: return CALL_RESULT_AUTH;
    case ERROR_LLM_BAD_REQUEST:
    case ERROR_LLM_MODEL_NOT_FOUND:
    case ERROR_STT_BAD_REQUEST:
    case ERROR_TTS_BAD_REQUEST: return CALL_RESULT_BAD_REQUEST;
    case ERROR_LLM_CONTENT_FILTER: return CALL_RESULT_CONTENT_FILTER;
    case ERROR_NULL_RESPONSE:
    case ERROR_EMPTY_RESPONSE: return CALL_RESULT_PROVIDER_ERROR;
    default: /* of the table's many other rows */
        return answer != NULL ? result_of_answer(answer) : CALL_RESULT_PROVIDER_ERROR;
    }
}

void provider_note(const struct provider *provider, const struct errand *errand,
                   enum error error, const struct call_answer *answer, const char *code)
{
    enum call_result result = provider_result(error, answer);
    struct log_line *line;

    meter_note_call(provider->meter, result, answer->duration_us);
    provider_note_span(provider, errand, error, answer);
    if (result != CALL_RESULT_OK) {
        provider_log_failure(provider, errand, error, answer, code);
        return;
    }
    line = log_begin(provider->log, LOG_DEBUG_LEVEL, "provider_answered");
    log_request(line, &errand->request_id, &errand->trace);
    log_call(line, provider, answer);
    log_end(line);
}

void provider_note_span(const struct provider *provider, const struct errand *errand,
                        enum error error, const struct call_answer *answer)
{
    enum call_result result = provider_result(error, answer);

    spans_note(provider->spans,
               &(struct span_note){
                   .name = provider->role->span,
                   .kind = provider->url != NULL ? SPAN_CLIENT : SPAN_INTERNAL,
                   .trace = &errand->trace,
                   .started_us = errand->started_us,
                   .error = result != CALL_RESULT_OK ? error_info(error)->code : NULL,
                   .meter = provider->meter,
                   .input_tokens = errand->input_tokens,
                   .output_tokens = errand->output_tokens,
                   .status = answer != NULL ? answer->status : 0,
                   .request_id = &errand->request_id,
               });
}

void provider_log_failure(const struct provider *provider, const struct errand *errand,
                          enum error error, const struct call_answer *answer,
                          const char *code)
{
    struct log_line *line = log_begin(provider->log, LOG_WARNING, provider->role->failed);

    log_request(line, &errand->request_id, &errand->trace);
    log_word(line, LOG_MODEL, provider->model);
    log_word(line, LOG_CODE, error_info(error)->code);
    log_call(line, provider, answer);
    if (code != NULL)
        log_word(line, LOG_PROVIDER_CODE, code);
    log_end(line);
}
