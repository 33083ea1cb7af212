/*
 * A thread that may wait: it connects for the loops, and sweeps when nobody wants to be connected.
 */
#include "postgres_connector_internal.h"

#include "breaker.h"
#include "clock.h"
#include "mem.h"
#include "postgres_state_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define AT_ONCE        256
#define SPEECH_AT_ONCE 32 /* up to a megabyte each */
#define DAYS_KEPT      2  /* clocks differ */
#define PROCESS_S      3600
#define RATE_US        INT64_C(60000000)

#define CLOSING_US         2000000 /* so long a sweep goes on when the store is closed */
#define BACKOFF_TRIES_MOST 3       /* from then on it waits no longer: 0.4 to 0.8 s */

/* A connection that is wanted, and then on its way to its loop. */
struct wanted {
    struct postgres_connector *connector; /* borrowed */
    struct loop *loop;                    /* borrowed from who wants it */
    enum postgres_use use;
    int index;
    postgres_made_fn *made;
    void *context;           /* borrowed likewise */
    PGconn *conn;            /* owned */
    struct wanted *previous; /* among those on their way */
    struct wanted *next;
};

struct postgres_connector {
    char *url;                      /* owned; wiped */
    struct postgres_ground *ground; /* borrowed */
    struct store_health *health;    /* borrowed */
    pthread_t thread;
    PGconn *conn;      /* owned; the thread's own, for the sweep */
    unsigned failures; /* in a row; the thread's own */

    pthread_mutex_t lock; /* over all below */
    pthread_cond_t has_come;
    struct wanted *first; /* owned: the oldest first */
    struct wanted *last;
    struct wanted *on_their_way; /* owned: posted, not yet given */
    int64_t connect_from_us;     /* not before */
    bool has_sweep;
    int64_t sweep_now_ms;
    int64_t sweep_refusals_before_ms;
    bool is_closing;
    int64_t closing_us; /* since when (monotonic) */
};

static void *live(void *context);

struct postgres_connector *postgres_connector_start(const char *url, PGconn *conn,
                                                    struct postgres_ground *ground,
                                                    struct store_health *health,
                                                    struct buffer *problem)
{
    struct postgres_connector *connector = MEM_NEW(struct postgres_connector);
    pthread_condattr_t attributes;

    connector->url = mem_copy_string(url);
    connector->conn = conn;
    connector->ground = ground;
    connector->health = health;
    pthread_mutex_init(&connector->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes,
                              CLOCK_MONOTONIC); /* that of clock_monotonic_us() */
    pthread_cond_init(&connector->has_come, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&connector->thread, NULL, live, connector) == 0) {
        pthread_setname_np(connector->thread, "store");
        return connector;
    }
    buffer_append_string(problem, "store: its thread cannot be started\n");
    connector->is_closing = true;
    PQfinish(conn);
    pthread_cond_destroy(&connector->has_come);
    pthread_mutex_destroy(&connector->lock);
    free(connector->url);
    free(connector);
    return NULL;
}

void postgres_connector_want(struct postgres_connector *connector, struct loop *loop,
                             enum postgres_use use, int index, postgres_made_fn *made,
                             void *context)
{
    struct wanted *wanted = MEM_NEW(struct wanted);

    *wanted = (struct wanted){.connector = connector,
                              .loop = loop,
                              .use = use,
                              .index = index,
                              .made = made,
                              .context = context};
    pthread_mutex_lock(&connector->lock);
    if (connector->first == NULL)
        connector->first = wanted;
    else
        connector->last->next = wanted;
    connector->last = wanted;
    pthread_mutex_unlock(&connector->lock);
    pthread_cond_signal(&connector->has_come);
}

void postgres_connector_sweep(struct postgres_connector *connector, int64_t now_ms,
                              int64_t refusals_before_ms)
{
    pthread_mutex_lock(&connector->lock);
    connector->has_sweep = true;
    connector->sweep_now_ms = now_ms;
    connector->sweep_refusals_before_ms = refusals_before_ms;
    pthread_mutex_unlock(&connector->lock);
    pthread_cond_signal(&connector->has_come);
}

/* On the loop's thread. */
static void give(void *context)
{
    struct wanted *wanted = context;
    struct postgres_connector *connector = wanted->connector;

    pthread_mutex_lock(&connector->lock);
    if (wanted->next != NULL)
        wanted->next->previous = wanted->previous;
    if (wanted->previous != NULL)
        wanted->previous->next = wanted->next;
    else
        connector->on_their_way = wanted->next;
    pthread_mutex_unlock(&connector->lock);
    wanted->made(wanted->context, wanted->index, wanted->conn);
    free(wanted);
}

