#include "parking.h"

#include "front_door.h"
#include "tcp_counts.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#define PARKED_A_SWEEP 64 /* about half a millisecond */

static bool may_park(const struct connection *connection);
static bool park(struct connection *connection);

bool parking_open(struct server *server)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    close(ends[1]);
    server->ended_descriptor = ends[0];
    return true;
}

void parking_close(struct server *server)
{
    if (server->ended_descriptor >= 0)
        close(server->ended_descriptor);
    server->ended_descriptor = -1;
}

bool parking_sweep(struct server *server, int64_t now_us)
{
    const struct connection_queue *idle = &server->queues[CONNECTION_IDLE];

    for (int i = 0; i < PARKED_A_SWEEP; i++) {
        struct connection *connection = idle->first;

        if (connection == NULL || connection->due_us > now_us)
            return false;
        if (!may_park(connection))
            connection_enter(connection, CONNECTION_STAYING);
        else if (!park(connection))
            return i > 0; /* out of descriptors until libmicrohttpd has closed its own */
    }
    return true;
}

static bool may_park(const struct connection *connection)
{
    struct tcp_counts counts;

    return connection->language == LANGUAGE_PLAIN && !connection->is_last &&
           tcp_counts_ask(connection->descriptor, &counts) &&
           counts.received == connection->heard_bytes;
}

static bool park(struct connection *connection)
{
    struct server *server = connection->server;
    int kept = fcntl(connection->descriptor, F_DUPFD_CLOEXEC, 0);
    bool is_swapped;

    if (kept < 0)
        return false;
    MHD_suspend_connection(connection->mhd);
    is_swapped = dup3(server->ended_descriptor, connection->descriptor, O_CLOEXEC) >= 0;
    MHD_resume_connection(connection->mhd);
    server_wake(server);
    if (!is_swapped) {
        close(kept);
        return false;
    }
    connection->descriptor = kept;
    connection_enter(connection, CONNECTION_LEAVING);
    return true;
}

void parking_enter(struct connection *connection)
{
    connection->mhd = NULL;
    connection_enter(connection, CONNECTION_PARKED);
    front_door_await(connection);
}
