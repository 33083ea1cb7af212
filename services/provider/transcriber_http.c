/*
 * The life of one transcription over HTTP.
 *
 *   start > send > on_reply > done
 *            ^________|   once, where the vendor has something else to try
 *
 * Every path but cancel() ends in on_reply().
 */
#include "transcriber_http_internal.h"

#include "json.h"
#include "mem.h"
#include "private_reveal.h"

#include <stdlib.h>
#include <string.h>

#define REPLY_MAX_BYTES (4 * 1024 * 1024)
#define REPLY_MAX_DEPTH 32

static const struct provider_role transcriber_role = {
    .name = "transcriber",
    .span = "hear",
    .failed = "transcriber_failed",
    .errors = {.timeout = ERROR_STT_TIMEOUT,
               .rate_limit = ERROR_STT_RATE_LIMIT,
               .auth = ERROR_STT_AUTH_ERROR,
               .not_found = ERROR_STT_PROVIDER_ERROR,
               .bad_request = ERROR_STT_BAD_REQUEST,
               .unknown_4xx = ERROR_STT_PROVIDER_ERROR,
               .other = ERROR_STT_PROVIDER_ERROR},
};

struct transcriber_call {
    struct transcriber_http *http; /* borrowed */
    struct upstream_call *call;    /* owned; NULL: not pending */
    transcriber_done_fn *done;
    void *context; /* borrowed from the caller */
    struct errand errand;
    char content_type[TRANSCRIBER_TYPE_BYTES];
    bool is_second;
};

static call_done_fn on_reply;

/* Takes the body over. */
static void send_request(struct transcriber_call *self, struct private_text body)
{
    struct call_request request = {.content_type = self->content_type,
                                   .body = body,
                                   .max_reply_bytes = REPLY_MAX_BYTES};

    self->call =
        provider_send(&self->http->provider, &self->errand, &request, on_reply, self);
}

static struct transcriber_call *start(struct transcriber *transcriber,
                                      struct transcriber_ask *ask,
                                      transcriber_done_fn *done, void *context)
{
    struct transcriber_http *http = (struct transcriber_http *)transcriber;
    struct transcriber_call *self = MEM_NEW(struct transcriber_call);
    struct transcriber_request request;

    self->http = http;
    self->done = done;
    self->context = context;
    self->errand =
        provider_errand(&http->provider, &ask->request_id, &ask->trace, ask->timeout_ms);
    http->write(http, ask, &request);
    memcpy(self->content_type, request.content_type, sizeof(self->content_type));
    send_request(self, request.body);
    return self;
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

static void on_reply(void *context, struct call_answer answer)
{
    struct transcriber_call *self = context;
    struct transcriber_http *http = self->http;
    struct transcript transcript = {
        .confidence = -1, .duration_ms = -1, .retry_after_s = -1};
    enum error error = provider_error(&http->provider, &answer);

    self->call = NULL;
    if (error == OK)
        error = read_transcript(http, private_reveal(&answer.body), &transcript);
    provider_note(&http->provider, &self->errand, error, &answer, NULL);
    if (error == ERROR_STT_BAD_REQUEST && send_again(self, &answer))
        return;
    if (error == ERROR_STT_RATE_LIMIT || answer.outcome == CALL_HELD_BACK)
        transcript.retry_after_s = answer.retry_after_s;
    call_answer_free(&answer);
    self->done(self->context, error, transcript);
    free(self);
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

static void http_probe(struct transcriber *transcriber, probe_done_fn *done,
                       void *context)
{
    provider_probe(&((struct transcriber_http *)transcriber)->provider, done, context);
}

struct transcriber_http *transcriber_http_new(const struct provider_tools *tools,
                                              const char *name, const char *model,
                                              char *url)
{
    struct transcriber_http *http = MEM_NEW(struct transcriber_http);

    provider_init(&http->provider, &transcriber_role, tools, name, model, url,
                  &tools->settings->stt_timeout_s);
    http->transcriber = (struct transcriber){.name = name,
                                             .start = start,
                                             .cancel = cancel,
                                             .free = http_free,
                                             .probe = http_probe,
                                             .url = url};
    return http;
}
