/*
 * Qdrant and an OpenAI-compatible API of embeddings as one scripted server, and a corpus of two passages.
 */
#ifndef QDRANT_WORLD_H
#define QDRANT_WORLD_H

#include "qdrant_fill.h"
#include "retriever.h"

#include "speech_server.h"

#include <json-c/json.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY_BYTES 64

struct world {
    char directory[DIRECTORY_BYTES];
    char index[DIRECTORY_BYTES + 16];
    struct speech_server server;
    struct settings settings;
    struct buffer problem;

    struct loop *loop;
    struct call_pool *pool;
    struct log *log;
    struct metrics metrics;
    struct retriever *retriever;
    unsigned done;
    enum error error;
    struct retrieval retrieval;
};

static void write_file(const struct world *world, const char *name, const char *text)
{
    char path[DIRECTORY_BYTES + 64];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", world->directory, name);
    file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static void build_index(struct world *world)
{
    struct index_report report;

    cr_assert(
        index_build(world->directory, world->index, NULL, NULL, &report, &world->problem),
        "%s", world->problem.bytes);
}

/* A corpus of two passages, and a server that answers by this function. */
static void world_open(struct world *world, speech_answer_fn *answer)
{
    memset(world, 0, sizeof(*world));
    strcpy(world->directory, "/tmp/poise-qdrant-XXXXXX");
    cr_assert_not_null(mkdtemp(world->directory));
    snprintf(world->index, sizeof(world->index), "%s/index", world->directory);
    buffer_init(&world->problem, 4096);
    write_file(world, "a.md", "# Brakes\n\n## Wear\n\nA \"worn\" pad squeals.\n");
    write_file(world, "b.md", "# Tyres\n\nA flat tyre is slow.\n");
    write_file(world, "corpus.json",
               "{\"title\":\"Cars\",\"topics\":[\"brakes\"],\"out_of_scope\":[]}");
    build_index(world);
    speech_server_start(&world->server, answer);
    world->settings.corpus_index = strdup(world->index);
    world->settings.retriever = RETRIEVER_QDRANT;
    world->settings.qdrant_url = strdup(world->server.url);
    world->settings.qdrant_collection = strdup("my books");
    world->settings.qdrant_api_key = private_text_copy(" qd-key\n", 8);
    world->settings.embeddings_base_url = malloc(80);
    snprintf(world->settings.embeddings_base_url, 80, "%s/v1/", world->server.url);
    world->settings.embeddings_model = strdup("small-3");
    world->settings.embeddings_api_key = private_text_copy("em-key", 6);
}

static void world_close(struct world *world)
{
    char command[DIRECTORY_BYTES + 16];

    retriever_free(world->retriever);
    call_pool_free(world->pool);
    log_free(world->log);
    loop_free(world->loop);
    retrieval_done(&world->retrieval);
    speech_server_stop(&world->server);
    free(world->settings.corpus_index);
    free(world->settings.qdrant_url);
    free(world->settings.qdrant_collection);
    private_text_free(&world->settings.qdrant_api_key);
    free(world->settings.embeddings_base_url);
    free(world->settings.embeddings_model);
    private_text_free(&world->settings.embeddings_api_key);
    buffer_done(&world->problem);
    snprintf(command, sizeof(command), "rm -r %s", world->directory);
    cr_assert_eq(system(command), 0);
}

static bool is_to(struct span request, const char *line)
{
    return request.length > strlen(line) &&
           memcmp(request.bytes, line, strlen(line)) == 0;
}

static void say(struct buffer *reply, const char *status, const char *headers,
                const char *body)
{
    speech_reply(reply, status, headers, body, strlen(body));
}

static void good(struct buffer *reply, const char *body)
{
    say(reply, "200 OK", "Content-Type: application/json\r\n", body);
}

static void expect_request(struct world *world, unsigned index, const char *line,
                           const char *key, const char *body)
{
    struct span request = speech_request(&world->server, index);
    struct span authorization = speech_header(request, "Authorization:");
    struct span api_key = speech_header(request, "api-key:");
    struct span sent = speech_body(request);
    bool is_embedding = strncmp(key, "Bearer ", 7) == 0;
    struct span given = is_embedding ? authorization : api_key;

    cr_expect(is_to(request, line), "%.*s", (int)request.length, request.bytes);
    cr_expect_eq(memcmp(request.bytes + strlen(line), " HTTP/1.1\r\n", 11), 0);
    cr_expect_null((is_embedding ? api_key : authorization).bytes,
                   "the other's key is not for it");
    while (given.length > 0 && *given.bytes == ' ')
        given = (struct span){given.bytes + 1, given.length - 1};
    cr_expect(span_equals(given, key), "%.*s", (int)request.length, request.bytes);
    cr_expect_not_null(speech_header(request, "X-Request-ID:").bytes);
    if (*body != '\0')
        cr_expect(
            span_equals(speech_header(request, "Content-Type:"), " application/json") ||
            span_equals(speech_header(request, "Content-Type:"), "application/json"));
    cr_expect(span_equals(sent, body), "sent:   %.*s\nwanted: %s", (int)sent.length,
              sent.bytes, body);
}

#endif
