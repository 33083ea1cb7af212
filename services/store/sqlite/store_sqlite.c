/*
 * The store in SQLite, as loops see it: each call becomes an operation for the store's
 * thread.
 *
 *     store_sqlite.c      what may be asked (any loop's thread)
 *     sqlite_worker.c     the queue, the thread, the way back
 *
 * and on the store's thread:
 *
 *     sqlite_keeper.c     batches: what reads at once, what writes in one transaction
 *     sqlite_operation.c  what each operation does in it
 *     store_claims.c      turns that run, replies on their way
 *     sqlite_rows.c       statements and rows: sessions; sqlite_turns.c, sqlite_speech.c,
 *                         sqlite_refusals.c
 *     sqlite_file.c       the file: opening, migrations, the log
 */
#include "store_sqlite.h"

#include "mem.h"
#include "sqlite_place.h"
#include "sqlite_worker.h"

#include <stdlib.h>

struct sqlite_store {
    struct store_backend backend; /* the first member: the interface is cast back */
    struct sqlite_worker *worker; /* owned */
};

static struct sqlite_worker *worker_of(struct store_backend *backend)
{
    return ((struct sqlite_store *)backend)->worker;
}

static void push(struct store_backend *backend, struct store_operation *operation)
{
    sqlite_worker_push(worker_of(backend), (struct sqlite_operation *)operation);
}

static void sweep(struct store_backend *backend, int64_t now_ms,
                  int64_t refusals_before_ms)
{
    struct store_operation *operation = store_operation_new(backend, STORE_SWEEP, NULL);

    operation->now_ms = now_ms;
    operation->request.refusals_before_ms = refusals_before_ms;
    push(backend, operation);
}

static struct store_stats stats(struct store_backend *backend)
{
    return sqlite_worker_stats(worker_of(backend));
}

static void close_store(struct store_backend *backend)
{
    sqlite_worker_stop(worker_of(backend));
    free(backend);
}

struct store_backend *store_sqlite_open(const char *url, struct buffer *problem)
{
    char *path = sqlite_place(url, problem);
    struct sqlite_keeper *keeper =
        path == NULL ? NULL : sqlite_keeper_open(path, problem);
    struct sqlite_worker *worker =
        keeper == NULL ? NULL : sqlite_worker_start(keeper, problem);
    struct sqlite_store *sqlite_store;

    free(path);
    if (worker == NULL)
        return NULL;
    sqlite_store = MEM_NEW(struct sqlite_store);
    sqlite_store->worker = worker;
    sqlite_store->backend =
        (struct store_backend){.operation_bytes = sizeof(struct sqlite_operation),
                               .push = push,
                               .sweep = sweep,
                               .stats = stats,
                               .close = close_store};
    return &sqlite_store->backend;
}
