/*
 * Closing slowly, on a duplicate of the descriptor that libmicrohttpd closes.
 */
#include "linger_internal.h"

#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINGER_MS        2000
#define LINGER_MAX_BYTES (16 * 1024 * 1024)
#define LINGERS_MOST     1024 /* in a flood the others are closed at once */

struct lingering {
    struct server *server;      /* borrowed */
    int descriptor;             /* owned */
    uv_poll_t *poll;            /* owned */
    struct loop_timer *timer;   /* owned; NULL: not pending */
    size_t bytes;               /* thrown away so far */
    struct lingering *previous; /* borrowed: the neighbours in server->lingers */
    struct lingering *next;
};

static void end(struct lingering *linger)
{
    server_close_poll(&linger->poll);
    loop_timer_cancel(linger->timer);
    if (linger->descriptor >= 0)
        close(linger->descriptor);
    linger->server->linger_count--;
    if (linger->previous != NULL)
        linger->previous->next = linger->next;
    else
        linger->server->lingers = linger->next;
    if (linger->next != NULL)
        linger->next->previous = linger->previous;
    free(linger);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct lingering *linger = poll->data;
    char bytes[16384];
    ssize_t got;

    (void)events;
    do {
        got = recv(linger->descriptor, bytes, sizeof(bytes), MSG_DONTWAIT);
        if (got > 0)
            linger->bytes += (size_t)got;
    } while (got == (ssize_t)sizeof(bytes) && linger->bytes < LINGER_MAX_BYTES);

    if (status < 0 || got == 0 || linger->bytes >= LINGER_MAX_BYTES ||
        (got < 0 && errno != EAGAIN && errno != EINTR))
        end(linger);
}

static void on_time_is_up(void *context)
{
    struct lingering *linger = context;

    linger->timer = NULL;
    end(linger);
}

void linger_start(struct server *server, int descriptor)
{
    struct lingering *linger = MEM_NEW(struct lingering);

    linger->server = server;
    linger->descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    linger->next = server->lingers;
    if (linger->next != NULL)
        linger->next->previous = linger;
    server->lingers = linger;
    server->linger_count++;

    shutdown(descriptor, SHUT_WR);
    if (linger->descriptor >= 0 && server->linger_count <= LINGERS_MOST)
        linger->poll = server_open_poll(server, linger->descriptor, UV_READABLE,
                                        on_readable, linger);
    if (linger->poll == NULL)
        end(linger);
    else
        linger->timer =
            loop_timer_start(server->services->loop, LINGER_MS, on_time_is_up, linger);
}

void linger_end_all(struct server *server)
{
    while (server->lingers != NULL)
        end(server->lingers);
}
