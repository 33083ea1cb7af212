/*
 * bench_upstream: an OpenAI-compatible server that says the same thing every time, after
 * a delay.
 *
 *   accept > read the request > hold it in the queue > send the reply > read ...
 *
 * One thread, one epoll descriptor; a connection is registered once and stays so.  The
 * delay is the same for all, so the queue of held requests is in the order in which they
 * fall due, and holding one costs two pointers whether ten wait or ten thousand.  Bodies
 * are counted, not kept.
 *
 * Usage: bench_upstream [--port N] [--delay-ms N].  Prints its port on standard output,
 * serves until it is killed.
 */
#include "clock_ns.h"
#include "http_wire.h"
#include "upstream_reply.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD_MAX_BYTES  4096
#define READ_BYTES      65536
#define EVENTS_PER_WAIT 256

struct connection {
    int fd; /* -1: gone, but still in the queue */
    bool in_body;
    bool held;
    size_t head_bytes; /* of `head` in use */
    size_t body_left;
    enum upstream_reply_kind kind;
    int64_t arrived_ns;
    struct connection *next; /* in the queue; borrowed */
    char *unsent;            /* owned; NULL: nothing is left over from the last send */
    size_t unsent_at, unsent_bytes;
    char head[HEAD_MAX_BYTES];
};

struct upstream {
    int epoll_fd, listen_fd;
    int64_t delay_ns;
    unsigned calls;
    struct connection *first, *last; /* the queue; owns a connection once its fd is -1 */
    struct upstream_reply replies[UPSTREAM_REPLY_KINDS];
    char read_buffer[READ_BYTES];
};

static void accept_all(struct upstream *upstream);
static void read_request(struct upstream *upstream, struct connection *connection);
static bool take_bytes(struct upstream *upstream, struct connection *connection,
                       const char *bytes, size_t length);
static void hold(struct upstream *upstream, struct connection *connection);
static void answer_due(struct upstream *upstream);
static void answer(struct upstream *upstream, struct connection *connection);
static void send_rest(struct upstream *upstream, struct connection *connection);
static void drop(struct connection *connection);

