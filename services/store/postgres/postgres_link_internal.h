/*
 * One connection on its loop: statements go out in groups, answers come back in the same order.
 *
 * A group is what stands between two Syncs of libpq's pipeline mode.  PostgreSQL runs it as one
 * transaction: one flush of its log for all of it, and where one statement fails none of the group
 * has happened.  Nothing is known of a group before its Sync is answered.
 */
#ifndef POSTGRES_LINK_INTERNAL_H
#define POSTGRES_LINK_INTERNAL_H

#include "loop.h"
#include "postgres_operation_internal.h"

struct postgres_link;

struct postgres_group {
    struct store_list operations;
    char sqlstate[6]; /* of the first error; "": none */
};

struct postgres_link_events {
    /* A group has come back; its operations belong to whom they are given to.  Not from inside
     * a call to the link. */
    void (*on_group)(void *context, struct postgres_link *link,
                     struct postgres_group *group);

    /* The connection is of no use any more: postgres_link_close(), now or later.  Once. */
    void (*on_broken)(void *context, struct postgres_link *link);

    /* A statement, or a group's commit, failed; `result` is NULL where the connection broke. */
    void (*on_error)(void *context, const PGconn *conn, const char *sqlstate,
                     const PGresult *result);
    void *context;
};

/* Takes the connection, which is in pipeline mode, over. */
struct postgres_link *postgres_link_open(struct loop *loop, PGconn *conn,
                                         struct postgres_link_events events);

/* Gives back what was sent and not answered, in its order.  NULL is fine. */
void postgres_link_close(struct postgres_link *link, struct store_list *ret_unanswered);

/* Puts an operation into the group that is being made; then its statements are sent. */
void postgres_link_add(struct postgres_link *link, struct postgres_operation *operation);

/* false: the connection is broken, as on_broken() tells soon. */
bool postgres_link_send(struct postgres_link *link, struct postgres_operation *operation,
                        enum postgres_statement which,
                        const struct postgres_values *values);

/* Ends the group and sends it. */
void postgres_link_end_group(struct postgres_link *link);

/* Groups that are not answered, and since when the oldest is (monotonic). */
size_t postgres_link_groups(const struct postgres_link *link);
int64_t postgres_link_oldest_us(const struct postgres_link *link);

/* The connection is to be given up: on_broken() comes soon. */
void postgres_link_give_up(struct postgres_link *link);

/* on_broken() has come or comes soon: nothing is to be sent any more. */
bool postgres_link_is_broken(const struct postgres_link *link);

/* Without the loop, when that has stopped: waits until a group is answered, or until
 * `deadline_us`.  false: the connection is broken, or it is too late. */
bool postgres_link_wait(struct postgres_link *link, int64_t deadline_us);

#endif
