/* Reading one answer of the model as it is streamed: 2 KB of text in 500 chunks. */
#include "coach_groq_stream_internal.h"
#include "micro.h"

#include <assert.h>
#include <stdlib.h>

#define CHUNKS 500

static const char chunk_begin[] =
    "data: {\"id\":\"chatcmpl-5c6a5c0e-96b9-4d1d-8d2a-5d2a41c6a7b1\",\"object\":"
    "\"chat.completion.chunk\",\"created\":1764000000,\"model\":\"openai/gpt-oss-120b\","
    "\"system_fingerprint\":\"fp_0123456789\",\"choices\":[{\"index\":0,\"delta\":{"
    "\"content\":\"";
static const char chunk_end[] = "\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n";
static const char last[] =
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],"
    "\"x_groq\":{\"id\":\"req_1\",\"usage\":{\"total_tokens\":9}}}\n\ndata: [DONE]\n\n";

static void on_text(void *context, struct span piece)
{
    *(size_t *)context += piece.length;
}

void *micro_prepare(void)
{
    struct buffer *reply = malloc(sizeof *reply);

    assert(reply != NULL);
    buffer_init(reply, 1024 * 1024);
    for (int i = 0; i < CHUNKS; i++) {
        buffer_append_string(reply, chunk_begin);
        buffer_append_string(reply, i % 10 == 0 ? "\\\", \\\"" : " word");
        buffer_append_string(reply, chunk_end);
    }
    buffer_append_string(reply, last);
    return reply;
}

/* A chunk arrives in some call of its own. */
void micro_operation(void *state)
{
    const struct buffer *reply = state;
    struct call_answer answer = {.outcome = CALL_ANSWERED, .status = 200};
    size_t step = reply->length / CHUNKS, told = 0;
    struct groq_stream stream;
    struct groq_verdict verdict;

    groq_stream_init(&stream, on_text, &told);
    for (size_t at = 0; at < reply->length; at += step) {
        size_t length = step < reply->length - at ? step : reply->length - at;

        groq_stream_feed(&stream, (struct span){reply->bytes + at, length});
    }
    verdict = groq_stream_read(&stream, &answer);
    assert(verdict.error == OK && told > 0);
    private_text_free(&verdict.answer.text);
    groq_stream_done(&stream);
}

void micro_finish(void *state)
{
    buffer_done(state);
    free(state);
}
