/*
 * A loop with settings and a speech provider on the loopback, for the programs that test
 * transcribers and speakers.
 */
#ifndef SPEECH_WORLD_H
#define SPEECH_WORLD_H

#include "call.h"
#include "log.h"
#include "loop.h"
#include "meters.h"
#include "metrics.h"
#include "settings.h"
#include "speech_server.h"

#define REQUEST_ID  "11111111-2222-4333-8444-555555555555"
#define LONG_ENOUGH 20000 /* ms; no test waits for it */
#define SHORT       50    /* ms; for calls that must time out */

struct speech_world {
    struct speech_server server;
    struct loop *loop;
    struct call_pool *pool;
    struct log *log;
    struct metrics metrics;
    struct settings settings;
};

/* The environment is the settings, up to NULL; an @ at the end of one becomes the
 * server's URL. */
static void speech_world_open(struct speech_world *world, speech_answer_fn *answer,
                              const char *const *environment)
{
    char *lines[16] = {NULL};
    struct buffer problems;

    memset(world, 0, sizeof(*world));
    speech_server_start(&world->server, answer);
    buffer_init(&problems, 4096);
    for (size_t i = 0; environment[i] != NULL; i++) {
        size_t length = strlen(environment[i]);
        bool is_url = environment[i][length - 1] == '@';

        lines[i] = mem_zalloc(length + sizeof(world->server.url));
        sprintf(lines[i], "%.*s%s", (int)length - is_url, environment[i],
                is_url ? world->server.url : "");
    }
    cr_assert(settings_load(&world->settings, lines, NULL, &problems), "%s",
              problems.bytes);
    world->settings.provider_retries = 0; /* test_resilience.c has them */
    buffer_done(&problems);
    for (size_t i = 0; lines[i] != NULL; i++)
        free(lines[i]);
    world->loop = loop_new();
    world->pool = call_pool_new(world->loop);
    world->log = log_new(-1, LOG_ERROR);
}

static void speech_world_close(struct speech_world *world)
{
    call_pool_free(world->pool);
    log_free(world->log);
    loop_free(world->loop);
    settings_free(&world->settings);
    speech_server_stop(&world->server);
}

/* A function that answers every request with the same. */
#define ANSWER(name, status, headers, body, length)             \
    static void name(struct span request, struct buffer *reply) \
    {                                                           \
        (void)request;                                          \
        speech_reply(reply, status, headers, body, length);     \
    }

/* Never answers. */
static inline void says_nothing(struct span request, struct buffer *reply)
{
    (void)request;
    (void)reply;
}

static inline void expect_header(struct span request, const char *name, const char *value)
{
    struct span found = speech_header(request, name);

    cr_expect(span_equals(found, value), "%s %.*s", name, (int)found.length, found.bytes);
}

static inline void expect_first_line(struct span request, const char *line)
{
    cr_expect(request.length > strlen(line) &&
                  memcmp(request.bytes, line, strlen(line)) == 0,
              "%.200s", request.bytes);
}

#endif
