/*
 * One request: what libmicrohttpd tells us of it becomes calls of its endpoint, and the answer a reply.
 */
#include "request_internal.h"

#include "admit_internal.h"
#include "client_address_internal.h"
#include "clock.h"
#include "delivery_internal.h"
#include "event_stream_internal.h"
#include "mem.h"
#include "throttle_internal.h"
#include "uploads_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Of a body whose answer is known already so much is read and thrown away, so that the answer can be
 * sent behind it; then the connection ends. */
#define DISCARD_BYTES (16 * 1024 * 1024)

static struct request *request_new(struct server *server, struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct request *request = MEM_NEW(struct request);

    request->server = server;
    request->mhd = mhd;
    request->connection = info->socket_context;
    request->match.route = ROUTE_COUNT;
    request->keys = &server->services->shared->keys[0];
    request->received_us = clock_monotonic_us();
    request->connection->request = request;
    return request;
}

static void begin(struct request *request, const char *target, const char *method,
                  const char *version)
{
    bool has_body;

    admit(request, target, method, version);
    has_body = headers_announce_body(&request->headers);
    if (!request->is_answered && request->endpoint != NULL &&
        request->endpoint->begin != NULL)
        request->endpoint->begin(request);
    connection_enter(request->connection,
                     has_body ? CONNECTION_BODY : CONNECTION_WORKING);
    /* A question is nobody's upload, and an OPTIONS has no endpoint. */
    if (has_body && !request->is_answered && request->session_id.text[0] != '\0' &&
        request->endpoint->starts_turn)
        uploads_enter(request);
}

/* What the endpoint has kept of a body that will not be worked on. */
static void forget_body(struct request *request)
{
    if (request->endpoint != NULL && request->endpoint->free != NULL)
        request->endpoint->free(request->state);
    request->state = NULL;
    uploads_leave(request);
    uploads_release(request);
}

/* An unsound head leaves open where the next one begins.  While turns are under way a
 * connection is kept even when the server drains: who waits for one of them may ask for
 * something else. */
static bool must_close(const struct request *request)
{
    const struct server *server = request->server;

    return request->headers.has_connection_close || !request->is_http_1_1 ||
           request->error == ERROR_BAD_REQUEST || request->error == ERROR_DRAINING ||
           request->connection->must_linger ||
           request->connection->state == CONNECTION_TURNED_AWAY ||
           request->connection->state == CONNECTION_ENDING ||
           server->listen_descriptor < 0;
}

static enum MHD_Result send_response(struct request *request)
{
    /* A stream has as long as its turn, and then as long as any other reply. */
    if (request->stream == NULL)
        connection_enter(request->connection, CONNECTION_SENDING);
    if (request->commit_number > 0)
        request->is_client_gone = !connection_has_client(request->connection);
    if (must_close(request))
        response_header(&request->response, "Connection", "close");
    if (request->stream != NULL)
        return event_stream_queue(request);
    return response_queue(&request->response, request->mhd);
}

/* It is answered in the middle of its body. */
static void stop_reading(struct request *request)
{
    forget_body(request);
    connection_enter(request->connection, CONNECTION_ENDING);
}

/* Once a body has begun libmicrohttpd takes no reply until it has ended: an answer before that waits
 * until then, for as long as its connection may (CONNECTION_ENDING). */
static enum MHD_Result take(struct request *request, struct span bytes)
{
    const struct endpoint *endpoint = request->endpoint;

    request->body_bytes += (int64_t)bytes.length;
    if (request->is_answered) {
        request->discarded_bytes += (int64_t)bytes.length;
        return request->discarded_bytes <= DISCARD_BYTES ? MHD_YES : MHD_NO;
    }
    if (request->body_bytes > admit_body_limit(request)) {
        request_fail(request, ERROR_FILE_TOO_LARGE);
    } else if (endpoint != NULL && endpoint->take != NULL) {
        endpoint->take(request, bytes);
    }
    if (request->is_answered)
        stop_reading(request);
    return MHD_YES;
}

