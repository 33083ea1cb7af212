/*
 * The life of what comes:
 *
 *   read:   sqlite_reports_note > wake_waiting > hold_back > run_batch of what only reads
 *   write:  run_batch of what was held back
 *
 *   run_batch:  attempt > (undo > attempt each alone) > sort_out
 *
 * Operations on different sessions may change places, those on one session never: what
 * only reads is held back as well where something of its session is.  So a reader never
 * waits for an fsync that it has no part in, and sees what is durable.
 */
#include "sqlite_keeper.h"

#include "clock.h"
#include "mem.h"
#include "sqlite_checkpointer.h"
#include "sqlite_file.h"
#include "sqlite_reports.h"
#include "store_usage.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define CLAIMS_MOST        (1 << 18) /* more than there can be connections */
#define WAITING_MOST       4096 /* begins that wait for a report; more count as undelivered */
#define WAIT_FOR_REPORT_US 500000
#define MARK_COUNT         (1 << 14) /* two sessions seldom share one; if so, one waits */
#define RETRY_US           1000000   /* after trouble with the disk */
#define EVICTED_US         10000000  /* so long may evicted speech stay in the log */
#define LOG_PAGES_GROWN    1000      /* by so much it grows between two checkpoints */
#define LOG_PAGES_MOST \
    8000 /* then what is left is copied at once, so that it starts anew */

struct sqlite_keeper {
    sqlite3 *db;                              /* owned */
    struct sqlite_checkpointer *checkpointer; /* owned */
    struct sqlite_rows rows;
    struct store_claims *claims; /* owned */
    struct operation_ground ground;

    struct store_list held;                   /* to be run in a transaction that writes */
    unsigned char held_marks[MARK_COUNT / 8]; /* a bit for each session in it */
    struct store_list waiting; /* begins, the one that has waited longest first */
    struct sqlite_reports reports;

    int log_pages;            /* in the log now */
    int checkpoint_pages;     /* when the last checkpoint began */
    bool is_checkpointing;    /* on the other thread, as far as is known */
    int64_t empty_log_due_us; /* something was deleted, and its text may still be in the
                                 log; INT64_MAX: nothing */

    _Atomic int64_t commits;
    _Atomic int64_t operations;
    _Atomic int last_error;
    struct store_usage_board usage;
};

static void wake_waiting(struct sqlite_keeper *keeper, struct store_list *batch,
                         int64_t now_us);
static void hold_back(struct sqlite_keeper *keeper, struct store_list *batch);
static void run_batch(struct sqlite_keeper *keeper, struct store_list *batch,
                      bool for_writing, int64_t now_us, struct store_list *answered,
                      struct store_list *again);
static bool attempt(struct sqlite_keeper *keeper, struct store_list *batch,
                    bool for_writing, int64_t now_us);
static void undo(struct sqlite_keeper *keeper, struct sqlite_operation *last);
static bool is_trouble_of_one(const struct sqlite_keeper *keeper);
static void sort_out(struct sqlite_keeper *keeper, struct store_list *batch,
                     int64_t now_us, struct store_list *answered,
                     struct store_list *again);
static void empty_log(struct sqlite_keeper *keeper, int64_t now_us);

static int on_log_grown(void *context, sqlite3 *db, const char *name, int pages)
{
    struct sqlite_keeper *keeper = context;

    (void)db;
    (void)name;
    keeper->log_pages = pages;
    return SQLITE_OK;
}

struct sqlite_keeper *sqlite_keeper_open(const char *path, struct buffer *problem)
{
    struct sqlite_keeper *keeper = MEM_NEW(struct sqlite_keeper);

