/*
 * One thread's event loop (libuv), which owns the turns that it starts from their first
 * byte to their last.
 *
 * Within one tick the order is: what the kernel reported, then what was put off with
 * loop_later(), then the hooks of loop_before_sleep(), and only when both have nothing
 * left the loop sleeps.
 */
#ifndef LOOP_H
#define LOOP_H

#include <stdint.h>
#include <uv.h>

struct loop;
struct loop_timer;

typedef void loop_fn(void *context);

struct loop *loop_new(void);

/* Only after loop_run() has returned.  Closes what is still open.  NULL is fine. */
void loop_free(struct loop *loop);

/* For libuv's own handles, which the caller opens and closes. */
uv_loop_t *loop_uv(struct loop *loop);

/* Runs on the calling thread, which the loop belongs to from now on, until loop_stop().
 */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

/* Calls `fn` soon on the same thread, never from inside this call. */
void loop_later(struct loop *loop, loop_fn *fn, void *context);

/* Takes back what loop_later() was told with these arguments and has not been called yet:
 * for an owner that is freed while a call is still due.  Looks through all that is due. */
void loop_forget(struct loop *loop, loop_fn *fn, void *context);

/* The same from any thread: the only function here that other threads may call.  Calls
 * are kept in order; those that are still waiting when the loop is freed are not made,
 * and their contexts stay with the caller. */
void loop_post(struct loop *loop, loop_fn *fn, void *context);

/* Takes back what loop_post() was told with these arguments and has not been called yet: for an
 * owner that ends when the loop has stopped. */
void loop_unpost(struct loop *loop, loop_fn *fn, void *context);

/* Calls `fn` once after `delay_ms`, never from inside this call.  The timer is gone when
 * `fn` is called, or when it is cancelled. Cancelling NULL is fine: NULL means "not
 * pending". */
struct loop_timer *loop_timer_start(struct loop *loop, int64_t delay_ms, loop_fn *fn,
                                    void *context);
void loop_timer_cancel(struct loop_timer *timer);

/* Calls `fn` at the end of every tick, in the order of registration.  For the life of the
 * loop. */
void loop_before_sleep(struct loop *loop, loop_fn *fn, void *context);

#endif
