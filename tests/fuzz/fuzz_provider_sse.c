/*
 * The reader of server-sent events and of the chunks in them: no input may crash them,
 * what they give on depends on the bytes, not on where they were split, and the quick
 * reader of chunks never says anything else than json-c.
 *
 * The first byte of an input chooses the size of the pieces; the rest is the stream.
 */
#include "coach_groq_stream_internal.h"
#include "fuzz.h"
#include "private_reveal.h"

#define TEXT_BYTES (1024 * 1024)

static struct json_object *content_of(struct span chunk)
{
    struct json_object *root = json_parse(chunk.bytes, chunk.length, 32);
    struct json_object *choices = json_member(root, "choices");
    struct json_object *content = NULL;

    if (json_object_is_type(choices, json_type_array))
        content = json_object_get(json_member(
            json_member(json_object_array_get_idx(choices, 0), "delta"), "content"));
    json_object_put(root);
    return content;
}

/* What is JSON means the same to both. */
static void compare(struct span chunk)
{
    struct json_object *root = json_parse(chunk.bytes, chunk.length, 32);
    struct json_object *content = content_of(chunk);
    struct buffer text;

    buffer_init(&text, TEXT_BYTES);
    if (groq_chunk_append(chunk, &text) && root != NULL)
        must(json_object_is_type(content, json_type_string) &&
             (size_t)json_object_get_string_len(content) == text.length &&
             (text.length == 0 ||
              memcmp(json_object_get_string(content), text.bytes, text.length) == 0));
    buffer_done(&text);
    json_object_put(content);
    json_object_put(root);
}

static void on_event(void *context, struct span data)
{
    struct buffer *events = context;

    compare(data);
    buffer_append(events, data.bytes, data.length);
    buffer_append_char(events, '\0');
}

static void on_text(void *context, struct span piece)
{
    must(piece.length > 0);
    buffer_append(context, piece.bytes, piece.length);
}

/* The events, then the answer's text, as pieces of `step` bytes. */
static void read_stream(const uint8_t *bytes, size_t length, size_t step,
                        struct buffer *out)
{
    struct call_answer answer = {.outcome = CALL_ANSWERED, .status = 200};
    struct groq_stream stream;
    struct groq_verdict verdict;
    struct buffer told;
    struct sse sse;

    buffer_init(out, 4 * TEXT_BYTES);
    buffer_init(&told, TEXT_BYTES);
    sse_init(&sse, TEXT_BYTES, on_event, out);
    groq_stream_init(&stream, on_text, &told);
    for (size_t at = 0; at < length; at += step) {
        size_t piece = step < length - at ? step : length - at;

        sse_feed(&sse, (struct span){(const char *)bytes + at, piece});
        groq_stream_feed(&stream, (struct span){(const char *)bytes + at, piece});
    }
    verdict = groq_stream_read(&stream, &answer);
    must((verdict.error == OK) == !private_text_is_empty(&verdict.answer.text));
    buffer_append_number(out, verdict.error);
    buffer_append(out, told.bytes, told.length);
    buffer_append_string(out, private_reveal(&verdict.answer.text).bytes);
    private_text_free(&verdict.answer.text);
    groq_stream_done(&stream);
    sse_done(&sse);
    buffer_done(&told);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct buffer whole, split;

    if (length < 2)
        return 0;
    read_stream(bytes + 1, length - 1, length, &whole);
    read_stream(bytes + 1, length - 1, (size_t)bytes[0] % 64 + 1, &split);
    must(whole.length == split.length &&
         memcmp(whole.bytes, split.bytes, whole.length) == 0);
    buffer_done(&whole);
    buffer_done(&split);
    return 0;
}
