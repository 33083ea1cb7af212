#include "sqlite_worker.h"

#include "clock.h"
#include "mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* Where two writers came together more are to be expected: then the next transaction does
 * not begin before this much time has passed since the last began.  The more it is to
 * write at once, the fewer fsyncs; and where an fsync takes that long, nobody waits. */
#define CROWD       2
#define INTERVAL_US 2000

/* Results on their way to a loop. */
struct parcel {
    struct sqlite_worker *worker; /* borrowed */
    struct loop *loop;            /* borrowed from who asked */
    struct store_list operations; /* owned */
    struct parcel *previous; /* among those that are not delivered yet; under the lock */
    struct parcel *next;
};

struct sqlite_worker {
    struct sqlite_keeper *keeper; /* owned */
    pthread_t thread;
    int64_t write_from_us; /* no transaction that writes before; the thread's own */

    pthread_mutex_t lock; /* over all below */
    pthread_cond_t has_come;
    struct store_list queue;
    bool is_asleep;
    bool is_gathering; /* what writes need not wake it */
    bool has_reader;   /* something in the queue need not wait for others */
    bool is_closing;
    struct parcel *parcels; /* owned: posted, not yet delivered */
};

static void *live(void *context);
static bool take(struct sqlite_worker *worker, struct store_list *batch);
static bool has_reason(struct sqlite_worker *worker, int64_t now_us, int64_t due_us);
static void sleep_until(struct sqlite_worker *worker, int64_t due_us);
static void write_if_due(struct sqlite_worker *worker, struct store_list *answered,
                         struct store_list *again);
static void hand_back(struct sqlite_worker *worker, struct store_list *answered);
static void deliver(void *context);

struct sqlite_worker *sqlite_worker_start(struct sqlite_keeper *keeper,
                                          struct buffer *problem)
{
    struct sqlite_worker *worker = MEM_NEW(struct sqlite_worker);
    pthread_condattr_t attributes;

    worker->keeper = keeper;
    pthread_mutex_init(&worker->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes,
                              CLOCK_MONOTONIC); /* that of clock_monotonic_us() */
    pthread_cond_init(&worker->has_come, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&worker->thread, NULL, live, worker) == 0) {
        pthread_setname_np(worker->thread, "store");
        return worker;
    }

    buffer_append_string(problem, "store: its thread cannot be started\n");
    sqlite_keeper_free(keeper);
    pthread_cond_destroy(&worker->has_come);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
    return NULL;
}

/* What a tick of a loop asks for comes together: one wake, and one transaction, for all of
 * it. */
static void wake(void *context)
{
    struct sqlite_worker *worker = context;
    bool must_wake;

    pthread_mutex_lock(&worker->lock);
    must_wake = worker->is_asleep && worker->queue.first != NULL &&
                (worker->has_reader || !worker->is_gathering);
    if (must_wake)
        worker->is_asleep = false;
    pthread_mutex_unlock(&worker->lock);
    if (must_wake)
        pthread_cond_signal(&worker->has_come);
}

void sqlite_worker_push(struct sqlite_worker *worker, struct sqlite_operation *operation)
{
    struct loop *loop = operation->base.loop;
    bool is_reader = operation->base.told != NULL && !operation_writes(operation);
    bool must_wake;

    pthread_mutex_lock(&worker->lock);
    store_list_push(&worker->queue, &operation->base);
    worker->has_reader |= is_reader;
    must_wake = worker->is_asleep && (is_reader || !worker->is_gathering);
    pthread_mutex_unlock(&worker->lock);
    if (must_wake && loop != NULL)
        loop_later(loop, wake, worker);
    else if (must_wake)
        wake(worker);
}

static void *live(void *context)
{
    struct sqlite_worker *worker = context;
    struct store_list come = {0};
    struct store_list answered = {0};

    while (take(worker, &come)) {
        struct store_list again = {0};

        sqlite_keeper_read(worker->keeper, &come, clock_monotonic_us(), &answered,
                           &again);
        hand_back(worker, &answered);
        write_if_due(worker, &answered, &again);

        /* What comes again waits like what is new, behind it. */
        pthread_mutex_lock(&worker->lock);
        store_list_append(&worker->queue, &again);
        pthread_mutex_unlock(&worker->lock);
    }
    sqlite_keeper_finish(worker->keeper, clock_monotonic_us(), &answered);
    hand_back(worker, &answered);
    return NULL;
}

static int64_t later(int64_t one, int64_t other)
{
    return one > other ? one : other;
}

