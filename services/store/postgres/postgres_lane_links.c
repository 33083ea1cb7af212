/*
 * A lane's connections: wanted from the connector, lost, wanted again; and what is looked at from
 * time to time.
 */
#include "postgres_lane_parts_internal.h"

#include "clock.h"
#include "mem.h"

#include <stdlib.h>

#define TICK_MS   250
#define ANSWER_US INT64_C(5000000) /* the oldest question on a link is not older */
#define BEAT_US   INT64_C(1000000)

static void on_tick(void *context);
static void on_made(void *context, int index, PGconn *conn);
static void on_broken(void *context, struct postgres_link *link);

static void want(struct postgres_lane *lane, int index)
{
    postgres_connector_want(lane->state->connector, lane->loop,
                            index == QUICK ? USE_QUICK : USE_DURABLE, index, on_made,
                            lane);
}

struct postgres_lane *postgres_lane_new(struct loop *loop,
                                        struct postgres_store_state *state)
{
    struct postgres_lane *lane = MEM_NEW(struct postgres_lane);

    lane->loop = loop;
    lane->state = state;
    lane->away_us[false] = lane->away_us[true] = clock_monotonic_us();
    for (int index = 0; index < LINKS; index++)
        want(lane, index);
    lane->tick = loop_timer_start(loop, TICK_MS, on_tick, lane);
    return lane;
}

static int index_of(const struct postgres_lane *lane, const struct postgres_link *link)
{
    int index = 0;

    while (lane->links[index] != link)
        index++;
    return index;
}

static bool has_link(const struct postgres_lane *lane, bool is_durable)
{
    if (!is_durable)
        return lane->links[QUICK] != NULL;
    for (int index = QUICK + 1; index < LINKS; index++)
        if (lane->links[index] != NULL)
            return true;
    return false;
}

/* What was under way goes to the front: it came before what is queued. */
static void on_broken(void *context, struct postgres_link *link)
{
    struct postgres_lane *lane = context;
    int index = index_of(lane, link);
    struct store_list queues[2] = {lane->queues[false], lane->queues[true]};
    struct store_list unanswered = {0};
    struct postgres_operation *operation;

    postgres_link_close(link, &unanswered);
    lane->links[index] = NULL;
    if (!has_link(lane, index != QUICK))
        lane->away_us[index != QUICK] = clock_monotonic_us();
    postgres_lane_note_error(lane, POSTGRES_NO_ANSWER);
    want(lane, index);

    lane->queues[false] = lane->queues[true] = (struct store_list){0};
    while ((operation = postgres_pop(&unanswered)) != NULL) {
        postgres_lane_unmark(lane, operation, true);
        postgres_lane_step_back(lane, operation, MEANS_LEAVE, false);
    }
    for (int kind = 0; kind < 2; kind++) {
        postgres_prepend(&queues[kind], &lane->queues[kind]);
        lane->queues[kind] = queues[kind];
    }
    postgres_lane_flush_soon(lane);
}

static void on_made(void *context, int index, PGconn *conn)
{
    struct postgres_lane *lane = context;

    lane->links[index] = postgres_link_open(
        lane->loop, conn,
        (struct postgres_link_events){
            .on_group = postgres_lane_on_group, .on_broken = on_broken, .context = lane});
    lane->made_us[index] = clock_monotonic_us();
    lane->away_us[index != QUICK] = 0;
    atomic_store_explicit(&lane->state->came_us, lane->made_us[index],
                          memory_order_relaxed);
    postgres_lane_flush_soon(lane);
}

/* Where others of the process have a connection again, ours comes soon. */
bool postgres_lane_is_away(const struct postgres_lane *lane, bool is_durable)
{
    int64_t came_us = atomic_load_explicit(&lane->state->came_us, memory_order_relaxed);
    int64_t since_us = lane->away_us[is_durable];

    return since_us != 0 &&
           clock_monotonic_us() - (since_us > came_us ? since_us : came_us) > PATIENCE_US;
}