    keeper->claims = store_claims_new(CLAIMS_MOST);
    keeper->reports = sqlite_reports_new(keeper->claims);
    keeper->empty_log_due_us = INT64_MAX;
    store_usage_init(&keeper->usage);
    keeper->db = sqlite_file_open(path, problem);
    if (keeper->db == NULL)
        goto fail;
    if (!rows_init(&keeper->rows, keeper->db)) {
        buffer_append_string(problem, "store: ");
        buffer_append_string(problem, sqlite3_errmsg(keeper->db));
        buffer_append_char(problem, '\n');
        goto fail;
    }
    keeper->checkpointer = sqlite_checkpointer_new(path, problem);
    if (keeper->checkpointer == NULL)
        goto fail;
    rows_read_usage(&keeper->rows, store_day(clock_wall_ms()), &keeper->usage.latest);
    keeper->ground.rows = &keeper->rows;
    keeper->ground.claims = keeper->claims;
    sqlite3_wal_hook(keeper->db, on_log_grown, keeper);
    sqlite_file_empty_log(
        keeper->db); /* a process may have died right after a deletion */
    return keeper;

fail:
    sqlite_keeper_free(keeper);
    return NULL;
}

void sqlite_keeper_free(struct sqlite_keeper *keeper)
{
    if (keeper == NULL)
        return;
    assert(keeper->waiting.first == NULL && keeper->held.first == NULL);
    sqlite_checkpointer_free(keeper->checkpointer);
    rows_done(&keeper->rows);
    sqlite3_close(keeper->db);
    store_claims_free(keeper->claims);
    store_usage_done(&keeper->usage);
    free(keeper);
}

void sqlite_keeper_read(struct sqlite_keeper *keeper, struct store_list *come,
                        int64_t now_us, struct store_list *answered,
                        struct store_list *again)
{
    sqlite_reports_note(&keeper->reports, come, now_us);
    wake_waiting(keeper, come, now_us);
    hold_back(keeper, come);
    run_batch(keeper, come, false, now_us, answered, again);
}

size_t sqlite_keeper_write(struct sqlite_keeper *keeper, int64_t now_us,
                           struct store_list *answered, struct store_list *again)
{
    size_t count = keeper->held.count;

    run_batch(keeper, &keeper->held, true, now_us, answered, again);
    memset(keeper->held_marks, 0, sizeof(keeper->held_marks));
    if (keeper->ground.has_evicted && now_us + EVICTED_US < keeper->empty_log_due_us)
        keeper->empty_log_due_us = now_us + EVICTED_US;
    keeper->ground.has_evicted = false;
    if (keeper->ground.has_deleted || keeper->empty_log_due_us <= now_us)
        empty_log(keeper, now_us);
    return count;
}

static void run_batch(struct sqlite_keeper *keeper, struct store_list *batch,
                      bool for_writing, int64_t now_us, struct store_list *answered,
                      struct store_list *again)
{
    struct sqlite_operation *operation;

    if (!attempt(keeper, batch, for_writing, now_us)) {
        bool each_alone = is_trouble_of_one(keeper) && batch->count > 1;
        struct store_list failed = *batch;

        *batch = (struct store_list){0};
        while ((operation = sqlite_pop(&failed)) != NULL) {
            struct store_list alone = {0};

            store_list_push(&alone, &operation->base);
            if (!each_alone || !attempt(keeper, &alone, for_writing, now_us)) {
                operation->step = STEP_DONE;
                operation_fail(operation, &keeper->ground);
            }
            store_list_append(batch, &alone);
        }
    }
    sort_out(keeper, batch, now_us, answered, again);
}

/* Those whose report has come, or who have waited long enough, run first. */
static void wake_waiting(struct sqlite_keeper *keeper, struct store_list *batch,
                         int64_t now_us)
{
    struct store_list rest = {0};
    struct store_list awake = {0};
    struct sqlite_operation *operation;

    while ((operation = sqlite_pop(&keeper->waiting)) != NULL) {
        const struct claim *claim =
            store_claims_find(keeper->claims, &operation->base.session_id);

        operation->has_waited = operation->wait_until_us <= now_us;
        if (operation->has_waited || claim == NULL || claim->replies.on_their_way == 0 ||
            claim->replies.was_delivered)
            store_list_push(&awake, &operation->base);
        else
            store_list_push(&rest, &operation->base);
    }
    keeper->waiting = rest;
    store_list_append(&awake, batch);
    *batch = awake;
}

