/*
 * A loop with connections, a scripted server, and the last answer to a call: for the
 * programs that test outgoing calls.
 */
#ifndef CALL_WORLD_H
#define CALL_WORLD_H

#include "call.h"
#include "scripted_server.h"

#include <string.h>

#define OK_HEAD     "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
#define LONG_ENOUGH 20000 /* ms; no test waits for it */
#define SHORT       100   /* ms; for calls that must time out */
#define SMALL_REPLY 4096

static const struct scripted_reply script[] = {
    {"/ok", REPLY, OK_HEAD "hello"},
    {"/chunked", REPLY,
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"},
    {"/nothing", REPLY, "HTTP/1.1 204 No Content\r\n\r\n"},
    {"/moved", REPLY, "HTTP/1.1 302 Found\r\nLocation: /ok\r\nContent-Length: 0\r\n\r\n"},
    {"/busy", REPLY,
     "HTTP/1.1 429 Slow\r\nretry-after:  7 \r\nContent-Length: 0\r\n\r\n"},
    {"/early", REPLY, "HTTP/1.1 103 Early\r\nRetry-After: 9\r\n\r\n" OK_HEAD "hello"},
    {"/closed-when-idle", ONCE, OK_HEAD "hello"},
    {"/broke", REPLY, "HTTP/1.1 503 Broke\r\nContent-Length: 3\r\n\r\nno!"},
    {"/once", HANG_UP, OK_HEAD "hello"},
    {"/silent", SILENCE, ""},
    {"/half-head", SILENCE, "HTTP/1.1 200 OK\r\nContent-"},
    {"/half-body", SILENCE, OK_HEAD "he"},
    {"/cut-head", HANG_UP, "HTTP/1.1 200 OK\r\nContent-"},
    {"/cut-body", HANG_UP, OK_HEAD "he"},
    {"/gone", HANG_UP, ""},
    {"/reset", RESET, ""},
    {"/garbage", HANG_UP, "I do not speak HTTP\r\n\r\nat all\r\n"},
    {"/drip", DRIP, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"},
    {"/flood", FLOOD, "HTTP/1.1 200 OK\r\n\r\n0123456789abcdef0123456789abcdef"},
    {"/headers", FLOOD,
     "HTTP/1.1 200 OK\r\nX-More: 0123456789abcdef0123456789abcdef\r\n"},
    {NULL, REPLY, NULL},
};

struct world {
    struct loop *loop;
    struct call_pool *pool;
    struct scripted_server *server;
    unsigned pending;
    unsigned answered;
    struct call_answer last;
    const char *next_path; /* a call that done() starts */
};

static void world_open(struct world *world)
{
    memset(world, 0, sizeof(*world));
    world->server = scripted_start(script);
    world->loop = loop_new();
    world->pool = call_pool_new(world->loop);
}

static void world_close(struct world *world)
{
    call_answer_free(&world->last);
    call_pool_free(world->pool);
    loop_free(world->loop);
    scripted_stop(world->server);
}

static void on_answer(void *context, struct call_answer answer);

static struct call *start_to(struct world *world, const char *url, const char *body,
                             int64_t timeout_ms)
{
    struct call_request request = {
        .url = url,
        .timeout_ms = timeout_ms,
        .max_reply_bytes = SMALL_REPLY,
    };

    if (body != NULL) {
        request.content_type = "application/json";
        request.body = private_text_copy(body, strlen(body));
    }
    world->pending++;
    return call_start(world->pool, &request, on_answer, world);
}

static struct call *start(struct world *world, const char *path, int64_t timeout_ms)
{
    char url[128];

    snprintf(url, sizeof(url), "http://127.0.0.1:%u%s", world->server->port, path);
    return start_to(world, url, "{\"ask\":1}", timeout_ms);
}

static void on_answer(void *context, struct call_answer answer)
{
    struct world *world = context;
    const char *next_path = world->next_path;

    call_answer_free(&world->last);
    world->last = answer;
    world->pending--;
    world->answered += answer.outcome == CALL_ANSWERED && answer.status == 200;
    world->next_path = NULL;
    if (next_path != NULL)
        start(world, next_path, LONG_ENOUGH);
    if (world->pending == 0)
        loop_stop(world->loop);
}

static inline void ask(struct world *world, const char *path, int64_t timeout_ms)
{
    start(world, path, timeout_ms);
    loop_run(world->loop);
}

#endif
