/*
 * One thing asked of the store: the request, and in the end its result.
 *
 * An operation runs inside the transaction of its batch and may be run again: a batch
 * that fails is undone, in the database and in the claims, as if it had not been.
 */
#ifndef SQLITE_OPERATION_H
#define SQLITE_OPERATION_H

#include "sqlite_rows.h"
#include "store_claims.h"
#include "store_operation.h"

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

    /* Where it stands. */
    bool needs_write;
    enum operation_step step;
    int64_t wait_until_us; /* monotonic; 0: it has not waited yet */
    bool has_waited;       /* long enough */
    struct sqlite_operation
        *ran_before; /* borrowed: the batch's operations, last first, to be undone */
    struct claim_replies replies_before;
    bool has_swept; /* something is deleted, and still in the log */
};

/* NULL where it is empty. */
struct sqlite_operation *sqlite_pop(struct store_list *list);

/* What operations work on; the store's thread alone has it. */
struct operation_ground {
    struct sqlite_rows *rows;    /* borrowed */
    struct store_claims *claims; /* borrowed */
    bool is_writing;             /* the transaction may write */
    bool has_deleted;            /* something was: it must leave the log at once */
    bool has_evicted;            /* speech was: it must leave the log soon */
    struct store_usage usage;    /* with the turns that the transaction counts; day 0: it
                                    counts none */
};

/* Will it write, as far as is known before it runs? */
bool operation_writes(const struct sqlite_operation *operation);

enum operation_step operation_run(struct sqlite_operation *operation,
                                  struct operation_ground *ground);

/* Puts the claims back to before it ran, and drops its result. */
void operation_undo(struct sqlite_operation *operation, struct operation_ground *ground);

/* Its result is ERROR_STORE_UNAVAILABLE; a claim that it would have ended is ended. */
void operation_fail(struct sqlite_operation *operation, struct operation_ground *ground);

#endif
