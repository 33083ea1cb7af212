/*
 * A streamed completion of an OpenAI-compatible API while it comes
 * (https://console.groq.com/docs/api-reference, Create chat completion, stream): chunks
 * as the data of server-sent events, and "[DONE]" as the last.
 *
 * A server that does not stream, though it was asked to, and answers with one JSON object
 * is understood as well; nothing is told before its end then.
 */
#ifndef COACH_GROQ_STREAM_INTERNAL_H
#define COACH_GROQ_STREAM_INTERNAL_H

#include "coach_groq_internal.h"
#include "sse_internal.h"

enum groq_stream_kind {
    GROQ_STREAM_UNKNOWN, /* nothing but white space has come */
    GROQ_STREAM_EVENTS,
    GROQ_STREAM_WHOLE /* it began with a brace, which no event does */
};

struct groq_stream {
    coach_text_fn *on_text;
    void *context; /* borrowed, for on_text */
    enum groq_stream_kind kind;
    struct sse sse;
    struct buffer whole; /* owned: a reply that is no stream */
    struct buffer text;  /* owned: the answer so far */
    struct buffer
        refusal;      /* owned: what the model says beside the answer, instead of it */
    bool has_content; /* some chunk had a text, if an empty one */
    bool has_ended;   /* a reason to finish, or [DONE], has come */
    bool is_cut_off;
    enum error error;          /* what the stream said of itself, or OK */
    const char *provider_code; /* static, or NULL */
    bool has_lost_its_form;
    struct groq_usage usage;
};

void groq_stream_init(struct groq_stream *stream, coach_text_fn *on_text, void *context);

/* Takes the next bytes of the reply; calls on_text with what they add to the answer. */
void groq_stream_feed(struct groq_stream *stream, struct span bytes);

/* What a call came to whose body, where it was a good one, was fed. */
struct groq_verdict groq_stream_read(struct groq_stream *stream,
                                     const struct call_answer *answer);

/* Wipes and frees what it holds.  A zeroed one is fine. */
void groq_stream_done(struct groq_stream *stream);

#endif
