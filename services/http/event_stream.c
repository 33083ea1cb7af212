/*
 * A reply as server-sent events, written as the news comes and taken by libmicrohttpd as the
 * socket has room.
 */
#include "event_stream_internal.h"

#include "json.h"
#include "mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WAITING_BYTES (4 * 1024 * 1024) /* of events that the client did not take */
#define KEEP_ALIVE_MS     15000

struct event_stream {
    struct request *request; /* borrowed */
    struct buffer waiting;   /* events, and how many of their bytes are gone */
    size_t taken;
    size_t total_bytes;            /* that are gone, of all events */
    bool is_ended;                 /* the result is told */
    struct loop_timer *keep_alive; /* owned; NULL: not pending: the result is told */
};

static ssize_t take(void *context, uint64_t position, char *bytes, size_t room);
static void on_quiet(void *context);

static void keep_alive_later(struct event_stream *stream)
{
    struct loop *loop = stream->request->server->services->loop;

    stream->keep_alive = loop_timer_start(loop, KEEP_ALIVE_MS, on_quiet, stream);
}

void event_stream_begin(struct request *request)
{
    struct envelope_reader reader = request_reader(request);
    struct event_stream *stream = MEM_NEW(struct event_stream);

    stream->request = request;
    buffer_init(&stream->waiting, MAX_WAITING_BYTES);
    request->stream = stream;
    response_init(&request->response, 200, 0);
    response_header(&request->response, "Content-Type", "text/event-stream");
    envelope_common_headers(&request->response, &reader);
    response_header(&request->response, "X-Accel-Buffering", "no");
    keep_alive_later(stream);
    request_answer_made(request);
}

/* What our writers write is on one line: no line break can end the data early. */
static struct json_writer begin_event(struct request *request, const char *event)
{
    struct event_stream *stream = request->stream;
    struct json_writer json;

    assert(!stream->is_ended);
    buffer_append_string(&stream->waiting, "event: ");
    buffer_append_string(&stream->waiting, event);
    buffer_append_string(&stream->waiting, "\ndata: ");
    json_writer_init(&json, &stream->waiting);
    return json;
}

static void end_event(struct request *request)
{
    buffer_append_string(&request->stream->waiting, "\n\n");
    if (request->is_suspended)
        request_resume(request);
}

void event_stream_stage(struct request *request, const char *stage)
{
    struct json_writer json = begin_event(request, "stage");

    json_begin_object(&json);
    json_put_string(&json, "stage", stage);
    json_end_object(&json);
    end_event(request);
}

void event_stream_text(struct request *request, const char *event,
                       const struct private_text *text)
{
    struct json_writer json = begin_event(request, event);

    json_begin_object(&json);
    json_put_private(&json, event, text);
    json_end_object(&json);
    end_event(request);
}

void event_stream_audio(struct request *request, const struct private_text *audio,
                        const char *content_type)
{
    struct json_writer json = begin_event(request, "audio");

    json_begin_object(&json);
    json_put_string(&json, "content_type", content_type);
    json_key(&json, "audio_base64");
    json_private_base64(&json, audio);
    json_end_object(&json);
    end_event(request);
}

void event_stream_result(struct request *request, const struct answer *answer)
{
    struct event_stream *stream = request->stream;

    begin_event(request, "result");
    envelope_write(&stream->waiting, &request->request_id, answer);
    end_event(request);
    request->error = answer->error;
    if (request->commit_number > 0)
        request->is_client_gone = !connection_has_client(request->connection);
    stream->is_ended = true;
    loop_timer_cancel(stream->keep_alive);
    stream->keep_alive = NULL;
    connection_enter(request->connection, CONNECTION_SENDING);
}

void event_stream_only(struct request *request, const struct answer *answer)
{
    struct envelope_reader reader = request_reader(request);
    struct response *response = &request->response;
    struct buffer event;

    envelope_make(response, &reader, answer);
    request->error = answer->error;
    for (size_t i = 0; i < response->header_count; i++)
        if (strcmp(response->headers[i].name, "Content-Type") == 0)
            response->headers[i].value = "text/event-stream";
    buffer_init(&event, response->body.length + 64);
    buffer_append_string(&event, "event: result\ndata: ");
    buffer_append(&event, response->body.bytes, response->body.length);
    buffer_append_string(&event, "\n\n");
    buffer_done(&response->body);
    response->body = event;
    request_answer_made(request);
}

enum MHD_Result event_stream_queue(struct request *request)
{
    return response_queue_stream(&request->response, request->mhd, take, request->stream);
}

/* Called by libmicrohttpd whenever the socket has room. */
static ssize_t take(void *context, uint64_t position, char *bytes, size_t room)
{
    struct event_stream *stream = context;
    size_t length = stream->waiting.length - stream->taken;

    (void)position;
    stream->request->server->has_progress = true;
    if (stream->waiting.is_over || stream->request->is_abandoned)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (length == 0 && stream->is_ended)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (stream->request->server->is_going)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (length == 0) {
        request_suspend(stream->request);
        return 0;
    }
    if (length > room)
        length = room;
    memcpy(bytes, stream->waiting.bytes + stream->taken, length);
    stream->taken += length;
    stream->total_bytes += length;
    if (stream->taken == stream->waiting.length) {
        buffer_clear(&stream->waiting);
        stream->taken = 0;
    }
    return (ssize_t)length;
}

/* What the client has not taken yet keeps it awake as well. */
static void on_quiet(void *context)
{
    struct event_stream *stream = context;

    if (stream->waiting.length == 0) {
        buffer_append_string(&stream->waiting, ": keep-alive\n\n");
        if (stream->request->is_suspended)
            request_resume(stream->request);
    }
    keep_alive_later(stream);
}

size_t event_stream_bytes(const struct event_stream *stream)
{
    return stream->total_bytes;
}

void event_stream_free(struct event_stream *stream)
{
    if (stream == NULL)
        return;
    loop_timer_cancel(stream->keep_alive);
    buffer_done(&stream->waiting);
    free(stream);
}
