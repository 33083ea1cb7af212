/*
 * The life of one ask of an OpenAI-compatible API.
 *
 *   start > send > [on_bytes >] on_reply > done
 *             ^____________________|   with a weaker format, where the server answers 400
 *
 * Every path but cancel() ends in on_reply().
 */
#include "coach_groq.h"
#include "coach_groq_internal.h"
#include "coach_groq_stream_internal.h"

#include "clock.h"
#include "mem.h"
#include "provider_http_internal.h"

#include <stdlib.h>
#include <string.h>

/* Retired by Groq in August 2026 (https://console.groq.com/docs/deprecations), and what
 * many deployments have in their settings. */
#define RETIRED_MODEL "llama-3.3-70b-versatile"

struct groq {
    struct coach coach;              /* the first member: a coach is cast back */
    const struct settings *settings; /* borrowed */
    struct provider provider;
    enum groq_format format;          /* the strongest that the server has not refused */
    enum groq_format streamed_format; /* the same, for answers that are streamed */
    bool has_told_of_retirement;
};

struct coach_call {
    struct groq *groq;          /* borrowed */
    struct upstream_call *call; /* owned; NULL: not pending */
    coach_done_fn *done;
    void *context; /* borrowed from whom asked */
    struct id request_id;
    struct trace trace;
    enum groq_format format; /* of the request under way */
    bool is_streamed;
    struct groq_stream stream; /* of the request under way; zeroed for none */
    bool may_be_the_format; /* why the request before it was refused, if there was one */
    size_t format_offset;
    int64_t deadline_us;
};

static struct coach_call *start(struct coach *coach, struct coach_ask *ask,
                                coach_done_fn *done, void *context);
static void send_request(struct coach_call *ask, struct private_text body);
static void on_reply(void *context, struct call_answer answer);
static call_bytes_fn on_bytes;
static bool send_weaker(struct coach_call *ask, struct call_answer *answer,
                        const struct groq_verdict *verdict);
static void remember_format(struct coach_call *ask);
static void cancel(struct coach_call *ask);
static void groq_free(struct coach *coach);
static void report(const struct coach_call *ask, const struct call_answer *answer,
                   const struct groq_verdict *verdict);

struct coach *coach_groq_new(const struct settings *settings, const char *key_setting,
                             struct call_pool *pool, struct log *log,
                             struct metrics *metrics)
{
    struct groq *groq = MEM_NEW(struct groq);

    groq->coach = (struct coach){
        .name = "groq", .start = start, .cancel = cancel, .free = groq_free};
    groq->settings = settings;
    groq->provider = (struct provider){
        .name = groq->coach.name,
        .model = settings->llm_model,
        .event = "coach_failed",
        .pool = pool,
        .log = log,
        .url = provider_url(settings->groq_base_url, "/chat/completions", "", ""),
        .authorization = provider_authorization("Bearer", &settings->groq_api_key),
    };
    provider_connect(&groq->provider, settings, metrics, "coach", "chat",
                     settings->llm_timeout_s);
    groq->coach.url = groq->provider.url;
    groq->format = groq_format_of(settings->llm_model);
    groq->streamed_format = groq->format;
    if (private_text_is_empty(&groq->provider.authorization)) {
        struct log_line *line = log_begin(log, LOG_WARNING, "no_usable_key");

        log_word(line, LOG_SETTING, key_setting);
        log_end(line);
    }
    return &groq->coach;
}

static void groq_free(struct coach *coach)
{
    struct groq *groq = (struct groq *)coach;

    provider_done(&groq->provider);
    free(groq);
}

