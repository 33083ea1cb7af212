/*
 * Two loops on two threads, each with its own connections, that make calls to one server
 * and post the outcomes to each other, while other threads post to both: all that the
 * layer `net` lets threads share.  Ends with status 0 when everything has arrived.
 */
#include "call.h"
#include "loop.h"

#include "../unit/scripted_server.h"

#define CALLS_OF_A_LOOP   200
#define CALLS_AT_ONCE     20
#define POSTERS           3
#define POSTS_OF_A_POSTER 2000
#define EXPECTED          (CALLS_OF_A_LOOP + POSTERS * POSTS_OF_A_POSTER)

static const struct scripted_reply script[] = {
    {"/ok", REPLY, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"},
    {NULL, REPLY, NULL},
};

struct side {
    struct loop *loop;
    struct call_pool *pool;
    struct side *other;
    const char *url;
    pthread_t thread;
    unsigned started; /* these four: of the side's thread alone */
    unsigned ended;
    unsigned arrived;
    unsigned ticks;
};

static void stop_when_all_is_done(struct side *side)
{
    if (side->ended == CALLS_OF_A_LOOP && side->arrived == EXPECTED)
        loop_stop(side->loop);
}

static void on_post(void *context)
{
    struct side *side = context;

    side->arrived++;
    stop_when_all_is_done(side);
}

static void start_call(void *context);

static void on_answer(void *context, struct call_answer answer)
{
    struct side *side = context;

    must_be(answer.outcome == CALL_ANSWERED && answer.status == 200);
    call_answer_free(&answer);
    side->ended++;
    loop_post(side->other->loop, on_post, side->other);
    if (side->started < CALLS_OF_A_LOOP)
        loop_later(side->loop, start_call, side);
    stop_when_all_is_done(side);
}

static void start_call(void *context)
{
    struct side *side = context;
    struct call_request request = {
        .url = side->url, .timeout_ms = 60000, .max_reply_bytes = 64};

    if (side->started++ < CALLS_OF_A_LOOP)
        call_start(side->pool, &request, on_answer, side);
}

static void on_tick(void *context)
{
    struct side *side = context;

    side->ticks++;
}

static void *run_side(void *context)
{
    struct side *side = context;

    side->pool = call_pool_new(side->loop);
    loop_before_sleep(side->loop, on_tick, side);
    for (unsigned i = 0; i < CALLS_AT_ONCE; i++)
        start_call(side);
    loop_run(side->loop);
    call_pool_free(side->pool);
    return NULL;
}

static void *post_to_both(void *context)
{
    struct side *sides = context;

    for (unsigned i = 0; i < POSTS_OF_A_POSTER; i++) {
        loop_post(sides[0].loop, on_post, &sides[0]);
        loop_post(sides[1].loop, on_post, &sides[1]);
    }
    return NULL;
}

int main(void)
{
    struct scripted_server *server = scripted_start(script);
    struct side sides[2] = {{.loop = loop_new()}, {.loop = loop_new()}};
    pthread_t posters[POSTERS];
    char url[64];

    snprintf(url, sizeof(url), "http://127.0.0.1:%u/ok", server->port);
    for (unsigned i = 0; i < 2; i++) {
        sides[i].url = url;
        sides[i].other = &sides[1 - i];
        pthread_create(&sides[i].thread, NULL, run_side, &sides[i]);
    }
    for (unsigned i = 0; i < POSTERS; i++)
        pthread_create(&posters[i], NULL, post_to_both, sides);
    for (unsigned i = 0; i < POSTERS; i++)
        pthread_join(posters[i], NULL);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(sides[i].thread, NULL);

    must_be(server->connections <= 2 * CALLS_AT_ONCE);
    for (unsigned i = 0; i < 2; i++) {
        must_be(sides[i].arrived == EXPECTED && sides[i].ticks > 0);
        loop_free(sides[i].loop);
    }
    scripted_stop(server);
    return 0;
}