/* Keeps what writes, and what comes after it in its session. */
static void hold_back(struct sqlite_keeper *keeper, struct store_list *batch)
{
    struct store_list readers = {0};
    struct sqlite_operation *operation;

    while ((operation = sqlite_pop(batch)) != NULL) {
        unsigned mark = store_id_hash(&operation->base.session_id) % MARK_COUNT;
        unsigned char bit = (unsigned char)(1u << mark % 8);
        unsigned char *marks = &keeper->held_marks[mark / 8];
        bool is_after = operation->base.has_session && (*marks & bit) != 0;

        if (!operation_writes(operation) && !is_after) {
            store_list_push(&readers, &operation->base);
            continue;
        }
        if (operation->base.has_session)
            *marks |= bit;
        store_list_push(&keeper->held, &operation->base);
    }
    *batch = readers;
}

/* Runs the batch in one transaction.  false: it was undone, and no operation has a
 * result. */
static bool attempt(struct sqlite_keeper *keeper, struct store_list *batch,
                    bool for_writing, int64_t now_us)
{
    struct operation_ground *ground = &keeper->ground;
    struct sqlite_operation *last = NULL;
    bool are_reports_due = for_writing && keeper->reports.due_us <= now_us;
    int64_t writes = 0;

    for (struct sqlite_operation *each = (struct sqlite_operation *)batch->first;
         each != NULL; each = (struct sqlite_operation *)each->base.next)
        writes += operation_writes(each);
    ground->is_writing = for_writing;
    ground->usage.day = 0;
    if (batch->first == NULL && !are_reports_due)
        return true;
    if (!rows_begin(&keeper->rows, ground->is_writing))
        return false;

    for (struct sqlite_operation *each = (struct sqlite_operation *)batch->first;
         each != NULL; each = (struct sqlite_operation *)each->base.next) {
        const struct claim *claim = NULL;

        if (each->base.has_session)
            claim = store_claims_find(keeper->claims, &each->base.session_id);
        each->replies_before = claim == NULL ? (struct claim_replies){0} : claim->replies;
        each->ran_before = last;
        last = each;
        each->step = operation_run(each, ground);
        if (each->step == STEP_FAILED)
            goto fail;
    }
    if (are_reports_due && !sqlite_reports_write(&keeper->reports, &keeper->rows))
        goto fail;
    if (!rows_commit(&keeper->rows))
        goto fail;

    if (are_reports_due)
        sqlite_reports_forget(&keeper->reports);
    if (ground->is_writing) {
        atomic_fetch_add_explicit(&keeper->commits, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&keeper->operations, writes, memory_order_relaxed);
    }
    if (ground->usage.day != 0)
        store_usage_note(&keeper->usage, &ground->usage);
    return true;

fail:
    rows_roll_back(&keeper->rows);
    undo(keeper, last);
    if (are_reports_due)
        keeper->reports.due_us = now_us + RETRY_US;
    return false;
}

static void undo(struct sqlite_keeper *keeper, struct sqlite_operation *last)
{
    atomic_store_explicit(&keeper->last_error, keeper->rows.last_error,
                          memory_order_relaxed);
    for (; last != NULL; last = last->ran_before)
        operation_undo(last, &keeper->ground);
}

/* Trouble with one row leaves hope for the others; trouble with the disk does not. */
static bool is_trouble_of_one(const struct sqlite_keeper *keeper)
{
    switch (keeper->rows.last_error & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_NOTADB: return false;
    default: return true; /* SQLite's codes, not ours */
    }
}

static void sort_out(struct sqlite_keeper *keeper, struct store_list *batch,
                     int64_t now_us, struct store_list *answered,
                     struct store_list *again)
{
    struct sqlite_operation *operation;

