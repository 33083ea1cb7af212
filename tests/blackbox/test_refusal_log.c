/*
 * The refusal log: what is kept of a refused question, where, and for how long; and that a question is kept
 * nowhere else.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "study.h"

TestSuite(refusal_log, .timeout = 120);

/* Asks what is refused, for a session and with a token. */
static void refuse_for(struct world *world, const char *session_id, const char *token)
{
    const struct reply *reply = ask(
        world,
        (struct request){.method = "POST",
                         .path = "/ask",
                         .token = token,
                         .content_type = "application/json",
                         .body = json_body(world, MEMBERS("question", ABOUT_NOTHING,
                                                          "session_id", session_id))});

    expect_refused(reply, "empty_retrieval", EMPTY_MESSAGE);
}

/* The session that asked. */
static struct session refuse_one(struct world *world)
{
    struct session session = start_session(world, 3);

    refuse_for(world, session.id, session.token);
    return session;
}

static bool is_kept(struct world *world, const char *text)
{
    struct bytes contents = {0};

    store_place_read(world->store, &contents);
    bool is_found = bytes_has(&contents, text);
    bytes_free(&contents);
    return is_found;
}

static void expect_fields(struct json_object *refusal, const struct session *session,
                          const char *question)
{
    const char *timestamp = json_object_get_string(json_at(refusal, "timestamp"));

    expect_keys(refusal, FIELDS_NAMED("event", "timestamp", "session_id", "question",
                                      "refusal_reason", "chunks_retrieved", "max_score"));
    cr_assert_str_eq(json_object_get_string(json_at(refusal, "event")), "refusal");
    cr_assert(strlen(timestamp) == 24 && timestamp[10] == 'T' && timestamp[23] == 'Z');
    cr_assert_str_eq(json_object_get_string(json_at(refusal, "session_id")), session->id);
    cr_assert_str_eq(json_object_get_string(json_at(refusal, "refusal_reason")),
                     "empty_retrieval");
    /* What was seen, though it was not enough: "write" stands in the handbook. */
    cr_assert_gt(json_object_get_int(json_at(refusal, "chunks_retrieved")), 0);
    cr_assert_gt(json_object_get_double(json_at(refusal, "max_score")), 0);
    cr_assert_lt(json_object_get_double(json_at(refusal, "max_score")), 0.5);
    if (question == NULL)
        cr_assert_null(json_at(refusal, "question"));
    else
        cr_assert_str_eq(json_object_get_string(json_at(refusal, "question")), question);
}

Test(refusal_log, a_refusal_is_in_the_store_when_it_is_answered)
{
    struct world *world = world_with_builtin_coach();

    struct session session = refuse_one(world);

    expect_fields(json_of(world, refusals_of(world, "DEBUG=false",
                                             ARGUMENTS("refusals", "--jsonl"))),
                  &session, ABOUT_NOTHING);
    cr_assert_not_null(
        strstr(refusals_of(world, "DEBUG=false", ARGUMENTS("refusals")), ABOUT_NOTHING));
    world_end(world);
}

Test(refusal_log, a_refusal_survives_a_crash)
{
    struct world *world = world_with_builtin_coach();

    refuse_one(world);
    world_kill(world);
    world_restart(world);

    json_of(world, refusals_of(world, "DEBUG=false", ARGUMENTS("refusals", "--jsonl")));
    world_end(world);
}

Test(refusal_log, all_but_the_question_is_kept_where_it_is_not_wanted)
{
    struct world *world = world_with_builtin_coach("REFUSAL_LOG_QUESTIONS=false");

    struct session session = refuse_one(world);
    ask_selection(world, "What is " CANARY "?", "Nothing of the kind stands here.");

    expect_fields(json_of(world, refusals_of(world, "DEBUG=false",
                                             ARGUMENTS("refusals", "--jsonl"))),
                  &session, NULL);
    cr_assert_not(is_kept(world, CANARY));
    world_end(world);
}

Test(refusal_log, a_file_of_lines_takes_its_place)
{
    char *directory = directory_make();
    char path[256], setting[280];
    snprintf(path, sizeof path, "%s/refusals.jsonl", directory);
    snprintf(setting, sizeof setting, "REFUSAL_LOG=%s", path);
    struct world *world = world_with_builtin_coach(setting);
    struct bytes lines = {0};
    struct stat status;

    struct session session = refuse_one(world);
    refuse_for(world, session.id, session.token);

    cr_assert(bytes_add_file(&lines, path));
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0600);
    expect_fields(json_of(world, lines.data), &session, ABOUT_NOTHING);
    cr_assert_str_eq(refusals_of(world, setting, ARGUMENTS("refusals", "--jsonl")),
                     lines.data);
    cr_assert_not(is_kept(world, CANARY), "it is in the store as well");
    bytes_free(&lines);
    world_end(world);
    directory_remove(directory);
    free(directory);
}

