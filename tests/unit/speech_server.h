/*
 * A speech provider on the loopback, for the programs that test transcribers and
 * speakers: it keeps every request as it came, zero bytes and all, and answers what a
 * function makes of it.  One thread accepts, one more serves each connection.
 */
#ifndef SPEECH_SERVER_H
#define SPEECH_SERVER_H

#include "buffer.h"
#include "mem.h"
#include "span.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SPEECH_MESSAGE_BYTES (32 * 1024 * 1024)
#define SPEECH_REQUESTS      64
#define SPEECH_CONNECTIONS   64

/* Appends the whole reply to a whole request.  Nothing appended: never answers. */
typedef void speech_answer_fn(struct span request, struct buffer *reply);

struct speech_server {
    speech_answer_fn *answer;
    unsigned hold; /* no request is answered before so many have come */
    int listener;
    unsigned port;
    char url[64];
    pthread_t acceptor;
    pthread_t threads[SPEECH_CONNECTIONS];
    int descriptors[SPEECH_CONNECTIONS];
    unsigned connections; /* the acceptor's until it is joined */

    pthread_mutex_t lock; /* over what follows */
    pthread_cond_t changed;
    struct buffer requests[SPEECH_REQUESTS];
    unsigned count;
    unsigned in_flight;
    unsigned in_flight_max;
    bool is_over;
};

struct speech_connection {
    struct speech_server *server;
    int descriptor;
};

static bool speech_send(int descriptor, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(descriptor, bytes, length, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

/* The value of a header, by its name with a colon; {NULL, 0} where it is not there. */
static struct span speech_header(struct span request, const char *name)
{
    const char *end = memmem(request.bytes, request.length, "\r\n\r\n", 4);
    size_t length = strlen(name);

    for (const char *at = request.bytes; end != NULL && at < end;) {
        const char *eol = memmem(at, (size_t)(end + 2 - at), "\r\n", 2);

        if (strncasecmp(at, name, length) == 0)
            return (struct span){at + length + 1, (size_t)(eol - at) - length - 1};
        at = eol + 2;
    }
    return (struct span){NULL, 0};
}

static struct span speech_body(struct span request)
{
    const char *end = memmem(request.bytes, request.length, "\r\n\r\n", 4);

    return (struct span){end + 4, request.length - (size_t)(end + 4 - request.bytes)};
}

/* One whole request.  false: the connection has ended. */
static bool speech_read(int descriptor, struct buffer *request)
{
    for (;;) {
        char *room = buffer_reserve(request, 65536);
        struct span so_far, length;
        ssize_t got;

        cr_assert_not_null(room);
        got = recv(descriptor, room, 65536, 0);
        if (got <= 0)
            return false;
        buffer_advance(request, (size_t)got);
        so_far = (struct span){request->bytes, request->length};
        if (memmem(so_far.bytes, so_far.length, "\r\n\r\n", 4) == NULL)
            continue;
        length = speech_header(so_far, "Content-Length:");
        if (speech_body(so_far).length >=
            (length.bytes != NULL ? strtoul(length.bytes, NULL, 10) : 0))
            return true;
    }
}

static void speech_note(struct speech_server *server, struct span request)
{
    pthread_mutex_lock(&server->lock);
    if (server->count < SPEECH_REQUESTS) {
        buffer_init(&server->requests[server->count], SPEECH_MESSAGE_BYTES);
        buffer_append(&server->requests[server->count], request.bytes, request.length);
    }
    server->count++;
    server->in_flight++;
    if (server->in_flight > server->in_flight_max)
        server->in_flight_max = server->in_flight;
    pthread_cond_broadcast(&server->changed);
    while (server->count < server->hold && !server->is_over)
        pthread_cond_wait(&server->changed, &server->lock);
    server->in_flight--;
    pthread_mutex_unlock(&server->lock);
}

static void *speech_serve(void *context)
{
    struct speech_connection connection = *(struct speech_connection *)context;
    struct buffer request, reply;
    bool goes_on = true;

    free(context);
    buffer_init(&request, SPEECH_MESSAGE_BYTES);
    buffer_init(&reply, SPEECH_MESSAGE_BYTES);
    while (goes_on && speech_read(connection.descriptor, &request)) {
        struct span whole = {request.bytes, request.length};

        speech_note(connection.server, whole);
        connection.server->answer(whole, &reply);
        goes_on = speech_send(connection.descriptor, reply.bytes, reply.length);
        buffer_clear(&request);
        buffer_clear(&reply);
    }
    buffer_done(&request);
    buffer_done(&reply);
    return NULL;
}

static void *speech_accept(void *context)
{
    struct speech_server *server = context;
    int descriptor;

    while (server->connections < SPEECH_CONNECTIONS &&
           (descriptor = accept(server->listener, NULL, NULL)) >= 0) {
        struct speech_connection *connection = MEM_NEW(struct speech_connection);

        *connection = (struct speech_connection){server, descriptor};
        server->descriptors[server->connections] = descriptor;
        pthread_create(&server->threads[server->connections++], NULL, speech_serve,
                       connection);
    }
    return NULL;
}

static void speech_server_start(struct speech_server *server, speech_answer_fn *answer)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);

    memset(server, 0, sizeof(*server));
    server->answer = answer;
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->changed, NULL);
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    cr_assert_eq(bind(server->listener, (struct sockaddr *)&address, length), 0);
    cr_assert_eq(listen(server->listener, 64), 0);
    getsockname(server->listener, (struct sockaddr *)&address, &length);
    server->port = ntohs(address.sin_port);
    snprintf(server->url, sizeof(server->url), "http://127.0.0.1:%u", server->port);
    pthread_create(&server->acceptor, NULL, speech_accept, server);
}

static void speech_server_stop(struct speech_server *server)
{
    pthread_mutex_lock(&server->lock);
    server->is_over = true;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->acceptor, NULL);
    close(server->listener);
    for (unsigned i = 0; i < server->connections; i++) {
        shutdown(server->descriptors[i], SHUT_RDWR);
        pthread_join(server->threads[i], NULL);
        close(server->descriptors[i]);
    }
    for (unsigned i = 0; i < server->count && i < SPEECH_REQUESTS; i++)
        buffer_done(&server->requests[i]);
    pthread_cond_destroy(&server->changed);
    pthread_mutex_destroy(&server->lock);
}

/* The request that came `index`th; only once its answer has come. */
static inline struct span speech_request(const struct speech_server *server,
                                         unsigned index)
{
    cr_assert_lt(index, server->count);
    return (struct span){server->requests[index].bytes, server->requests[index].length};
}

static void speech_reply(struct buffer *reply, const char *status, const char *headers,
                         const void *body, size_t length)
{
    char head[512];

    snprintf(head, sizeof(head), "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n", status,
             headers, length);
    buffer_append_string(reply, head);
    buffer_append(reply, body, length);
}

#endif
