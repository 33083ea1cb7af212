/*
 * The bodies of POST /ask and POST /v1/chat: what is taken, and what is wrong with the rest, all at once.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "study.h"

TestSuite(ask_forms, .timeout = 120);

#define AUMLAUT "\xc3\xa4"
#define OWL     "\xf0\x9f\xa6\x89"

static void expect_bad(struct world *world, const char *path, const char *body,
                       const char *const *fields)
{
    expect_bad_fields(post(world, path, body), fields);
}

Test(ask_forms, all_bad_fields_are_told_at_once)
{
    struct world *world = world_with_builtin_coach();

    expect_bad(world, "/ask", "{}", FIELDS_NAMED("question:required"));
    expect_bad(world, "/ask", "[]", FIELDS_NAMED("body:not_a_json_object"));
    expect_bad(world, "/ask", "not json", FIELDS_NAMED("body:not_a_json_object"));
    expect_bad(world, "/ask", "{\"question\":7,\"selected_text\":7,\"session_id\":\"x\"}",
               FIELDS_NAMED("question:not_a_string", "selected_text:not_a_string",
                            "session_id:not_a_uuid"));
    expect_bad(world, "/ask", "{\"question\":\" \\n\",\"selected_text\":[]}",
               FIELDS_NAMED("question:blank", "selected_text:not_a_string"));
    expect_bad(world, "/ask", "{\"question\":\"a\\u0000b\"}",
               FIELDS_NAMED("question:not_text"));
    expect_bad(world, "/v1/chat", "{}", FIELDS_NAMED("query:required", "mode:required"));
    expect_bad(world, "/v1/chat", "{\"query\":\"\",\"mode\":\"page-wide\"}",
               FIELDS_NAMED("query:too_short", "mode:not_a_choice"));
    expect_bad(world, "/v1/chat", "{\"mode\":\"selected-text\"}",
               FIELDS_NAMED("query:required", "context:required"));
    world_end(world);
}

Test(ask_forms, a_context_is_ignored_where_the_whole_book_is_asked)
{
    struct world *world = world_with_builtin_coach();

    expect_success(
        post(world, "/v1/chat",
             "{\"query\":\"What is it?\",\"mode\":\"book-wide\",\"context\":7}"));
    expect_success(post(world, "/ask",
                        "{\"question\":\"What is it?\",\"selected_text\":null,"
                        "\"session_id\":\"F47AC10B-58CC-4372-A567-0E02B2C3D479\"}"));
    world_end(world);
}

/* 500 and 5,000 characters, of one byte, of two and of four. */
Test(ask_forms, lengths_are_in_code_points)
{
    static const char *const LETTERS[] = {"x", AUMLAUT, OWL};
    struct world *world = world_with_builtin_coach();

    for (int at = 0; at < 3; at++) {
        const char *longest = repeated(world, LETTERS[at], 500);
        const char *too_long = repeated(world, LETTERS[at], 501);
        const char *selection = repeated(world, LETTERS[at], 5000);
        const char *too_much = repeated(world, LETTERS[at], 5001);

        expect_success(ask_textbook(world, longest));
        expect_success(ask_chat(world, longest));
        expect_success(ask_selection(world, longest, selection));
        expect_success(chat_selection(world, LETTERS[at], selection));
        expect_bad_fields(ask_selection(world, too_long, too_much),
                          FIELDS_NAMED("question:too_long", "selected_text:too_long"));
        expect_bad_fields(chat_selection(world, too_long, too_much),
                          FIELDS_NAMED("query:too_long", "context:too_long"));
    }
    world_end(world);
}

/* The longest selection, written as JSON may write it: twelve bytes a character. */
Test(ask_forms, escapes_do_not_count)
{
    struct world *world = world_with_builtin_coach();
    const char *escaped = repeated(world, "\\ud83e\\udd89", 5000);

    expect_success(post(world, "/ask",
                        words(world, "{\"question\":\"%s\",\"selected_text\":\"%s\"}",
                              repeated(world, "\\ud83e\\udd89", 500), escaped)));
    world_end(world);
}

Test(ask_forms, other_types_lengths_and_methods_are_refused)
{
    struct world *world = world_with_builtin_coach();

    expect_error(ask(world, (struct request){.method = "POST",
                                             .path = "/ask",
                                             .content_type = "text/plain",
                                             .body = "{}"}),
                 ERROR_UNSUPPORTED_MEDIA_TYPE);
    expect_error(post(world, "/v1/chat", repeated(world, " ", 200000)),
                 ERROR_FILE_TOO_LARGE);
    expect_error(ask(world, (struct request){.method = "GET", .path = "/ask"}),
                 ERROR_METHOD_NOT_ALLOWED);
    expect_error(ask(world, (struct request){.method = "PUT", .path = "/v1/chat"}),
                 ERROR_METHOD_NOT_ALLOWED);
    world_end(world);
}

Test(ask_forms, a_service_that_drains_takes_no_question)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    struct connection *turn;

    upstream_hold(world->upstream);
    upstream_will_ask(world->upstream, "And then, " MODEL_CANARY "?");
    turn = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);
    world_signal(world, SIGTERM);
    world_await_output(world, "\"draining\"");
    expect_error(ask_textbook(world, "What is it?"), ERROR_DRAINING);
    upstream_release(world->upstream);
    expect_success(finish(world, turn));
    world_end(world);
}

Test(ask_forms, a_service_with_enough_to_do_takes_no_question)
{
    struct world *world = world_with_groq("MAX_INFLIGHT_TURNS=1");
    struct session session = start_session(world, 3);
    struct connection *turn;

    upstream_hold(world->upstream);
    upstream_will_ask(world->upstream, "And then, " MODEL_CANARY "?");
    turn = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);
    expect_error(ask_textbook(world, "What is it?"), ERROR_OVERLOADED);
    upstream_release(world->upstream);
    expect_success(finish(world, turn));
    world_end(world);
}
