/*
 * note > queue > (a timer, or much has gathered) > take > write > send > on_answer > take ...
 *
 * The queue is behind a lock that is held for a copy at most; all else belongs to the loop's thread.
 */
#include "spans.h"

#include "call.h"
#include "clock.h"
#include "json.h"
#include "mem.h"
#include "names.h"
#include "private_reveal.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUEUE_MOST      4096
#define BATCH_MOST      512
#define BATCH_MAX_BYTES (1024 * 1024)
#define EVERY_MS        1000
#define CALL_MS         10000
#define FINISH_MS       2000
#define REPLY_MAX_BYTES 65536
#define HEADERS_MOST    2 /* that a call has room for */

/* A note with all that it pointed to. */
struct kept_span {
    struct span_note note;
    struct trace trace;
    struct id request_id, session_id;
    int64_t ended_us;
};

struct spans {
    struct loop *loop; /* borrowed, like the log */
    struct log *log;
    struct call_pool *pool; /* owned, like the texts */
    struct call *call;      /* owned; NULL: not pending */
    struct loop_timer *timer;
    char *url;
    struct {
        char *name; /* NULL: none */
        struct private_text value;
    } headers[HEADERS_MOST];
    const char *service; /* borrowed from the settings */
    struct kept_span batch[BATCH_MOST];
    size_t batch_count;
    bool is_finishing;
    bool is_away;         /* as the log has it */
    call_done_fn *probed; /* of spans_probe() */
    void *probed_context;

    pthread_mutex_t lock; /* over what follows */
    struct kept_span queue[QUEUE_MOST];
    size_t first, count;
    struct spans_counts counts;
};

static void tick(void *context);
static void send_batch(void *context);
static void on_answer(void *context, struct call_answer answer);

static bool is_hex(const char *digits)
{
    return isxdigit((unsigned char)digits[0]) && isxdigit((unsigned char)digits[1]);
}

static struct private_text decode(struct span encoded)
{
    struct buffer text;
    unsigned byte;

    buffer_init(&text, encoded.length);
    for (size_t at = 0; at < encoded.length; at++) {
        if (encoded.bytes[at] == '%' && at + 2 < encoded.length &&
            is_hex(encoded.bytes + at + 1) &&
            sscanf(encoded.bytes + at + 1, "%2x", &byte) == 1 && byte >= ' ' &&
            byte < 0x7f) {
            buffer_append_char(&text, (char)byte);
            at += 2;
        } else {
            buffer_append_char(&text, encoded.bytes[at]);
        }
    }
    return private_text_take(&text);
}

/* "name=value,name=value", percent-encoded; the settings have checked it. */
static void read_headers(struct spans *spans, const struct private_text *setting)
{
    const char *rest = private_reveal(setting).bytes;
    struct span entry;

    for (size_t at = 0; at < HEADERS_MOST && settings_next_entry(&rest, &entry); at++) {
        size_t length = strcspn(entry.bytes, "=");
        char *name = mem_realloc(NULL, length + 1);

        memcpy(name, entry.bytes, length);
        name[length] = '\0';
        spans->headers[at].name = name;
        spans->headers[at].value =
            decode((struct span){entry.bytes + length + 1, entry.length - length - 1});
    }
}

struct spans *spans_new(const struct settings *settings, struct loop *loop,
                        struct log *log)
{
    const char *endpoint = settings->otlp_endpoint;
    size_t length = strlen(endpoint);
    struct spans *spans;

    if (length == 0)
        return NULL;
    while (length > 0 && endpoint[length - 1] == '/')
        length--;
    spans = MEM_NEW(struct spans);
    spans->loop = loop;
    spans->log = log;
    spans->pool = call_pool_new(loop);
    spans->service = settings->otel_service_name;
    spans->url = mem_realloc(NULL, length + sizeof("/v1/traces"));
    snprintf(spans->url, length + sizeof("/v1/traces"), "%.*s/v1/traces", (int)length,
             endpoint);
    if (!private_text_is_empty(&settings->otlp_headers))
        read_headers(spans, &settings->otlp_headers);
    pthread_mutex_init(&spans->lock, NULL);
    spans->timer = loop_timer_start(loop, EVERY_MS, tick, spans);
    return spans;
}

void spans_note(struct spans *spans, const struct span_note *note)
{
    struct kept_span *kept;

    if (spans == NULL || !trace_is_recorded(note->trace))
        return;
    pthread_mutex_lock(&spans->lock);
    if (spans->count == QUEUE_MOST) {
        spans->counts.dropped++;
    } else {
        kept = &spans->queue[(spans->first + spans->count++) % QUEUE_MOST];
        *kept = (struct kept_span){
            .note = *note, .trace = *note->trace, .ended_us = clock_monotonic_us()};
        kept->trace.state = (struct span){0};
        if (note->request_id != NULL)
            kept->request_id = *note->request_id;
        if (note->session_id != NULL)
            kept->session_id = *note->session_id;
    }
    pthread_mutex_unlock(&spans->lock);
}

