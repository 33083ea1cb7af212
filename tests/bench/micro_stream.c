/* Reading one answer of the model as it is streamed: 2 KB of text in 500 chunks. */
#include "coach_http_internal.h"
#include "micro.h"
#include "sse_internal.h"

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

/* As coach_http.c does. */
static void take(void *context, size_t place, enum json_token kind, struct span value)
{
    coach_groq.take(context, place, kind, value);
}

static void on_event(void *context, struct span data)
{
    struct json_pick pick;

    json_pick_init(&pick, coach_groq.places, coach_groq.place_count, 0, take, context);
    json_pick_more(&pick, data);
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
    size_t step = reply->length / CHUNKS;
    struct coach_reading reading = {.wire = &coach_groq};
    struct sse sse;

    buffer_init(&reading.text, 1024 * 1024);
    sse_init(&sse, 1024 * 1024, on_event, &reading);
    for (size_t at = 0; at < reply->length; at += step) {
        size_t length = step < reply->length - at ? step : reply->length - at;

        sse_feed(&sse, (struct span){reply->bytes + at, length});
    }
    assert(reading.error == OK && reading.has_ended && reading.text.length > 0);
    buffer_done(&reading.text);
    sse_done(&sse);
}

void micro_finish(void *state)
{
    buffer_done(state);
    free(state);
}
