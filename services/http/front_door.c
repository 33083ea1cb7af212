#include "front_door.h"

#include "connection.h"
#include "greeting.h"
#include "library_sessions.h"
#include "request.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* A first line that is longer is handed on: libmicrohttpd says that it is too long. */
#define PEEK_BYTES       2048
#define MAX_METHOD_BYTES 24

/* Of a TLS record (RFC 8446 5.1). */
#define RECORD_HEAD_BYTES 5
#define RECORD_MAX_BYTES  16384
#define RECORD_HANDSHAKE  22

static void look(struct connection *connection, bool is_ended);
static void on_readable(uv_poll_t *poll, int status, int events);
static void wait_for_more(struct connection *connection, size_t seen);
static void listen_for_hello(struct connection *connection, struct span seen,
                             bool is_ended);
static void listen_for_request(struct connection *connection, struct span seen,
                               bool is_ended);
static void turn_away(struct connection *connection);

void front_door_enter(struct server *server, int descriptor,
                      struct addresses_entry *client)
{
    struct connection *connection = connection_new(server, descriptor);

    connection->client = client;
    look(connection, false);
}

void front_door_await(struct connection *connection)
{
    wait_for_more(connection, 0);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct connection *connection = poll->data;

    if (status < 0)
        connection_free(connection);
    else
        look(connection, (events & UV_DISCONNECT) != 0);
}

/* `is_ended`: the client has shut its side, so nothing more will come. */
static void look(struct connection *connection, bool is_ended)
{
    char bytes[PEEK_BYTES];
    ssize_t got =
        recv(connection->descriptor, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);

    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        wait_for_more(connection, 0);
        return;
    }
    if (got <= 0) {
        connection_free(connection);
        return;
    }
    if (connection->state == CONNECTION_PARKED)
        connection_enter(connection, CONNECTION_ARRIVING);
    if (connection->server->tls != NULL)
        listen_for_hello(connection, (struct span){bytes, (size_t)got}, is_ended);
    else
        listen_for_request(connection, (struct span){bytes, (size_t)got}, is_ended);
}

static void listen_for_request(struct connection *connection, struct span seen,
                               bool is_ended)
{
    enum first_line line = front_door_judge(seen.bytes, seen.length);

    if (line == FIRST_LINE_BAD || (line == FIRST_LINE_PARTIAL && is_ended))
        turn_away(connection);
    else if (line == FIRST_LINE_PARTIAL && seen.length < PEEK_BYTES)
        wait_for_more(connection, seen.length);
    else if (connection->server->tls != NULL)
        turn_away(connection);
    else
        front_door_hand_on(connection);
}

static void listen_for_hello(struct connection *connection, struct span seen,
                             bool is_ended)
{
    int available = 0;
    size_t whole;

    ioctl(connection->descriptor, FIONREAD, &available);
    switch (front_door_judge_hello(seen.bytes, seen.length, (size_t)available, &whole)) {
    case HELLO_NONE: listen_for_request(connection, seen, is_ended); return;
    case HELLO_PARTIAL:
        if (is_ended)
            connection_free(connection);
        else
            wait_for_more(connection, whole - 1);
        return;
    case HELLO_WHOLE:
        if (!greeting_start(connection))
            wait_for_more(connection, 0); /* readable again at once: in the next tick */
        return;
    }
}

enum hello front_door_judge_hello(const char *bytes, size_t length, size_t available,
                                  size_t *ret_whole)
{
    const unsigned char *head = (const unsigned char *)bytes;
    size_t body;

    *ret_whole = RECORD_HEAD_BYTES;
    if (head[0] != RECORD_HANDSHAKE || (length > 1 && head[1] != 3))
        return HELLO_NONE;
    if (length < RECORD_HEAD_BYTES)
        return HELLO_PARTIAL;
    body = (size_t)head[3] << 8 | head[4];
    if (body == 0 || body > RECORD_MAX_BYTES)
        return HELLO_NONE;
    *ret_whole = RECORD_HEAD_BYTES + body;
    return available >= *ret_whole ? HELLO_WHOLE : HELLO_PARTIAL;
}

