/*
 * GET /tts/{request_id}: the spoken reply of a turn, whole or in part, for the session
 * whose turn it was.  To anybody else it is not there.
 *
 * Apple's players ask for "bytes=0-1" first and play nothing where that is not answered
 * 206.
 */
#include "byte_range_internal.h"
#include "clock.h"
#include "mem.h"
#include "private_reveal.h"
#include "request_internal.h"
#include "store.h"

#include <stdio.h>
#include <stdlib.h>

static void finish(struct request *request);
static void on_speech(void *context, enum error error, struct store_speech speech);
static void free_state(void *state);

#define TAG_BYTES 40 /* a UUID in quotes */

const struct endpoint ENDPOINT_TTS = {
    .needs_token = true, .finish = finish, .free = free_state};

static void finish(struct request *request)
{
    struct services *services = request->server->services;
    struct span parameter = request->match.parameter;
    struct id id;

    if (id_parse(parameter.bytes, parameter.length, &id))
        store_load_speech(services->store, &request->session_id, &id, clock_wall_ms(),
                          on_speech, request);
    else
        request_fail(request, ERROR_TTS_AUDIO_NOT_FOUND);
}

/* A Range means something to GET only (RFC 9110 14.2). */
static struct byte_range range_of(const struct request *request, const char *tag,
                                  struct span audio)
{
    const struct headers *headers = &request->headers;
    struct span range = headers->range;

    if (request->method != METHOD_GET || headers->has_two_ranges ||
        !byte_range_holds(headers->if_range, tag))
        range = (struct span){NULL, 0};
    return byte_range_of(range, (int64_t)audio.length);
}

/* Bytes under one request id never change.  They may be kept as long as we keep them. */
static void send_headers(struct request *request, const char *tag)
{
    const struct store_speech *speech = request->state;
    struct response *response = &request->response;
    struct envelope_reader reader = request_reader(request);
    int64_t left_s = (speech->expires_ms - clock_wall_ms()) / 1000;
    struct buffer age;

    buffer_init(&age, 64);
    buffer_append_string(&age, "private, max-age=");
    buffer_append_number(&age, left_s > 0 ? left_s : 0);
    response_header_copy(response, "Cache-Control", (struct span){age.bytes, age.length});
    buffer_done(&age);
    response_header(response, "Content-Type", speech->content_type);
    response_header(response, "Accept-Ranges", "bytes");
    response_header_copy(response, "ETag", span_of(tag));
    envelope_cacheable_headers(response, &reader);
}

static void add_content_range(struct response *response, struct byte_range range,
                              size_t length)
{
    struct buffer text;

    buffer_init(&text, 96);
    buffer_append_string(&text, "bytes ");
    buffer_append_number(&text, range.first);
    buffer_append_char(&text, '-');
    buffer_append_number(&text, range.last);
    buffer_append_char(&text, '/');
    buffer_append_number(&text, (int64_t)length);
    response_header_copy(response, "Content-Range",
                         (struct span){text.bytes, text.length});
    buffer_done(&text);
}

static void send_part(struct request *request, const char *tag, struct byte_range range)
{
    const struct store_speech *speech = request->state;
    struct response *response = &request->response;
    struct span audio = private_reveal(&speech->audio);

    if (range.kind == BYTE_RANGE_PART) {
        response_init(response, 206, 0);
        add_content_range(response, range, audio.length);
        response->borrowed = (struct span){audio.bytes + range.first,
                                           (size_t)(range.last - range.first) + 1};
    } else {
        response_init(response, 200, 0);
        response->borrowed = audio;
    }
    send_headers(request, tag);
    request_answer_made(request);
}

/* The audio stays with the request until all of it is sent. */
static void on_speech(void *context, enum error error, struct store_speech speech)
{
    struct request *request = context;
    struct span name = request->match.parameter;
    struct store_speech *kept;
    struct byte_range range;
    struct span audio;
    char tag[TAG_BYTES];

    if (error != OK) {
        request_fail(request, error);
        return;
    }
    kept = MEM_NEW(struct store_speech);
    *kept = speech;
    request->state = kept;
    audio = private_reveal(&kept->audio);
    snprintf(tag, sizeof(tag), "\"%.*s\"", (int)name.length, name.bytes);
    range = range_of(request, tag, audio);
    if (range.kind == BYTE_RANGE_UNSATISFIABLE)
        request_answer(request,
                       &(struct answer){.error = ERROR_RANGE_NOT_SATISFIABLE,
                                        .complete_bytes = (int64_t)audio.length});
    else
        send_part(request, tag, range);
}

static void free_state(void *state)
{
    struct store_speech *speech = state;

    if (speech == NULL)
        return;
    private_text_free(&speech->audio);
    free(speech);
}
