/*
 * The store in SQLite: two threads, each with a connection of its own, and the way to them and
 * back.
 *
 *     push > reads  > either thread      > told     waits for no disk and for no commit
 *          > writes > the writing thread > told     one transaction, one fsync, for all that came
 *          > behind: what must wait for another operation on its session
 *
 * Operations on different sessions may change places, those on one session never: it is either
 * read or written.  So whoever reads sees what is durable, and whoever claims a turn is alone.
 *
 *     sqlite_batch.c      a batch in one transaction
 *     sqlite_operation.c  what each operation does in it (turns: sqlite_operation_turn.c)
 *     sqlite_claims.c     turns that run, replies on their way
 *     sqlite_rows.c       statements and rows (sqlite_speech.c, sqlite_refusals.c)
 *     sqlite_file.c       the file: opening, migrations, the log
 */
#include "store_sqlite_internal.h"

#include "clock.h"
#include "mem.h"
#include "sqlite_batch_internal.h"
#include "sqlite_checkpointer_internal.h"
#include "sqlite_file_internal.h"
#include "sqlite_place_internal.h"
#include "sqlite_trouble_internal.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#define LOOPS_MOST         512
#define CLAIMS_MOST        (1 << 18) /* more than there can be connections */
#define WAITING_MOST       4096 /* begins that wait for a report; more count as undelivered */
#define WAIT_FOR_REPORT_US 500000
#define REPORT_US          50000 /* a report is on disk this long after it came, if not before */
#define REPORTS_AT_ONCE    1024
#define MARK_COUNT         (1 << 13) /* two sessions seldom share one; if so, one waits */
#define RETRY_US           1000000   /* after trouble with the disk */
#define EVICTED_US         10000000  /* so long may evicted speech stay in the log */
#define LOG_BYTES_GROWN    (16 << 20) /* by so much it grows between two checkpoints */
/* Then what is left is copied at once, so that it starts anew. */
#define LOG_BYTES_MOST (64 << 20)

/* With less room on its disk no turn begins: a crowd adds so much between two looks.  A small disk
 * is full when a sixteenth of it is left. */
#define ROOM_BYTES INT64_C(8388608)
#define ROOM_SHARE 16

/* Where two writers came together more are to be expected: then the next transaction does
 * not begin before this much time has passed since the last began.  The more it is to
 * write at once, the fewer fsyncs; and where an fsync takes that long, nobody waits. */
#define CROWD       2
#define INTERVAL_US 2000

enum { READS, WRITES, SIDES };

/* A thread and what only it touches. */
struct side {
    struct sqlite_store *store; /* borrowed */
    pthread_t thread;
    sqlite3 *db; /* owned */
    struct operation_ground ground;
    pthread_cond_t has_come;
    bool is_asleep; /* under the lock, like the next */
    int64_t asleep_until_us;
};

/* What of one session (or of those that share its mark) is queued or under way. */
struct mark {
    uint32_t under_way[SIDES];
    bool is_behind; /* something of it waits for that */
};

/* Results on their way to a loop. */
struct box {
    struct sqlite_store *store; /* borrowed, like the loop */
    struct loop *loop;
    struct store_list told; /* owned */
    bool is_posted;
};

struct sqlite_store {
    struct store_backend backend; /* the first member: the interface is cast back */
    struct side sides[SIDES];
    struct claims *claims;                    /* owned */
    struct sqlite_checkpointer *checkpointer; /* owned */
    char *path;                               /* owned */
    struct stat file;                         /* as it was opened */
    struct store_usage_board usage;
    _Atomic int64_t commits;
    _Atomic int64_t operations;

    /* The writing thread's own. */
    struct delivered delivered[REPORTS_AT_ONCE];
    int page_bytes;
    int log_pages;         /* in the log now */
    int checkpoint_pages;  /* when the last checkpoint began */
    bool is_checkpointing; /* on the other thread, as far as is known */

    pthread_mutex_t lock;            /* over all below */
    struct store_list queues[SIDES]; /* owned */
    struct mark marks[MARK_COUNT];
    struct store_list behind;  /* owned, like the next */
    struct store_list waiting; /* begins, the one that has waited longest first */
    size_t under_way;          /* operations that have no result yet */
    int64_t write_from_us;     /* no transaction that writes before */
    int64_t reports_due_us;    /* INT64_MAX: there are none */
    int64_t empty_log_due_us;  /* something was deleted, and its text may still be in the
                                 log; INT64_MAX: nothing */
    bool is_closing;
    struct box boxes[LOOPS_MOST]; /* one for each loop that has ever asked */
    size_t box_count;
};