static bool is_token_character(char character)
{
    static const char others[] = "!#$%&'*+-.^_`|~";

    return (character >= 'A' && character <= 'Z') ||
           (character >= 'a' && character <= 'z') ||
           (character >= '0' && character <= '9') ||
           (character != '\0' && strchr(others, character) != NULL);
}

bool front_door_is_method(const char *text)
{
    while (is_token_character(*text))
        text++;
    return *text == '\0';
}

/* method SP target SP HTTP/d.d, perhaps behind empty lines (RFC 9112 2.2). */
enum first_line front_door_judge(const char *bytes, size_t length)
{
    static const char version[] = "HTTP/d.d";
    const char *end = bytes + length;
    const char *at = bytes;
    const char *start;

    while (at < end && (*at == '\r' || *at == '\n'))
        at++;
    for (start = at; at < end && is_token_character(*at); at++)
        ;
    if (at - start > MAX_METHOD_BYTES)
        return FIRST_LINE_BAD;
    if (at == end)
        return FIRST_LINE_PARTIAL;
    if (at == start || *at++ != ' ')
        return FIRST_LINE_BAD;
    for (start = at; at<end && * at> ' ' && *at != 0x7f; at++)
        ;
    if (at == end)
        return FIRST_LINE_PARTIAL;
    if (at == start || *at++ != ' ')
        return FIRST_LINE_BAD;
    for (const char *wanted = version; *wanted != '\0'; wanted++, at++) {
        if (at == end)
            return FIRST_LINE_PARTIAL;
        if (*wanted == 'd' ? (*at < '0' || *at > '9') : *at != *wanted)
            return FIRST_LINE_BAD;
    }
    if (at == end)
        return FIRST_LINE_PARTIAL;
    return *at == '\r' || *at == '\n' ? FIRST_LINE_GOOD : FIRST_LINE_BAD;
}

/* The bytes that were seen stay in the socket, so readable must mean "more than these"
 * (SO_RCVLOWAT, socket(7)). */
static void wait_for_more(struct connection *connection, size_t seen)
{
    int low_water = (int)seen + 1;

    if (seen > 0)
        setsockopt(connection->descriptor, SOL_SOCKET, SO_RCVLOWAT, &low_water,
                   sizeof(low_water));
    if (connection->poll == NULL)
        connection->poll =
            server_open_poll(connection->server, connection->descriptor,
                             UV_READABLE | UV_DISCONNECT, on_readable, connection);
    if (connection->poll == NULL)
        connection_free(connection);
}

void front_door_hand_on(struct connection *connection)
{
    struct server *server = connection->server;
    int descriptor = connection->descriptor;
    struct sockaddr_storage address;
    socklen_t address_bytes = sizeof(address);
    int low_water = 1;

    if (connection->poll != NULL) {
        server_close_poll(&connection->poll);
        setsockopt(descriptor, SOL_SOCKET, SO_RCVLOWAT, &low_water, sizeof(low_water));
    }
    if (getpeername(descriptor, (struct sockaddr *)&address, &address_bytes) != 0) {
        connection_free(connection);
        return;
    }
    connection_enter(connection, CONNECTION_HEAD);
    server->adding = connection; /* for server.c's on_connection() */
    library_sessions_lend(connection->session);
    if (MHD_add_connection(server->daemon, descriptor, (struct sockaddr *)&address,
                           address_bytes) != MHD_YES &&
        server->adding != NULL)
        connection_free(connection); /* libmicrohttpd has closed the descriptor */
    server->adding = NULL;
    library_sessions_lend(NULL);
    server_wake(server);
}

static void turn_away(struct connection *connection)
{
    if (connection->server->tls != NULL)
        request_refuse_plain(connection);
    else
        request_refuse_unread(connection, id_random(), ERROR_BAD_REQUEST);
    connection_free(connection);
}
