#include "delivery.h"

#include "mem.h"
#include "tcp_counts.h"
#include "turn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIRST_WAIT_MS 2
#define WAITS         11 /* 2, 4, ... 2048: about four seconds in all */

struct delivery {
    struct server *server; /* borrowed */
    int descriptor;        /* owned: a duplicate */
    uint64_t end; /* of the reply, among all bytes that the client acknowledges */
    struct id session_id;
    unsigned turn_number;
    unsigned waits;
    struct loop_timer *timer;  /* owned; NULL: not pending */
    struct delivery *previous; /* borrowed: the neighbours in server->deliveries */
    struct delivery *next;
};

enum arrival { ARRIVED, UNDERWAY, LOST };

static enum arrival find_end(int descriptor, uint64_t *ret_end);
static enum arrival ask_kernel(int descriptor, uint64_t end);
static void wait_for(struct delivery *delivery);
static void on_wait_is_over(void *context);
static void end(struct delivery *delivery, bool was_delivered);
static void report(struct server *server, const struct id *session_id,
                   unsigned turn_number, bool was_delivered);

void delivery_watch(struct server *server, int descriptor, const struct id *session_id,
                    unsigned turn_number)
{
    uint64_t end;
    enum arrival arrival = find_end(descriptor, &end);
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
    delivery->end = end;
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
    enum arrival arrival = ask_kernel(delivery->descriptor, delivery->end);

    delivery->timer = NULL;
    if (arrival != UNDERWAY)
        end(delivery, arrival == ARRIVED);
    else if (delivery->waits == WAITS)
        end(delivery, false);
    else
        wait_for(delivery);
}

/*
 * What is written from now on stands behind the reply and is no part of it: such as TLS's goodbye,
 * to which a client that has what it wanted and is gone answers with a reset.  Asked again where an
 * acknowledgement came between the two questions.
 */
static enum arrival find_end(int descriptor, uint64_t *ret_end)
{
    struct tcp_counts before, after;
    int unacknowledged = 0;

    do {
        if (!tcp_counts_ask(descriptor, &before) ||
            ioctl(descriptor, SIOCOUTQ, &unacknowledged) != 0 ||
            !tcp_counts_ask(descriptor, &after))
            return LOST;
    } while (before.acknowledged != after.acknowledged);
    *ret_end = after.acknowledged + (uint64_t)unacknowledged;
    return ask_kernel(descriptor, *ret_end);
}

static enum arrival ask_kernel(int descriptor, uint64_t end)
{
    struct tcp_counts counts;

    if (!tcp_counts_ask(descriptor, &counts))
        return LOST;
    return counts.acknowledged >= end ? ARRIVED : counts.is_closed ? LOST : UNDERWAY;
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
    turn_note_arrival(server->services->turns, session_id, turn_number, was_delivered);
}

void delivery_end_all(struct server *server)
{
    while (server->deliveries != NULL)
        end(server->deliveries, false);
}
