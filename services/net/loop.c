/*
 * The event loop.  One tick of it:
 *
 *   libuv reports timers, descriptors, posted calls  >  finish_tick()  >  libuv sleeps
 *
 * finish_tick() hangs on a uv_prepare handle, which libuv calls right before it polls. It
 * makes the calls put off with loop_later() and then the hooks, and again while that puts
 * off more.  A chain that goes on for TICK_ROUNDS is left for the next tick, so that
 * descriptors get their turn; an active uv_idle handle then keeps the poll in between
 * from sleeping.
 */
#include "loop.h"

#include "mem.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define TICK_ROUNDS 16
#define HOOKS_MAX   16

struct put_off {
    loop_fn *fn;
    void *context; /* borrowed from the caller */
};

/* Calls in their order.  It is as long as its busiest tick was: a few entries for each
 * turn. */
struct queue {
    struct put_off *calls; /* owned */
    size_t count;
    size_t capacity;
};

struct loop {
    uv_loop_t uv;
    uv_prepare_t tick_end;
    uv_idle_t awake; /* active: the next poll does not sleep */
    uv_async_t posted_signal;

    struct queue later;
    struct queue later_running; /* its memory changes places with `later` each round */

    uv_mutex_t posted_lock; /* over `posted` alone */
    struct queue posted;
    struct queue posted_running; /* like later_running */

    struct put_off hooks[HOOKS_MAX];
    size_t hook_count;

    uv_thread_t owner; /* while is_running */
    bool is_running;
    bool is_stopping;
};

struct loop_timer {
    uv_timer_t uv; /* the first member: a handle of the loop is cast back */
    loop_fn *fn;
    void *context; /* borrowed from the caller */
};

static void on_tick_end(uv_prepare_t *tick_end);
static void on_awake(uv_idle_t *awake);
static void on_posted(uv_async_t *posted_signal);
static void on_timer(uv_timer_t *uv);
static void close_handle(uv_handle_t *handle, void *context);
static void free_timer(uv_handle_t *handle);

/* The value of uv_handle_t.data by which loop_free() knows a struct loop_timer. */
static const char timer_mark;

static void must(int uv_status)
{
    if (uv_status != 0)
        abort(); /* like out of memory: no descriptors left before anything was served */
}

static void queue_push(struct queue *queue, loop_fn *fn, void *context)
{
    MEM_ROOM(queue->calls, queue->count, queue->capacity, 1);
    queue->calls[queue->count++] = (struct put_off){fn, context};
}

static void queue_swap(struct queue *one, struct queue *other)
{
    struct queue kept = *one;

    *one = *other;
    *other = kept;
}

static void queue_run(struct queue *queue)
{
    for (size_t i = 0; i < queue->count; i++)
        queue->calls[i].fn(queue->calls[i].context);
    queue->count = 0;
}

struct loop *loop_new(void)
{
    struct loop *loop = MEM_NEW(struct loop);

    must(uv_loop_init(&loop->uv));
    must(uv_mutex_init(&loop->posted_lock));
    must(uv_prepare_init(&loop->uv, &loop->tick_end));
    must(uv_idle_init(&loop->uv, &loop->awake));
    must(uv_async_init(&loop->uv, &loop->posted_signal, on_posted));
    loop->tick_end.data = loop;
    loop->posted_signal.data = loop;
    must(uv_prepare_start(&loop->tick_end, on_tick_end));
    return loop;
}

void loop_free(struct loop *loop)
{
    if (loop == NULL)
        return;
    assert(!loop->is_running);

    uv_walk(&loop->uv, close_handle, NULL);
    uv_run(&loop->uv,
           UV_RUN_DEFAULT); /* the close callbacks; nothing else is left to happen */
    must(uv_loop_close(&loop->uv));
    uv_mutex_destroy(&loop->posted_lock);
    free(loop->later.calls);
    free(loop->later_running.calls);
    free(loop->posted.calls);
    free(loop->posted_running.calls);
    free(loop);
}

static void close_handle(uv_handle_t *handle, void *context)
{
    (void)context;

    if (!uv_is_closing(handle))
        uv_close(handle, handle->data == &timer_mark ? free_timer : NULL);
}

uv_loop_t *loop_uv(struct loop *loop)
{
    return &loop->uv;
}

static bool is_on_its_thread(const struct loop *loop)
{
    uv_thread_t self = uv_thread_self();

    return !loop->is_running || uv_thread_equal(&self, &loop->owner);
}