static int64_t shorter(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static struct coach_call *start(struct coach *coach, struct coach_ask *ask,
                                coach_done_fn *done, void *context)
{
    struct groq *groq = (struct groq *)coach;
    struct coach_call *self = MEM_NEW(struct coach_call);
    int64_t timeout_ms = shorter(ask->timeout_ms, groq->settings->llm_timeout_s * 1000);
    struct private_text body;

    self->groq = groq;
    self->done = done;
    self->context = context;
    self->request_id = ask->request_id;
    self->trace = ask->trace;
    self->is_streamed = ask->on_text != NULL;
    self->format = self->is_streamed ? groq->streamed_format : groq->format;
    groq_stream_init(&self->stream, ask->on_text, context);
    self->deadline_us = clock_monotonic_us() + timeout_ms * 1000;
    body = groq_request_write(groq->settings, ask, self->format, &self->format_offset);
    private_text_free(&ask->system);
    private_text_free(&ask->user);
    send_request(self, body);
    return self;
}

/* Sends the body, which it takes over, in the time that is left. */
static void send_request(struct coach_call *ask, struct private_text body)
{
    const struct provider *provider = &ask->groq->provider;
    const struct private_text *authorization = &provider->authorization;
    int64_t left_ms = (ask->deadline_us - clock_monotonic_us()) / 1000;
    struct call_request request = {
        .url = provider->url,
        .content_type = "application/json",
        .authorization = private_text_is_empty(authorization) ? NULL : authorization,
        .request_id = &ask->request_id,
        .trace = &ask->trace,
        .body = body,
        .timeout_ms = left_ms > 0 ? left_ms : 1,
        .max_reply_bytes =
            ask->is_streamed ? GROQ_STREAM_MAX_BYTES : GROQ_REPLY_MAX_BYTES,
        .on_bytes = ask->is_streamed ? on_bytes : NULL,
    };

    ask->call = upstream_call(provider->upstream, &request, on_reply, ask);
}

static void on_bytes(void *context, struct span bytes)
{
    struct coach_call *ask = context;

    groq_stream_feed(&ask->stream, bytes);
}

static void on_reply(void *context, struct call_answer answer)
{
    struct coach_call *ask = context;
    struct groq_verdict verdict = ask->is_streamed
                                      ? groq_stream_read(&ask->stream, &answer)
                                      : groq_reply_read(&answer);

    ask->call = NULL;
    meter_note_call(ask->groq->provider.meter, provider_result(verdict.error, &answer),
                    answer.duration_us);
    meter_note_tokens(ask->groq->provider.meter, verdict.usage.input,
                      verdict.usage.output);
    if (verdict.error != OK)
        report(ask, &answer, &verdict);
    else if (ask->may_be_the_format)
        remember_format(ask); /* it was the format: later asks begin with this one */

    if (send_weaker(ask, &answer, &verdict))
        return;
    call_answer_free(&answer);
    groq_stream_done(&ask->stream);
    ask->done(ask->context, verdict.error, verdict.answer);
    free(ask);
}

static void remember_format(struct coach_call *ask)
{
    if (ask->is_streamed)
        ask->groq->streamed_format = ask->format;
    else
        ask->groq->format = ask->format;
}

/* Groq documents that it does not stream what it holds to a schema, and once answered so
 * to JSON mode as well; so a streamed answer is asked for without either in the end. */
static bool send_weaker(struct coach_call *ask, struct call_answer *answer,
                        const struct groq_verdict *verdict)
{
    enum groq_format weakest = ask->is_streamed ? GROQ_TEXT : GROQ_JSON_OBJECT;
    coach_text_fn *on_text = ask->stream.on_text;
    struct private_text body;

    if (ask->format == weakest ||
        !(verdict->may_be_the_schema ||
          (verdict->has_lost_its_form && ask->format == GROQ_JSON_SCHEMA)))
        return false;
    ask->format--;
    ask->may_be_the_format = verdict->may_be_the_schema;
    body = groq_request_weaken(answer->request_body, ask->format_offset, ask->format);
    answer->request_body = (struct private_text){NULL, 0};
    call_answer_free(answer);
    groq_stream_done(&ask->stream);
    groq_stream_init(&ask->stream, on_text, ask->context);
    send_request(ask, body);
    return true;
}

static void cancel(struct coach_call *ask)
{
    if (ask == NULL)
        return;
    upstream_cancel(ask->call);
    groq_stream_done(&ask->stream);
    free(ask);
}

/* ---- the log ---- */

static void report_retired_model(struct groq *groq)
{
    struct log_line *line;

    if (groq->has_told_of_retirement ||
        strcmp(groq->settings->llm_model, RETIRED_MODEL) != 0)
        return;
    groq->has_told_of_retirement = true;
    line = log_begin(groq->provider.log, LOG_ERROR, "model_retired");
    log_word(line, LOG_MODEL, groq->settings->llm_model);
    log_word(line, LOG_OUTCOME, "set_llm_model_to_openai/gpt-oss-120b");
    log_end(line);
}

/* One line for a failed call. */
static void report(const struct coach_call *ask, const struct call_answer *answer,
                   const struct groq_verdict *verdict)
{
    struct groq *groq = ask->groq;
    struct log_line *line =
        log_begin(groq->provider.log, LOG_WARNING, groq->provider.event);

    log_id(line, LOG_REQUEST_ID, &ask->request_id);
    log_word(line, LOG_COACH, groq->coach.name);
    log_word(line, LOG_MODEL, groq->settings->llm_model);
    log_word(line, LOG_CODE, error_info(verdict->error)->code);
    log_word(line, LOG_OUTCOME, call_outcome_name(answer->outcome));
    if (answer->outcome == CALL_ANSWERED)
        log_number(line, LOG_PROVIDER_STATUS, answer->status);
    if (verdict->provider_code != NULL)
        log_word(line, LOG_PROVIDER_CODE, verdict->provider_code);
    log_end(line);

    if (verdict->error == ERROR_LLM_MODEL_NOT_FOUND)
        report_retired_model(groq);
}
