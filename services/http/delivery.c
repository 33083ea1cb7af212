#include "delivery.h"

#include "mem.h"
#include "turn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIRST_WAIT_MS 2
#define WAITS         11 /* 2, 4, ... 2048: about four seconds in all */

struct delivery {
    struct server *server; /* borrowed */
    int descriptor;        /* owned: a duplicate */
    struct id session_id;
    unsigned turn_number;
    unsigned waits;
    struct loop_timer *timer;  /* owned; NULL: not pending */
    struct delivery *previous; /* borrowed: the neighbours in server->deliveries */
    struct delivery *next;
};

enum arrival { ARRIVED, UNDERWAY, LOST };

static enum arrival ask_kernel(int descriptor);
static void wait_for(struct delivery *delivery);
static void on_wait_is_over(void *context);
static void end(struct delivery *delivery, bool was_delivered);
static void report(struct server *server, const struct id *session_id,
                   unsigned turn_number, bool was_delivered);

bool delivery_client_is_there(int descriptor)
{
    char byte;
    ssize_t got = recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

void delivery_watch(struct server *server, int descriptor, const struct id *session_id,
                    unsigned turn_number)
{
    enum arrival arrival = ask_kernel(descriptor);
    struct delivery *delivery;
    int duplicate = -1;

    if (arrival == UNDERWAY)
        duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (duplicate < 0) {
        report(server, session_id, turn_number, arrival == ARRIVED);
        return;
    }
    delivery = MEM_NEW(struct delivery);
    delivery->server = server;
    delivery->descriptor = duplicate;
    delivery->session_id = *session_id;
    delivery->turn_number = turn_number;
    delivery->next = server->deliveries;
    if (delivery->next != NULL)
        delivery->next->previous = delivery;
    server->deliveries = delivery;
    wait_for(delivery);
}

static void wait_for(struct delivery *delivery)
{
    int64_t delay_ms = (int64_t)FIRST_WAIT_MS << delivery->waits;

    delivery->waits++;
    delivery->timer = loop_timer_start(delivery->server->services->loop, delay_ms,
                                       on_wait_is_over, delivery);
}

static void on_wait_is_over(void *context)
{
    struct delivery *delivery = context;
    enum arrival arrival = ask_kernel(delivery->descriptor);

    delivery->timer = NULL;
    if (arrival != UNDERWAY)
        end(delivery, arrival == ARRIVED);
    else if (delivery->waits == WAITS)
        end(delivery, false);
    else
        wait_for(delivery);
}

static enum arrival ask_kernel(int descriptor)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof(info);
    int unacknowledged = 0;

    if (ioctl(descriptor, SIOCOUTQ, &unacknowledged) != 0)
        return LOST;
    if (unacknowledged == 0)
        return ARRIVED;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        info.tcpi_state == TCP_CLOSE)
        return LOST;
    return UNDERWAY;
}

void delivery_failed(struct server *server, const struct id *session_id,
                     unsigned turn_number)
{
    report(server, session_id, turn_number, false);
}

static void end(struct delivery *delivery, bool was_delivered)
{
    struct server *server = delivery->server;

    loop_timer_cancel(delivery->timer);
    close(delivery->descriptor);
    if (delivery->previous != NULL)
        delivery->previous->next = delivery->next;
    else
        server->deliveries = delivery->next;
    if (delivery->next != NULL)
        delivery->next->previous = delivery->previous;
    report(server, &delivery->session_id, delivery->turn_number, was_delivered);
    free(delivery);
}

static void report(struct server *server, const struct id *session_id,
                   unsigned turn_number, bool was_delivered)
{
    turn_report_delivery(server->services, session_id, turn_number, was_delivered);
}

void delivery_end_all(struct server *server)
{
    while (server->deliveries != NULL)
        end(server->deliveries, false);
}
