/*
 * A reply that is told in events while its turn runs: text/event-stream, as the HTML
 * standard has it ("Server-sent events").
 *
 *   event_stream_begin > event_stream_stage, event_stream_text ... > event_stream_result
 *
 * libmicrohttpd asks for bytes when the client can take some.  Where there are none the
 * request is suspended until the next event.  A comment goes out every 15 seconds in
 * which nothing else does: proxies stay awake, and a client that has left is noticed.
 *
 * A client that leaves ends its request, not the turn: whoever tells the events must know
 * when the request has gone (endpoint->free).
 */
#ifndef EVENT_STREAM_INTERNAL_H
#define EVENT_STREAM_INTERNAL_H

#include "request_internal.h"

struct event_stream;

/* Answers the request: from now on its reply is 200 and a stream. */
void event_stream_begin(struct request *request);

/* `event: stage`. */
void event_stream_stage(struct request *request, const char *stage);

/* An event whose data is an object with one text of the same name. */
void event_stream_text(struct request *request, const char *event,
                       const struct private_text *text);

/* `event: audio`. */
void event_stream_audio(struct request *request, const struct private_text *audio,
                        const char *content_type);

/* `event: result`, the last one: the envelope. */
void event_stream_result(struct request *request, const struct answer *answer);

/* Answers the request with nothing but the result: for an outcome that came before any
 * news.  Its status and headers are those of the ordinary reply. */
void event_stream_only(struct request *request, const struct answer *answer);

/* For request.c: hands the stream to libmicrohttpd. */
enum MHD_Result event_stream_queue(struct request *request);

/* How many bytes were handed over so far. */
size_t event_stream_bytes(const struct event_stream *stream);

/* NULL is fine. */
void event_stream_free(struct event_stream *stream);

#endif