static int64_t sooner(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static int64_t later(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

static struct mark *mark_of(struct sqlite_store *store,
                            const struct store_operation *operation)
{
    if (!operation->has_session)
        return NULL;
    return &store->marks[store_id_hash(&operation->session_id) % MARK_COUNT];
}

/* Into its queue, or behind what is before it in its session.  Under the lock. */
static void route(struct sqlite_store *store, struct sqlite_operation *operation)
{
    struct mark *mark = mark_of(store, &operation->base);
    int side = operation_writes(operation) ? WRITES : READS;

    if (mark != NULL && (mark->is_behind || mark->under_way[!side] > 0)) {
        mark->is_behind = true;
        store_list_push(&store->behind, &operation->base);
        return;
    }
    if (mark != NULL)
        mark->under_way[side]++;
    store_list_push(&store->queues[side], &operation->base);
}

/* Something of their sessions has come to its end.  Under the lock. */
static void route_those_behind(struct sqlite_store *store)
{
    struct store_list behind = store->behind;
    struct sqlite_operation *operation;

    store->behind = (struct store_list){0};
    for (struct store_operation *each = behind.first; each != NULL; each = each->next)
        mark_of(store, each)->is_behind = false;
    while ((operation = sqlite_pop(&behind)) != NULL)
        route(store, operation);
}

/* Those that wait for a reply of this session (NULL: of any), or whose time is over, are decided
 * anew.  Under the lock. */
static void route_waiting(struct sqlite_store *store, const struct store_id *session_id,
                          int64_t now_us)
{
    struct store_list all = store->waiting;
    struct sqlite_operation *operation;

    store->waiting = (struct store_list){0};
    while ((operation = sqlite_pop(&all)) != NULL) {
        bool is_over = store->is_closing || operation->wait_until_us <= now_us;

        operation->has_waited |= is_over;
        if (is_over || (session_id != NULL &&
                        store_id_equals(session_id, &operation->base.session_id)))
            route(store, operation);
        else
            store_list_push(&store->waiting, &operation->base);
    }
}

/* When there is something to read, though nothing comes; what is in the past is now.  Under the
 * lock, like the next two. */
static int64_t read_due_us(const struct sqlite_store *store)
{
    if (store->queues[READS].first != NULL)
        return 0;
    return store->waiting.first == NULL
               ? INT64_MAX
               : ((const struct sqlite_operation *)store->waiting.first)->wait_until_us;
}

static int64_t write_due_us(const struct sqlite_store *store)
{
    int64_t due_us = sooner(store->reports_due_us, store->empty_log_due_us);

    if (store->queues[WRITES].first != NULL)
        due_us = 0;
    return store->is_closing || due_us == INT64_MAX ? due_us
                                                    : later(due_us, store->write_from_us);
}

static void wake_side(struct side *side)
{
    side->is_asleep = false;
    pthread_cond_signal(&side->has_come);
}

/* Whoever sleeps longer than he may is woken.  Of those who may read the writing thread is asked
 * first: its pages are in memory, those of the other are read anew after each commit.  Under the
 * lock. */
static void wake_those_due(struct sqlite_store *store)
{
    struct side *reader = &store->sides[READS];
    struct side *writer = &store->sides[WRITES];
    int64_t read_us = read_due_us(store);

    if (writer->is_asleep &&
        sooner(read_us, write_due_us(store)) < writer->asleep_until_us)
        wake_side(writer);
    else if (reader->is_asleep && !writer->is_asleep && read_us < reader->asleep_until_us)
        wake_side(reader);
}

static void wake(void *context)
{
    struct sqlite_store *store = context;

    pthread_mutex_lock(&store->lock);
    wake_those_due(store);
    pthread_mutex_unlock(&store->lock);
}

/* A report is a fact at once. */
static void note_report(struct sqlite_store *store, struct store_operation *operation)
{
    const struct store_report *report = &operation->request.report;
    int64_t now_us = clock_monotonic_us();
    bool is_news = claims_report(store->claims, &operation->session_id,
                                 report->commit_number, report->was_delivered);

    pthread_mutex_lock(&store->lock);
    if (is_news)
        store->reports_due_us = sooner(store->reports_due_us, now_us + REPORT_US);
    if (store->waiting.first != NULL)
        route_waiting(store, &operation->session_id, now_us);
    wake_those_due(store);
    pthread_mutex_unlock(&store->lock);
    store_operation_free(operation);
}

/* What a tick of a loop asks for comes together: one wake, and one transaction, for all of
 * it. */
static void push(struct store_backend *backend, struct store_operation *operation)
{
    struct sqlite_store *store = (struct sqlite_store *)backend;
    struct loop *loop = operation->loop;
    bool may_sleep;

    if (operation->kind == STORE_REPORT) {
        note_report(store, operation);
        return;
    }
    if (operation->kind == STORE_END &&
        !operation_writes((struct sqlite_operation *)operation)) {
        claims_release(store->claims, &operation->session_id,
                       &operation->request.end.request_id);
        store_operation_free(operation);
        return;
    }
    pthread_mutex_lock(&store->lock);
    store->under_way++;
    route(store, (struct sqlite_operation *)operation);
    may_sleep = store->sides[READS].is_asleep || store->sides[WRITES].is_asleep;
    pthread_mutex_unlock(&store->lock);
    if (may_sleep && loop != NULL)
        loop_later(loop, wake, store);
    else if (may_sleep)
        wake(store);
}

/* On the loop's thread. */
static void deliver(void *context)
{
    struct box *box = context;
    struct store_list told;
    struct store_operation *operation;

    pthread_mutex_lock(&box->store->lock);
    told = box->told;
    box->told = (struct store_list){0};
    box->is_posted = false;
    pthread_mutex_unlock(&box->store->lock);
    while ((operation = store_list_pop(&told)) != NULL)
        store_operation_tell(operation);
}

/* Under the lock. */
static void put_in_box(struct sqlite_store *store, struct store_operation *operation)
{
    size_t at = 0;

    while (at < store->box_count && store->boxes[at].loop != operation->loop)
        at++;
    if (at == store->box_count) {
        assert(at < LOOPS_MOST);
        store->boxes[store->box_count++] =
            (struct box){.store = store, .loop = operation->loop};
    }
    store_list_push(&store->boxes[at].told, operation);
}

static void post_boxes(struct sqlite_store *store)
{
    struct box *due[LOOPS_MOST];
    size_t count = 0;

    pthread_mutex_lock(&store->lock);
    for (size_t at = 0; at < store->box_count; at++)
        if (store->boxes[at].told.first != NULL && !store->boxes[at].is_posted) {
            store->boxes[at].is_posted = true;
            due[count++] = &store->boxes[at];
        }
    pthread_mutex_unlock(&store->lock);
    for (size_t at = 0; at < count; at++)
        loop_post(due[at]->loop, deliver, due[at]);
}

/* Under the lock. */
static void finish(struct sqlite_store *store, struct store_operation *operation)
{
    store->under_way--;
    if (operation->told != NULL)
        put_in_box(store, operation);
    else
        store_operation_free(operation);
}

/* Each operation of a batch that was run goes on its way. */
static void sort_out(struct sqlite_store *store, int side, struct store_list *batch)
{
    int64_t now_us = clock_monotonic_us();
    struct sqlite_operation *operation;

    pthread_mutex_lock(&store->lock);
    for (struct store_operation *each = batch->first; each != NULL; each = each->next)
        if (each->has_session)
            mark_of(store, each)->under_way[side]--;
    route_those_behind(store);
    while ((operation = sqlite_pop(batch)) != NULL) {
        switch (operation->step) {
        case STEP_WRITE: operation->needs_write = true; /* fall through */
        case STEP_AGAIN: route(store, operation); break;
        case STEP_WAIT:
            if (operation->wait_until_us == 0)
                operation->wait_until_us = now_us + WAIT_FOR_REPORT_US;
            operation->has_waited = store->waiting.count >= WAITING_MOST;
            if (operation->has_waited)
                route(store, operation);
            else
                store_list_push(&store->waiting, &operation->base);
            break;
        case STEP_DONE:
        case STEP_FAILED: finish(store, &operation->base); break;
        }
    }
    wake_those_due(store);
    pthread_mutex_unlock(&store->lock);
    post_boxes(store);
}

static void sleep_until(struct side *side, int64_t until_us)
{
    struct timespec until = {.tv_sec = until_us / 1000000,
                             .tv_nsec = until_us % 1000000 * 1000};

    side->is_asleep = true;
    side->asleep_until_us = until_us;
    if (until_us == INT64_MAX)
        pthread_cond_wait(&side->has_come, &side->store->lock);
    else
        pthread_cond_timedwait(&side->has_come, &side->store->lock, &until);
    side->is_asleep = false;
}

/* Nothing is left, and nothing more will come.  Under the lock. */
static bool is_over(const struct sqlite_store *store)
{
    return store->is_closing && store->under_way == 0 &&
           store->reports_due_us == INT64_MAX;
}

/* What a thread has taken. */
struct taken {
    struct store_list queues[SIDES]; /* owned */
    bool is_write_due;
};

/* Waits until there is something to do, and takes all that came.  false: it is over. */
static bool take(struct side *side, struct taken *ret_taken)
{
    struct sqlite_store *store = side->store;
    bool may_write = side == &store->sides[WRITES];
    int64_t now_us = clock_monotonic_us();
    int64_t write_us = INT64_MAX;
    int64_t due_us;
    bool goes_on;

    *ret_taken = (struct taken){0};
    pthread_mutex_lock(&store->lock);
    for (; !is_over(store); now_us = clock_monotonic_us()) {
        write_us = may_write ? write_due_us(store) : INT64_MAX;
        due_us = sooner(read_due_us(store), write_us);
        if (due_us <= now_us)
            break;
        sleep_until(side, due_us);
    }
    route_waiting(store, NULL, now_us);
    ret_taken->queues[READS] = store->queues[READS];
    store->queues[READS] = (struct store_list){0};
    ret_taken->is_write_due = write_us <= now_us;
    if (ret_taken->is_write_due) {
        ret_taken->queues[WRITES] = store->queues[WRITES];
        store->queues[WRITES] = (struct store_list){0};
    }
    goes_on = !is_over(store);
    for (int each = 0; !goes_on && each < SIDES; each++)
        pthread_cond_signal(&store->sides[each].has_come);
    pthread_mutex_unlock(&store->lock);
    return goes_on;
}

static void note_error(struct sqlite_store *store, struct operation_ground *ground)
{
    struct store_trouble trouble;

    if (ground->rows.last_error != SQLITE_OK) {
        trouble = sqlite_trouble_of(ground->rows.last_error,
                                    sqlite3_system_errno(ground->rows.db));
        store_trouble_note(&store->backend.health, &trouble);
    }
    ground->rows.last_error = SQLITE_OK;
}

static void read_batch(struct side *side, struct store_list *batch)
{
    if (batch->first == NULL)
        return;
    side->ground.is_writing = false;
    sqlite_batch_run(&side->ground, batch);
    note_error(side->store, &side->ground);
    sort_out(side->store, READS, batch);
}

static void *read_on(void *context)
{
    struct side *side = context;
    struct taken taken;

    while (take(side, &taken))
        read_batch(side, &taken.queues[READS]);
    return NULL;
}

/* Lists what was delivered, where it is due: it is written down with the batch. */
static size_t list_delivered(struct sqlite_store *store, int64_t now_us)
{
    bool is_due;

    pthread_mutex_lock(&store->lock);
    is_due = store->reports_due_us <= now_us || store->is_closing;
    pthread_mutex_unlock(&store->lock);
    return is_due
               ? claims_list_delivered(store->claims, store->delivered, REPORTS_AT_ONCE)
               : 0;
}

/* When the next are due. */
static void note_delivered(struct sqlite_store *store, size_t count, bool is_written,
                           int64_t now_us)
{
    struct delivered one;

    if (count == 0)
        return;
    if (is_written)
        claims_note_written(store->claims, store->delivered, count);
    pthread_mutex_lock(&store->lock);
    store->reports_due_us = INT64_MAX;
    if (!is_written && !store->is_closing)
        store->reports_due_us = now_us + RETRY_US;
    else if (is_written && claims_list_delivered(store->claims, &one, 1) > 0)
        store->reports_due_us = now_us + REPORT_US;
    pthread_mutex_unlock(&store->lock);
}

static void empty_log(struct sqlite_store *store, int64_t now_us)
{
    struct side *side = &store->sides[WRITES];
    bool is_empty = sqlite_file_empty_log(side->db);

    pthread_mutex_lock(&store->lock);
    store->empty_log_due_us =
        is_empty || store->is_closing ? INT64_MAX : now_us + RETRY_US;
    pthread_mutex_unlock(&store->lock);
    side->ground.has_deleted = false;
    store->log_pages = is_empty ? 0 : store->log_pages;
}

/* The log starts anew with the first commit that finds all of it copied.  Under load
 * there is always something left: when the log has grown long, that little is copied
 * here. */
static void tend_log(struct sqlite_store *store)
{
    if (store->log_pages < store->checkpoint_pages)
        store->checkpoint_pages = 0; /* it has started anew */

    if (store->is_checkpointing) {
        store->is_checkpointing = sqlite_checkpointer_is_busy(store->checkpointer);
        if (!store->is_checkpointing &&
            store->log_pages >= LOG_BYTES_MOST / store->page_bytes)
            sqlite_file_checkpoint(store->sides[WRITES].db);
    } else if (store->log_pages - store->checkpoint_pages >=
               LOG_BYTES_GROWN / store->page_bytes) {
        store->checkpoint_pages = store->log_pages;
        store->is_checkpointing = true;
        sqlite_checkpointer_start(store->checkpointer);
    }
}

/* What was deleted is out of the log before anybody is told. */
static void write_batch(struct side *side, struct store_list *batch)
{
    struct sqlite_store *store = side->store;
    struct operation_ground *ground = &side->ground;
    int64_t now_us = clock_monotonic_us();
    size_t count = list_delivered(store, now_us);
    size_t operations = batch->count;

    pthread_mutex_lock(&store->lock);
    store->write_from_us = operations < CROWD ? 0 : now_us + INTERVAL_US;
    pthread_mutex_unlock(&store->lock);
    ground->is_writing = true;
    ground->delivered = store->delivered;
    ground->delivered_count = count;
    sqlite_batch_run(ground, batch);
    if (ground->rows.last_error == SQLITE_OK && operations + count > 0) {
        atomic_fetch_add_explicit(&store->commits, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&store->operations, (int64_t)operations,
                                  memory_order_relaxed);
    }
    note_error(store, ground);
    note_delivered(store, count, ground->delivered_count == 0, now_us);
    pthread_mutex_lock(&store->lock);
    if (ground->has_evicted)
        store->empty_log_due_us = sooner(store->empty_log_due_us, now_us + EVICTED_US);
    pthread_mutex_unlock(&store->lock);
    ground->has_evicted = false;
    if (ground->has_deleted || store->empty_log_due_us <= now_us)
        empty_log(store, now_us);
}

static void *write_on(void *context)
{
    struct side *side = context;
    struct taken taken;

    while (take(side, &taken)) {
        read_batch(side, &taken.queues[READS]);
        if (!taken.is_write_due)
            continue;
        write_batch(side, &taken.queues[WRITES]);
        sort_out(side->store, WRITES, &taken.queues[WRITES]);
        tend_log(side->store);
    }
    return NULL;
}

static void sweep(struct store_backend *backend, int64_t now_ms,
                  int64_t refusals_before_ms)
{
    struct store_operation *operation = store_operation_new(backend, STORE_SWEEP, NULL);

    operation->now_ms = now_ms;
    operation->request.refusals_before_ms = refusals_before_ms;
    push(backend, operation);
}

/* Was it removed, or another put in its place?  And what is left of its disk? */
static void look_at_file(const struct sqlite_store *store, struct store_stats *stats)
{
    struct statvfs disk;
    struct stat file;

    stats->is_file_lost = stat(store->path, &file) != 0 ||
                          file.st_ino != store->file.st_ino ||
                          file.st_dev != store->file.st_dev;
    if (!stats->is_file_lost)
        stats->file_bytes = file.st_size;
    if (statvfs(store->path, &disk) != 0)
        return;
    stats->disk_free_bytes = (int64_t)(disk.f_bavail * disk.f_frsize);
    stats->is_disk_full =
        stats->disk_free_bytes < ROOM_BYTES &&
        stats->disk_free_bytes < (int64_t)(disk.f_blocks * disk.f_frsize) / ROOM_SHARE;
}

static struct store_stats stats(struct store_backend *backend)
{
    struct sqlite_store *store = (struct sqlite_store *)backend;
    struct store_stats stats = {
        .usage = store_usage_latest(&store->usage),
        .commits = atomic_load_explicit(&store->commits, memory_order_relaxed),
        .operations = atomic_load_explicit(&store->operations, memory_order_relaxed),
    };

    look_at_file(store, &stats);
    return stats;
}

static void free_store(struct sqlite_store *store)
{
    struct store_operation *operation;

    for (size_t at = 0; at < store->box_count; at++)
        while ((operation = store_list_pop(&store->boxes[at].told)) != NULL)
            store_operation_free(operation);
    sqlite_checkpointer_free(store->checkpointer);
    for (int side = 0; side < SIDES; side++) {
        rows_done(&store->sides[side].ground.rows);
        sqlite3_close(store->sides[side].db);
        pthread_cond_destroy(&store->sides[side].has_come);
    }
    claims_free(store->claims);
    store_usage_done(&store->usage);
    pthread_mutex_destroy(&store->lock);
    free(store->path);
    free(store);
}

static void stop(struct sqlite_store *store, int threads)
{
    pthread_mutex_lock(&store->lock);
    store->is_closing = true;
    if (store->reports_due_us != INT64_MAX)
        store->reports_due_us = 0;
    route_waiting(store, NULL, 0);
    for (int side = 0; side < SIDES; side++)
        pthread_cond_signal(&store->sides[side].has_come);
    pthread_mutex_unlock(&store->lock);
    for (int side = 0; side < threads; side++)
        pthread_join(store->sides[side].thread, NULL);
}

static void close_store(struct store_backend *backend)
{
    struct sqlite_store *store = (struct sqlite_store *)backend;

    stop(store, SIDES);
    free_store(store);
}

static int on_log_grown(void *context, sqlite3 *db, const char *name, int pages)
{
    struct sqlite_store *store = context;

    (void)db;
    (void)name;
    store->log_pages = pages;
    return SQLITE_OK;
}

static bool open_side(struct sqlite_store *store, int which, const char *path,
                      struct buffer *problem)
{
    struct side *side = &store->sides[which];

    side->ground.claims = store->claims;
    side->ground.board = &store->usage;
    side->db = which == WRITES ? sqlite_file_open(path, problem)
                               : sqlite_file_open_again(path, problem);
    if (side->db == NULL)
        return false;
    if (rows_init(&side->ground.rows, side->db))
        return true;
    buffer_append_string(problem, "store: ");
    buffer_append_string(problem, sqlite3_errmsg(side->db));
    buffer_append_char(problem, '\n');
    return false;
}

static bool start_threads(struct sqlite_store *store, struct buffer *problem)
{
    static void *(*const lives[SIDES])(void *) = {read_on, write_on};
    static const char *const names[SIDES] = {"store reads", "store writes"};

    for (int side = 0; side < SIDES; side++) {
        pthread_t *thread = &store->sides[side].thread;

        if (pthread_create(thread, NULL, lives[side], &store->sides[side]) != 0) {
            buffer_append_string(problem, "store: its threads cannot be started\n");
            stop(store, side);
            return false;
        }
        pthread_setname_np(*thread, names[side]);
    }
    return true;
}

/* A process may have died right after a deletion: the log is emptied first. */
static bool open_all(struct sqlite_store *store, struct buffer *problem)
{
    const char *path = store->path;
    struct operation_ground *ground = &store->sides[WRITES].ground;

    if (!open_side(store, WRITES, path, problem) ||
        !open_side(store, READS, path, problem))
        return false;
    store->checkpointer = sqlite_checkpointer_new(path, problem);
    if (store->checkpointer == NULL)
        return false;
    if (stat(path, &store->file) != 0) {
        sqlite_place_explain(problem, path, "cannot be looked at", errno);
        return false;
    }
    store->page_bytes = sqlite_file_page_bytes(store->sides[WRITES].db);
    rows_read_usage(&ground->rows, store_day(clock_wall_ms()), &store->usage.latest);
    sqlite3_wal_hook(store->sides[WRITES].db, on_log_grown, store);
    sqlite_file_empty_log(store->sides[WRITES].db);
    return start_threads(store, problem);
}

static const struct store_backend methods = {
    .operation_bytes = sizeof(struct sqlite_operation),
    .push = push,
    .sweep = sweep,
    .stats = stats,
    .close = close_store,
};

struct store_backend *store_sqlite_open(const char *url, struct buffer *problem)
{
    char *path = sqlite_place(url, problem);
    struct sqlite_store *store;
    pthread_condattr_t attributes;
    bool is_open;

    if (path == NULL)
        return NULL;
    store = MEM_NEW(struct sqlite_store);
    store->backend = methods;
    store->claims = claims_new(CLAIMS_MOST);
    store->empty_log_due_us = store->reports_due_us = INT64_MAX;
    store_usage_init(&store->usage);
    pthread_mutex_init(&store->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes,
                              CLOCK_MONOTONIC); /* that of clock_monotonic_us() */
    for (int side = 0; side < SIDES; side++) {
        store->sides[side].store = store;
        pthread_cond_init(&store->sides[side].has_come, &attributes);
    }
    pthread_condattr_destroy(&attributes);
    store->path = path;
    is_open = open_all(store, problem);
    if (is_open)
        return &store->backend;
    free_store(store);
    return NULL;
}