static void finish_tick(struct loop *loop)
{
    unsigned rounds = 0;

    do {
        for (; loop->later.count > 0 && rounds < TICK_ROUNDS; rounds++) {
            queue_swap(&loop->later, &loop->later_running);
            queue_run(&loop->later_running);
        }
        for (size_t i = 0; i < loop->hook_count; i++)
            loop->hooks[i].fn(loop->hooks[i].context);
    } while (loop->later.count > 0 && rounds < TICK_ROUNDS);
}

static void on_tick_end(uv_prepare_t *tick_end)
{
    struct loop *loop = tick_end->data;

    finish_tick(loop);
    if (loop->later.count > 0)
        uv_idle_start(&loop->awake, on_awake);
    else
        uv_idle_stop(&loop->awake);
}

static void on_awake(uv_idle_t *awake)
{
    (void)awake; /* it only has to be active */
}

void loop_run(struct loop *loop)
{
    assert(!loop->is_running);
    loop->owner = uv_thread_self();
    loop->is_running = true;
    uv_run(&loop->uv,
           UV_RUN_DEFAULT); /* posted_signal keeps it alive until loop_stop() */
    finish_tick(loop); /* libuv stops after the poll: the last tick has its end too */
    loop->is_running = false;
    loop->is_stopping = false;
}

void loop_stop(struct loop *loop)
{
    assert(is_on_its_thread(loop));
    if (!loop->is_stopping)
        uv_stop(&loop->uv); /* a second one would end the next loop_run() */
    loop->is_stopping = true;
}

void loop_later(struct loop *loop, loop_fn *fn, void *context)
{
    assert(is_on_its_thread(loop));
    queue_push(&loop->later, fn, context);
}

static void do_nothing(void *context)
{
    (void)context;
}

static void queue_forget(struct queue *queue, loop_fn *fn, const void *context)
{
    for (size_t i = 0; i < queue->count; i++)
        if (queue->calls[i].fn == fn && queue->calls[i].context == context)
            queue->calls[i] = (struct put_off){do_nothing, NULL};
}

void loop_forget(struct loop *loop, loop_fn *fn, void *context)
{
    assert(is_on_its_thread(loop));
    queue_forget(&loop->later, fn, context);
    queue_forget(&loop->later_running, fn, context);
}

void loop_post(struct loop *loop, loop_fn *fn, void *context)
{
    bool is_first;

    uv_mutex_lock(&loop->posted_lock);
    is_first = loop->posted.count == 0;
    queue_push(&loop->posted, fn, context);
    uv_mutex_unlock(&loop->posted_lock);

    if (is_first)
        must(uv_async_send(&loop->posted_signal));
}

void loop_unpost(struct loop *loop, loop_fn *fn, void *context)
{
    assert(!loop->is_running);
    uv_mutex_lock(&loop->posted_lock);
    queue_forget(&loop->posted, fn, context);
    queue_forget(&loop->posted_running, fn, context);
    uv_mutex_unlock(&loop->posted_lock);
}

static void on_posted(uv_async_t *posted_signal)
{
    struct loop *loop = posted_signal->data;

    uv_mutex_lock(&loop->posted_lock);
    queue_swap(&loop->posted, &loop->posted_running);
    uv_mutex_unlock(&loop->posted_lock);

    queue_run(&loop->posted_running);
}

struct loop_timer *loop_timer_start(struct loop *loop, int64_t delay_ms, loop_fn *fn,
                                    void *context)
{
    struct loop_timer *timer = MEM_NEW(struct loop_timer);

    assert(is_on_its_thread(loop));
    timer->fn = fn;
    timer->context = context;
    must(uv_timer_init(&loop->uv, &timer->uv));
    timer->uv.data = (void *)(uintptr_t)&timer_mark;

    /* libuv counts from when the tick began, and calls a timer of 0 ms that starts itself
     * again forever. */
    uv_update_time(&loop->uv);
    must(uv_timer_start(&timer->uv, on_timer, delay_ms < 1 ? 1 : (uint64_t)delay_ms, 0));
    return timer;
}

static void on_timer(uv_timer_t *uv)
{
    struct loop_timer *timer = (struct loop_timer *)uv;
    loop_fn *fn = timer->fn;
    void *context = timer->context;

    loop_timer_cancel(timer);
    fn(context);
}

void loop_timer_cancel(struct loop_timer *timer)
{
    if (timer != NULL)
        uv_close((uv_handle_t *)&timer->uv, free_timer);
}

static void free_timer(uv_handle_t *handle)
{
    free(handle);
}

void loop_before_sleep(struct loop *loop, loop_fn *fn, void *context)
{
    assert(loop->hook_count < HOOKS_MAX);
    loop->hooks[loop->hook_count++] = (struct put_off){fn, context};
}
