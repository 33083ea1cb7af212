/*
 * Two processes on one PostgreSQL behind HAProxy, with the configuration that is shipped:
 * one may leave, or die, and nobody loses a turn.
 */
#include <criterion/criterion.h>
#include <poll.h>
#include <string.h>

#include "play.h"
#include "program.h"
#include "proxy.h"

TestSuite(load_balancer, .timeout = 90);

#define ID "0b0e7a31-5c2d-4f5e-9f61-2f4f3b6f7c10"

/* Two processes and what stands before them. */
struct site {
    struct world *one, *two;
    struct world *front;
};

#define site_with(...) site_start(SETTINGS(__VA_ARGS__))

static struct site site_start(struct settings_list settings)
{
    struct site site = {.one = world_start_with_groq(settings)};

    site.two = world_beside(site.one);
    site.front = proxy_start(PROXY_HAPROXY, site.one, site.two);
    return site;
}

static void site_end(struct site *site)
{
    world_end(site->front);
    world_end(site->two);
    world_end(site->one);
}

static int turns_at(struct world *world)
{
    return log_lines_with(
        world, (const char *const[]){"\"route\":\"turn\"", "\"status\":200", NULL});
}

Test(load_balancer, an_interview_goes_on_over_both_processes)
{
    struct site site = site_with("TRUSTED_PROXIES=127.0.0.1");
    upstream_keeps_asking(site.one->upstream);
    struct session session = start_session(site.front, 6);

    for (int number = 1; number <= 6; number++)
        expect_number(
            answer(site.front, &session, words(site.front, "%s %d", ANSWER, number)),
            "data.question_number", number);

    expect_text(get_session(site.front, &session), "data.status", "completed");
    cr_assert(turns_at(site.one) > 0, "the first process had no turn");
    cr_assert(turns_at(site.two) > 0, "the second process had no turn");
    site_end(&site);
}

Test(load_balancer, what_a_client_says_of_its_own_address_is_not_believed)
{
    struct site site =
        site_with("TRUSTED_PROXIES=127.0.0.1", "RATE_LIMIT_ASKS_PER_MINUTE=2");
    const struct reply *reply = NULL;

    for (int i = 0; i < 5; i++)
        reply =
            ask(site.front,
                (struct request){
                    .method = "POST",
                    .path = "/ask",
                    .headers = words(site.front, "X-Forwarded-For: 192.0.2.%d\r\n", i),
                    .content_type = "application/json",
                    .body = "{\"question\":\"How deep is the sea?\"}"});

    expect_error(reply, ERROR_RATE_LIMITED);
    site_end(&site);
}

Test(load_balancer, a_client_that_left_gets_its_turn_when_it_comes_back)
{
    struct site site = site_with("TRUSTED_PROXIES=127.0.0.1");
    struct session session = start_session(site.front, 3);
    upstream_will_ask(site.one->upstream, "And then?");
    upstream_hold(site.one->upstream);
    struct connection *turn = begin_answer(site.front, &session, ANSWER);
    upstream_await_calls(site.one->upstream, 1);

    connection_close(turn);
    upstream_release(site.one->upstream);
    await_turn_count(site.front, &session, 1);

    expect_number(answer(site.front, &session, ANSWER), "data.question_number", 1);
    expect_number(get_session(site.front, &session), "data.turn_count", 1);
    site_end(&site);
}

Test(load_balancer, a_turn_that_was_sent_is_not_sent_to_another_server)
{
    struct site site = site_with("TRUSTED_PROXIES=127.0.0.1");
    struct session session = start_session(site.two, 3);
    upstream_keeps_asking(site.one->upstream);
    upstream_hold(site.one->upstream);
    struct connection *turn =
        begin_answer_with(site.front, &session, ANSWER, "X-Request-ID: " ID "\r\n");
    upstream_await_calls(site.one->upstream, 1);

    world_kill(site.one);
    world_kill(site.two);

    const struct reply *reply = finish(site.front, turn);
    expect_error(reply, ERROR_INTERNAL_ERROR);
    expect_text(reply, "request_id", ID);
    cr_assert_eq(upstream_call_count(site.one->upstream), 1);
    upstream_release(site.one->upstream);
    site_end(&site);
}

Test(load_balancer, where_no_server_is_left_the_reply_is_an_envelope)
{
    struct site site = site_with("TRUSTED_PROXIES=127.0.0.1");
    struct session session = start_session(site.front, 3);
    world_kill(site.one);
    world_kill(site.two);

    expect_error(answer(site.front, &session, ANSWER), ERROR_OVERLOADED);

    site_end(&site);
}

Test(load_balancer, figures_of_one_process_are_not_shown_to_the_world)
{
    struct site site = site_with("TRUSTED_PROXIES=127.0.0.1");

    const struct reply *reply =
        ask(site.front, (struct request){.method = "GET", .path = "/metrics?all"});

    expect_error(reply, ERROR_NOT_FOUND);
    site_end(&site);
}

/* --- Under load ------------------------------------------------------------------------- */

enum { PEOPLE = 6, QUESTIONS = 10 };