static void die(const char *what)
{
    fprintf(stderr, "bench_upstream: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void watch(struct upstream *upstream, int operation, int fd, unsigned events,
                  void *owner)
{
    struct epoll_event event = {.events = events, .data.ptr = owner};
    if (epoll_ctl(upstream->epoll_fd, operation, fd, &event) != 0)
        die("epoll_ctl");
}

static void accept_all(struct upstream *upstream)
{
    for (;;) {
        int fd = accept4(upstream->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && errno == EAGAIN)
            return;
        if (fd < 0)
            die("accept4");
        int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct connection *connection = calloc(1, sizeof *connection);
        if (connection == NULL)
            die("calloc");
        connection->fd = fd;
        watch(upstream, EPOLL_CTL_ADD, fd, EPOLLIN, connection);
    }
}

static void read_request(struct upstream *upstream, struct connection *connection)
{
    ssize_t got =
        recv(connection->fd, upstream->read_buffer, sizeof upstream->read_buffer, 0);
    if (got < 0 && errno == EAGAIN)
        return;
    if (got <= 0 || !take_bytes(upstream, connection, upstream->read_buffer, (size_t)got))
        drop(connection);
}

/* False: the client does not keep to what this server understands. */
static bool take_bytes(struct upstream *upstream, struct connection *connection,
                       const char *bytes, size_t length)
{
    if (connection->held || connection->unsent != NULL)
        return false; /* a pipelined request: nobody here makes one */
    if (!connection->in_body) {
        struct http_wire_head head;
        size_t before = connection->head_bytes;
        size_t room = HEAD_MAX_BYTES - before;
        size_t copied = length < room ? length : room;
        memcpy(connection->head + before, bytes, copied);
        connection->head_bytes += copied;
        switch (http_wire_read_head(connection->head, connection->head_bytes, &head)) {
        case HTTP_WIRE_PARTIAL: return copied == length;
        case HTTP_WIRE_BROKEN: return false;
        case HTTP_WIRE_HEAD: break;
        }
        connection->in_body = true;
        connection->body_left = head.body_bytes;
        connection->kind = upstream_reply_kind_of(head.target, head.target_bytes);
        assert(head.head_bytes >= before);
        length -= head.head_bytes - before;
    }
    if (length > connection->body_left)
        return false;
    connection->body_left -= length;
    if (connection->body_left == 0)
        hold(upstream, connection);
    return true;
}

static void hold(struct upstream *upstream, struct connection *connection)
{
    connection->arrived_ns = clock_ns();
    connection->in_body = false;
    connection->head_bytes = 0;
    if (upstream->delay_ns == 0) {
        answer(upstream, connection);
        return;
    }
    connection->held = true;
    connection->next = NULL;
    if (upstream->first == NULL)
        upstream->first = connection;
    else
        upstream->last->next = connection;
    upstream->last = connection;
}

static void answer_due(struct upstream *upstream)
{
    while (upstream->first != NULL) {
        struct connection *connection = upstream->first;
        if (clock_ns() < connection->arrived_ns + upstream->delay_ns)
            return;
        upstream->first = connection->next;
        connection->held = false;
        if (connection->fd < 0)
            free(connection);
        else
            answer(upstream, connection);
    }
}

static void answer(struct upstream *upstream, struct connection *connection)
{
    struct upstream_reply *reply = &upstream->replies[connection->kind];
    int64_t held_us = (clock_ns() - connection->arrived_ns) / 1000;
    upstream_reply_fill(reply, ++upstream->calls, held_us);

    ssize_t sent = send(connection->fd, reply->bytes, reply->length, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN)
        return; /* the client has gone; epoll says so next */
    size_t done = sent < 0 ? 0 : (size_t)sent;
    if (done == reply->length)
        return;
    connection->unsent_at = 0;
    connection->unsent_bytes = reply->length - done;
    connection->unsent = malloc(connection->unsent_bytes);
    if (connection->unsent == NULL)
        die("malloc");
    memcpy(connection->unsent, reply->bytes + done, connection->unsent_bytes);
    watch(upstream, EPOLL_CTL_MOD, connection->fd, EPOLLOUT, connection);
}

static void send_rest(struct upstream *upstream, struct connection *connection)
{
    ssize_t sent = send(connection->fd, connection->unsent + connection->unsent_at,
                        connection->unsent_bytes - connection->unsent_at, MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN)
        return;
    if (sent < 0) {
        drop(connection);
        return;
    }
    connection->unsent_at += (size_t)sent;
    if (connection->unsent_at < connection->unsent_bytes)
        return;
    free(connection->unsent);
    connection->unsent = NULL;
    watch(upstream, EPOLL_CTL_MOD, connection->fd, EPOLLIN, connection);
}

static void drop(struct connection *connection)
{
    close(connection->fd);
    connection->fd = -1;
    free(connection->unsent);
    connection->unsent = NULL;
    if (!connection->held)
        free(connection);
}

static void wait_for_events(struct upstream *upstream)
{
    struct epoll_event events[EVENTS_PER_WAIT];
    struct timespec pause, *timeout = NULL;

    if (upstream->first != NULL) {
        int64_t left = upstream->first->arrived_ns + upstream->delay_ns - clock_ns();
        pause = clock_ns_to_timespec(left < 0 ? 0 : left);
        timeout = &pause;
    }
    int count = epoll_pwait2(upstream->epoll_fd, events, EVENTS_PER_WAIT, timeout, NULL);
    if (count < 0 && errno != EINTR)
        die("epoll_pwait2");
    for (int i = 0; i < count; i++) {
        struct connection *connection = events[i].data.ptr;
        if (connection == NULL)
            accept_all(upstream);
        else if (connection->unsent != NULL)
            send_rest(upstream, connection);
        else
            read_request(upstream, connection);
    }
}

static void listen_on(struct upstream *upstream, unsigned long port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int on = 1;

    upstream->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    upstream->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (upstream->listen_fd < 0 || upstream->epoll_fd < 0)
        die("socket");
    setsockopt(upstream->listen_fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(upstream->listen_fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(upstream->listen_fd, SOMAXCONN) != 0 ||
        getsockname(upstream->listen_fd, (struct sockaddr *)&address, &length) != 0)
        die("listen");
    watch(upstream, EPOLL_CTL_ADD, upstream->listen_fd, EPOLLIN, NULL);
    printf("%u\n", (unsigned)ntohs(address.sin_port));
    fflush(stdout);
}

/* The value of option `name` in argv, or 0. */
static unsigned long read_option(int argc, char **argv, const char *name)
{
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], name) == 0)
            return strtoul(argv[i + 1], NULL, 10);
    return 0;
}

int main(int argc, char **argv)
{
    static struct upstream upstream;
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    upstream.delay_ns = (int64_t)read_option(argc, argv, "--delay-ms") * 1000000;
    upstream_replies_init(upstream.replies);
    listen_on(&upstream, read_option(argc, argv, "--port"));
    for (;;) {
        wait_for_events(&upstream);
        answer_due(&upstream);
    }
}
