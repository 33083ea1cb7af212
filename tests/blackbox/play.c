#include "play.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_reply(void *reply)
{
    reply_free(reply);
}

static const struct reply *keep_reply(struct world *world, struct reply *reply)
{
    return reply ? world_keep(world, reply, free_reply) : NULL;
}

const char *words(struct world *world, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    int size = vasprintf(&text, format, arguments);
    va_end(arguments);
    cr_assert(size >= 0);
    return world_keep(world, text, free);
}

const char *repeated(struct world *world, const char *piece, size_t count)
{
    struct bytes text = {0};

    bytes_add_text(&text, "");
    for (size_t i = 0; i < count; i++)
        bytes_add_text(&text, piece);
    return world_keep(world, text.data, free);
}

struct bytes request_bytes(const struct request *request)
{
    struct bytes bytes = {0};

    bytes_addf(&bytes, "%s %s HTTP/1.1\r\nHost: poise.test\r\n", request->method,
               request->path);
    if (request->token)
        bytes_addf(&bytes, "Authorization: Bearer %s\r\n", request->token);
    if (request->content_type)
        bytes_addf(&bytes, "Content-Type: %s\r\n", request->content_type);
    if (request->headers)
        bytes_add_text(&bytes, request->headers);
    if (!request->body) {
        bytes_add_text(&bytes, "\r\n");
        return bytes;
    }
    size_t size = request->body_size ? request->body_size : strlen(request->body);
    bytes_addf(&bytes, "Content-Length: %zu\r\n\r\n", size);
    bytes_add(&bytes, request->body, size);
    return bytes;
}

struct connection *begin(struct world *world, struct request request)
{
    struct bytes bytes = request_bytes(&request);
    struct connection *connection = connection_open(world->port);

    cr_assert_not_null(connection, "nobody listens on port %d", world->port);
    connection_send(connection, bytes.data, bytes.size);
    bytes_free(&bytes);
    return connection;
}

const struct reply *receive(struct world *world, struct connection *connection,
                            const char *method)
{
    return keep_reply(world, connection_receive(connection, method));
}

const struct reply *finish(struct world *world, struct connection *connection)
{
    const struct reply *reply = receive(world, connection, "POST");

    connection_close(connection);
    expect_envelope(reply);
    return reply;
}

static bool has_envelope(const struct request *request)
{
    return strcmp(request->method, "HEAD") != 0 &&
           strcmp(request->method, "OPTIONS") != 0 &&
           strcmp(request->path, "/metrics") != 0 &&
           strcmp(request->path, "/openapi.json") != 0;
}

const struct reply *ask(struct world *world, struct request request)
{
    struct connection *connection = begin(world, request);
    const struct reply *reply = receive(world, connection, request.method);

    connection_close(connection);
    if (has_envelope(&request))
        expect_envelope(reply);
    return reply;
}

const struct reply *ask_raw(struct world *world, const char *method, const void *bytes,
                            size_t size)
{
    struct connection *connection = connection_open(world->port);

    cr_assert_not_null(connection, "nobody listens on port %d", world->port);
    connection_send(connection, bytes, size);
    const struct reply *reply = receive(world, connection, method);
    connection_close(connection);
    return reply;
}

const struct reply *start_with(struct world *world, const char *json)
{
    return ask(world, (struct request){.method = "POST",
                                       .path = "/session/start",
                                       .content_type = "application/json",
                                       .body = json});
}

struct connection *begin_to_start_from(struct world *world, const char *address)
{
    return begin(
        world,
        (struct request){.method = "POST",
                         .path = "/session/start",
                         .headers = words(world, "X-Forwarded-For: %s\r\n", address),
                         .content_type = "application/json",
                         .body = "{\"role\":\"nurse\",\"interview_type\":\"behavioural\","
                                 "\"difficulty\":\"easy\",\"question_count\":1}"});
}

const struct reply *start_from(struct world *world, const char *address)
{
    return finish(world, begin_to_start_from(world, address));
}

struct session start_session(struct world *world, int question_count)
{
    const char *json = words(world,
                             "{\"role\":\"nurse\",\"interview_type\":\"behavioural\","
                             "\"difficulty\":\"easy\",\"question_count\":%d}",
                             question_count);

    return started_session(start_with(world, json));
}

struct session started_session(const struct reply *started)
{
    struct session session = {.started = started};

    expect_success(started);
    snprintf(session.id, sizeof session.id, "%s",
             text_at(session.started, "data.session_id"));
    session.token = text_at(session.started, "data.session_token");
    return session;
}

static struct request on_session(struct world *world, const struct session *session,
                                 const char *method)
{
    return (struct request){.method = method,
                            .path = words(world, "/session/%s", session->id),
                            .token = session->token};
}

const struct reply *get_session(struct world *world, const struct session *session)
{
    return ask(world, on_session(world, session, "GET"));
}

const struct reply *delete_session(struct world *world, const struct session *session)
{
    return ask(world, on_session(world, session, "DELETE"));
}

const char *session_facts(struct world *world, const struct session *session)
{
    const struct reply *reply = get_session(world, session);

    expect_success(reply);
    struct json_object *data = json_at(reply->json, "data");
    json_object_object_del(data, "expires_at");
    return words(world, "%s", json_object_to_json_string(data));
}

void await_turn_count(struct world *world, const struct session *session, int count)
{
    for (int tries = 0; tries < 100000; tries++) {
        const struct reply *reply = get_session(world, session);
        if ((int)number_at(reply, "data.turn_count") == count)
            return;
    }
    cr_assert_fail("the session never had %d turns", count);
}

int log_lines_with(struct world *world, const char *const *parts)
{
    struct bytes output = world_output(world);
    char *rest = NULL;
    int count = 0;

    for (char *line = strtok_r(output.data, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        size_t found = 0;
        while (parts[found] && strstr(line, parts[found]))
            found++;
        count += !parts[found];
    }
    bytes_free(&output);
    return count;
}
