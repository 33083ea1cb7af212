/*
 * The life of an operation in its lane:
 *
 *   postgres_lane_push > queue > (a group on a link) > on_group > step_on > told
 *                          ^                              |
 *                          |`---- at once, or after a while: the next step
 *                          `----- the group was undone, or its connection broke: again
 *
 * What goes wrong is tried again for three seconds, and then told as ERROR_STORE_UNAVAILABLE; where
 * the server has been away for so long already, at once.
 */
#include "postgres_lane_internal.h"

#include "clock.h"
#include "mem.h"
#include "postgres_link_internal.h"
#include "postgres_state_internal.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_MOST  64 /* operations */
#define GROUPS_MOST 8  /* on the quick link at a time; more gathers */
#define QUEUED_MOST 32768
#define END_US      INT64_C(600000000) /* is_news(), however late */
#define TRIES_MOST  50
#define AGAIN_MS    10

#define TICK_MS   250
#define ANSWER_US INT64_C(5000000) /* the oldest question on a link is not older */
#define BEAT_US   INT64_C(1000000)
#define LINKS     3 /* the quick one, and two that are durable: one flushes, one gathers */
#define QUICK     0
/* Two sessions seldom share one; if so, one waits for the other. */
#define MARK_COUNT  4096
#define PATIENCE_US INT64_C(3000000)

/* What of one session (or of those that share its mark) is queued or under way. */
struct mark {
    uint16_t quick;   /* on the quick link, or in its queue */
    uint16_t durable; /* on the others, or in their queue */
    uint16_t running; /* of those, on a link */
    uint8_t link;     /* which */
};

struct postgres_lane {
    struct loop *loop;                  /* borrowed */
    struct postgres_store_state *state; /* borrowed */
    struct postgres_link *links[LINKS]; /* owned; NULL: none now, one is wanted */
    int64_t made_us[LINKS];             /* when they were */
    struct store_list queues[2];        /* what is quick, what is durable */
    struct postgres_operation *waiting; /* each with a timer; owned, like the queues */
    size_t waiting_count;
    struct store_list failed; /* to be told soon */
    struct mark marks[MARK_COUNT];
    int64_t away_us[2]; /* since when there is no link of that kind; 0: there is one */
    struct loop_timer *tick; /* owned */
    bool is_flush_due;
    bool is_closing;
};

static void on_tick(void *context);
static void on_made(void *context, int index, PGconn *conn);
static void on_broken(void *context, struct postgres_link *link);
static void on_error(void *context, const PGconn *conn, const char *sqlstate,
                     const PGresult *result);
static void on_group(void *context, struct postgres_link *link,
                     struct postgres_group *group);
static void flush_all(void *context);
static void on_waited(void *context);

static bool is_durable_kind(enum store_kind kind)
{
    switch (kind) {
    case STORE_CREATE:
    case STORE_DELETE:
    case STORE_COMMIT:
    case STORE_FINISH:
    case STORE_END: /* a crash that undid it alone would leave the claim behind */
    case STORE_REFUSAL:
    case STORE_CHECK:
    case STORE_SPEECH:
        return true; /* writes nothing, but is long: others need not wait */
    case STORE_LOAD:
    case STORE_BEGIN:
    case STORE_REMEMBER:
    case STORE_RATES:
    case STORE_COUNT_USE:
    case STORE_REPORT:
    case STORE_SWEEP: /* the connector does it */
    case STORE_BEAT: return false;
    }
    return false;
}

/* Nobody waits for it, and it must be told however late: what it says would else be taken for
 * its contrary. */
static bool is_news(const struct postgres_operation *operation)
{
    return operation->base.kind == STORE_REPORT ||
           (operation->base.kind == STORE_END && !store_end_is_reply(&operation->base));
}

static int64_t patience_us(const struct postgres_operation *operation)
{
    return is_news(operation) ? END_US : PATIENCE_US;
}

static struct mark *mark_of(struct postgres_lane *lane,
                            const struct postgres_operation *operation)
{
    if (!operation->base.has_session)
        return NULL;
    return &lane->marks[store_id_hash(&operation->base.session_id) % MARK_COUNT];
}