static int64_t sooner(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

/* Waits until there is something to do, and takes all that came.  false: nothing is left,
 * and nothing more will come. */
static bool take(struct sqlite_worker *worker, struct store_list *come)
{
    int64_t write_due_us = sqlite_keeper_write_due_us(worker->keeper);
    int64_t due_us = sooner(sqlite_keeper_read_due_us(worker->keeper),
                            later(write_due_us, worker->write_from_us));
    int64_t now_us = clock_monotonic_us();
    bool is_over;

    pthread_mutex_lock(&worker->lock);
    for (; !has_reason(worker, now_us, due_us); now_us = clock_monotonic_us())
        sleep_until(worker, worker->is_gathering ? sooner(due_us, worker->write_from_us)
                                                 : due_us);
    is_over = worker->is_closing && worker->queue.first == NULL && write_due_us != 0;
    if (worker->is_closing)
        worker->write_from_us = 0;
    worker->has_reader = false;
    store_list_append(come, &worker->queue);
    pthread_mutex_unlock(&worker->lock);
    return !is_over;
}

/* Under the lock. */
static bool has_reason(struct sqlite_worker *worker, int64_t now_us, int64_t due_us)
{
    worker->is_gathering = now_us < worker->write_from_us;
    return worker->is_closing || worker->has_reader || now_us >= due_us ||
           (worker->queue.first != NULL && !worker->is_gathering);
}

static void write_if_due(struct sqlite_worker *worker, struct store_list *answered,
                         struct store_list *again)
{
    int64_t now_us = clock_monotonic_us();
    size_t count;

    if (now_us < later(sqlite_keeper_write_due_us(worker->keeper), worker->write_from_us))
        return;
    count = sqlite_keeper_write(worker->keeper, now_us, answered, again);
    worker->write_from_us = count < CROWD ? 0 : now_us + INTERVAL_US;
    hand_back(worker, answered);
    sqlite_keeper_tend(worker->keeper);
}

/* Under the lock. */
static void sleep_until(struct sqlite_worker *worker, int64_t due_us)
{
    struct timespec due = {.tv_sec = due_us / 1000000,
                           .tv_nsec = due_us % 1000000 * 1000};

    worker->is_asleep = true;
    if (due_us == INT64_MAX)
        pthread_cond_wait(&worker->has_come, &worker->lock);
    else
        pthread_cond_timedwait(&worker->has_come, &worker->lock, &due);
    worker->is_asleep = false;
}

static struct parcel *parcel_for(struct sqlite_worker *worker, struct parcel **parcels,
                                 struct loop *loop)
{
    struct parcel *parcel = *parcels;

    while (parcel != NULL && parcel->loop != loop)
        parcel = parcel->next;
    if (parcel == NULL) {
        parcel = MEM_NEW(struct parcel);
        parcel->worker = worker;
        parcel->loop = loop;
        parcel->next = *parcels;
        *parcels = parcel;
    }
    return parcel;
}

/* One parcel for each loop.  Until it is delivered the worker keeps it as well: a loop
 * that has stopped delivers nothing. */
static void hand_back(struct sqlite_worker *worker, struct store_list *answered)
{
    struct parcel *parcels = NULL;
    struct sqlite_operation *operation;

    while ((operation = sqlite_pop(answered)) != NULL) {
        if (operation->base.told == NULL)
            store_operation_free(&operation->base);
        else
            store_list_push(
                &parcel_for(worker, &parcels, operation->base.loop)->operations,
                &operation->base);
    }
    for (struct parcel *parcel = parcels, *next; parcel != NULL; parcel = next) {
        next = parcel->next;
        pthread_mutex_lock(&worker->lock);
        parcel->next = worker->parcels;
        if (parcel->next != NULL)
            parcel->next->previous = parcel;
        worker->parcels = parcel;
        pthread_mutex_unlock(&worker->lock);
        loop_post(parcel->loop, deliver, parcel);
    }
}

/* On the loop's thread. */
static void deliver(void *context)
{
    struct parcel *parcel = context;
    struct sqlite_worker *worker = parcel->worker;
    struct sqlite_operation *operation;

    pthread_mutex_lock(&worker->lock);
    if (parcel->next != NULL)
        parcel->next->previous = parcel->previous;
    if (parcel->previous != NULL)
        parcel->previous->next = parcel->next;
    else
        worker->parcels = parcel->next;
    pthread_mutex_unlock(&worker->lock);

    while ((operation = sqlite_pop(&parcel->operations)) != NULL)
        store_operation_tell(&operation->base);
    free(parcel);
}

void sqlite_worker_stop(struct sqlite_worker *worker)
{
    struct sqlite_operation *operation;

    pthread_mutex_lock(&worker->lock);
    worker->is_closing = true;
    pthread_mutex_unlock(&worker->lock);
    pthread_cond_signal(&worker->has_come);
    pthread_join(worker->thread, NULL);

    for (struct parcel *parcel = worker->parcels, *next; parcel != NULL; parcel = next) {
        next = parcel->next;
        while ((operation = sqlite_pop(&parcel->operations)) != NULL)
            store_operation_free(&operation->base);
        free(parcel);
    }
    sqlite_keeper_free(worker->keeper);
    pthread_cond_destroy(&worker->has_come);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}

struct store_stats sqlite_worker_stats(struct sqlite_worker *worker)
{
    return sqlite_keeper_stats(worker->keeper);
}
