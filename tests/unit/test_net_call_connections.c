/*
 * The connections that calls share, and calls that end before their end.
 */
#include "call.h"

#include "../../services/net/call_internal.h" /* CALL_SHARDS */
#include "call_world.h"

#include <criterion/criterion.h>

/* ---- connections ---- */

Test(net_connections, calls_one_after_the_other_share_a_connection)
{
    struct world world;

    world_open(&world);
    for (unsigned i = 0; i < 50; i++)
        ask(&world, "/ok", LONG_ENOUGH);

    cr_assert_eq(world.answered, 50);
    cr_assert_eq(world.server->requests, 50);
    cr_assert_eq(world.server->connections, 1);
    world_close(&world);
}

Test(net_connections,
     five_hundred_at_once_take_five_hundred_connections_and_keep_them_warm)
{
    struct world world;

    world_open(&world);
    for (unsigned round = 0; round < 4; round++) {
        for (unsigned i = 0; i < 500; i++)
            start(&world, "/ok", LONG_ENOUGH);
        loop_run(world.loop);
    }

    cr_assert_eq(world.answered, 2000);
    cr_assert_leq(world.server->connections, 500);
    world_close(&world);
}

/* curl tries again where a warm connection ends before an answer, but counts that over
 * the life of a handle and stops at five. */
Test(net_connections, a_warm_connection_that_ends_costs_nobody_an_answer)
{
    struct world world;

    world_open(&world);
    for (unsigned i = 0; i < 20; i++)
        ask(&world, "/closed-when-idle", LONG_ENOUGH);

    cr_assert_eq(world.answered, 20);
    cr_assert_eq(world.server->connections, 20);
    cr_assert_eq(world.server->requests, 39);
    world_close(&world);
}

Test(net_connections, a_server_may_close_after_every_answer)
{
    struct world world;

    world_open(&world);
    for (unsigned i = 0; i < 20; i++)
        ask(&world, "/once", LONG_ENOUGH); /* says keep-alive, and closes */

    cr_assert_eq(world.answered, 20);
    cr_assert_eq(world.server->connections, 20);
    world_close(&world);
}

Test(net_connections, a_warm_connection_is_taken_before_a_shard_with_nothing_to_do)
{
    struct world world;
    struct call *calls[CALL_SHARDS];

    world_open(&world);
    for (unsigned i = 0; i < CALL_SHARDS; i++)
        calls[i] = start(&world, "/silent", LONG_ENOUGH);
    start(&world, "/ok", LONG_ENOUGH);
    while (world.answered < 1 || world.server->requests < CALL_SHARDS + 1)
        uv_run(loop_uv(world.loop), UV_RUN_NOWAIT);
    call_cancel(calls[5]);
    world.pending = 0;
    ask(&world, "/ok", LONG_ENOUGH);

    cr_assert_eq(world.answered, 2);
    cr_assert_eq(world.server->connections, CALL_SHARDS + 1);
    world_close(&world);
}

Test(net_connections, a_call_can_be_started_from_the_end_of_another)
{
    struct world world;

    world_open(&world);
    world.next_path = "/chunked";
    ask(&world, "/ok", LONG_ENOUGH);

    cr_assert_eq(world.answered, 2);
    cr_assert_eq(world.server->connections, 1);
    world_close(&world);
}

/* ---- ends before the end ---- */

struct cancellation {
    struct world world;
    struct call *call;
    uv_timer_t watch;
    unsigned requests; /* cancels when the server has seen so many */
};

static void cancel_when_seen(uv_timer_t *watch)
{
    struct cancellation *self = watch->data;

    if (self->world.server->requests < self->requests)
        return;
    uv_close((uv_handle_t *)watch, NULL);
    call_cancel(self->call);
    loop_stop(self->world.loop);
}

Test(net_connections, a_cancelled_call_never_answers_and_its_connection_is_gone)
{
    static const char *const paths[] = {"/silent", "/half-head", "/half-body", "/drip"};

    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
        struct cancellation self = {.requests = 1};

        world_open(&self.world);
        self.call = start(&self.world, paths[i], LONG_ENOUGH);
        uv_timer_init(loop_uv(self.world.loop), &self.watch);
        self.watch.data = &self;
        uv_timer_start(&self.watch, cancel_when_seen, 1, 1);
        loop_run(self.world.loop);

        while (self.world.server->open > 0)
            sched_yield(); /* the server sees the end */
        cr_assert_eq(self.world.pending, 1, "done() was called");
        world_close(&self.world);
    }
}