static enum MHD_Result finish(struct request *request)
{
    if (!request->is_complete) {
        request->is_complete = true;
        connection_enter(request->connection, CONNECTION_WORKING);
        uploads_leave(request);
        if (!request->is_answered && request->endpoint != NULL) {
            throttle_share(request);
        } else if (!request->is_answered) {
            struct envelope_reader reader = request_reader(request);

            envelope_make_options(&request->response, &reader, request->match.allow);
            request->is_answered = true;
        }
    }
    if (request->is_answered)
        return send_response(request);
    request_suspend(request);
    return MHD_YES;
}

/* Called for the head, for each piece of the body, and when all is there or answered. */
enum MHD_Result request_handle(void *context, struct MHD_Connection *mhd,
                               const char *target, const char *method,
                               const char *version, const char *bytes, size_t *length,
                               void **request_context)
{
    struct server *server = context;
    struct request *request = *request_context;
    size_t piece = *length;

    server->has_progress = true;
    if (server->is_going)
        return MHD_NO;
    if (request == NULL) {
        request = request_new(server, mhd);
        *request_context = request;
        begin(request, target, method, version);
        if (!request->is_answered || !headers_announce_body(&request->headers))
            return MHD_YES;
        request->connection->must_linger = true;
        return send_response(request);
    }
    if (request->is_abandoned)
        return MHD_NO;
    if (piece > 0) {
        *length = 0;
        return take(request, (struct span){bytes, piece});
    }
    return finish(request);
}

void request_work(struct request *request)
{
    request->endpoint->finish(request);
}

void request_suspend(struct request *request)
{
    struct server *server = request->server;

    request->next = server->suspended;
    if (request->next != NULL)
        request->next->previous = request;
    server->suspended = request;
    request->is_suspended = true;
    MHD_suspend_connection(request->mhd);
}

/* libmicrohttpd calls request_handle() again at its next run. */
void request_resume(struct request *request)
{
    struct server *server = request->server;

    if (request->previous != NULL)
        request->previous->next = request->next;
    else
        server->suspended = request->next;
    if (request->next != NULL)
        request->next->previous = request->previous;
    request->previous = NULL;
    request->next = NULL;
    request->is_suspended = false;
    MHD_resume_connection(request->mhd);
    server_wake(server);
}

/* Whom the log tells apart from others, and cannot name. */
static void name_client(struct request *request)
{
    struct digest digest = client_digest(request);

    sodium_bin2hex(request->client_name, sizeof(request->client_name), digest.bytes,
                   sizeof(request->client_name) / 2);
}

void request_answer(struct request *request, const struct answer *answer)
{
    struct envelope_reader reader = request_reader(request);

    assert(!request->is_answered);
    request->error = answer->error;
    if (answer->error == ERROR_RATE_LIMITED)
        name_client(request);
    envelope_make(&request->response, &reader, answer);
    if (request->response.body.is_over) {
        response_done(&request->response);
        request->error = ERROR_INTERNAL_ERROR;
        envelope_make(&request->response, &reader,
                      &(struct answer){.error = ERROR_INTERNAL_ERROR});
    }
    request->is_answered = true;
    if (request->is_suspended)
        request_resume(request);
}

void request_fail(struct request *request, enum error error)
{
    request_answer(request, &(struct answer){.error = error});
}

void request_succeed(struct request *request, struct buffer *data)
{
    struct private_text json = private_text_take(data);

    request_answer(request, &(struct answer){.error = OK, .data = &json});
    private_text_free(&json);
}

void request_answer_raw(struct request *request, const char *content_type,
                        struct buffer *body)
{
    struct envelope_reader reader = request_reader(request);

    response_init(&request->response, 200, 0);
    response_header(&request->response, "Content-Type", content_type);
    envelope_common_headers(&request->response, &reader);
    request->response.body = *body;
    memset(body, 0, sizeof(*body));
    request_answer_made(request);
}

void request_answer_made(struct request *request)
{
    assert(!request->is_answered);
    request->is_answered = true;
    if (request->is_suspended)
        request_resume(request);
}