static size_t total_of(const struct postgres_lane *lane)
{
    return lane->queues[false].count + lane->queues[true].count + lane->waiting_count;
}

static void flush_soon(struct postgres_lane *lane)
{
    if (!lane->is_flush_due && !lane->is_closing)
        loop_later(lane->loop, flush_all, lane);
    lane->is_flush_due = true;
}

/* What comes behind a durable operation of its session goes the same way. */
static void enqueue(struct postgres_lane *lane, struct postgres_operation *operation)
{
    struct mark *mark = mark_of(lane, operation);

    operation->is_durable =
        is_durable_kind(operation->base.kind) || (mark != NULL && mark->durable > 0);
    if (mark != NULL && operation->is_durable)
        mark->durable++;
    else if (mark != NULL)
        mark->quick++;
    store_list_push(&lane->queues[operation->is_durable], &operation->base);
    flush_soon(lane);
}

static void wake_up(struct postgres_lane *lane, struct postgres_operation *operation)
{
    if (operation->following != NULL)
        operation->following->previous = operation->previous;
    if (operation->previous != NULL)
        operation->previous->following = operation->following;
    else
        lane->waiting = operation->following;
    lane->waiting_count--;
    operation->timer = NULL;
    enqueue(lane, operation);
}

/* A report has come, behind which they find what they wait for. */
static void wake_waiting(struct postgres_lane *lane, const struct store_id *session_id)
{
    for (struct postgres_operation *each = lane->waiting, *next; each != NULL;
         each = next) {
        next = each->following;
        if (!store_id_equals(&each->base.session_id, session_id))
            continue;
        loop_timer_cancel(each->timer);
        wake_up(lane, each);
    }
}

/* Where others of the process have a connection again, ours comes soon. */
static bool is_away(const struct postgres_lane *lane, bool is_durable)
{
    int64_t came_us = atomic_load_explicit(&lane->state->came_us, memory_order_relaxed);
    int64_t since_us = lane->away_us[is_durable];

    return since_us != 0 &&
           clock_monotonic_us() - (since_us > came_us ? since_us : came_us) > PATIENCE_US;
}

void postgres_lane_push(struct postgres_lane *lane, struct postgres_operation *operation)
{
    bool is_durable = is_durable_kind(operation->base.kind);

    operation->base.asked_us = clock_monotonic_us();
    operation->lane = lane;
    if ((operation->base.kind != STORE_END && total_of(lane) >= QUEUED_MOST) ||
        (!is_news(operation) && is_away(lane, is_durable))) {
        postgres_operation_fail(operation);
        store_list_push(&lane->failed, &operation->base);
        flush_soon(lane);
        return;
    }
    enqueue(lane, operation);
    if (operation->base.kind == STORE_REPORT)
        wake_waiting(lane, &operation->base.session_id);
}

/* It is not queued and not under way any more. */
static void unmark(struct postgres_lane *lane, struct postgres_operation *operation,
                   bool was_running)
{
    struct mark *mark = mark_of(lane, operation);

    if (mark == NULL)
        return;
    if (!operation->is_durable) {
        mark->quick--;
        return;
    }
    mark->durable--;
    mark->running = (uint16_t)(mark->running - was_running);
}

/* On a durable link: behind what is quick, and what is on another link, of its session. */
static bool may_run(struct postgres_lane *lane,
                    const struct postgres_operation *operation, int index)
{
    const struct mark *mark = mark_of(lane, operation);

    return mark == NULL || index == QUICK ||
           (mark->quick == 0 && (mark->running == 0 || mark->link == index));
}

static bool start(struct postgres_lane *lane, int index,
                  struct postgres_operation *operation)
{
    struct mark *mark = mark_of(lane, operation);

    if (mark != NULL && operation->is_durable) {
        mark->running++;
        mark->link = (uint8_t)index;
    }
    postgres_link_add(lane->links[index], operation);
    return postgres_operation_ask(operation, &lane->state->ground, lane->links[index]);
}

