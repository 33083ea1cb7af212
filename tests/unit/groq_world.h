/*
 * A Groq coach whose server is scripted, its log, and what it last answered.
 */
#ifndef GROQ_WORLD_H
#define GROQ_WORLD_H

#include "coach_http_internal.h"
#include "meters.h"

#include "private_reveal.h"
#include "scripted_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PATH "/v1/chat/completions"
#define HEAD(status, headers) \
    "HTTP/1.1 " status " X\r\nConnection: close\r\n" headers "\r\n"
#define COMPLETION(content, finish_reason)                                                \
    "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":" content \
    "},\"finish_reason\":\"" finish_reason "\"}]}"
#define FAILURE(code)                                                                       \
    "{\"error\":{\"message\":\"words of the provider\",\"type\":\"invalid_request_error\"," \
    "\"code\":\"" code "\"}}"
#define GOOD HEAD("200", "") COMPLETION("\"{\\\"refused\\\":false}\"", "stop")

struct world {
    struct loop *loop;
    struct call_pool *pool;
    struct scripted_server *server;
    struct settings settings;
    struct metrics metrics;
    struct log *log;
    int log_descriptor;
    struct coach *coach;
    char log_text[8192];

    unsigned done;
    enum error error;
    struct coach_reply answer;
};

/* As the settings are now. */
static void world_make_coach(struct world *world)
{
    const struct provider_tools tools = {&world->settings, world->pool, world->log,
                                         &world->metrics, NULL};
    const struct provider_place place = {world->settings.groq_base_url,
                                         world->settings.llm_model,
                                         &world->settings.groq_api_key, "GROQ_API_KEY"};

    world->coach = coach_http_new(&coach_groq, &tools, &place);
}

/* A coach of `model` whose server's answers are `script`, at "/v1/chat/completions". */
static void world_open(struct world *world, const struct scripted_reply *script,
                       const char *model)
{
    char url[64];

    memset(world, 0, sizeof(*world));
    world->server = scripted_start(script);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/v1/", world->server->port);
    world->settings.groq_base_url = strdup(url);
    world->settings.llm_model = strdup(model);
    world->settings.groq_api_key = private_text_copy("gsk_key\n", 8);
    world->settings.llm_timeout_s = 20;
    world->settings.llm_max_tokens = 2048;
    world->log_descriptor = memfd_create("log", 0);
    world->log = log_new(world->log_descriptor, LOG_INFO);
    world->loop = loop_new();
    world->pool = call_pool_new(world->loop);
    world_make_coach(world);
}

static void world_close(struct world *world)
{
    private_text_free(&world->answer.text);
    coach_free(world->coach);
    call_pool_free(world->pool);
    loop_free(world->loop);
    log_free(world->log);
    close(world->log_descriptor);
    free(world->settings.groq_base_url);
    free(world->settings.llm_model);
    private_text_free(&world->settings.groq_api_key);
    scripted_stop(world->server);
}

static const char *log_of(struct world *world)
{
    ssize_t length;

    log_flush(world->log);
    length =
        pread(world->log_descriptor, world->log_text, sizeof(world->log_text) - 1, 0);
    world->log_text[length > 0 ? length : 0] = '\0';
    return world->log_text;
}

static void on_done(void *context, enum error error, struct coach_reply answer)
{
    struct world *world = context;

    private_text_free(&world->answer.text);
    world->done++;
    world->error = error;
    world->answer = answer;
    loop_stop(world->loop);
}

static struct coach_call *start(struct world *world, int64_t timeout_ms)
{
    struct coach_ask ask = {
        .system = private_text_copy("Answer in \"JSON\".", 17),
        .user = private_text_copy("I led\nit.", 9),
        .schema_name = "interview_turn",
        .schema = "{\"type\":\"object\"}",
        .timeout_ms = timeout_ms,
    };
    struct coach_call *call;

    id_parse("11111111-2222-4333-8444-555555555555", 36, &ask.request_id);
    call = world->coach->start(world->coach, &ask, on_done, world);
    must_be(ask.system.bytes == NULL && ask.user.bytes == NULL);
    return call;
}

static void ask(struct world *world)
{
    start(world, 20000);
    loop_run(world->loop);
}

static const char *text_of(const struct world *world)
{
    return private_reveal(&world->answer.text).bytes;
}

#endif
