#include "request.h"

#include "admit.h"
#include "clock.h"
#include "delivery.h"
#include "event_stream.h"
#include "linger.h"
#include "mem.h"
#include "throttle.h"
#include "wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static struct request *request_new(struct server *server, struct MHD_Connection *mhd);
static void begin(struct request *request, const char *target, const char *method,
                  const char *version);
static enum MHD_Result take(struct request *request, struct span bytes);
static enum MHD_Result finish(struct request *request);
static enum MHD_Result send_response(struct request *request);
static bool must_close(const struct request *request);
static void write_response(struct request *request);
static bool write_what_did_not_fit(struct request *request);
static void on_body_cut_short(struct request *request);
static void report_delivery(struct request *request, bool was_written);
static void request_free(struct request *request);

/* Called for the head, for each piece of the body, and when all is there or answered. */
enum MHD_Result request_handle(void *context, struct MHD_Connection *mhd,
                               const char *target, const char *method,
                               const char *version, const char *bytes, size_t *length,
                               void **request_context)
{
    struct server *server = context;
    struct request *request = *request_context;
    size_t piece = *length;

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
    if (request->is_written || request->is_abandoned)
        return MHD_NO;
    if (piece > 0) {
        *length = 0;
        return take(request, (struct span){bytes, piece});
    }
    return finish(request);
}

static struct request *request_new(struct server *server, struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    const union MHD_ConnectionInfo *head =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    struct request *request = MEM_NEW(struct request);

    request->server = server;
    request->mhd = mhd;
    request->connection = info->socket_context;
    request->match.route = ROUTE_COUNT;
    request->received_us = clock_monotonic_us();
    request->connection->request = request;
    if (head != NULL)
        request->connection->heard_bytes += head->header_size;
    return request;
}

static void begin(struct request *request, const char *target, const char *method,
                  const char *version)
{
    admit(request, target, method, version);
    if (!request->is_answered && request->endpoint != NULL &&
        request->endpoint->begin != NULL)
        request->endpoint->begin(request);
    connection_enter(request->connection, headers_announce_body(&request->headers)
                                              ? CONNECTION_BODY
                                              : CONNECTION_WORKING);
}

/* Once a body has begun libmicrohttpd takes no reply until it has ended: an answer before
 * that is written by ourselves, and MHD_NO has the connection closed. */
static enum MHD_Result take(struct request *request, struct span bytes)
{
    const struct endpoint *endpoint = request->endpoint;

    request->body_bytes += (int64_t)bytes.length;
    if (request->body_bytes > admit_body_limit(request))
        request_fail(request, ERROR_FILE_TOO_LARGE);
    else if (endpoint != NULL && endpoint->take != NULL)
        endpoint->take(request, bytes);
    /* libmicrohttpd takes a recv() that does not fill its buffer for the last one until its
     * epoll reports more, and a FIN that was there by then is not reported again. */
    if (!request->is_answered &&
        request->body_bytes < headers_body_length(&request->headers) &&
        wire_is_cut(request->connection))
        on_body_cut_short(request);
    if (!request->is_answered)
        return MHD_YES;
    if (!request->is_written)
        write_response(request);
    return MHD_NO;
}