/* Sends one group of what is queued.  false: there is nothing to send on this link. */
static bool send_group(struct postgres_lane *lane, int index)
{
    struct store_list *queue = &lane->queues[index != QUICK];
    struct store_list skipped = {0};
    struct postgres_operation *operation;
    size_t count = 0;
    bool is_alone = false;
    bool is_good = true;

    while (is_good && !is_alone && count < GROUP_MOST &&
           (operation = postgres_pop(queue)) != NULL) {
        if ((operation->is_alone && count > 0) || !may_run(lane, operation, index)) {
            store_list_push(&skipped, &operation->base);
            if (operation->is_alone)
                break;
            continue;
        }
        is_alone = operation->is_alone;
        is_good = start(lane, index, operation);
        count++;
    }
    postgres_prepend(queue, &skipped);
    if (count > 0)
        postgres_link_end_group(lane->links[index]);
    return count > 0 && is_good;
}

/* A link that leads to where nobody may write any more is left before it is asked again. */
static bool is_usable(struct postgres_lane *lane, int index)
{
    struct postgres_link *link = lane->links[index];

    if (link == NULL || postgres_link_is_broken(link))
        return false;
    if (lane->made_us[index] >=
        atomic_load_explicit(&lane->state->left_us, memory_order_relaxed))
        return true;
    postgres_link_give_up(link);
    return false;
}

static void send_all(struct postgres_lane *lane)
{
    while (lane->queues[false].first != NULL && is_usable(lane, QUICK) &&
           postgres_link_groups(lane->links[QUICK]) < GROUPS_MOST &&
           send_group(lane, QUICK))
        continue;
    for (int index = QUICK + 1; index < LINKS; index++)
        if (lane->queues[true].first != NULL && is_usable(lane, index) &&
            postgres_link_groups(lane->links[index]) == 0)
            send_group(lane, index);
}

/* It has its result. */
static void finish(struct postgres_lane *lane, struct postgres_operation *operation)
{
    struct postgres_operation *release = postgres_operation_release(operation);

    postgres_speech_count(operation, &lane->state->ground);
    if (release != NULL)
        postgres_lane_push(lane, release);
    if (lane->is_closing)
        postgres_operation_free(operation);
    else
        postgres_operation_tell(operation);
}

/* At the end of the tick. */
static void flush_all(void *context)
{
    struct postgres_lane *lane = context;
    struct store_list failed = lane->failed;
    struct postgres_operation *operation;

    lane->is_flush_due = false;
    lane->failed = (struct store_list){0};
    send_all(lane);
    while ((operation = postgres_pop(&failed)) != NULL)
        finish(lane, operation);
}

static void fail_operation(struct postgres_lane *lane,
                           struct postgres_operation *operation)
{
    postgres_operation_fail(operation);
    finish(lane, operation);
}

static bool is_late(const struct postgres_operation *operation)
{
    return clock_monotonic_us() - operation->base.asked_us > patience_us(operation);
}

static void put_off(struct postgres_lane *lane, struct postgres_operation *operation,
                    int64_t wait_ms)
{
    if (lane->is_closing) {
        fail_operation(lane, operation);
        return;
    }
    operation->previous = NULL;
    operation->following = lane->waiting;
    if (operation->following != NULL)
        operation->following->previous = operation;
    lane->waiting = operation;
    lane->waiting_count++;
    operation->timer = loop_timer_start(lane->loop, wait_ms, on_waited, operation);
}

static void on_waited(void *context)
{
    struct postgres_operation *operation = context;

    wake_up(operation->lane, operation);
}

/* All of its step has happened. */
static void step_on(struct postgres_lane *lane, struct postgres_operation *operation)
{
    switch (postgres_operation_next(operation)) {
    case NEXT_DONE: finish(lane, operation); break;
    case NEXT_ASK: enqueue(lane, operation); break;
    case NEXT_WAIT: put_off(lane, operation, operation->wait_ms); break;
    }
}

/* Nothing of its step has happened, or we do not know.  In a crowd it may have been another's
 * fault: each is asked again alone. */
