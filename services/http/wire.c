#include "wire.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <poll.h>
#include <sys/socket.h>

static bool write_plain(int descriptor, struct span bytes)
{
    return send(descriptor, bytes.bytes, bytes.length, MSG_NOSIGNAL | MSG_DONTWAIT) ==
           (ssize_t)bytes.length;
}

/* One call takes one record at most. */
static bool write_records(gnutls_session_t session, struct span bytes)
{
    while (bytes.length > 0) {
        ssize_t sent = gnutls_record_send(session, bytes.bytes, bytes.length);

        if (sent == GNUTLS_E_INTERRUPTED)
            continue;
        if (sent <= 0)
            return false;
        bytes.bytes += sent;
        bytes.length -= (size_t)sent;
    }
    return true;
}

bool wire_write(struct connection *connection, struct span bytes)
{
    switch (connection->language) {
    case LANGUAGE_PLAIN: return write_plain(connection->descriptor, bytes);
    case LANGUAGE_TLS: return write_records(connection->session, bytes);
    case LANGUAGE_NONE: break;
    }
    return false;
}

void wire_end(struct connection *connection)
{
    if (connection->is_ended)
        return;
    connection->is_ended = true;
    if (connection->language == LANGUAGE_TLS)
        gnutls_bye(connection->session, GNUTLS_SHUT_WR);
    shutdown(connection->descriptor, SHUT_WR);
}

/* -1: nothing has come; 0: the client has closed its side; 1: there are bytes. */
static int peek(int descriptor)
{
    char byte;
    ssize_t got = recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

    return got >= 0 ? got > 0 : errno == EAGAIN || errno == EINTR ? -1 : 0;
}

/* In TLS a last alert stands before the end, so the end is looked for behind what is unread. */
bool wire_client_is_there(const struct connection *connection)
{
    struct pollfd end = {.fd = connection->descriptor, .events = POLLRDHUP};

    if (connection->language != LANGUAGE_TLS)
        return peek(connection->descriptor) != 0;
    return poll(&end, 1, 0) == 0;
}

bool wire_is_cut(const struct connection *connection)
{
    return connection->language != LANGUAGE_TLS && peek(connection->descriptor) == 0;
}

bool wire_has_ended(struct connection *connection)
{
    char byte;
    ssize_t got;

    if (connection->language != LANGUAGE_TLS)
        return wire_is_cut(connection);
    got = gnutls_record_recv(connection->session, &byte, 1);
    return got <= 0 && got != GNUTLS_E_AGAIN && got != GNUTLS_E_INTERRUPTED;
}

uint64_t wire_records(const struct connection *connection)
{
    unsigned char number[8] = {0};
    uint64_t records = 0;

    gnutls_record_get_state(connection->session, 1, NULL, NULL, NULL, number);
    for (size_t at = 0; at < sizeof(number); at++)
        records = records << 8 | number[at];
    return records;
}
