/*
 * GET /admin/stats: for who has the key, and for nobody where there is none.
 */
#include <criterion/criterion.h>

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
