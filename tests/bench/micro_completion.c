/* Reading a whole completion, as the scripted upstream gives it: the wire, and the reply in it. */
#include "coach_http_internal.h"
#include "micro.h"
#include "private_reveal.h"
#include "reply_internal.h"
#include "upstream_reply.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void *micro_prepare(void)
{
    static struct upstream_reply replies[UPSTREAM_REPLY_KINDS];
    struct private_text *body = malloc(sizeof *body);
    const char *at;

    assert(body != NULL);
    upstream_replies_init(replies);
    at = strstr(replies[UPSTREAM_REPLY_COMPLETION].bytes, "\r\n\r\n") + 4;
    *body = private_text_copy(at, strlen(at));
    return body;
}

/* As coach_http.c does. */
static void take(void *context, size_t place, enum json_token kind, struct span value)
{
    coach_groq.take(context, place, kind, value);
}

void micro_operation(void *state)
{
    struct coach_reading reading = {.wire = &coach_groq};
    struct private_text text;
    struct json_pick pick;
    struct reply reply;

    buffer_init(&reading.text, 1024 * 1024);
    json_pick_init(&pick, coach_groq.places, coach_groq.place_count, 0, take, &reading);
    assert(json_pick_more(&pick, private_reveal(state)) == JSON_CLOSE);
    text = private_text_take(&reading.text);
    reply_parse(&text, &reply);
    assert(reply.feedback_state == FEEDBACK_GOOD);
    reply_free(&reply);
    private_text_free(&text);
}

void micro_finish(void *state)
{
    private_text_free(state);
    free(state);
}
