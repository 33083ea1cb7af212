/*
 * A connection in libpq's pipeline mode on a loop: what is sent, and what is awaited, in order.
 */
#include "postgres_link_internal.h"

#include "clock.h"
#include "mem.h"
#include "postgres_state_internal.h"

#include <assert.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* An answer that is to come: of a statement, or of the Sync behind a group. */
struct awaited {
    struct postgres_operation *operation; /* borrowed from its group; NULL: the Sync */
    enum postgres_statement which;
    bool has_come; /* all but the NULL that ends it */
};

struct sent_group {
    struct postgres_group group;
    int64_t sent_us;
    struct sent_group *next; /* owned */
};

struct postgres_link {
    struct loop *loop; /* borrowed */
    PGconn *conn;      /* owned */
    struct postgres_link_events events;
    uv_poll_t *poll; /* owned; freed by its close callback */
    int polled;      /* the events that it is told */
    bool is_broken;

    struct awaited *awaited; /* owned: a ring */
    size_t first, count, capacity;

    struct sent_group *groups; /* owned: the oldest first */
    struct sent_group *last;
    size_t group_count;
    struct sent_group *making; /* the last of them, until it has its end */
};

static void on_poll(uv_poll_t *poll, int status, int events);
static void tell_broken(void *context);

static void watch(struct postgres_link *link, int events)
{
    if (link->polled != events)
        uv_poll_start(link->poll, events, on_poll);
    link->polled = events;
}

struct postgres_link *postgres_link_open(struct loop *loop, PGconn *conn,
                                         struct postgres_link_events events)
{
    struct postgres_link *link = MEM_NEW(struct postgres_link);

    link->loop = loop;
    link->conn = conn;
    link->events = events;
    link->poll = MEM_NEW(uv_poll_t);
    if (uv_poll_init(loop_uv(loop), link->poll, PQsocket(conn)) != 0)
        abort(); /* like out of memory */
    link->poll->data = link;
    watch(link, UV_READABLE);
    return link;
}

static void free_poll(uv_handle_t *handle)
{
    free(handle);
}

void postgres_link_close(struct postgres_link *link, struct store_list *ret_unanswered)
{
    if (link == NULL)
        return;
    for (struct sent_group *group = link->groups, *next; group != NULL; group = next) {
        struct postgres_operation *operation;

        next = group->next;
        while ((operation = postgres_pop(&group->group.operations)) != NULL)
            store_list_push(ret_unanswered, &operation->base);
        free(group);
    }
    loop_forget(link->loop, tell_broken, link);
    uv_close((uv_handle_t *)link->poll, free_poll);
    PQfinish(link->conn);
    free(link->awaited);
    free(link);
}

static void tell_broken(void *context)
{
    struct postgres_link *link = context;

    link->events.on_broken(link->events.context, link);
}

/* Told at the end of the tick: whoever is inside a call of the link comes out of it first. */
static void break_off(struct postgres_link *link)
{
    if (link->is_broken)
        return;
    link->is_broken = true;
    if (PQstatus(link->conn) == CONNECTION_BAD)
        link->events.on_error(link->events.context, link->conn, POSTGRES_NO_ANSWER, NULL);
    uv_poll_stop(link->poll); /* at once: libpq may have closed its socket */
    loop_later(link->loop, tell_broken, link);
}

static void await(struct postgres_link *link, struct postgres_operation *operation,
                  enum postgres_statement which)
{
    if (link->count == link->capacity) {
        size_t capacity = link->capacity == 0 ? 64 : link->capacity * 2;
        struct awaited *awaited = mem_zalloc(capacity * sizeof(*awaited));

        for (size_t i = 0; i < link->count; i++)
            awaited[i] = link->awaited[(link->first + i) % link->capacity];
        free(link->awaited);
        link->awaited = awaited;
        link->first = 0;
        link->capacity = capacity;
    }
    link->awaited[(link->first + link->count++) % link->capacity] =
        (struct awaited){.operation = operation, .which = which};
}

void postgres_link_add(struct postgres_link *link, struct postgres_operation *operation)
{
    if (link->making == NULL) {
        struct sent_group *group = MEM_NEW(struct sent_group);

        group->sent_us = clock_monotonic_us();
        if (link->groups == NULL)
            link->groups = group;
        else
            link->last->next = group;
        link->last = link->making = group;
        link->group_count++;
    }
    store_list_push(&link->making->group.operations, &operation->base);
}

bool postgres_link_send(struct postgres_link *link, struct postgres_operation *operation,
                        enum postgres_statement which,
                        const struct postgres_values *values)
{
    if (link->is_broken)
        return false;
    if (!postgres_send(link->conn, which, values)) {
        break_off(link);
        return false;
    }
    await(link, operation, which);
    return true;
}