static void send_off(struct postgres_connector *connector, struct wanted *wanted)
{
    pthread_mutex_lock(&connector->lock);
    wanted->previous = NULL;
    wanted->next = connector->on_their_way;
    if (wanted->next != NULL)
        wanted->next->previous = wanted;
    connector->on_their_way = wanted;
    pthread_mutex_unlock(&connector->lock);
    loop_post(wanted->loop, give, wanted);
}

PGconn *postgres_connector_make(struct postgres_connector *connector,
                                enum postgres_use use)
{
    enum postgres_trouble trouble;
    PGconn *conn = postgres_connect(connector->url, use, &connector->ground->process,
                                    connector->health, &trouble, NULL);

    if (conn != NULL) {
        connector->failures = 0;
        return conn;
    }
    if (connector->failures < BACKOFF_TRIES_MOST)
        connector->failures++;
    pthread_mutex_lock(&connector->lock);
    connector->connect_from_us =
        clock_monotonic_us() + backoff_ms(connector->failures, -1) * 1000;
    pthread_mutex_unlock(&connector->lock);
    return NULL;
}

/* The oldest of those that are wanted stays in the queue until it is made. */
static void serve(struct postgres_connector *connector)
{
    struct wanted *wanted = connector->first;
    PGconn *conn;

    pthread_mutex_unlock(&connector->lock);
    conn = postgres_connector_make(connector, wanted->use);
    pthread_mutex_lock(&connector->lock);
    if (conn == NULL)
        return;
    connector->first = wanted->next;
    wanted->conn = conn;
    pthread_mutex_unlock(&connector->lock);
    send_off(connector, wanted);
    pthread_mutex_lock(&connector->lock);
}

/* One statement, until it finds no more than it may.  false: trouble. */
static bool sweep_one(PGconn *conn, enum postgres_statement which, int64_t value,
                      int64_t at_once, bool (*goes_on)(void *context), void *context,
                      char ret_sqlstate[6])
{
    int64_t count = at_once;

    while (count == at_once && goes_on(context)) {
        struct postgres_values values = {0};
        PGresult *result;

        postgres_value_number(&values, value);
        postgres_value_number(&values, at_once);
        result = postgres_ask(conn, which, &values);
        count = atoll(PQcmdTuples(result));
        if (PQresultStatus(result) != PGRES_COMMAND_OK) {
            postgres_state_of(result, ret_sqlstate);
            PQclear(result);
            /* Another process swept at the same time: what it left is for the next sweep. */
            return postgres_state_meaning(ret_sqlstate) == MEANS_AGAIN;
        }
        PQclear(result);
    }
    return true;
}

static bool sum_speech(PGconn *conn, struct postgres_ground *ground, char ret_sqlstate[6])
{
    struct postgres_values none = {0};
    PGresult *result = postgres_ask(conn, POSTGRES_SPEECH_TOTAL, &none);
    bool is_good = PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1;

    if (is_good) {
        struct postgres_row row = postgres_row_of(result, 0);

        atomic_store_explicit(&ground->speech_bytes, postgres_row_number(&row),
                              memory_order_relaxed);
    } else {
        postgres_state_of(result, ret_sqlstate);
    }
    PQclear(result);
    return is_good;
}

/* What has expired goes, a bounded number of rows in each statement, from however many processes at
 * the same time.  `goes_on` is asked between two statements.  false: the connection is of no use, and
 * the SQLSTATE is in `ret_sqlstate`. */
static bool sweep_all(PGconn *conn, struct postgres_ground *ground, int64_t now_ms,
                      int64_t refusals_before_ms, bool (*goes_on)(void *context),
                      void *context, char ret_sqlstate[6])
{
    const struct {
        enum postgres_statement which;
        int64_t value;
        int64_t at_once;
    } steps[] = {
        {POSTGRES_SWEEP_SPEECH, now_ms, SPEECH_AT_ONCE},
        {POSTGRES_LOOK_LATER, now_ms, AT_ONCE},
        {POSTGRES_SWEEP_SESSIONS, now_ms, AT_ONCE},
        {POSTGRES_SWEEP_REFUSALS, refusals_before_ms, AT_ONCE},
        {POSTGRES_CROWD_OUT_REFUSALS, STORE_REFUSALS_MOST, AT_ONCE},
        {POSTGRES_SWEEP_DAYS, store_day(now_ms) - DAYS_KEPT, AT_ONCE},
        {POSTGRES_SWEEP_RATES, RATE_US, AT_ONCE},
        {POSTGRES_SWEEP_PROCESSES, PROCESS_S, AT_ONCE},
    };

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        if (!sweep_one(conn, steps[i].which, steps[i].value, steps[i].at_once, goes_on,
                       context, ret_sqlstate))
            return false;
    return sum_speech(conn, ground, ret_sqlstate);
}