struct spans_counts spans_counts(struct spans *spans)
{
    struct spans_counts counts = {0};

    if (spans == NULL)
        return counts;
    pthread_mutex_lock(&spans->lock);
    counts = spans->counts;
    pthread_mutex_unlock(&spans->lock);
    return counts;
}

/* ---- a batch as JSON ---- */

static void put_text(struct json_writer *json, const char *key, const char *value)
{
    if (value == NULL || *value == '\0')
        return;
    json_begin_object(json);
    json_put_string(json, "key", key);
    json_put_object(json, "value");
    json_put_string(json, "stringValue", value);
    json_end_object(json);
    json_end_object(json);
}

/* 64-bit numbers are strings in OTLP's JSON (protobuf.dev, "ProtoJSON Format"). */
static void put_quoted(struct json_writer *json, const char *key, int64_t value)
{
    char digits[SPAN_NUMBER_BYTES];

    json_put_span(json, key, span_of_number(value, digits));
}

static void put_number(struct json_writer *json, const char *key, int64_t value)
{
    if (value <= 0)
        return;
    json_begin_object(json);
    json_put_string(json, "key", key);
    json_put_object(json, "value");
    put_quoted(json, "intValue", value);
    json_end_object(json);
    json_end_object(json);
}

static void put_attributes(struct json_writer *json, const struct kept_span *span)
{
    const struct span_note *note = &span->note;
    const struct meter *meter = note->meter;

    json_put_array(json, "attributes");
    put_text(json, "error.type", note->error);
    put_text(json, "http.request.method", note->method);
    put_text(json, "http.route", note->route);
    put_number(json, "http.response.status_code", note->status);
    put_text(json, "poise.request_id", span->request_id.text);
    put_text(json, "gen_ai.conversation.id", span->session_id.text);
    if (meter != NULL) {
        put_text(json, "gen_ai.operation.name", meter->operation);
        put_text(json, "gen_ai.provider.name", meter_conventional_provider(meter));
        put_text(json, "gen_ai.request.model", meter->model);
        put_number(json, "gen_ai.usage.input_tokens", note->input_tokens);
        put_number(json, "gen_ai.usage.output_tokens", note->output_tokens);
        put_text(json, "server.address", meter->host);
        put_number(json, "server.port", strtoll(meter->port, NULL, 10));
    }
    json_end_array(json);
}

static void put_span(struct json_writer *json, const struct kept_span *span,
                     int64_t wall_behind_us)
{
    json_begin_object(json);
    json_put_string(json, "traceId", span->trace.id);
    json_put_string(json, "spanId", span->trace.span);
    if (span->trace.parent[0] != '\0')
        json_put_string(json, "parentSpanId", span->trace.parent);
    json_put_string(json, "name", span->note.name);
    json_put_integer(json, "kind", span->note.kind);
    put_quoted(json, "startTimeUnixNano",
               (span->note.started_us + wall_behind_us) * 1000);
    put_quoted(json, "endTimeUnixNano", (span->ended_us + wall_behind_us) * 1000);
    put_attributes(json, span);
    json_put_object(json, "status");
    if (span->note.error != NULL)
        json_put_integer(json, "code", 2);
    json_end_object(json);
    json_end_object(json);
}

static struct private_text write_batch(const struct spans *spans)
{
    int64_t wall_behind_us = clock_wall_ms() * 1000 - clock_monotonic_us();
    struct json_writer json;
    struct buffer out;

    buffer_init(&out, BATCH_MAX_BYTES);
    json_writer_init(&json, &out);
    json_begin_object(&json);
    json_put_array(&json, "resourceSpans");
    json_begin_object(&json);
    json_put_object(&json, "resource");
    json_put_array(&json, "attributes");
    put_text(&json, "service.name", spans->service);
    put_text(&json, "service.version", version());
    json_end_array(&json);
    json_end_object(&json);
    json_put_array(&json, "scopeSpans");
    json_begin_object(&json);
    json_put_object(&json, "scope");
    json_put_string(&json, "name", "poise");
    json_end_object(&json);
    json_put_array(&json, "spans");
    for (size_t at = 0; at < spans->batch_count; at++)
        put_span(&json, &spans->batch[at], wall_behind_us);
    json_end_array(&json);
    json_end_object(&json);
    json_end_array(&json);
    json_end_object(&json);
    json_end_array(&json);
    json_end_object(&json);
    return private_text_take(&out);
}

