#include "greeting.h"

#include "front_door.h"
#include "library_sessions.h"
#include "tls_session.h"
#include "wire.h"

#include <sys/socket.h>

/* Records that are none of the handshake's, such as warnings, that are passed over at once. */
#define MAX_ODD_RECORDS 8

static void step(struct connection *connection);
static void on_ready(uv_poll_t *poll, int status, int events);
static void wait_for_client(struct connection *connection);
static void fail(struct connection *connection, int result);

bool greeting_start(struct connection *connection)
{
    struct server *server = connection->server;
    int low_water = 1;

    if (server->greetings == GREETINGS_A_TICK)
        return false;
    server->greetings++;
    server_close_poll(&connection->poll);
    setsockopt(connection->descriptor, SOL_SOCKET, SO_RCVLOWAT, &low_water,
               sizeof(low_water));
    connection_enter(connection, CONNECTION_GREETING);
    connection->session = tls_session_new(server->tls, connection->descriptor, connection,
                                          &connection->certificate);
    if (connection->session == NULL)
        connection_free(connection);
    else
        step(connection);
    return true;
}

static void step(struct connection *connection)
{
    int result = library_sessions_handshake(connection->session);

    for (int odd = 0; odd < MAX_ODD_RECORDS && result < 0 && result != GNUTLS_E_AGAIN &&
                      !gnutls_error_is_fatal(result);
         odd++)
        result = library_sessions_handshake(connection->session);
    if (result == GNUTLS_E_AGAIN) {
        wait_for_client(connection);
    } else if (result == GNUTLS_E_SUCCESS) {
        metrics_add(&connection->server->services->metrics->TLS_HANDSHAKES, 1);
        connection->language = LANGUAGE_TLS;
        connection->first_record = wire_records(connection);
        front_door_hand_on(connection);
    } else {
        fail(connection, result);
    }
}

static void wait_for_client(struct connection *connection)
{
    int events =
        gnutls_record_get_direction(connection->session) == 0 ? UV_READABLE : UV_WRITABLE;

    if (connection->poll == NULL)
        connection->poll = server_open_poll(connection->server, connection->descriptor,
                                            events, on_ready, connection);
    else if (uv_poll_start(connection->poll, events, on_ready) != 0)
        server_close_poll(&connection->poll);
    if (connection->poll == NULL)
        connection_free(connection);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    struct connection *connection = poll->data;

    (void)events;
    if (status < 0)
        fail(connection, GNUTLS_E_PULL_ERROR);
    else
        step(connection);
}

/* The client is told what it did wrong, if it can still be told. */
static void fail(struct connection *connection, int result)
{
    metrics_add(&connection->server->services->metrics->TLS_HANDSHAKES_FAILED, 1);
    gnutls_alert_send_appropriate(connection->session, result);
    connection_free(connection);
}

void greeting_forget(struct connection *connection)
{
    if (connection->session != NULL)
        library_sessions_free(connection->session);
    certificate_unref(connection->certificate);
    connection->session = NULL;
    connection->certificate = NULL;
}