struct envelope_reader request_reader(const struct request *request)
{
    return (struct envelope_reader){.request_id = &request->request_id,
                                    .allowed_origin = request->allowed_origin,
                                    .rate = &request->rate};
}

static void report_delivery(struct request *request, bool was_written)
{
    struct server *server = request->server;

    if (was_written && !request->is_client_gone)
        delivery_watch(server, request->connection->descriptor, &request->session_id,
                       request->commit_number);
    else
        delivery_failed(server, &request->session_id, request->commit_number);
}

/* Load balancers and Prometheus ask these all the time. */
static bool is_probe(enum route route)
{
    return route == ROUTE_HEALTHZ || route == ROUTE_READYZ || route == ROUTE_METRICS;
}

static void request_record(struct server *server, const struct request *request,
                           size_t response_bytes)
{
    const struct services *services = server->services;
    enum route route = request->match.route;
    enum error error = request->error;
    unsigned status = request->response.status;
    int64_t total_us = clock_monotonic_us() - request->received_us;
    bool is_quiet = is_probe(route) && request->method == METHOD_GET;
    struct log_line *line = log_begin(services->log,
                                      is_quiet        ? LOG_DEBUG_LEVEL
                                      : status >= 500 ? log_level_of(error)
                                                      : LOG_INFO,
                                      "request");

    metrics_add(&services->metrics->HTTP_REQUESTS[route][status / 100 - 1], 1);
    histogram_note(&services->metrics->HTTP_DURATION[route], BUCKETS_DURATIONS, total_us);
    log_request(line, &request->request_id, &request->trace);
    log_word(line, LOG_ROUTE, route_name(route));
    log_word(line, LOG_METHOD, method_name(request->method));
    log_number(line, LOG_STATUS, status);
    if (error != OK) {
        metrics_add(&services->metrics->ERRORS[error], 1);
        log_word(line, LOG_STAGE, stage_name(error_info(error)->stage));
        log_word(line, LOG_CODE, error_info(error)->code);
    }
    if (request->client_name[0] != '\0')
        log_word(line, LOG_CLIENT, request->client_name);
    if (request->session_id.text[0] != '\0')
        log_id(line, LOG_SESSION_ID, &request->session_id);
    log_number(line, LOG_TOTAL_MS, total_us / 1000);
    log_number(line, LOG_REQUEST_BYTES, request->body_bytes);
    log_number(line, LOG_RESPONSE_BYTES, (int64_t)response_bytes);
    log_end(line);
}

static void note_span(const struct request *request)
{
    enum route route = request->match.route;

    if (is_probe(route))
        return;
    spans_note(
        request->server->services->shared->spans,
        &(struct span_note){
            .name = route_name(route),
            .kind = SPAN_SERVER,
            .trace = &request->trace,
            .started_us = request->received_us,
            .error = request->error != OK ? error_info(request->error)->code : NULL,
            .method = method_name(request->method),
            .route = router_path(route),
            .status = request->response.status,
            .request_id = &request->request_id,
            .session_id = &request->session_id,
        });
}

static void request_free(struct request *request)
{
    forget_body(request);
    event_stream_free(request->stream);
    response_done(&request->response);
    free(request);
}

void request_completed(void *context, struct MHD_Connection *mhd, void **request_context,
                       enum MHD_RequestTerminationCode code)
{
    struct server *server = context;
    struct request *request = *request_context;
    size_t response_bytes;

    (void)mhd;
    server->has_progress = true;
    if (request == NULL)
        return;
    *request_context = NULL;
    if (request->commit_number > 0)
        report_delivery(request, code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
    response_bytes = request->stream != NULL ? event_stream_bytes(request->stream)
                                             : response_body(&request->response).length;
    if (request->is_answered) {
        request_record(server, request, response_bytes);
        note_span(request);
    }
    request->connection->request = NULL;
    connection_enter(request->connection, CONNECTION_IDLE);
    request_free(request);
}

void request_refuse_unfinished(struct request *request, enum error error)
{
    request_fail(request, error);
    stop_reading(request);
}

void request_abandon(struct request *request)
{
    request->is_abandoned = true;
    request_resume(request);
}
