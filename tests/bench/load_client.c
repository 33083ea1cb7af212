/* connect > send > receive > reply, then send again.  See load_client.h. */
#include "load_client.h"

#include "clock_ns.h"
#include "http_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static bool watch(struct load_client *client, int operation, unsigned events)
{
    struct epoll_event event = {.events = events, .data.ptr = client};
    return epoll_ctl(client->epoll_fd, operation, client->fd, &event) == 0;
}

bool load_client_connect(struct load_client *client, const struct sockaddr_in *server)
{
    int on = 1;

    if (client->fd >= 0)
        close(client->fd);
    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client->fd < 0)
        return false;
    client->is_waiting_to_send = false;
    setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return connect(client->fd, (const struct sockaddr *)server, sizeof *server) == 0 &&
           fcntl(client->fd, F_SETFL, O_NONBLOCK) == 0 &&
           watch(client, EPOLL_CTL_ADD, EPOLLIN);
}

/* True: sent, or to go on when epoll says that there is room. */
static bool send_some(struct load_client *client)
{
    ssize_t sent = send(client->fd, client->out + client->out_at,
                        client->out_bytes - client->out_at, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN)
        return false;
    client->out_at += sent < 0 ? 0 : (size_t)sent;
    bool has_more = client->out_at < client->out_bytes;
    if (has_more == client->is_waiting_to_send)
        return true;
    client->is_waiting_to_send = has_more;
    return watch(client, EPOLL_CTL_MOD, has_more ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

bool load_client_send(struct load_client *client)
{
    client->started_ns = clock_ns();
    client->out_at = 0;
    client->in_bytes = 0;
    return send_some(client);
}

static enum load_event read_reply(struct load_client *client,
                                  struct load_reply *ret_reply)
{
    struct http_wire_head head;

    switch (http_wire_read_head(client->in, client->in_bytes, &head)) {
    case HTTP_WIRE_PARTIAL: return LOAD_WAITING;
    case HTTP_WIRE_BROKEN: return LOAD_LOST;
    case HTTP_WIRE_HEAD: break;
    }
    if (head.status == 0 || head.head_bytes + head.body_bytes > LOAD_REPLY_MAX_BYTES)
        return LOAD_LOST;
    if (client->in_bytes < head.head_bytes + head.body_bytes)
        return LOAD_WAITING;
    ret_reply->status = head.status;
    ret_reply->body = client->in + head.head_bytes;
    ret_reply->body_bytes = head.body_bytes;
    ret_reply->latency_ns = clock_ns() - client->started_ns;
    return LOAD_REPLIED;
}

enum load_event load_client_on_event(struct load_client *client,
                                     struct load_reply *ret_reply)
{
    if (client->is_waiting_to_send && !send_some(client))
        return LOAD_LOST;
    ssize_t got = recv(client->fd, client->in + client->in_bytes,
                       LOAD_REPLY_MAX_BYTES - client->in_bytes, 0);
    if (got < 0 && errno == EAGAIN)
        return LOAD_WAITING;
    if (got <= 0)
        return LOAD_LOST;
    client->in_bytes += (size_t)got;
    return read_reply(client, ret_reply);
}
