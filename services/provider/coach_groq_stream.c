/*
 * bytes > events > chunks > the answer's text, piece by piece > the verdict
 */
#include "coach_groq_stream_internal.h"

#include "json.h"

#include <string.h>

#define CHUNK_MAX_BYTES (1024 * 1024)
#define CHUNK_MAX_DEPTH 32

static sse_event_fn on_event;
static void take_chunk(struct groq_stream *stream, struct span data);
static void take_error(struct groq_stream *stream, struct json_object *error);
static void take_usage(struct groq_stream *stream, struct groq_usage usage);
static void take_choice(struct groq_stream *stream, struct json_object *choice);
static bool take_text(struct groq_stream *stream, struct buffer *out,
                      struct json_object *text);

void groq_stream_init(struct groq_stream *stream, coach_text_fn *on_text, void *context)
{
    memset(stream, 0, sizeof(*stream));
    stream->on_text = on_text;
    stream->context = context;
    stream->error = OK;
    stream->usage = (struct groq_usage){-1, -1};
    sse_init(&stream->sse, CHUNK_MAX_BYTES, on_event, stream);
    buffer_init(&stream->whole, GROQ_REPLY_MAX_BYTES);
    buffer_init(&stream->text, GROQ_REPLY_MAX_BYTES);
    buffer_init(&stream->refusal, GROQ_REPLY_MAX_BYTES);
}

void groq_stream_feed(struct groq_stream *stream, struct span bytes)
{
    while (stream->kind == GROQ_STREAM_UNKNOWN && bytes.length > 0) {
        if (memchr(" \t\r\n", bytes.bytes[0], 4) == NULL)
            stream->kind = bytes.bytes[0] == '{' ? GROQ_STREAM_WHOLE : GROQ_STREAM_EVENTS;
        else
            bytes = (struct span){bytes.bytes + 1, bytes.length - 1};
    }
    switch (stream->kind) {
    case GROQ_STREAM_UNKNOWN: break;
    case GROQ_STREAM_WHOLE:
        if (!buffer_append(&stream->whole, bytes.bytes, bytes.length))
            stream->error = ERROR_LLM_PROVIDER_ERROR;
        break;
    case GROQ_STREAM_EVENTS:
        if (!sse_feed(&stream->sse, bytes) && stream->error == OK)
            stream->error = ERROR_LLM_PROVIDER_ERROR;
        break;
    }
}

/* What comes behind an error or the end means nothing any more, but for Groq's note that
 * something went wrong after all. */
static void on_event(void *context, struct span data)
{
    struct groq_stream *stream = context;
    size_t known = stream->text.length;

    if (stream->error != OK)
        return;
    if (span_equals(data, "[DONE]"))
        stream->has_ended = true;
    else if (!stream->has_ended && groq_chunk_append(data, &stream->text))
        stream->has_content = true;
    else
        take_chunk(stream, data);
    if (stream->error == OK && stream->text.length > known)
        stream->on_text(stream->context, (struct span){stream->text.bytes + known,
                                                       stream->text.length - known});
}

/* Any chunk, read with care. */
static void take_chunk(struct groq_stream *stream, struct span data)
{
    struct json_object *root = json_parse(data.bytes, data.length, CHUNK_MAX_DEPTH);
    struct json_object *choices = json_member(root, "choices");
    struct json_object *error = json_member(root, "error");

    if (error == NULL)
        error = json_member(json_member(root, "x_groq"), "error");
    if (!json_object_is_type(root, json_type_object))
        stream->error = ERROR_LLM_PROVIDER_ERROR;
    else if (error != NULL)
        take_error(stream, error);
    else if (!stream->has_ended && json_object_is_type(choices, json_type_array) &&
             json_object_array_length(choices) > 0)
        take_choice(stream, json_object_array_get_idx(choices, 0));
    take_usage(stream, groq_usage_read(root));
    json_wipe_and_put(root);
}

/* Where a server tells it more than once the last word counts. */
static void take_usage(struct groq_stream *stream, struct groq_usage usage)
{
    if (usage.input >= 0)
        stream->usage.input = usage.input;
    if (usage.output >= 0)
        stream->usage.output = usage.output;
}