/* ---- sending ---- */

static void take_batch(struct spans *spans)
{
    spans->batch_count = 0;
    pthread_mutex_lock(&spans->lock);
    while (spans->count > 0 && spans->batch_count < BATCH_MOST) {
        spans->batch[spans->batch_count++] = spans->queue[spans->first];
        spans->first = (spans->first + 1) % QUEUE_MOST;
        spans->count--;
    }
    pthread_mutex_unlock(&spans->lock);
}

static void count_batch(struct spans *spans, bool is_sent)
{
    pthread_mutex_lock(&spans->lock);
    *(is_sent ? &spans->counts.sent : &spans->counts.dropped) +=
        (int64_t)spans->batch_count;
    pthread_mutex_unlock(&spans->lock);
    spans->batch_count = 0;
}

static void tick(void *context)
{
    struct spans *spans = context;

    spans->timer = loop_timer_start(spans->loop, EVERY_MS, tick, spans);
    if (spans->call == NULL)
        send_batch(spans);
}

static void post(struct spans *spans, call_done_fn *done)
{
    struct call_request request = {
        .url = spans->url,
        .content_type = "application/json",
        .body = write_batch(spans),
        .timeout_ms = spans->is_finishing ? FINISH_MS : CALL_MS,
        .max_reply_bytes = REPLY_MAX_BYTES,
    };

    if (spans->headers[0].name != NULL) {
        request.authorization_name = spans->headers[0].name;
        request.authorization = &spans->headers[0].value;
    }
    if (spans->headers[1].name != NULL) {
        request.extra_header = spans->headers[1].name;
        request.extra_value = private_reveal(&spans->headers[1].value).bytes;
    }
    spans->call = call_start(spans->pool, &request, done, spans);
}

static void on_probed(void *context, struct call_answer answer)
{
    struct spans *spans = context;

    spans->call = NULL;
    spans->probed(spans->probed_context, answer);
}

void spans_probe(struct spans *spans, call_done_fn *done, void *context)
{
    loop_timer_cancel(spans->timer);
    spans->timer = NULL;
    spans->probed = done;
    spans->probed_context = context;
    post(spans, on_probed);
}

static void send_batch(void *context)
{
    struct spans *spans = context;

    take_batch(spans);
    if (spans->batch_count > 0)
        post(spans, on_answer);
    else if (spans->is_finishing)
        loop_stop(spans->loop);
}

static void tell_log(struct spans *spans, const struct call_answer *answer, bool is_away)
{
    struct log_line *line;

    if (is_away == spans->is_away)
        return;
    spans->is_away = is_away;
    line =
        log_begin(spans->log, LOG_WARNING, is_away ? "collector_away" : "collector_back");
    log_word(line, LOG_OUTCOME, call_outcome_name(answer->outcome));
    if (answer->reason != NULL)
        log_word(line, LOG_REASON, answer->reason);
    if (answer->status > 0)
        log_number(line, LOG_PROVIDER_STATUS, answer->status);
    log_end(line);
}

/* A collector that is away loses what it was sent; the next batch asks whether it is back. */
static void on_answer(void *context, struct call_answer answer)
{
    struct spans *spans = context;
    bool is_sent = answer.outcome == CALL_ANSWERED && answer.status / 100 == 2;

    spans->call = NULL;
    tell_log(spans, &answer, !is_sent);
    call_answer_free(&answer);
    count_batch(spans, is_sent);
    if (is_sent)
        send_batch(spans);
    else if (spans->is_finishing)
        loop_stop(spans->loop);
}

static void give_up(void *context)
{
    struct spans *spans = context;

    spans->timer = NULL;
    loop_stop(spans->loop);
}

void spans_finish(struct spans *spans)
{
    if (spans == NULL)
        return;
    spans->is_finishing = true;
    loop_timer_cancel(spans->timer);
    spans->timer = loop_timer_start(spans->loop, FINISH_MS, give_up, spans);
    if (spans->call == NULL)
        loop_later(spans->loop, send_batch, spans);
    loop_run(spans->loop);
}

void spans_free(struct spans *spans)
{
    if (spans == NULL)
        return;
    loop_timer_cancel(spans->timer);
    call_cancel(spans->call);
    call_pool_free(spans->pool);
    for (size_t at = 0; at < HEADERS_MOST; at++) {
        private_text_free(&spans->headers[at].value);
        free(spans->headers[at].name);
    }
    free(spans->url);
    pthread_mutex_destroy(&spans->lock);
    free(spans);
}