/* While nobody can be asked, nobody waits longer than he is patient. */
static void expire(struct postgres_lane *lane, bool is_durable)
{
    struct store_list all = lane->queues[is_durable];
    struct store_list late = {0};
    struct postgres_operation *operation;

    if (lane->away_us[is_durable] == 0)
        return;
    lane->queues[is_durable] = (struct store_list){0};
    while ((operation = postgres_pop(&all)) != NULL)
        store_list_push(postgres_lane_is_late(operation) ? &late
                                                         : &lane->queues[is_durable],
                        &operation->base);
    while ((operation = postgres_pop(&late)) != NULL) {
        postgres_lane_unmark(lane, operation, false);
        postgres_lane_fail(lane, operation);
    }
    postgres_lane_flush_soon(lane); /* what stood behind one of them in its session */
}

/* One lane of the process does it each second. */
static void beat(struct postgres_lane *lane, int64_t now_us)
{
    int64_t beat_us = atomic_load_explicit(&lane->state->beat_us, memory_order_relaxed);

    if (lane->links[QUICK] != NULL && now_us - beat_us >= BEAT_US &&
        atomic_compare_exchange_strong(&lane->state->beat_us, &beat_us, now_us))
        postgres_lane_push(lane, postgres_operation_new(STORE_BEAT));
}

static void on_tick(void *context)
{
    struct postgres_lane *lane = context;
    int64_t now_us = clock_monotonic_us();

    lane->tick = loop_timer_start(lane->loop, TICK_MS, on_tick, lane);
    for (int index = 0; index < LINKS; index++)
        if (lane->links[index] != NULL &&
            postgres_link_oldest_us(lane->links[index]) < now_us - ANSWER_US)
            postgres_link_give_up(lane->links[index]);
    expire(lane, false);
    expire(lane, true);
    beat(lane, now_us);
}

/* Where a link is missing for what is left, one is made here and now. */
static void connect_now(struct postgres_lane *lane, int64_t deadline_us)
{
    for (int kind = 0; kind < 2; kind++) {
        int index = kind == 0 ? QUICK : QUICK + 1;
        PGconn *conn;

        if (lane->queues[kind].first == NULL || has_link(lane, kind == 1) ||
            clock_monotonic_us() >= deadline_us)
            continue;
        conn = postgres_connector_make(lane->state->connector,
                                       kind == 0 ? USE_QUICK : USE_DURABLE);
        if (conn != NULL)
            on_made(lane, index, conn);
    }
}

static bool is_under_way(const struct postgres_lane *lane)
{
    for (int index = 0; index < LINKS; index++)
        if (lane->links[index] != NULL && postgres_link_groups(lane->links[index]) > 0)
            return true;
    return false;
}

static void drain(struct postgres_lane *lane, int64_t deadline_us)
{
    while ((postgres_lane_total(lane) > 0 || is_under_way(lane)) &&
           clock_monotonic_us() < deadline_us) {
        bool is_alive = false;

        connect_now(lane, deadline_us);
        postgres_lane_send(lane);
        for (int index = 0; index < LINKS; index++)
            is_alive |= lane->links[index] != NULL &&
                        postgres_link_groups(lane->links[index]) > 0 &&
                        postgres_link_wait(lane->links[index], deadline_us);
        if (!is_alive)
            return;
    }
}

static void free_all(struct store_list *list)
{
    struct postgres_operation *operation;

    while ((operation = postgres_pop(list)) != NULL)
        postgres_operation_free(operation);
}

void postgres_lane_close(struct postgres_lane *lane, int64_t deadline_us)
{
    struct store_list unanswered = {0};

    lane->is_closing = true;
    loop_timer_cancel(lane->tick);
    loop_forget(lane->loop, postgres_lane_flush, lane);
    while (lane->waiting != NULL) {
        loop_timer_cancel(lane->waiting->timer);
        postgres_lane_wake(lane, lane->waiting);
    }
    drain(lane, deadline_us);
    for (int index = 0; index < LINKS; index++)
        postgres_link_close(lane->links[index], &unanswered);
    free_all(&unanswered);
    free_all(&lane->queues[false]);
    free_all(&lane->queues[true]);
    free_all(&lane->failed);
    free(lane);
}