struct crowd {
    struct site *site;
    struct session sessions[PEOPLE];
    int acknowledged[PEOPLE];
    int turns; /* of all, acknowledged */
};

static void begin_interviews(struct crowd *crowd)
{
    for (int i = 0; i < PEOPLE; i++) {
        crowd->sessions[i] = start_session(crowd->site->front, QUESTIONS);
        crowd->acknowledged[i] = 0;
    }
}

static struct connection *begin_next_answer(struct crowd *crowd, int i)
{
    struct world *front = crowd->site->front;

    return begin_answer(front, &crowd->sessions[i],
                        words(front, "%s %d", ANSWER, crowd->acknowledged[i]));
}

static void acknowledge(struct crowd *crowd, int i, const struct reply *reply)
{
    expect_success(reply);
    expect_number(reply, "data.question_number", ++crowd->acknowledged[i]);
    crowd->turns++;
}

/* Everyone answers a question, all at the same time, and all are answered.  Nobody comes to
 * the last question, whose summary a story may hold up. */
static void answer_all(struct crowd *crowd)
{
    struct connection *turns[PEOPLE];

    if (crowd->acknowledged[0] == QUESTIONS - 1)
        begin_interviews(crowd);
    for (int i = 0; i < PEOPLE; i++)
        turns[i] = begin_next_answer(crowd, i);
    for (int i = 0; i < PEOPLE; i++)
        acknowledge(crowd, i, finish(crowd->site->front, turns[i]));
}

static void expect_no_turn_but_these(struct crowd *crowd)
{
    for (int i = 0; i < PEOPLE; i++)
        expect_number(get_session(crowd->site->front, &crowd->sessions[i]),
                      "data.turn_count", crowd->acknowledged[i]);
}

/* The app's way: the same answer again until it is acknowledged. */
static void answer_until_heard(struct crowd *crowd, int i, struct connection *turn)
{
    struct world *front = crowd->site->front;
    const struct reply *reply = receive(front, turn, "POST");

    connection_close(turn);
    while (!reply || reply->status != 200) {
        if (reply)
            expect_envelope(reply);
        cr_assert(!reply ||
                  json_object_get_boolean(json_at(reply->json, "error.retryable")));
        poll(NULL, 0, 50); /* as a person would, only quicker */
        turn = begin_next_answer(crowd, i);
        reply = receive(front, turn, "POST");
        connection_close(turn);
    }
    acknowledge(crowd, i, reply);
}

/* A turn's line is written behind its reply. */
static void await_lines(const struct crowd *crowd)
{
    while (turns_at(crowd->site->one) + turns_at(crowd->site->two) < crowd->turns)
        poll(NULL, 0, 1);
}

static bool has_written(struct world *world, const char *text)
{
    return log_lines_with(world, (const char *const[]){text, NULL}) > 0;
}

Test(load_balancer, a_process_that_is_told_to_go_leaves_and_no_request_fails)
{
    struct site site = site_with("TRUSTED_PROXIES=127.0.0.1", "DRAIN_NOTICE_SECONDS=2");
    struct crowd crowd = {.site = &site};
    upstream_keeps_asking(site.one->upstream);
    begin_interviews(&crowd);
    answer_all(&crowd);

    upstream_hold_as(site.one->upstream, ROLE_SUMMARY);
    struct session last = start_session(site.one, 1);
    struct connection *long_turn = begin_answer(site.one, &last, ANSWER);
    while (upstream_call_count_as(site.one->upstream, ROLE_SUMMARY) == 0)
        answer_all(&crowd);

    world_signal(site.one, SIGTERM);
    while (!has_written(site.one, "\"draining\""))
        answer_all(&crowd);
    await_lines(&crowd);
    int turns = turns_at(site.one);
    for (int i = 0; i < 5; i++) /* the long turn keeps it from going */
        answer_all(&crowd);

    await_lines(&crowd);
    cr_assert_eq(turns_at(site.one), turns);
    upstream_release(site.one->upstream);
    expect_success(finish(site.one, long_turn));
    cr_assert(world_await_exit(site.one) == 0);
    expect_no_turn_but_these(&crowd);
    site_end(&site);
}

Test(load_balancer, of_a_process_that_dies_clients_that_ask_again_lose_nothing)
{
    struct site site = site_with("TRUSTED_PROXIES=127.0.0.1");
    struct crowd crowd = {.site = &site};
    struct connection *turns[PEOPLE];
    upstream_keeps_asking(site.one->upstream);
    begin_interviews(&crowd);
    answer_all(&crowd);
    upstream_hold(site.one->upstream);
    for (int i = 0; i < PEOPLE; i++)
        turns[i] = begin_next_answer(&crowd, i);
    upstream_await_calls(site.one->upstream, 2 * PEOPLE);

    world_kill(site.one);
    upstream_release(site.one->upstream);
    for (int i = 0; i < PEOPLE; i++)
        answer_until_heard(&crowd, i, turns[i]);
    answer_all(&crowd);

    expect_no_turn_but_these(&crowd);
    site_end(&site);
}