static void flush(struct postgres_link *link)
{
    int left = PQflush(link->conn);

    if (left < 0)
        break_off(link);
    else
        watch(link, left > 0 ? UV_READABLE | UV_WRITABLE : UV_READABLE);
}

void postgres_link_end_group(struct postgres_link *link)
{
    link->making = NULL;
    if (link->is_broken)
        return;
    if (PQpipelineSync(link->conn) != 1) {
        break_off(link);
        return;
    }
    await(link, NULL, POSTGRES_STATEMENT_COUNT);
    flush(link);
}

static void pop(struct postgres_link *link)
{
    link->first = (link->first + 1) % link->capacity;
    link->count--;
}

/* The group is told last: who hears of it may send more. */
static void on_synced(struct postgres_link *link)
{
    struct sent_group *group = link->groups;

    assert(group != NULL && group != link->making);
    link->groups = group->next;
    link->group_count--;
    link->events.on_group(link->events.context, link, &group->group);
    free(group);
}

/* An answer to the statement that is awaited first. */
static void on_answer(struct postgres_link *link, PGresult *result)
{
    struct awaited *awaited = &link->awaited[link->first];
    struct postgres_group *group = &link->groups->group;
    struct postgres_operation *operation = awaited->operation;
    enum postgres_statement which = awaited->which;

    switch (PQresultStatus(result)) {
    case PGRES_PIPELINE_SYNC:
        pop(link);
        if (operation == NULL)
            on_synced(link);
        else
            break_off(link); /* we have lost count */
        return;
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK:
        awaited->has_come = true;
        if (operation == NULL)
            break_off(link);
        else if (*group->sqlstate == '\0')
            postgres_operation_take(operation, which, result);
        return;
    case PGRES_PIPELINE_ABORTED: awaited->has_come = true; return;
    default: break; /* libpq's; an error, or what was never asked for */
    }
    /* An error at the Sync is of the group's commit: the Sync's own answer is still to come. */
    awaited->has_come = operation != NULL;
    if (*group->sqlstate == '\0') {
        postgres_state_of(result, group->sqlstate);
        link->events.on_error(link->events.context, link->conn, group->sqlstate, result);
    }
    if (operation != NULL)
        memcpy(operation->sqlstate, group->sqlstate, sizeof(operation->sqlstate));
}

/* libpq gives a NULL behind all results of a statement, and none behind a Sync's. */
static void read_answers(struct postgres_link *link)
{
    unsigned nulls = 0;

    while (link->count > 0 && nulls < 2 && !PQisBusy(link->conn)) {
        PGresult *result = PQgetResult(link->conn);

        if (result == NULL) {
            nulls++;
            if (link->awaited[link->first].has_come) {
                pop(link);
                nulls = 0;
            }
            continue;
        }
        nulls = 0;
        on_answer(link, result);
        postgres_rows_wipe(result);
        PQclear(result);
    }
    if (PQstatus(link->conn) == CONNECTION_BAD)
        break_off(link);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct postgres_link *link = poll->data;

    if (status < 0) {
        break_off(link);
        return;
    }
    /* What came before the end is read also where the end has come. */
    if ((events & UV_READABLE) != 0 && PQconsumeInput(link->conn) != 1)
        break_off(link);
    read_answers(link);
    if ((events & UV_WRITABLE) != 0 && !link->is_broken)
        flush(link);
}

size_t postgres_link_groups(const struct postgres_link *link)
{
    return link->group_count;
}

int64_t postgres_link_oldest_us(const struct postgres_link *link)
{
    return link->groups == NULL ? INT64_MAX : link->groups->sent_us;
}

void postgres_link_give_up(struct postgres_link *link)
{
    break_off(link);
}

bool postgres_link_is_broken(const struct postgres_link *link)
{
    return link->is_broken;
}

bool postgres_link_wait(struct postgres_link *link, int64_t deadline_us)
{
    size_t before = link->group_count;

    while (!link->is_broken && link->group_count == before) {
        int64_t left_us = deadline_us - clock_monotonic_us();
        int unsent = PQflush(link->conn);
        struct pollfd polled = {.fd = PQsocket(link->conn),
                                .events =
                                    (short)(unsent > 0 ? POLLIN | POLLOUT : POLLIN)};

        if (left_us <= 0 || unsent < 0 ||
            poll(&polled, 1, (int)(left_us / 1000) + 1) < 0 ||
            PQconsumeInput(link->conn) != 1)
            return false;
        read_answers(link);
    }
    return !link->is_broken;
}
