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

enum operation_kind {
    OPERATION_CREATE,
    OPERATION_LOAD,
    OPERATION_DELETE,
    OPERATION_BEGIN,
    OPERATION_COMMIT,
    OPERATION_END,
    OPERATION_REMEMBER,
    OPERATION_SPEECH,
    OPERATION_REFUSAL,
    OPERATION_REPORT,
    OPERATION_SWEEP,
    OPERATION_CHECK
};

/* What came of running an operation. */
enum operation_step {
    STEP_DONE,  /* its result is there */
    STEP_WRITE, /* it turned out to need a transaction that writes: run it again in one */
    STEP_WAIT,  /* for the report of a reply: run it again then */
    STEP_AGAIN, /* done in part: run it again after the others */
    STEP_FAILED /* the database failed: undo the batch */
};

struct store_report {
    unsigned turn_number;
    bool was_delivered;
};

struct store_hearing {
    struct digest audio;
    struct private_text heard; /* owned */
};

struct operation {
    struct operation *next; /* in whatever list it is in */
    enum operation_kind kind;

    /* Whom the result is for. */
    struct loop *loop; /* borrowed from the caller; NULL: nobody waits */
    union {
        store_session_fn *session;
        store_done_fn *done;
        store_begun_fn *begun;
        store_speech_fn *speech;
    } tell;
    void *context; /* borrowed likewise */

    /* The request. */
    bool has_session;
    struct store_id session_id;
    int64_t now_ms;
    union {
        struct store_new_session create; /* texts and sessions in these are owned */
        struct store_claim begin;
        struct store_commit commit;
        struct store_end end;
        struct store_report report;
        struct store_hearing remember;
        struct id speech_of; /* the request */
        struct refusal refusal;
        int64_t refusals_before_ms; /* of a sweep */
    } request;

    /* Where it stands. */
    bool needs_write;
    enum operation_step step;
    int64_t wait_until_us; /* monotonic; 0: it has not waited yet */
    bool has_waited;       /* long enough */
    struct operation
        *ran_before; /* borrowed: the batch's operations, last first, to be undone */
    struct claim_replies replies_before;
    bool has_swept; /* something is deleted, and still in the log */

    /* The result. */
    enum error error;
    struct session *session; /* owned until it is told, like what is in the others */
    bool is_replay;
    struct store_begun begun;
    struct store_speech speech;
};

/* Operations in their order; owned by whom the list belongs to. */
struct operation_list {
    struct operation *first;
    struct operation *last;
    size_t count;
};

void operation_list_push(struct operation_list *list, struct operation *operation);

/* NULL where it is empty. */
struct operation *operation_list_pop(struct operation_list *list);

/* Puts the operations of `other`, which is empty afterwards, behind those of `list`. */
void operation_list_append(struct operation_list *list, struct operation_list *other);

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

struct operation *operation_new(enum operation_kind kind, struct loop *loop,
                                void *context);

/* Wipes and frees it with all that it owns.  NULL is fine. */
void operation_free(struct operation *operation);

/* Will it write, as far as is known before it runs? */
bool operation_writes(const struct operation *operation);

enum operation_step operation_run(struct operation *operation,
                                  struct operation_ground *ground);

/* Puts the claims back to before it ran, and drops its result. */
void operation_undo(struct operation *operation, struct operation_ground *ground);

/* Its result is ERROR_STORE_UNAVAILABLE; a claim that it would have ended is ended. */
void operation_fail(struct operation *operation, struct operation_ground *ground);

/* Calls back, on the loop's thread, and frees the operation. */
void operation_tell(struct operation *operation);

#endif
