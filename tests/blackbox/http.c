#include "http.h"

#include "replies.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

struct connection {
    int descriptor;          /* owned */
    struct secure *secure;   /* owned; NULL: plain */
    struct bytes received;   /* owned: not yet parsed */
    bool ended;              /* the other side has closed */
    char line[REQUEST_LINE]; /* of the request that is not answered yet; "": none */
};

static void limit_waits(int descriptor)
{
    struct timeval limit = {.tv_sec = LONGEST_WAIT_S};
    int yes = 1;

    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

static struct sockaddr_in loopback(int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

struct connection *connection_open_plain(int port)
{
    struct sockaddr_in address = loopback(port);
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (descriptor < 0)
        abort();
    limit_waits(descriptor);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        close(descriptor);
        return NULL;
    }
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection)
        abort();
    connection->descriptor = descriptor;
    return connection;
}

struct connection *connection_open_unshaken(int port, const struct secure_wishes *wishes)
{
    struct connection *connection = connection_open_plain(port);

    if (connection)
        connection->secure = secure_new(connection->descriptor, wishes);
    return connection;
}

struct connection *connection_open_secure(int port, const struct secure_wishes *wishes)
{
    struct connection *connection = connection_open_unshaken(port, wishes);

    if (!connection || secure_shake_hands(connection->secure))
        return connection;
    connection_close(connection);
    return NULL;
}

struct connection *connection_open(int port)
{
    return secure_is_port(port) ? connection_open_secure(port, &(struct secure_wishes){0})
                                : connection_open_plain(port);
}

struct secure *connection_secure(const struct connection *connection)
{
    return connection->secure;
}

static ssize_t send_some(struct connection *connection, const void *data, size_t size,
                         int flags)
{
    if (connection->secure)
        return secure_send(connection->secure, data, size);
    return send(connection->descriptor, data, size, MSG_NOSIGNAL | flags);
}

bool connection_send(struct connection *connection, const void *data, size_t size)
{
    const char *at = data;

    if (!*connection->line)
        request_line_copy(data, size, connection->line);
    while (size > 0) {
        ssize_t sent = send_some(connection, at, size, 0);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

bool connection_send_text(struct connection *connection, const char *text)
{
    return connection_send(connection, text, strlen(text));
}

size_t connection_send_until_answered(struct connection *connection, const void *data,
                                      size_t size)
{
    const char *bytes = data;
    size_t sent = 0;

    while (sent < size) {
        struct pollfd wanted = {.fd = connection->descriptor, .events = POLLIN | POLLOUT};
        size_t block = size - sent < 16384 ? size - sent : 16384;

        if (poll(&wanted, 1, LONGEST_WAIT_S * 1000) <= 0)
            break;
        if ((wanted.revents & POLLIN) &&
            (!connection->secure || secure_has_news(connection->secure)))
            break;
        ssize_t done = send_some(connection, bytes + sent, block, MSG_DONTWAIT);
        if (connection->secure && done <= 0)
            break;
        if (done < 0 && errno != EAGAIN && errno != EINTR)
            break;
        if (done > 0)
            sent += (size_t)done;
    }
    return sent;
}

ssize_t connection_read(struct connection *connection, void *data, size_t room)
{
    return connection->secure ? secure_receive(connection->secure, data, room)
                              : recv(connection->descriptor, data, room, 0);
}

/* Reads what is there; false at the end of the connection, or when the wait got too long.
 */
static bool receive_more(struct connection *connection)
{
    char block[65536];

    for (;;) {
        ssize_t size = connection_read(connection, block, sizeof block);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0) {
            connection->ended = true;
            return false;
        }
        bytes_add(&connection->received, block, (size_t)size);
        return true;
    }
}

struct reply *connection_receive(struct connection *connection, const char *method)
{
    bool has_body = strcmp(method, "HEAD") != 0;

    for (;;) {
        struct reply *reply = NULL;
        size_t size = 0;
        int result = reply_parse(&connection->received, has_body, connection->ended,
                                 &reply, &size);
        if (result == 1) {
            bytes_drop(&connection->received, size);
            if (reply->status != 100) {
                replies_note(connection->line, reply);
                *connection->line = '\0';
                return reply;
            }
            reply_free(reply);
            continue;
        }
        if (result < 0 || connection->ended)
            return NULL;
        receive_more(connection);
    }
}

bool connection_ends(struct connection *connection)
{
    while (!connection->ended && connection->received.size == 0)
        receive_more(connection);
    return connection->received.size == 0;
}

void connection_half_close(struct connection *connection)
{
    if (connection->secure)
        secure_say_goodbye(connection->secure);
    shutdown(connection->descriptor, SHUT_WR);
}

void connection_close(struct connection *connection)
{
    if (!connection)
        return;
    if (connection->secure)
        secure_say_goodbye(connection->secure);
    secure_free(connection->secure);
    close(connection->descriptor);
    bytes_free(&connection->received);
    free(connection);
}

void connection_reset(struct connection *connection)
{
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};

    secure_free(connection->secure);
    connection->secure = NULL;
    setsockopt(connection->descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    connection_close(connection);
}

int connection_descriptor(const struct connection *connection)
{
    return connection->descriptor;
}

int listen_on_free_port(int *ret_port)
{
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (descriptor < 0 || bind(descriptor, (struct sockaddr *)&address, size) != 0 ||
        listen(descriptor, 1024) != 0 ||
        getsockname(descriptor, (struct sockaddr *)&address, &size) != 0)
        abort();
    *ret_port = ntohs(address.sin_port);
    return descriptor;
}
