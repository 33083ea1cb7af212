/*
 * The life of one transcription over HTTP.
 *
 *   start > send > on_reply > done
 *            ^________|   once, where the vendor has something else to try
 *
 * Every path but cancel() ends in on_reply().
 */
#include "transcriber_http_internal.h"

#include "clock.h"
#include "json.h"
#include "mem.h"
#include "private_reveal.h"

#include <stdlib.h>
#include <string.h>

#define REPLY_MAX_BYTES (4 * 1024 * 1024)
#define REPLY_MAX_DEPTH 32

static const struct provider_errors stt_errors = {
    .timeout = ERROR_STT_TIMEOUT,
    .rate_limit = ERROR_STT_RATE_LIMIT,
    .auth = ERROR_STT_AUTH_ERROR,
    .bad_request = ERROR_STT_BAD_REQUEST,
    .other = ERROR_STT_PROVIDER_ERROR,
};

struct transcriber_call {
    struct transcriber_http *http; /* borrowed */
    struct upstream_call *call;    /* owned; NULL: not pending */
    transcriber_done_fn *done;
    void *context; /* borrowed from whom asked */
    struct id request_id;
    struct trace trace;
    char content_type[TRANSCRIBER_TYPE_BYTES];
    bool is_second;
    int64_t deadline_us;
};

static struct transcriber_call *start(struct transcriber *transcriber,
                                      struct transcriber_ask *ask,
                                      transcriber_done_fn *done, void *context);
static void send_request(struct transcriber_call *self, struct private_text body);
static void on_reply(void *context, struct call_answer answer);
static bool send_again(struct transcriber_call *self, struct call_answer *answer);
static enum error read_transcript(const struct transcriber_http *http, struct span body,
                                  struct transcript *transcript);
static void cancel(struct transcriber_call *call);
static void http_free(struct transcriber *transcriber);
static void http_probe(struct transcriber *transcriber, transcriber_probe_done_fn *done,
                       void *context);

static struct transcriber_call *start(struct transcriber *transcriber,
                                      struct transcriber_ask *ask,
                                      transcriber_done_fn *done, void *context)
{
    struct transcriber_http *http = (struct transcriber_http *)transcriber;
    struct transcriber_call *self = MEM_NEW(struct transcriber_call);
    int64_t timeout_ms = http->settings->stt_timeout_s * 1000;
    struct transcriber_request request;

    if (ask->timeout_ms < timeout_ms)
        timeout_ms = ask->timeout_ms;
    self->http = http;
    self->done = done;
    self->context = context;
    self->request_id = ask->request_id;
    self->trace = ask->trace;
    self->deadline_us = clock_monotonic_us() + timeout_ms * 1000;
    http->write(http, ask, &request);
    memcpy(self->content_type, request.content_type, sizeof(self->content_type));
    send_request(self, request.body);
    return self;
}

/* Takes the body over. */
static void send_request(struct transcriber_call *self, struct private_text body)
{
    self->call =
        provider_post(&self->http->provider, self->content_type, body, &self->request_id,
                      &self->trace, self->deadline_us, REPLY_MAX_BYTES, on_reply, self);
}

static void on_reply(void *context, struct call_answer answer)
{
    struct transcriber_call *self = context;
    struct transcriber_http *http = self->http;
    struct transcript transcript = {
        .confidence = -1, .duration_ms = -1, .retry_after_s = -1};
    enum error error = provider_error(&answer, &stt_errors);

    self->call = NULL;
    if (error == OK)
        error = read_transcript(http, private_reveal(&answer.body), &transcript);
    provider_report(&http->provider, &self->request_id, error, &answer);
    if (error == ERROR_STT_BAD_REQUEST && send_again(self, &answer))
        return;
    if (error == ERROR_STT_RATE_LIMIT || answer.outcome == CALL_HELD_BACK)
        transcript.retry_after_s = answer.retry_after_s;
    call_answer_free(&answer);
    self->done(self->context, error, transcript);
    free(self);
}

static bool send_again(struct transcriber_call *self, struct call_answer *answer)
{
    const struct transcriber_http *http = self->http;
    struct private_text body;

    if (self->is_second || http->rewrite == NULL ||
        !http->rewrite(http, private_reveal(&answer->body), &answer->request_body))
        return false;
    self->is_second = true;
    body = answer->request_body;
    answer->request_body = (struct private_text){NULL, 0};
    call_answer_free(answer);
    send_request(self, body);
    return true;
}

static enum error read_transcript(const struct transcriber_http *http, struct span body,
                                  struct transcript *transcript)
{
    struct json_object *reply = json_parse(body.bytes, body.length, REPLY_MAX_DEPTH);
    enum error error = http->read(reply, transcript);

    json_wipe_and_put(reply);

    if (error == OK && !private_text_is_valid(&transcript->text))
        error = ERROR_STT_PROVIDER_ERROR;
    if (error == OK && private_text_is_blank(&transcript->text))
        error = ERROR_STT_EMPTY_TRANSCRIPT;
    if (error != OK)
        transcript_free(transcript);
    return error;
}

static void cancel(struct transcriber_call *call)
{
    if (call == NULL)
        return;
    upstream_cancel(call->call);
    free(call);
}

static void http_free(struct transcriber *transcriber)
{
    struct transcriber_http *http = (struct transcriber_http *)transcriber;

    provider_done(&http->provider);
    free(http);
}

static void http_probe(struct transcriber *transcriber, transcriber_probe_done_fn *done,
                       void *context)
{
    struct transcriber_http *http = (struct transcriber_http *)transcriber;

    provider_probe(&http->provider, &stt_errors, http->settings->stt_timeout_s * 1000,
                   done, context);
}

struct transcriber_http *transcriber_http_new(const char *name, const char *model,
                                              char *url, const struct settings *settings,
                                              struct call_pool *pool, struct log *log,
                                              struct metrics *metrics)
{
    struct transcriber_http *http = MEM_NEW(struct transcriber_http);

    http->transcriber = (struct transcriber){.name = name,
                                             .start = start,
                                             .cancel = cancel,
                                             .free = http_free,
                                             .probe = http_probe,
                                             .url = url};
    http->settings = settings;
    http->provider = (struct provider){
        .name = name,
        .model = model,
        .event = "transcriber_failed",
        .pool = pool,
        .log = log,
        .url = url,
    };
    provider_connect(&http->provider, settings, metrics, "transcriber", NULL,
                     settings->stt_timeout_s);
    return http;
}
