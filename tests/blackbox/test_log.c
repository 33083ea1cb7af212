/*
 * The log: one line for every request and every turn.  That all lines are JSON of allowed
 * fields, and free of anyone's words, is checked at the end of every story (log_rules.c).
 */
#include <criterion/criterion.h>

#include "play.h"

TestSuite(log, .timeout = 60);

/* Stops the program, so that everything it had to say is written. */
static void stop(struct world *world)
{
    world_signal(world, SIGTERM);
    cr_assert(world_await_exit(world) == 0);
}

Test(log, a_request_has_one_line_with_id_route_method_and_status)
{
    struct world *world = world_with_builtin_coach();

    const struct reply *reply =
        ask(world, (struct request){.method = "GET", .path = "/openapi.json"});
    stop(world);

    char id[40];
    cr_assert(reply_header(reply, "X-Request-ID", id, sizeof id));
    cr_assert(log_lines_with(world, FIELDS_NAMED(id)) == 1);
    cr_assert(
        log_lines_with(world, FIELDS_NAMED(id, "\"route\":\"openapi\"",
                                           "\"method\":\"GET\"", "\"status\":200")) == 1);
    world_end(world);
}

static void probe(struct world *world, const char *method, const char *path)
{
    ask(world, (struct request){.method = method, .path = path});
}

Test(log, probes_of_a_load_balancer_are_told_to_who_wants_more_lines)
{
    struct world *quiet = world_with_builtin_coach();
    struct world *chatty = world_with_builtin_coach("DEBUG=true");
    struct world *const worlds[] = {quiet, chatty};

    for (size_t i = 0; i < 2; i++) {
        probe(worlds[i], "GET", "/healthz");
        probe(worlds[i], "GET", "/readyz");
        probe(worlds[i], "GET", "/metrics");
        stop(worlds[i]);
        cr_assert_eq(log_lines_with(worlds[i], FIELDS_NAMED("\"event\":\"request\"")),
                     i == 0 ? 0 : 3);
    }
    world_end(chatty);
    world_end(quiet);
}

Test(log, a_request_to_nowhere_has_a_line_with_its_code_and_without_its_path)
{
    struct world *world = world_with_builtin_coach();

    const struct reply *reply =
        ask(world, (struct request){.method = "GET", .path = "/" CANARY});
    stop(world);

    cr_assert(log_lines_with(world, FIELDS_NAMED(text_at(reply, "request_id"),
                                                 "\"code\":\"not_found\"",
                                                 "\"status\":404")) == 1);
    world_end(world);
}

Test(log, a_method_that_nobody_knows_is_not_written_down)
{
    struct world *world = world_with_builtin_coach();

    ask(world, (struct request){.method = "QUOKKALANTERN", .path = "/turn"});
    stop(world);

    cr_assert(log_lines_with(world, FIELDS_NAMED("QUOKKALANTERN")) == 0);
    world_end(world);
}

Test(log, a_turn_has_a_line_with_session_coach_and_times)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");

    const struct reply *reply = answer(world, &session, ANSWER);
    stop(world);

    cr_assert(
        log_lines_with(world, FIELDS_NAMED(text_at(reply, "request_id"), session.id,
                                           "\"coach\":\"groq\"", "\"question_number\":1",
                                           "\"llm_ms\":", "\"total_ms\":")) == 1);
    world_end(world);
}

Test(log, a_request_id_of_the_client_is_in_its_lines_as_it_came)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    answer_with(world, &session, ANSWER,
                "X-Request-ID: 6F9619FF-8B86-4011-B42D-00C04FC964FF\r\n");
    stop(world);

    cr_assert(
        log_lines_with(world, FIELDS_NAMED("6F9619FF-8B86-4011-B42D-00C04FC964FF")) >= 1);
    world_end(world);
}

Test(log, a_failure_of_the_provider_is_logged_with_its_status)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will(world->upstream, (struct saying){.status = 503});

    const struct reply *reply = answer(world, &session, ANSWER);
    stop(world);

    cr_assert(log_lines_with(world, FIELDS_NAMED(text_at(reply, "request_id"),
                                                 "\"provider_status\":503")) >= 1);
    cr_assert(log_lines_with(world, FIELDS_NAMED(text_at(reply, "request_id"),
                                                 "\"code\":\"llm_provider_error\"")) >=
              1);
    world_end(world);
}

Test(log, debug_says_more_but_never_anyones_words)
{
    struct world *world = world_with_groq("DEBUG=true");
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then, " MODEL_CANARY "?");

    expect_success(answer(world, &session, ANSWER));
    world_end(world);
}

Test(log, the_start_names_version_coach_and_rule_set)
{
    struct world *world = world_with_groq();

    stop(world);

    cr_assert(log_lines_with(
                  world, FIELDS_NAMED(
                             "\"listening\"", "\"version\":", "\"coach\":\"groq\"",
                             "\"ruleset\":", "\"model\":\"openai/gpt-oss-120b\"")) == 1);
    world_end(world);
}
