/*
 * GET /admin/stats: for who has the key, and for nobody where there is none.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "study.h"

TestSuite(admin_stats, .timeout = 120);

#define KEY "the-admins-own-key"

static const struct reply *stats(struct world *world, const char *key)
{
    return ask(world,
               (struct request){.method = "GET", .path = "/admin/stats", .token = key});
}

Test(admin_stats, without_a_key_in_the_settings_there_is_no_such_address)
{
    struct world *world = world_with_builtin_coach();

    expect_error(stats(world, NULL), ERROR_NOT_FOUND);
    expect_error(stats(world, KEY), ERROR_NOT_FOUND);
    world_end(world);
}

Test(admin_stats, another_key_is_refused)
{
    struct world *world = world_with_builtin_coach("ADMIN_KEY=" KEY);
    struct session session = start_session(world, 3);

    expect_error(stats(world, NULL), ERROR_INVALID_TOKEN);
    expect_error(stats(world, "another"), ERROR_INVALID_TOKEN);
    expect_error(stats(world, KEY "x"), ERROR_INVALID_TOKEN);
    expect_error(stats(world, session.token), ERROR_INVALID_TOKEN);
    world_end(world);
}

static const struct reply *stats_from(struct world *world, const char *key,
                                      const char *address)
{
    return ask(world, (struct request){
                          .method = "GET",
                          .path = "/admin/stats",
                          .token = key,
                          .headers = words(world, "X-Forwarded-For: %s\r\n", address)});
}

Test(admin_stats, who_gives_a_few_wrong_keys_must_wait_and_nobody_else)
{
    struct world *world =
        world_with_builtin_coach("ADMIN_KEY=" KEY, "TRUSTED_PROXIES=127.0.0.1");
    const struct reply *reply = stats_from(world, "wrong", "192.0.2.1");
    char wait[16];
    int tries = 1;

    for (; reply->status == 401 && tries < 100; tries++)
        reply = stats_from(world, words(world, "wrong %d", tries), "192.0.2.1");

    expect_error(reply, ERROR_RATE_LIMITED);
    cr_assert(tries > 3 && tries < 10, "after %d", tries);
    cr_assert(reply_header(reply, "Retry-After", wait, sizeof wait) && atoi(wait) > 0 &&
              atoi(wait) <= 60);
    expect_error(stats_from(world, KEY, "192.0.2.1"), ERROR_RATE_LIMITED);
    expect_success(stats_from(world, KEY, "192.0.2.2"));
    for (int i = 0; i < 20; i++)
        expect_success(stats_from(world, KEY, "192.0.2.3"));
    world_end(world);
}

Test(admin_stats, questions_refusals_latency_and_confidence_are_counted)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_builtin_coach("ADMIN_KEY=" KEY, study.setting);
    const struct reply *reply = stats(world, KEY);
    const struct reply *metrics;

    expect_null(reply, "data.mean_confidence");
    ask_textbook(world, ANSWERABLE);
    ask_chat(world, ANSWERABLE);
    ask_chat(world, ABOUT_NOTHING);
    ask_textbook(world, ABOUT_NOTHING);
    ask_textbook(world, "fuck you");

    reply = stats(world, KEY);
    expect_number(reply, "data.questions.total", 5);
    expect_number(reply, "data.questions.ask", 3);
    expect_number(reply, "data.questions.chat", 2);
    expect_number(reply, "data.answers", 2);
    expect_number(reply, "data.content_refusals", 1);
    expect_number(reply, "data.failures", 0);
    expect_number(reply, "data.refusals.total", 2);
    expect_number(reply, "data.refusals.by_reason.empty_retrieval", 1);
    expect_number(reply, "data.refusals.by_reason.top_similarity", 1);
    expect_number(reply, "data.mean_confidence", 1);
    cr_assert(number_at(reply, "data.mean_latency_ms") > 0);
    metrics = ask(world, (struct request){.method = "GET", .path = "/metrics"});
    cr_assert(bytes_has(&metrics->body,
                        "poise_ask_refusals_total{gate=\"empty_retrieval\"} 1"));
    cr_assert(bytes_has(&metrics->body, "poise_ask_answers_total 2"));
    world_end(world);
    study_remove(&study);
}
