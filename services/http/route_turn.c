/*
 * POST /turn: the upload becomes a turn (turn.h), and its result the reply.
 *
 * A client that asks for events gets them from the first news of the turn on: the stream
 * is 200 by then, whatever the result will be.  A turn that ends before any news (a refusal
 * by the filter of what was typed, a session that is over, a replay) is one event, under
 * its own status.  A request that becomes no turn (its token, its form, a limit) is answered
 * as any other.
 */
#include "clock.h"
#include "delivery_internal.h"
#include "event_stream_internal.h"
#include "json.h"
#include "mem.h"
#include "request_internal.h"
#include "turn.h"
#include "upload_internal.h"
#include "uploads_internal.h"

#include <stdlib.h>
#include <string.h>

/* One request and what becomes of it: the request's state, until it ends while the turn
 * goes on. */
struct exchange {
    struct server *server;   /* borrowed */
    struct request *request; /* borrowed; NULL: the client of a stream has left */
    struct id session_id;
    struct upload *upload; /* owned; NULL: all of it was read */
    bool is_running;       /* on_turn() is to come */
    char *trace_state;     /* owned; NULL: none */
};

static int64_t max_body_bytes(const struct settings *settings);
static void begin(struct request *request);
static void take(struct request *request, struct span bytes);
static void finish(struct request *request);
static turn_news_fn on_news;
static void on_turn(void *context, struct turn_result result);
static void free_state(void *state);

const struct endpoint ENDPOINT_TURN = {
    .needs_token = true,
    .starts_work = true,
    .starts_turn = true,
    .max_body_bytes = max_body_bytes,
    .begin = begin,
    .take = take,
    .finish = finish,
    .free = free_state,
};

static void free_exchange(struct exchange *exchange)
{
    free(exchange->trace_state);
    free(exchange);
}

static int64_t max_body_bytes(const struct settings *settings)
{
    return upload_max_bytes(settings);
}

/* No turn was started: all time went into the upload. */
static void refuse(struct request *request, enum error error,
                   const struct private_text *details)
{
    int64_t spent_us = clock_monotonic_us() - request->received_us;
    struct turn_timings timings = {
        .us = {[TIMING_UPLOAD] = spent_us, [TIMING_TOTAL] = spent_us}};

    request_answer(request, &(struct answer){
                                .error = error, .details = details, .timings = &timings});
}

/* Which fields are bad, or {"reason":"..."}: what is wrong with a recording. */
static struct private_text details_of(enum error error, const struct field_errors *errors,
                                      const struct upload *upload)
{
    struct private_text details = {0};
    struct json_writer json;
    struct buffer text;

    if (errors->count > 0)
        return field_errors_json(errors);
    if (error != ERROR_INVALID_AUDIO)
        return details;
    buffer_init(&text, 64);
    json_writer_init(&json, &text);
    json_begin_object(&json);
    json_put_string(&json, "reason", upload_audio_fault(upload));
    json_end_object(&json);
    return private_text_take(&text);
}

static void begin(struct request *request)
{
    const struct services *services = request->server->services;
    struct upload_terms terms = {
        .settings = services->settings,
        .input_key = &request->keys->input,
        .can_hear = services->transcribers->count > 0,
        .body_bytes = headers_body_length(&request->headers),
    };
    struct exchange *exchange = MEM_NEW(struct exchange);
    struct field_errors errors = {.count = 0};
    enum error error;

    exchange->server = request->server;
    exchange->request = request;
    exchange->session_id = request->session_id;
    request->state = exchange;
    error = upload_new(&terms, request->headers.content_type, &exchange->upload, &errors);
    if (error != OK) {
        struct private_text details = details_of(error, &errors, NULL);

        refuse(request, error, &details);
        private_text_free(&details);
    }
}

static void take(struct request *request, struct span bytes)
{
    struct exchange *exchange = request->state;
    enum error error = upload_take(exchange->upload, bytes);

    if (error == OK && !uploads_hold(request, upload_kept_bytes(exchange->upload)))
        error = ERROR_OVERLOADED;
    if (error != OK)
        refuse(request, error, NULL);
}

