/*
 * Replies of committed turns, watched until the client's side has acknowledged them.
 */
#include "delivery_internal.h"

#include "mem.h"
#include "tcp_counts_internal.h"
#include "turn.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIRST_WAIT_MS 2
#define WAITS         11 /* 2, 4, ... 2048: about four seconds in all */

struct delivery {
    struct server *server; /* borrowed */
    int descriptor;        /* owned: a duplicate */
    uint64_t end; /* of the reply, among all bytes that the client acknowledges */
    struct id session_id;
    unsigned commit_number;
    unsigned waits;
    struct loop_timer *timer;  /* owned; NULL: not pending */
    struct delivery *previous; /* borrowed: the neighbours in server->deliveries */
    struct delivery *next;
};

enum arrival { ARRIVED, UNDERWAY, LOST };

static void on_wait_is_over(void *context);

static enum arrival judge(const struct tcp_counts *counts, uint64_t end)
{
    if (counts->acknowledged >= end)
        return ARRIVED;
    return counts->is_closed ? LOST : UNDERWAY;
}

static void wait_for(struct delivery *delivery)
{
    int64_t delay_ms = (int64_t)FIRST_WAIT_MS << delivery->waits;

    delivery->waits++;
    delivery->timer = loop_timer_start(delivery->server->services->loop, delay_ms,
                                       on_wait_is_over, delivery);
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
    turn_note_arrival(server->services->turns, &delivery->session_id,
                      delivery->commit_number, was_delivered);
    free(delivery);
}

static void on_wait_is_over(void *context)
{
    struct delivery *delivery = context;
    struct tcp_counts counts;
    enum arrival arrival = tcp_counts_ask(delivery->descriptor, &counts)
                               ? judge(&counts, delivery->end)
                               : LOST;

    delivery->timer = NULL;
    if (arrival != UNDERWAY)
        end(delivery, arrival == ARRIVED);
    else if (delivery->waits == WAITS)
        end(delivery, false);
    else
        wait_for(delivery);
}

void delivery_watch(struct server *server, int descriptor, const struct id *session_id,
                    unsigned commit_number)
{
    struct tcp_counts counts = {0};
    enum arrival arrival =
        tcp_counts_ask(descriptor, &counts) ? judge(&counts, counts.written) : LOST;
    struct delivery *delivery;
    int duplicate = -1;

    if (arrival == UNDERWAY)
        duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (duplicate < 0) {
        turn_note_arrival(server->services->turns, session_id, commit_number,
                          arrival == ARRIVED);
        return;
    }
    delivery = MEM_NEW(struct delivery);
    delivery->server = server;
    delivery->descriptor = duplicate;
    delivery->end = counts.written;
    delivery->session_id = *session_id;
    delivery->commit_number = commit_number;
    delivery->next = server->deliveries;
    if (delivery->next != NULL)
        delivery->next->previous = delivery;
    server->deliveries = delivery;
    wait_for(delivery);
}

void delivery_failed(struct server *server, const struct id *session_id,
                     unsigned commit_number)
{
    turn_note_arrival(server->services->turns, session_id, commit_number, false);
}

void delivery_end_all(struct server *server)
{
    while (server->deliveries != NULL)
        end(server->deliveries, false);
}
