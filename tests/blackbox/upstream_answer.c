/*
 * The manners of a provider, from good to bad.
 */
#include "upstream_answer.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#define ENDLESS_BYTES (10 * 1024 * 1024)

static bool send_all(int descriptor, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(descriptor, data, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        data += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* RFC 9112 7.1 */
static bool send_chunks(int descriptor, const struct saying *saying)
{
    struct bytes reply = {0};
    const char *at = saying->body ? saying->body : "";

    bytes_addf(&reply,
               "HTTP/1.1 %d Scripted\r\nContent-Type: %s\r\n"
               "Transfer-Encoding: chunked\r\n%s\r\n",
               saying->status ? saying->status : 200,
               saying->type ? saying->type : "application/json",
               saying->headers ? saying->headers : "");
    for (size_t left = saying->body_size; left > 0;) {
        size_t size = left < 7 ? left : 7;
        bytes_addf(&reply, "%zx\r\n", size);
        bytes_add(&reply, at, size);
        bytes_add_text(&reply, "\r\n");
        at += size;
        left -= size;
    }
    bytes_add_text(&reply, "0\r\n\r\n");
    bool is_sent = send_all(descriptor, reply.data, reply.size);
    bytes_free(&reply);
    return is_sent;
}

static void send_head(int descriptor, const struct saying *saying, size_t length)
{
    struct bytes head = {0};

    bytes_addf(&head, "HTTP/1.1 %d Scripted\r\nContent-Type: %s\r\n",
               saying->status ? saying->status : 200,
               saying->type ? saying->type : "application/json");
    bytes_addf(&head, "Content-Length: %zu\r\n%s\r\n", length,
               saying->headers ? saying->headers : "");
    send_all(descriptor, head.data, head.size);
    bytes_free(&head);
}

/* Until the other side leaves: nothing, or a byte now and then. */
static void linger(atomic_bool *is_closing, int descriptor, bool drips)
{
    struct pollfd wanted = {.fd = descriptor, .events = POLLIN | POLLRDHUP};

    while (poll(&wanted, 1, 50) == 0 && !*is_closing) {
        if (drips && !send_all(descriptor, " ", 1))
            return;
    }
}

static void send_endless(int descriptor, const struct saying *saying)
{
    static const char block[65536] = {0};

    send_head(descriptor, saying, ENDLESS_BYTES);
    for (size_t sent = 0; sent < ENDLESS_BYTES; sent += sizeof block) {
        if (!send_all(descriptor, block, sizeof block))
            return;
    }
}

static void reset(int descriptor)
{
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};

    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

bool upstream_answer(int descriptor, const struct saying *saying, atomic_bool *is_closing)
{
    const char *body = saying->body ? saying->body : "";
    size_t length = saying->body_size;

    switch (saying->manner) {
    case MANNER_PLAIN:
        send_head(descriptor, saying, length);
        return send_all(descriptor, body, length);
    case MANNER_CHUNKED: return send_chunks(descriptor, saying);
    case MANNER_LEAVING:
        send_head(descriptor, saying, length);
        send_all(descriptor, body, length);
        return false;
    case MANNER_RESET: reset(descriptor); return false;
    case MANNER_CUT:
        send_head(descriptor, saying, length);
        send_all(descriptor, body, length / 2);
        return false;
    case MANNER_DRIP:
        send_head(descriptor, saying, 100000);
        linger(is_closing, descriptor, true);
        return false;
    case MANNER_SILENT: linger(is_closing, descriptor, false); return false;
    case MANNER_ENDLESS: send_endless(descriptor, saying); return false;
    case MANNER_NOT_HTTP:
        send_all(descriptor, "\x16\x03\x01 no\r\n\r\n", 9);
        return false;
    }
    return false;
}
