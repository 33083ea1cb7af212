/*
 * A lane's parts: postgres_lane.c has the life of an operation, postgres_lane_links.c that of the
 * connections.
 */
#ifndef POSTGRES_LANE_PARTS_INTERNAL_H
#define POSTGRES_LANE_PARTS_INTERNAL_H

#include "postgres_lane_internal.h"
#include "postgres_link_internal.h"
#include "postgres_state_internal.h"

#define LINKS 3 /* the quick one, and two that are durable: one flushes, one gathers */
#define QUICK 0
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

/* The lane's methods as their links' and timers' events. */
void postgres_lane_on_group(void *context, struct postgres_link *link,
                            struct postgres_group *group);

/* Sends what is queued, at the end of the tick or now. */
void postgres_lane_flush(void *context);
void postgres_lane_flush_soon(struct postgres_lane *lane);
void postgres_lane_send(struct postgres_lane *lane);

/* It waits no longer. */
void postgres_lane_wake(struct postgres_lane *lane, struct postgres_operation *operation);

/* Whether it has waited longer than anybody would. */
bool postgres_lane_is_late(const struct postgres_operation *operation);

/* It is not queued and not under way any more. */
void postgres_lane_unmark(struct postgres_lane *lane,
                          struct postgres_operation *operation, bool was_running);

/* Nothing of its step has happened, or we do not know: asked again, or failed. */
void postgres_lane_step_back(struct postgres_lane *lane,
                             struct postgres_operation *operation,
                             enum postgres_meaning meaning, bool was_crowd);

/* It fails, and whoever waits is told. */
void postgres_lane_fail(struct postgres_lane *lane, struct postgres_operation *operation);

void postgres_lane_note_error(struct postgres_lane *lane, const char *sqlstate);

/* Nobody has been there to ask for longer than anybody would wait. */
bool postgres_lane_is_away(const struct postgres_lane *lane, bool is_durable);

/* Operations that have not come to their end, but for those on a link. */
size_t postgres_lane_total(const struct postgres_lane *lane);

#endif