/* An error in the middle.  Where the model lost its form, what it had written stands: it
 * has been paid for, and the reader of replies takes what is whole in it. */
static void take_error(struct groq_stream *stream, struct json_object *error)
{
    stream->error = groq_error_in_stream(error, &stream->provider_code);
    if (!span_equals(json_member_string(error, "code"), "json_validate_failed"))
        return;
    if (stream->text.length == 0) {
        stream->has_lost_its_form = true;
        return;
    }
    stream->error = OK;
    stream->provider_code = NULL;
    stream->is_cut_off = true;
    stream->has_ended = true;
}

static void take_choice(struct groq_stream *stream, struct json_object *choice)
{
    struct json_object *delta = json_member(choice, "delta");
    struct span finish_reason = json_member_string(choice, "finish_reason");

    if (take_text(stream, &stream->text, json_member(delta, "content")))
        stream->has_content = true;
    take_text(stream, &stream->refusal, json_member(delta, "refusal"));
    if (finish_reason.length == 0)
        return;
    stream->has_ended = true;
    stream->is_cut_off = span_equals(finish_reason, "length");
    if (span_equals(finish_reason, "content_filter"))
        stream->error = ERROR_LLM_CONTENT_FILTER;
}

/* false: there is none.  Text of another type, or too much of it, is an error. */
static bool take_text(struct groq_stream *stream, struct buffer *out,
                      struct json_object *text)
{
    if (text == NULL)
        return false;
    if (!json_object_is_type(text, json_type_string) ||
        !buffer_append(out, json_object_get_string(text),
                       (size_t)json_object_get_string_len(text)))
        stream->error = ERROR_LLM_PROVIDER_ERROR;
    return true;
}

/* ---- the end ---- */

/* The same rules as for a reply that comes whole. */
static void read_text(struct groq_stream *stream, struct groq_verdict *verdict)
{
    if (stream->refusal.length > 0)
        verdict->answer.text = groq_refusal_write(
            (struct span){stream->refusal.bytes, stream->refusal.length});
    else if (stream->has_content)
        verdict->answer.text = private_text_take(&stream->text);
    else
        verdict->error = ERROR_NULL_RESPONSE;

    if (verdict->error == OK && private_text_is_blank(&verdict->answer.text)) {
        private_text_free(&verdict->answer.text);
        verdict->error = ERROR_EMPTY_RESPONSE;
    }
    verdict->answer.is_cut_off = stream->is_cut_off;
}

/* An answer that came to its end is good, also where the connection then broke. */
static struct groq_verdict read_events(struct groq_stream *stream,
                                       const struct call_answer *answer)
{
    struct groq_verdict verdict = {
        .error = stream->error, .answer.retry_after_s = -1, .usage = stream->usage};

    if (stream->error != OK) {
        verdict.provider_code = stream->provider_code;
        verdict.has_lost_its_form = stream->has_lost_its_form;
    } else if (stream->has_ended) {
        read_text(stream, &verdict);
    } else if (answer->outcome != CALL_ANSWERED) {
        verdict = groq_reply_read(answer);
    } else {
        verdict.error = ERROR_LLM_PROVIDER_ERROR;
    }
    return verdict;
}

struct groq_verdict groq_stream_read(struct groq_stream *stream,
                                     const struct call_answer *answer)
{
    struct call_answer whole = {.outcome = answer->outcome, .status = answer->status};
    struct groq_verdict verdict;

    switch (stream->kind) {
    case GROQ_STREAM_UNKNOWN: break;
    case GROQ_STREAM_EVENTS: return read_events(stream, answer);
    case GROQ_STREAM_WHOLE:
        whole.body = private_text_take(&stream->whole);
        verdict = groq_reply_read(&whole);
        private_text_free(&whole.body);
        return verdict;
    }
    return groq_reply_read(answer);
}

void groq_stream_done(struct groq_stream *stream)
{
    sse_done(&stream->sse);
    buffer_done(&stream->whole);
    buffer_done(&stream->text);
    buffer_done(&stream->refusal);
}
