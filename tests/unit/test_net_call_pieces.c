/*
 * Calls whose body is wanted in pieces, as it comes.
 */
#include "call.h"

#include "call_world.h"
#include "private_reveal.h"

#include <criterion/criterion.h>

/* One call that tells its pieces, and what it told. */
struct listener {
    struct world *world;
    struct call *call;       /* NULL: ended */
    const char *next;        /* a call that the first piece starts */
    struct listener *victim; /* whose call the first piece cancels */
    char heard[64];
    unsigned pieces;
    unsigned pieces_after_done;
    struct call_answer answer;
};

static void on_heard(void *context, struct call_answer answer)
{
    struct listener *listener = context;
    struct world *world = listener->world;

    listener->call = NULL;
    listener->answer = answer;
    if (--world->pending == 0)
        loop_stop(world->loop);
}

static void on_piece(void *context, struct span bytes)
{
    struct listener *listener = context;
    struct listener *victim = listener->victim;

    listener->pieces_after_done += listener->call == NULL;
    listener->pieces++;
    cr_assert(bytes.length > 0 && bytes.length < sizeof(listener->heard));
    strncat(listener->heard, bytes.bytes, bytes.length);
    if (listener->next != NULL)
        start(listener->world, listener->next, LONG_ENOUGH);
    listener->next = NULL;
    listener->victim = NULL;
    if (victim == NULL || victim->call == NULL)
        return;
    call_cancel(victim->call);
    victim->call = NULL;
    listener->world->pending--;
}

static void listen_to(struct world *world, struct listener *listener, const char *path,
                      int64_t timeout_ms)
{
    char url[128];
    struct call_request request = {.url = url,
                                   .timeout_ms = timeout_ms,
                                   .max_reply_bytes = SMALL_REPLY,
                                   .on_bytes = on_piece};

    snprintf(url, sizeof(url), "http://127.0.0.1:%u%s", world->server->port, path);
    listener->world = world;
    world->pending++;
    listener->call = call_start(world->pool, &request, on_heard, listener);
}

static const struct {
    const char *path;
    int64_t timeout_ms;
    enum call_outcome outcome;
    const char *heard;
    const char *body; /* of the answer */
} bodies[] = {
    {"/ok", LONG_ENOUGH, CALL_ANSWERED, "hello", ""},
    {"/chunked", LONG_ENOUGH, CALL_ANSWERED, "hello", ""},
    {"/early", LONG_ENOUGH, CALL_ANSWERED, "hello", ""},
    {"/once", LONG_ENOUGH, CALL_ANSWERED, "hello", ""},
    {"/nothing", LONG_ENOUGH, CALL_ANSWERED, "", ""},
    {"/broke", LONG_ENOUGH, CALL_ANSWERED, "", "no!"},
    {"/cut-body", LONG_ENOUGH, CALL_BROKEN, "he", ""},
    {"/half-body", SHORT, CALL_TIMED_OUT, "he", ""},
    {"/silent", SHORT, CALL_TIMED_OUT, "", ""},
};

Test(net_call_pieces, a_good_body_is_told_and_any_other_is_in_the_answer)
{
    struct world world;

    world_open(&world);
    for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
        struct listener listener = {0};

        listen_to(&world, &listener, bodies[i].path, bodies[i].timeout_ms);
        loop_run(world.loop);
        cr_expect_eq(listener.answer.outcome, bodies[i].outcome, "%s", bodies[i].path);
        cr_expect_str_eq(listener.heard, bodies[i].heard, "%s", bodies[i].path);
        cr_expect_str_eq(private_reveal(&listener.answer.body).bytes, bodies[i].body);
        cr_expect_eq(listener.pieces_after_done, 0, "%s", bodies[i].path);
        call_answer_free(&listener.answer);
    }
    ask(&world, "/ok", LONG_ENOUGH);
    cr_expect_str_eq(private_reveal(&world.last.body).bytes, "hello",
                     "on the same handle");
    world_close(&world);
}

Test(net_call_pieces, a_body_without_end_is_too_large_although_nothing_of_it_is_kept)
{
    struct world world;
    struct call_request request = {
        .timeout_ms = LONG_ENOUGH, .max_reply_bytes = 40, .on_bytes = on_piece};
    struct listener listener = {.world = &world};
    char url[128];

    world_open(&world);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u/drip", world.server->port);
    request.url = url;
    world.pending = 1;
    listener.call = call_start(world.pool, &request, on_heard, &listener);
    loop_run(world.loop);

    cr_assert_eq(listener.answer.outcome, CALL_TOO_LARGE);
    cr_assert(listener.pieces > 1 && strlen(listener.heard) <= 40);
    call_answer_free(&listener.answer);
    world_close(&world);
}

Test(net_call_pieces, a_piece_comes_long_before_the_end_and_may_start_another_call)
{
    struct world world;
    struct listener listener = {.next = "/ok"};

    world_open(&world);
    listen_to(&world, &listener, "/half-body", LONG_ENOUGH);
    world.pending--; /* the loop stops with the other call */
    loop_run(world.loop);

    cr_assert_eq(world.answered, 1);
    cr_assert_str_eq(listener.heard, "he");
    cr_assert_not_null(listener.call);
    call_cancel(listener.call);
    world_close(&world);
}

Test(net_call_pieces, a_piece_may_cancel_other_calls_that_have_pieces_to_tell)
{
    enum { PAIRS = 40 };
    struct world world;
    struct listener listeners[PAIRS][2];

    world_open(&world);
    memset(listeners, 0, sizeof(listeners));
    for (size_t i = 0; i < PAIRS; i++) {
        for (size_t k = 0; k < 2; k++) {
            listeners[i][k].victim = &listeners[i][1 - k];
            listen_to(&world, &listeners[i][k], "/ok", LONG_ENOUGH);
        }
    }
    loop_run(world.loop);

    for (size_t i = 0; i < PAIRS; i++) {
        cr_expect_eq(listeners[i][0].pieces + listeners[i][1].pieces >= 1, true);
        call_answer_free(&listeners[i][0].answer);
        call_answer_free(&listeners[i][1].answer);
    }
    world_close(&world);
}
