/*
 * A server on the loopback that answers by a script: what it does depends on the path
 * alone.  One thread accepts, one more serves each connection.  For the programs that
 * test outgoing calls.
 */
#ifndef SCRIPTED_SERVER_H
#define SCRIPTED_SERVER_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum scripted_action {
    REPLY,   /* sends the bytes and reads on */
    HANG_UP, /* sends the bytes and closes */
    RESET,   /* closes with a RST */
    ONCE, /* sends the bytes to the first request of a connection, closes at the second */
    SILENCE, /* sends the bytes, then nothing, until the client goes */
    DRIP,    /* the bytes, one every millisecond, round and round */
    FLOOD    /* the bytes, round and round */
};

struct scripted_reply {
    const char *path;
    enum scripted_action action;
    const char *bytes;
};

#define SCRIPTED_REQUEST_BYTES (256 * 1024)
#define SCRIPTED_REPLIES       64
#define SCRIPTED_CONNECTIONS   2048

struct scripted_server {
    const struct scripted_reply *replies; /* up to a NULL path */
    int listener;
    unsigned port;
    pthread_t acceptor;
    pthread_t threads[SCRIPTED_CONNECTIONS];
    int descriptors[SCRIPTED_CONNECTIONS]; /* -1: closed; under the lock */
    unsigned connections; /* accepted so far; the acceptor's until it is joined */
    atomic_uint requests; /* whole ones */
    atomic_uint open;     /* connections being served */
    pthread_mutex_t lock;
    bool is_used[SCRIPTED_REPLIES];            /* under the lock */
    char last_request[SCRIPTED_REQUEST_BYTES]; /* under the lock */
};

struct scripted_connection {
    struct scripted_server *server;
    unsigned index;
    int descriptor;
};

static void must_be(bool condition)
{
    if (!condition)
        abort();
}

static bool scripted_send(int descriptor, const char *bytes, size_t length)
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

/* One request into `text`.  false: the connection has ended. */
static bool scripted_read(int descriptor, char *text)
{
    size_t length = 0, wanted = 0;

    while (wanted == 0 || length < wanted) {
        ssize_t got =
            recv(descriptor, text + length, SCRIPTED_REQUEST_BYTES - 1 - length, 0);
        char *end;

        if (got <= 0)
            return false;
        length += (size_t)got;
        text[length] = '\0';
        end = strstr(text, "\r\n\r\n");
        if (wanted == 0 && end != NULL) {
            const char *header = strstr(text, "Content-Length: ");

            wanted = (size_t)(end + 4 - text);
            if (header != NULL && header < end)
                wanted += strtoul(header + strlen("Content-Length: "), NULL, 10);
        }
    }
    return true;
}

/* Entries of one path are used in turn, and the last of them from then on. */
static const struct scripted_reply *scripted_find(struct scripted_server *server,
                                                  const char *request)
{
    const char *path = strchr(request, ' ') + 1;
    size_t length = strcspn(path, " ");
    const struct scripted_reply *found = NULL;

    pthread_mutex_lock(&server->lock);
    for (size_t i = 0; server->replies[i].path != NULL; i++) {
        if (strlen(server->replies[i].path) != length ||
            memcmp(server->replies[i].path, path, length) != 0)
            continue;
        found = &server->replies[i];
        if (!server->is_used[i]) {
            server->is_used[i] = true;
            break;
        }
    }
    pthread_mutex_unlock(&server->lock);
    return found;
}

/* true: the connection goes on. */
static bool scripted_act(int descriptor, const struct scripted_reply *reply,
                         bool is_first)
{
    struct linger at_once = {1, 0};
    char byte;

    switch (reply->action) {
    case REPLY: return scripted_send(descriptor, reply->bytes, strlen(reply->bytes));
    case HANG_UP: scripted_send(descriptor, reply->bytes, strlen(reply->bytes)); break;
    case ONCE:
        return is_first && scripted_send(descriptor, reply->bytes, strlen(reply->bytes));
    case RESET:
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
        break;
    case SILENCE:
        scripted_send(descriptor, reply->bytes, strlen(reply->bytes));
        while (recv(descriptor, &byte, 1, 0) > 0)
            continue;
        break;
    case DRIP:
        for (size_t i = 0; scripted_send(descriptor, &reply->bytes[i], 1);
             i = (i + 1) % strlen(reply->bytes))
            usleep(1000);
        break;
    case FLOOD:
        while (scripted_send(descriptor, reply->bytes, strlen(reply->bytes)))
            continue;
        break;
    }
    return false;
}

static void *scripted_serve(void *context)
{
    struct scripted_connection connection = *(struct scripted_connection *)context;
    struct scripted_server *server = connection.server;
    char *request = malloc(SCRIPTED_REQUEST_BYTES);
    const struct scripted_reply *reply = NULL;
    bool is_first = true;

    free(context);
    while (scripted_read(connection.descriptor, request)) {
        pthread_mutex_lock(&server->lock);
        strcpy(server->last_request, request);
        pthread_mutex_unlock(&server->lock);
        server->requests++;
        reply = scripted_find(server, request);
        if (reply == NULL || !scripted_act(connection.descriptor, reply, is_first))
            break;
        is_first = false;
    }
    free(request);
    pthread_mutex_lock(&server->lock);
    close(connection.descriptor);
    server->descriptors[connection.index] = -1;
    pthread_mutex_unlock(&server->lock);
    server->open--;
    return NULL;
}

static void *scripted_accept(void *context)
{
    struct scripted_server *server = context;

    for (;;) {
        struct scripted_connection *connection;
        int descriptor = accept(server->listener, NULL, NULL);

        if (descriptor < 0)
            return NULL;
        must_be(server->connections < SCRIPTED_CONNECTIONS);
        connection = malloc(sizeof(*connection));
        *connection =
            (struct scripted_connection){server, server->connections, descriptor};
        server->descriptors[server->connections] = descriptor;
        server->open++;
        pthread_create(&server->threads[server->connections++], NULL, scripted_serve,
                       connection);
    }
}

static struct scripted_server *scripted_start(const struct scripted_reply *replies)
{
    struct scripted_server *server = calloc(1, sizeof(*server));
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);

    server->replies = replies;
    pthread_mutex_init(&server->lock, NULL);
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    must_be(bind(server->listener, (struct sockaddr *)&address, length) == 0);
    must_be(listen(server->listener, 1024) == 0);
    getsockname(server->listener, (struct sockaddr *)&address, &length);
    server->port = ntohs(address.sin_port);
    pthread_create(&server->acceptor, NULL, scripted_accept, server);
    return server;
}

static void scripted_stop(struct scripted_server *server)
{
    shutdown(server->listener, SHUT_RDWR);
    pthread_join(server->acceptor, NULL);
    close(server->listener);

    pthread_mutex_lock(&server->lock);
    for (unsigned i = 0; i < server->connections; i++)
        if (server->descriptors[i] >= 0)
            shutdown(server->descriptors[i], SHUT_RDWR);
    pthread_mutex_unlock(&server->lock);
    for (unsigned i = 0; i < server->connections; i++)
        pthread_join(server->threads[i], NULL);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

#endif