static enum MHD_Result finish(struct request *request)
{
    if (!request->is_complete) {
        request->is_complete = true;
        connection_enter(request->connection, CONNECTION_WORKING);
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

static enum MHD_Result send_response(struct request *request)
{
    struct server *server = request->server;

    /* A stream has as long as its turn, and then as long as any other reply. */
    if (request->stream == NULL)
        connection_enter(request->connection, CONNECTION_SENDING);
    if (request->turn_number > 0)
        request->is_client_gone = !wire_client_is_there(request->connection);
    if (must_close(request)) {
        request->connection->is_last = true;
        response_header(&request->response, "Connection", "close");
    }
    if (request->stream != NULL)
        return event_stream_queue(request);
    return response_queue(&request->response, server, request->mhd);
}

/* An unsound head leaves open where the next one begins.  While turns are under way a
 * connection is kept even when the server drains: who waits for one of them may ask for
 * something else. */
static bool must_close(const struct request *request)
{
    const struct server *server = request->server;

    return request->headers.has_connection_close || !request->is_http_1_1 ||
           request->error == ERROR_BAD_REQUEST || request->error == ERROR_DRAINING ||
           request->connection->must_linger || server->listen_descriptor < 0;
}

/* The reply goes out behind libmicrohttpd's back. */
static void write_response(struct request *request)
{
    struct connection *connection = request->connection;

    request->is_written = true;
    connection->is_answered = true;
    connection->must_linger = false;
    response_write(&request->response, connection);
    connection_enter(connection, CONNECTION_SENDING);
    linger_start(connection);
}

void request_answer(struct request *request, const struct answer *answer)
{
    struct envelope_reader reader = request_reader(request);

    assert(!request->is_answered);
    request->error = answer->error;
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

void request_completed(void *context, struct MHD_Connection *mhd, void **request_context,
                       enum MHD_RequestTerminationCode code)
{
    struct request *request = *request_context;
    bool was_written = code == MHD_REQUEST_TERMINATED_COMPLETED_OK;
    size_t response_bytes;

    (void)context;
    (void)mhd;
    if (request == NULL)
        return;
    *request_context = NULL;
    if (!request->is_answered && !request->is_complete &&
        !request->connection->is_answered && !request->is_abandoned &&
        wire_has_ended(request->connection))
        on_body_cut_short(request);
    else if (request->is_answered && !request->is_written && !was_written &&
             request->stream == NULL)
        was_written = write_what_did_not_fit(request);
    if (request->turn_number > 0)
        report_delivery(request, was_written);
    response_bytes = request->stream != NULL ? event_stream_bytes(request->stream)
                                             : response_body(&request->response).length;
    if (request->is_answered)
        request_record(request->server, request, &request->request_id,
                       request->response.status, request->error, response_bytes);
    request->connection->request = NULL;
    request->connection->heard_bytes += (uint64_t)request->body_bytes;
    connection_enter(request->connection, CONNECTION_IDLE);
    request_free(request);
}

/*
 * After a very long head libmicrohttpd has no room left for that of the reply, and
 * closes.  Any other failure to send leaves no client behind.
 */
static bool write_what_did_not_fit(struct request *request)
{
    if (request->is_abandoned || !wire_client_is_there(request->connection))
        return false;
    write_response(request);
    return true;
}

/* The client has shut its side before the body was complete; it may still listen. */
static void on_body_cut_short(struct request *request)
{
    static const char json[] =
        "{\"errors\":[{\"field\":\"body\",\"reason\":\"truncated\"}]}";
    struct private_text details;

    if (request->is_abandoned)
        return;
    details = private_text_copy(json, sizeof(json) - 1);
    request_answer(
        request, &(struct answer){.error = ERROR_VALIDATION_ERROR, .details = &details});
    private_text_free(&details);
    write_response(request);
}

static void report_delivery(struct request *request, bool was_written)
{
    struct server *server = request->server;

    if (was_written && !request->is_client_gone)
        delivery_watch(server, request->connection->descriptor, &request->session_id,
                       request->turn_number);
    else
        delivery_failed(server, &request->session_id, request->turn_number);
}

static void request_free(struct request *request)
{
    if (request->endpoint != NULL && request->endpoint->free != NULL)
        request->endpoint->free(request->state);
    event_stream_free(request->stream);
    response_done(&request->response);
    free(request);
}

void request_refuse_unfinished(struct request *request, enum error error)
{
    request_fail(request, error);
    write_response(request);
}

static void refuse(struct connection *connection, struct id request_id,
                   const struct answer *answer)
{
    struct envelope_reader reader = {.request_id = &request_id};
    struct response response;
    bool was_said;

    envelope_make(&response, &reader, answer);
    was_said = response_write(&response, connection);
    request_record(connection->server, connection->request, &request_id, response.status,
                   answer->error, was_said ? response.body.length : 0);
    response_done(&response);
    connection->is_answered = true;
    connection->must_linger = false;
    linger_start(connection);
}

void request_refuse_unread(struct connection *connection, struct id request_id,
                           enum error error)
{
    refuse(connection, request_id, &(struct answer){.error = error});
}

void request_refuse_plain(struct connection *connection)
{
    static const char json[] = "{\"reason\":\"https_required\"}";
    struct private_text details = private_text_copy(json, sizeof(json) - 1);

    connection->language = LANGUAGE_PLAIN;
    refuse(connection, id_random(),
           &(struct answer){.error = ERROR_BAD_REQUEST, .details = &details});
    private_text_free(&details);
}

void request_abandon(struct request *request)
{
    request->is_abandoned = true;
    request_resume(request);
}

void request_record(struct server *server, const struct request *request,
                    const struct id *request_id, unsigned status, enum error error,
                    size_t response_bytes)
{
    const struct services *services = server->services;
    enum route route = request != NULL ? request->match.route : ROUTE_COUNT;
    struct log_line *line = log_begin(services->log, LOG_INFO, "request");

    metrics_add(&services->metrics->HTTP_REQUESTS[route][status / 100 - 1], 1);
    log_id(line, LOG_REQUEST_ID, request_id);
    if (request != NULL && request->trace.id[0] != '\0')
        log_word(line, LOG_TRACE_ID, request->trace.id);
    log_word(line, LOG_ROUTE, route_name(route));
    if (request != NULL)
        log_word(line, LOG_METHOD, method_name(request->method));
    log_number(line, LOG_STATUS, status);
    if (error != OK) {
        metrics_add(&services->metrics->ERRORS[error], 1);
        log_word(line, LOG_STAGE, stage_name(error_info(error)->stage));
        log_word(line, LOG_CODE, error_info(error)->code);
    }
    if (request != NULL && request->session_id.text[0] != '\0')
        log_id(line, LOG_SESSION_ID, &request->session_id);
    if (request != NULL) {
        int64_t total_us = clock_monotonic_us() - request->received_us;

        histogram_note(&services->metrics->HTTP_DURATION[route], BUCKETS_DURATIONS,
                       total_us);
        log_number(line, LOG_TOTAL_MS, total_us / 1000);
        log_number(line, LOG_REQUEST_BYTES, request->body_bytes);
    }
    log_number(line, LOG_RESPONSE_BYTES, (int64_t)response_bytes);
    log_end(line);
}