static bool goes_on(void *context)
{
    struct postgres_connector *connector = context;
    bool is_idle;

    pthread_mutex_lock(&connector->lock);
    is_idle = connector->is_closing
                  ? clock_monotonic_us() < connector->closing_us + CLOSING_US
                  : connector->first == NULL;
    pthread_mutex_unlock(&connector->lock);
    return is_idle;
}

/* One that is broken off by a connection that is wanted goes on afterwards; one by trouble is made
 * good by the next. */
static void sweep(struct postgres_connector *connector)
{
    int64_t now_ms = connector->sweep_now_ms;
    int64_t refusals_before_ms = connector->sweep_refusals_before_ms;
    char sqlstate[6];

    connector->has_sweep = false;
    pthread_mutex_unlock(&connector->lock);
    if (connector->conn == NULL)
        connector->conn = postgres_connector_make(connector, USE_BLOCKING);
    if (connector->conn != NULL &&
        !sweep_all(connector->conn, connector->ground, now_ms, refusals_before_ms,
                   goes_on, connector, sqlstate)) {
        postgres_state_note(connector->health, connector->conn, sqlstate, NULL);
        PQfinish(connector->conn);
        connector->conn = NULL;
    }
    pthread_mutex_lock(&connector->lock);
    if (connector->conn != NULL && connector->first != NULL && !connector->has_sweep) {
        connector->has_sweep = true;
        connector->sweep_now_ms = now_ms;
        connector->sweep_refusals_before_ms = refusals_before_ms;
    }
}

/* Under the lock. */
static void sleep_until(struct postgres_connector *connector, int64_t due_us)
{
    struct timespec due = {.tv_sec = due_us / 1000000,
                           .tv_nsec = due_us % 1000000 * 1000};

    if (due_us == INT64_MAX)
        pthread_cond_wait(&connector->has_come, &connector->lock);
    else
        pthread_cond_timedwait(&connector->has_come, &connector->lock, &due);
}

static void *live(void *context)
{
    struct postgres_connector *connector = context;

    pthread_mutex_lock(&connector->lock);
    while (!connector->is_closing) {
        bool may_connect = clock_monotonic_us() >= connector->connect_from_us;

        if (connector->first != NULL && may_connect)
            serve(connector);
        else if (connector->has_sweep && connector->first == NULL &&
                 (connector->conn != NULL || may_connect))
            sweep(connector);
        else
            sleep_until(connector, may_connect ? INT64_MAX : connector->connect_from_us);
    }
    if (connector->has_sweep && connector->conn != NULL)
        sweep(connector);
    pthread_mutex_unlock(&connector->lock);
    return NULL;
}

static void free_wanted(struct wanted *wanted)
{
    for (struct wanted *next; wanted != NULL; wanted = next) {
        next = wanted->next;
        loop_unpost(wanted->loop, give, wanted);
        PQfinish(wanted->conn);
        free(wanted);
    }
}

void postgres_connector_stop(struct postgres_connector *connector)
{
    pthread_mutex_lock(&connector->lock);
    connector->is_closing = true;
    connector->closing_us = clock_monotonic_us();
    pthread_mutex_unlock(&connector->lock);
    pthread_cond_signal(&connector->has_come);
    pthread_join(connector->thread, NULL);
    free_wanted(connector->first);
    free_wanted(connector->on_their_way);
    connector->first = connector->on_their_way = NULL;
}

/* Its claims end at once, where there are any. */
void postgres_connector_free(struct postgres_connector *connector)
{
    if (connector->conn != NULL)
        postgres_process_leave(connector->conn, &connector->ground->process.id);
    PQfinish(connector->conn);
    pthread_cond_destroy(&connector->has_come);
    pthread_mutex_destroy(&connector->lock);
    explicit_bzero(connector->url, strlen(connector->url));
    free(connector->url);
    free(connector);
}