static void step_back(struct postgres_lane *lane, struct postgres_operation *operation,
                      enum postgres_meaning meaning, bool was_crowd)
{
    postgres_operation_forget(operation);
    operation->is_repeat = true;
    operation->tries++;
    if (meaning == MEANS_LEAVE || was_crowd) {
        operation->is_alone |= was_crowd && meaning != MEANS_LEAVE;
        if (is_late(operation))
            fail_operation(lane, operation);
        else
            enqueue(lane, operation);
    } else if (meaning == MEANS_AGAIN && operation->tries < TRIES_MOST &&
               !is_late(operation)) {
        put_off(lane, operation, 1 + (int64_t)randombytes_uniform(AGAIN_MS));
    } else {
        fail_operation(lane, operation);
    }
}

static void count_commit(struct postgres_lane *lane, struct postgres_link *link,
                         size_t operations)
{
    if (link == lane->links[QUICK])
        return;
    atomic_fetch_add_explicit(&lane->state->commits, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&lane->state->operations, (int64_t)operations,
                              memory_order_relaxed);
}

static void on_group(void *context, struct postgres_link *link,
                     struct postgres_group *group)
{
    struct postgres_lane *lane = context;
    bool is_good = *group->sqlstate == '\0';
    bool was_crowd = group->operations.count > 1;
    enum postgres_meaning meaning = postgres_state_meaning(group->sqlstate);
    struct postgres_operation *operation;

    if (is_good)
        count_commit(lane, link, group->operations.count);
    while ((operation = postgres_pop(&group->operations)) != NULL) {
        unmark(lane, operation, true);
        if (is_good)
            step_on(lane, operation);
        else
            step_back(lane, operation, meaning, was_crowd);
    }
    flush_soon(lane); /* what waited for these may go */
    if (is_good || meaning != MEANS_LEAVE)
        return;
    postgres_link_give_up(link);
    if (strcmp(group->sqlstate, POSTGRES_READ_ONLY) == 0)
        atomic_store_explicit(&lane->state->left_us, clock_monotonic_us(),
                              memory_order_relaxed);
}

static void on_error(void *context, const PGconn *conn, const char *sqlstate,
                     const PGresult *result)
{
    struct postgres_lane *lane = context;

    if (result == NULL || postgres_state_meaning(sqlstate) != MEANS_AGAIN)
        postgres_state_note(lane->state->health, conn, sqlstate, result);
}

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
    want(lane, index);

    lane->queues[false] = lane->queues[true] = (struct store_list){0};
    while ((operation = postgres_pop(&unanswered)) != NULL) {
        unmark(lane, operation, true);
        step_back(lane, operation, MEANS_LEAVE, false);
    }
    for (int kind = 0; kind < 2; kind++) {
        postgres_prepend(&queues[kind], &lane->queues[kind]);
        lane->queues[kind] = queues[kind];
    }
    flush_soon(lane);
}

static void on_made(void *context, int index, PGconn *conn)
{
    struct postgres_lane *lane = context;

    lane->links[index] =
        postgres_link_open(lane->loop, conn,
                           (struct postgres_link_events){.on_group = on_group,
                                                         .on_broken = on_broken,
                                                         .on_error = on_error,
                                                         .context = lane});
    lane->made_us[index] = clock_monotonic_us();
    lane->away_us[index != QUICK] = 0;
    atomic_store_explicit(&lane->state->came_us, lane->made_us[index],
                          memory_order_relaxed);
    flush_soon(lane);
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
        store_list_push(is_late(operation) ? &late : &lane->queues[is_durable],
                        &operation->base);
    while ((operation = postgres_pop(&late)) != NULL) {
        unmark(lane, operation, false);
        fail_operation(lane, operation);
    }
    flush_soon(lane); /* what stood behind one of them in its session */
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
            postgres_link_oldest_us(lane->links[index]) < now_us - ANSWER_US) {
            on_error(lane, NULL, POSTGRES_NO_ANSWER, NULL);
            postgres_link_give_up(lane->links[index]);
        }
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
    while ((total_of(lane) > 0 || is_under_way(lane)) &&
           clock_monotonic_us() < deadline_us) {
        bool is_alive = false;

        connect_now(lane, deadline_us);
        send_all(lane);
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
    loop_forget(lane->loop, flush_all, lane);
    while (lane->waiting != NULL) {
        loop_timer_cancel(lane->waiting->timer);
        wake_up(lane, lane->waiting);
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