/* The refusal is answered all the same, and the log says that it was not kept. */
Test(refusal_log, a_file_that_cannot_be_written_does_not_stop_an_answer)
{
    struct world *world = world_with_builtin_coach("REFUSAL_LOG=/dev/full");

    refuse_one(world);

    world_await_output(world, "\"refusal_not_kept\"");
    world_end(world);
}

Test(refusal_log, what_the_safety_filter_stops_is_not_kept)
{
    struct world *world = world_with_builtin_coach();

    expect_content_refused(ask_textbook(world, "fuck you " CANARY), "filter");

    cr_assert_not(is_kept(world, CANARY));
    world_end(world);
}

/* Of a question that was answered nothing is kept, and of a selection never anything. */
Test(refusal_log, answers_and_selections_are_kept_nowhere)
{
    struct study study = study_make(NULL);
    struct world *world = world_with_builtin_coach(study.setting);

    expect_success(ask_selection(world, ANSWERABLE, SELECTED));
    expect_success(ask_textbook(world, ANSWERABLE));
    expect_success(chat_selection(world, "Who wrote sonnets?", SELECTED));

    cr_assert_not(is_kept(world, CANARY));
    cr_assert_not(is_kept(world, ANSWERABLE));
    world_end(world);
    study_remove(&study);
}

Test(refusal_log, a_session_that_is_deleted_takes_its_refusals_with_it)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    refuse_for(world, session.id, session.token);
    cr_assert(is_kept(world, CANARY), "or else the search below proves nothing");
    expect_success(delete_session(world, &session));

    cr_assert_not(is_kept(world, CANARY));
    world_end(world);
}

/* Whoever knows another's session id, and no more, adds nothing to what is kept of that session. */
Test(refusal_log, a_session_is_named_only_by_who_has_its_token)
{
    struct world *world = world_with_builtin_coach();
    struct session mine = start_session(world, 3), other = start_session(world, 3);
    const char *tokens[] = {NULL, "no-token", other.token};
    const char *lines;

    for (int at = 0; at < 3; at++)
        refuse_for(world, mine.id, tokens[at]);
    lines = refusals_of(world, "DEBUG=false", ARGUMENTS("refusals", "--jsonl"));
    cr_assert_not_null(strstr(lines, "\"session_id\":null"));
    cr_assert_null(strstr(lines, mine.id), "%s", lines);

    refuse_for(world, mine.id, mine.token);
    lines = refusals_of(world, "DEBUG=false", ARGUMENTS("refusals", "--jsonl"));
    cr_assert_not_null(strstr(lines, mine.id), "%s", lines);
    world_end(world);
}

/* Controls, separators, what turns text round, and what hides: the operator sees
 * what is there. */
#define TREACHEROUS \
    "\x7f\xc2\x9b\xd8\x9c\xe2\x80\x8f\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6\xf3\xa0\x81\x81"
#define PARENTS "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7"

Test(refusal_log, nothing_that_deceives_a_reader_is_printed)
{
    struct world *world = world_with_builtin_coach();
    const char *path = world_write_file(
        world, "refusals.jsonl",
        "{\"event\":\"refusal\",\"timestamp\":\"2026-01-31T12:00:00.000Z\","
        "\"session_id\":null,\"question\":\"a" TREACHEROUS "z" PARENTS
        "\",\"refusal_reason\":\"x\\u001b[2J\",\"chunks_retrieved\":0,"
        "\"max_score\":null}\n");
    char setting[600];
    snprintf(setting, sizeof setting, "REFUSAL_LOG=%s", path);

    const char *json = refusals_of(world, setting, ARGUMENTS("refusals", "--jsonl"));
    cr_assert_not_null(strstr(json, "\"question\":\"a\\u007f\\u009b\\u061c\\u200f\\u2028"
                                    "\\u202e\\u2066\\udb40\\udc41z" PARENTS "\""),
                       "%s", json);
    cr_assert_str_eq(json_object_get_string(json_at(json_of(world, json), "question")),
                     "a" TREACHEROUS "z" PARENTS);
    const char *text = refusals_of(world, setting, ARGUMENTS("refusals"));
    cr_assert_not_null(strstr(text, "a        z" PARENTS "\n"), "%s", text);
    cr_assert_null(strchr(text, '\x1b'), "%s", text);
    world_end(world);
}

/* The scores of POST /v1/chat are kept as well, under the names of its gates. */
Test(refusal_log, since_and_the_names_of_the_gates)
{
    struct world *world = world_with_builtin_coach();

    expect_chat_refused(ask_chat(world, ABOUT_NOTHING), "Top-1 similarity");

    struct json_object *refusal =
        json_of(world, refusals_of(world, "DEBUG=false",
                                   ARGUMENTS("refusals", "--jsonl", "--since", "1d")));
    cr_assert_str_eq(json_object_get_string(json_at(refusal, "refusal_reason")),
                     "top_similarity");
    cr_assert_str_eq(
        refusals_of(world, "DEBUG=false",
                    ARGUMENTS("refusals", "--jsonl", "--since", "2999-01-01")),
        "");
    world_end(world);
}