/* The turn may outlive the request that the text is borrowed from. */
static void keep_trace_state(struct exchange *exchange, struct span *state)
{
    if (state->length == 0)
        return;
    exchange->trace_state = mem_realloc(NULL, state->length);
    memcpy(exchange->trace_state, state->bytes, state->length);
    state->bytes = exchange->trace_state;
}

static void finish(struct request *request)
{
    struct exchange *exchange = request->state;
    struct turn_request turn = {
        .request_id = request->request_id,
        .trace = request->trace,
        .session_id = request->session_id,
        .news = accept_wants_events(&request->headers.accept) ? on_news : NULL,
        .received_us = request->received_us,
        .upload_us = clock_monotonic_us() - request->received_us - request->asked_us,
        .asked_us = request->asked_us,
    };
    struct field_errors errors = {.count = 0};
    enum error error = upload_finish(exchange->upload, &request->headers, &turn, &errors);
    struct private_text details = details_of(error, &errors, exchange->upload);

    keep_trace_state(exchange, &turn.trace.state);
    /* Its memory is not held while the turn runs. */
    upload_free(exchange->upload);
    exchange->upload = NULL;
    if (error == OK) {
        if (turn.recording.bytes != NULL) {
            turn.held_bytes = request->held_bytes;
            request->held_bytes = 0;
        }
        exchange->is_running = true;
        turn_start(request->server->services->turns, &turn, on_turn, exchange);
    } else {
        refuse(request, error, &details);
    }
    private_text_free(&details);
    private_text_free(&turn.transcript);
    buffer_done(&turn.recording);
}

static void on_news(void *context, enum turn_news news, const struct private_text *text,
                    const char *content_type)
{
    struct exchange *exchange = context;
    struct request *request = exchange->request;

    if (request == NULL)
        return;
    if (request->stream == NULL)
        event_stream_begin(request);
    switch (news) {
    case TURN_TRANSCRIBING: event_stream_stage(request, "transcribing"); break;
    case TURN_THINKING: event_stream_stage(request, "thinking"); break;
    case TURN_SPEAKING: event_stream_stage(request, "speaking"); break;
    case TURN_TRANSCRIPT: event_stream_text(request, "transcript", text); break;
    case TURN_ASSISTANT_TEXT: event_stream_text(request, "assistant_text", text); break;
    case TURN_AUDIO: event_stream_audio(request, text, content_type); break;
    }
}

static void answer(struct request *request, const struct turn_result *result)
{
    const struct answer answer = {
        .error = result->error,
        .data = &result->data,
        .message = &result->message,
        .details = &result->details,
        .retry_after_s = result->retry_after_s,
        .is_replay = result->is_replay,
        .timings = &result->timings,
    };

    if (request->stream != NULL)
        event_stream_result(request, &answer);
    else if (accept_wants_events(&request->headers.accept))
        event_stream_only(request, &answer);
    else
        request_answer(request, &answer);
}

static void on_turn(void *context, struct turn_result result)
{
    struct exchange *exchange = context;

    exchange->is_running = false;
    if (exchange->request != NULL) {
        exchange->request->commit_number = result.commit_number;
        answer(exchange->request, &result);
    } else {
        if (result.commit_number > 0)
            delivery_failed(exchange->server, &exchange->session_id,
                            result.commit_number);
        free_exchange(exchange);
    }
    turn_result_free(&result);
}

/* A request never ends before its turn but where it is a stream, or where the server
 * goes, and then nobody calls on_turn(). */
static void free_state(void *state)
{
    struct exchange *exchange = state;

    if (exchange == NULL)
        return;
    upload_free(exchange->upload);
    exchange->upload = NULL;
    exchange->request = NULL;
    if (!exchange->is_running || exchange->server->is_going)
        free_exchange(exchange);
}