Test(net_connections, a_call_that_was_cancelled_before_anything_was_sent_sends_nothing)
{
    struct world world;

    world_open(&world);
    call_cancel(start(&world, "/silent", LONG_ENOUGH));
    world.pending--;
    ask(&world, "/ok", LONG_ENOUGH);

    cr_assert_eq(world.server->requests, 1);
    call_cancel(NULL);
    world_close(&world);
}

Test(net_connections, a_call_can_be_cancelled_while_a_name_is_looked_up)
{
    struct world world;
    struct call *call;

    world_open(&world);
    call = start_to(&world, "http://no.such.host.invalid/", NULL, LONG_ENOUGH);
    uv_run(loop_uv(world.loop), UV_RUN_NOWAIT); /* curl starts a thread */
    if (world.pending > 0)
        call_cancel(call);
    world.pending = 0;
    ask(&world, "/ok", LONG_ENOUGH);

    cr_assert_eq(world.answered, 1);
    world_close(&world);
}

/* A server that is never reached: its queue is full, and it accepts nobody. */
struct wall {
    int listening;
    int waiting[2];
    char url[64];
};

static struct wall wall_build(void)
{
    struct wall wall;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);

    wall.listening = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(bind(wall.listening, (struct sockaddr *)&address, length), 0);
    cr_assert_eq(listen(wall.listening, 0), 0);
    cr_assert_eq(getsockname(wall.listening, (struct sockaddr *)&address, &length), 0);
    for (size_t i = 0; i < 2; i++) {
        wall.waiting[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)!connect(wall.waiting[i], (struct sockaddr *)&address, length);
    }
    snprintf(wall.url, sizeof(wall.url), "http://127.0.0.1:%u/", ntohs(address.sin_port));
    return wall;
}

static void wall_raze(const struct wall *wall)
{
    close(wall->listening);
    close(wall->waiting[0]);
    close(wall->waiting[1]);
}

/* libcurl closes such a socket without its callback; the next has the same number. */
Test(net_connections, a_call_can_be_cancelled_while_it_connects)
{
    struct wall wall = wall_build();
    struct world world;

    world_open(&world);
    for (unsigned i = 1; i <= 10; i++) {
        struct call *call = start_to(&world, wall.url, "{}", LONG_ENOUGH);

        for (unsigned ticks = 0; ticks < 3; ticks++)
            uv_run(loop_uv(world.loop), UV_RUN_NOWAIT); /* curl opens the socket */
        call_cancel(call);
        world.pending--;
        ask(&world, "/once", LONG_ENOUGH);
        cr_assert_eq(world.answered, i);
    }
    cr_assert_eq(world.pool->origins[0]->homes[0].connections, 0);
    world_close(&world);
    wall_raze(&wall);
}

struct pair {
    struct world world;
    struct call *other;
};

static void cancel_the_other(void *context, struct call_answer answer)
{
    struct pair *pair = context;

    call_answer_free(&answer);
    call_cancel(pair->other);
    loop_stop(pair->world.loop);
}

Test(net_connections, a_call_can_be_cancelled_from_the_end_of_another)
{
    struct pair pair;
    char url[128];
    struct call_request request = {
        .url = url, .timeout_ms = LONG_ENOUGH, .max_reply_bytes = SMALL_REPLY};

    world_open(&pair.world);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/ok", pair.world.server->port);
    call_start(pair.world.pool, &request, cancel_the_other, &pair);
    pair.other = start(&pair.world, "/silent", LONG_ENOUGH);
    loop_run(pair.world.loop);

    cr_assert_eq(pair.world.pending, 1);
    world_close(&pair.world);
}

Test(net_connections, a_pool_is_freed_with_calls_in_every_state)
{
    struct cancellation self = {.requests = 4};
    static const char *const paths[] = {"/silent", "/half-body", "/drip", "/half-head"};

    world_open(&self.world);
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
        start(&self.world, paths[i], LONG_ENOUGH);
    uv_timer_init(loop_uv(self.world.loop), &self.watch);
    self.watch.data = &self;
    uv_timer_start(&self.watch, cancel_when_seen, 1, 1);
    loop_run(self.world.loop);

    start(&self.world, "/ok", LONG_ENOUGH); /* not driven yet */
    world_close(&self.world);
    cr_assert_eq(self.world.pending, 5);
}

Test(net_connections, a_pool_without_calls_and_no_pool_are_freed)
{
    struct loop *loop = loop_new();

    call_pool_free(call_pool_new(loop));
    call_pool_free(NULL);
    loop_free(loop);
}