    while ((operation = sqlite_pop(batch)) != NULL) {
        if (operation->base.has_session)
            store_claims_settle(keeper->claims, &operation->base.session_id);
        switch (operation->step) {
        case STEP_WRITE:
            operation->needs_write = true;
            store_list_push(again, &operation->base);
            break;
        case STEP_AGAIN: store_list_push(again, &operation->base); break;
        case STEP_WAIT:
            if (operation->wait_until_us == 0)
                operation->wait_until_us = now_us + WAIT_FOR_REPORT_US;
            operation->has_waited = keeper->waiting.count >= WAITING_MOST;
            store_list_push(operation->has_waited ? again : &keeper->waiting,
                            &operation->base);
            break;
        case STEP_DONE:
        case STEP_FAILED: store_list_push(answered, &operation->base); break;
        }
    }
}

int64_t sqlite_keeper_read_due_us(const struct sqlite_keeper *keeper)
{
    return keeper->waiting.first == NULL
               ? INT64_MAX
               : ((struct sqlite_operation *)keeper->waiting.first)->wait_until_us;
}

int64_t sqlite_keeper_write_due_us(const struct sqlite_keeper *keeper)
{
    if (keeper->held.first != NULL)
        return 0;
    return keeper->empty_log_due_us < keeper->reports.due_us ? keeper->empty_log_due_us
                                                             : keeper->reports.due_us;
}

static void empty_log(struct sqlite_keeper *keeper, int64_t now_us)
{
    bool is_empty = sqlite_file_empty_log(keeper->db);

    keeper->empty_log_due_us = is_empty ? INT64_MAX : now_us + RETRY_US;
    keeper->ground.has_deleted = false;
    keeper->log_pages = is_empty ? 0 : keeper->log_pages;
}

/* The log starts anew with the first commit that finds all of it copied.  Under load
 * there is always something left: when the log has grown long, that little is copied
 * here. */
void sqlite_keeper_tend(struct sqlite_keeper *keeper)
{
    if (keeper->log_pages < keeper->checkpoint_pages)
        keeper->checkpoint_pages = 0; /* it has started anew */

    if (keeper->is_checkpointing) {
        keeper->is_checkpointing = sqlite_checkpointer_is_busy(keeper->checkpointer);
        if (!keeper->is_checkpointing && keeper->log_pages >= LOG_PAGES_MOST)
            sqlite_file_checkpoint(keeper->db);
    } else if (keeper->log_pages - keeper->checkpoint_pages >= LOG_PAGES_GROWN) {
        keeper->checkpoint_pages = keeper->log_pages;
        keeper->is_checkpointing = true;
        sqlite_checkpointer_start(keeper->checkpointer);
    }
}

void sqlite_keeper_finish(struct sqlite_keeper *keeper, int64_t now_us,
                          struct store_list *answered)
{
    struct store_list batch = {0};
    struct store_list again = {0};

    for (struct sqlite_operation *each = (struct sqlite_operation *)keeper->waiting.first;
         each != NULL; each = (struct sqlite_operation *)each->base.next)
        each->wait_until_us = now_us;
    if (keeper->reports.first != NULL)
        keeper->reports.due_us = now_us;
    do {
        store_list_append(&batch, &again);
        sqlite_keeper_read(keeper, &batch, now_us, answered, &again);
        sqlite_keeper_write(keeper, now_us, answered, &again);
    } while (again.first != NULL);
}

struct store_stats sqlite_keeper_stats(struct sqlite_keeper *keeper)
{
    return (struct store_stats){
        .usage = store_usage_latest(&keeper->usage),
        .commits = atomic_load_explicit(&keeper->commits, memory_order_relaxed),
        .operations = atomic_load_explicit(&keeper->operations, memory_order_relaxed),
        .last_error = atomic_load_explicit(&keeper->last_error, memory_order_relaxed),
    };
}
