/*
 * What each operation does in SQLite.
 *
 * An operation runs inside the transaction of its batch and may be run again: a batch that
 * fails is undone, in the database and in the claims, as if it had not been.  A claim is taken
 * while the transaction runs, and given back only when it is durable.
 */
#ifndef SQLITE_OPERATION_INTERNAL_H
#define SQLITE_OPERATION_INTERNAL_H

#include "sqlite_claims_internal.h"
#include "sqlite_rows_internal.h"
#include "store_operation_internal.h"

/* What came of running an operation. */
enum operation_step {
    STEP_DONE,  /* its result is there */
    STEP_WRITE, /* it turned out to need a transaction that writes: run it again in one */
    STEP_WAIT,  /* for the report of a reply: run it again then */
    STEP_AGAIN, /* done in part: run it again after the others */
    STEP_FAILED /* the database failed: undo the batch */
};

struct sqlite_operation {
    struct store_operation base; /* the first member: an operation is cast back */
    bool needs_write;
    bool has_waited;       /* long enough */
    int64_t wait_until_us; /* monotonic; 0: it has not waited yet */
    enum operation_step step;
    /* Of a begin: before the transaction began. What is written down since then is
     * neither in the claims nor in what it reads. */
    struct claim_facts seen;
    struct delivered
        sends;      /* the reply that sets out with the result; of commit 0: none */
    bool has_swept; /* something is deleted, and still in the log */
};

/* NULL where it is empty. */
struct sqlite_operation *sqlite_pop(struct store_list *list);

/* What operations work on; each thread has its own. */
struct operation_ground {
    struct sqlite_rows rows;
    struct claims *claims;    /* borrowed; everybody's */
    bool is_writing;          /* the transaction may write */
    bool has_deleted;         /* something was: it must leave the log at once */
    bool has_evicted;         /* speech was: it must leave the log soon */
    struct store_usage usage; /* with the turns that the transaction counts; day 0: it
                                 counts none */
    struct store_usage_board *board; /* borrowed: what was counted */
    /* Borrowed: to be written down with the next transaction. */
    const struct delivered *delivered;
    size_t delivered_count;
};

/* Will it write, as far as is known before it runs? */
bool operation_writes(const struct sqlite_operation *operation);

enum operation_step operation_run(struct sqlite_operation *operation,
                                  struct operation_ground *ground);

/* As if it had not run. */
void operation_undo(struct sqlite_operation *operation, struct operation_ground *ground);

/* Its result stands, or cannot be had: what it claimed or sent is so for all. */
void operation_settle(struct sqlite_operation *operation,
                      struct operation_ground *ground);

/* Its result is ERROR_STORE_UNAVAILABLE. */
void operation_fail(struct sqlite_operation *operation, struct operation_ground *ground);

/* The parts of operation_run() in sqlite_operation_turn.c. */
/* Of a begin, and of a count of uses. */
enum operation_step operation_count_use(struct sqlite_operation *operation,
                                        struct operation_ground *ground);

enum operation_step operation_begin(struct sqlite_operation *operation,
                                    struct operation_ground *ground);
enum operation_step operation_commit(struct sqlite_operation *operation,
                                     struct operation_ground *ground);
enum operation_step operation_finish(struct sqlite_operation *operation,
                                     struct operation_ground *ground);
enum operation_step operation_end(struct sqlite_operation *operation,
                                  struct operation_ground *ground);

/* The operation has this result. */
enum operation_step operation_done(struct sqlite_operation *operation, enum error error);

/* The session of the operation's request, if it is there and alive. */
enum row_result operation_find_live(struct sqlite_operation *operation,
                                    struct operation_ground *ground,
                                    struct stored_session *ret_stored);

#endif
