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
#include "postgres_lane_parts_internal.h"

#include "clock.h"
#include "postgres_speech_internal.h"

#include <sodium.h>
#include <string.h>

#define GROUP_MOST  64 /* operations */
#define GROUPS_MOST 8  /* on the quick link at a time; more gathers */
#define QUEUED_MOST 32768
#define END_US      INT64_C(600000000) /* is_news(), however late */
#define TRIES_MOST  50
#define AGAIN_MS    10

static void on_waited(void *context);
static void enqueue(struct postgres_lane *lane, struct postgres_operation *operation);
static void wake_waiting(struct postgres_lane *lane, const struct store_id *session_id);
static void finish(struct postgres_lane *lane, struct postgres_operation *operation);

static bool is_durable_kind(enum store_kind kind)
{
    switch (kind) {
    case STORE_CREATE:
    case STORE_DELETE:
    case STORE_COMMIT:
    case STORE_END: /* a crash that undid it alone would leave the claim behind */
    case STORE_REFUSAL:
    case STORE_CHECK:
    case STORE_SPEECH:
        return true; /* writes nothing, but is long: others need not wait */
    case STORE_LOAD:
    case STORE_BEGIN:
    case STORE_REMEMBER:
    case STORE_RATES:
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
    return operation->base.kind == STORE_END || operation->base.kind == STORE_REPORT;
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

size_t postgres_lane_total(const struct postgres_lane *lane)
{
    return lane->queues[false].count + lane->queues[true].count + lane->waiting_count;
}

void postgres_lane_flush_soon(struct postgres_lane *lane)
{
    if (!lane->is_flush_due && !lane->is_closing)
        loop_later(lane->loop, postgres_lane_flush, lane);
    lane->is_flush_due = true;
}

void postgres_lane_push(struct postgres_lane *lane, struct postgres_operation *operation)
{
    bool is_durable = is_durable_kind(operation->base.kind);

    operation->base.asked_us = clock_monotonic_us();
    operation->lane = lane;
    if ((operation->base.kind != STORE_END && postgres_lane_total(lane) >= QUEUED_MOST) ||
        (!is_news(operation) && postgres_lane_is_away(lane, is_durable))) {
        postgres_operation_fail(operation);
        store_list_push(&lane->failed, &operation->base);
        postgres_lane_flush_soon(lane);
        return;
    }
    enqueue(lane, operation);
    if (operation->base.kind == STORE_REPORT)
        wake_waiting(lane, &operation->base.session_id);
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
    postgres_lane_flush_soon(lane);
}

/* It is not queued and not under way any more. */
void postgres_lane_unmark(struct postgres_lane *lane,
                          struct postgres_operation *operation, bool was_running)
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

void postgres_lane_send(struct postgres_lane *lane)
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

/* At the end of the tick. */
void postgres_lane_flush(void *context)
{
    struct postgres_lane *lane = context;
    struct store_list failed = lane->failed;
    struct postgres_operation *operation;

    lane->is_flush_due = false;
    lane->failed = (struct store_list){0};
    postgres_lane_send(lane);
    while ((operation = postgres_pop(&failed)) != NULL)
        finish(lane, operation);
}

void postgres_lane_note_error(struct postgres_lane *lane, const char *sqlstate)
{
    atomic_store_explicit(&lane->state->last_error, postgres_state_pack(sqlstate),
                          memory_order_relaxed);
}

/* It has its result. */
static void finish(struct postgres_lane *lane, struct postgres_operation *operation)
{
    struct postgres_operation *release = postgres_operation_release(operation);

    postgres_speech_count(operation, &lane->state->ground);
    if (operation->base.error == ERROR_STORE_UNAVAILABLE)
        postgres_lane_note_error(lane, *operation->sqlstate != '\0' ? operation->sqlstate
                                                                    : POSTGRES_NO_ANSWER);
    if (release != NULL)
        postgres_lane_push(lane, release);
    if (lane->is_closing)
        postgres_operation_free(operation);
    else
        postgres_operation_tell(operation);
}

void postgres_lane_fail(struct postgres_lane *lane, struct postgres_operation *operation)
{
    postgres_operation_fail(operation);
    finish(lane, operation);
}

bool postgres_lane_is_late(const struct postgres_operation *operation)
{
    return clock_monotonic_us() - operation->base.asked_us > patience_us(operation);
}

static void put_off(struct postgres_lane *lane, struct postgres_operation *operation,
                    int64_t wait_ms)
{
    if (lane->is_closing) {
        postgres_lane_fail(lane, operation);
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

void postgres_lane_wake(struct postgres_lane *lane, struct postgres_operation *operation)
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

static void on_waited(void *context)
{
    struct postgres_operation *operation = context;

    postgres_lane_wake(operation->lane, operation);
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
        postgres_lane_wake(lane, each);
    }
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
void postgres_lane_step_back(struct postgres_lane *lane,
                             struct postgres_operation *operation,
                             enum postgres_meaning meaning, bool was_crowd)
{
    postgres_operation_forget(operation);
    operation->is_repeat = true;
    operation->tries++;
    if (meaning == MEANS_LEAVE || was_crowd) {
        operation->is_alone |= was_crowd && meaning != MEANS_LEAVE;
        if (postgres_lane_is_late(operation))
            postgres_lane_fail(lane, operation);
        else
            enqueue(lane, operation);
    } else if (meaning == MEANS_AGAIN && operation->tries < TRIES_MOST &&
               !postgres_lane_is_late(operation)) {
        put_off(lane, operation, 1 + (int64_t)randombytes_uniform(AGAIN_MS));
    } else {
        postgres_lane_fail(lane, operation);
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

void postgres_lane_on_group(void *context, struct postgres_link *link,
                            struct postgres_group *group)
{
    struct postgres_lane *lane = context;
    bool is_good = *group->sqlstate == '\0';
    bool was_crowd = group->operations.count > 1;
    enum postgres_meaning meaning = postgres_state_meaning(group->sqlstate);
    struct postgres_operation *operation;

    if (is_good)
        count_commit(lane, link, group->operations.count);
    else if (meaning != MEANS_AGAIN)
        postgres_lane_note_error(lane, group->sqlstate);
    while ((operation = postgres_pop(&group->operations)) != NULL) {
        postgres_lane_unmark(lane, operation, true);
        if (is_good)
            step_on(lane, operation);
        else
            postgres_lane_step_back(lane, operation, meaning, was_crowd);
    }
    postgres_lane_flush_soon(lane); /* what waited for these may go */
    if (is_good || meaning != MEANS_LEAVE)
        return;
    postgres_link_give_up(link);
    if (strcmp(group->sqlstate, POSTGRES_READ_ONLY) == 0)
        atomic_store_explicit(&lane->state->left_us, clock_monotonic_us(),
                              memory_order_relaxed);
}
