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

#define SESSION_ID "f47ac10b-58cc-4372-a567-0e02b2c3d479"

static const struct reply *refuse_one(struct world *world)
{
    const struct reply *reply = post(
        world, "/ask",
        json_body(world, MEMBERS("question", ABOUT_NOTHING, "session_id", SESSION_ID)));

    expect_refused(reply, "empty_retrieval", EMPTY_MESSAGE);
    return reply;
}

static bool is_kept(struct world *world, const char *text)
{
    struct bytes contents = {0};

    store_place_read(world->store, &contents);
    bool is_found = bytes_has(&contents, text);
    bytes_free(&contents);
    return is_found;
}

static void expect_fields(struct json_object *refusal, const char *question)
{
    const char *timestamp = json_object_get_string(json_at(refusal, "timestamp"));

    expect_keys(refusal, FIELDS_NAMED("event", "timestamp", "session_id", "question",
                                      "refusal_reason", "chunks_retrieved", "max_score"));
    cr_assert_str_eq(json_object_get_string(json_at(refusal, "event")), "refusal");
    cr_assert(strlen(timestamp) == 24 && timestamp[10] == 'T' && timestamp[23] == 'Z');
    cr_assert_str_eq(json_object_get_string(json_at(refusal, "session_id")), SESSION_ID);
    cr_assert_str_eq(json_object_get_string(json_at(refusal, "refusal_reason")),
                     "empty_retrieval");
    cr_assert_eq(json_object_get_int(json_at(refusal, "chunks_retrieved")), 0);
    cr_assert_null(json_at(refusal, "max_score"));
    if (question == NULL)
        cr_assert_null(json_at(refusal, "question"));
    else
        cr_assert_str_eq(json_object_get_string(json_at(refusal, "question")), question);
}

Test(refusal_log, a_refusal_is_in_the_store_when_it_is_answered)
{
    struct world *world = world_with_builtin_coach();

    refuse_one(world);

    expect_fields(json_of(world, refusals_of(world, "DEBUG=false",
                                             ARGUMENTS("refusals", "--jsonl"))),
                  ABOUT_NOTHING);
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

    refuse_one(world);
    ask_selection(world, "What is " CANARY "?", "Nothing of the kind stands here.");

    expect_fields(json_of(world, refusals_of(world, "DEBUG=false",
                                             ARGUMENTS("refusals", "--jsonl"))),
                  NULL);
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

    refuse_one(world);
    refuse_one(world);

    cr_assert(bytes_add_file(&lines, path));
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0600);
    expect_fields(json_of(world, lines.data), ABOUT_NOTHING);
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

    post(world, "/ask",
         json_body(world, MEMBERS("question", ABOUT_NOTHING, "session_id", session.id)));
    cr_assert(is_kept(world, CANARY), "or else the search below proves nothing");
    expect_success(delete_session(world, &session));

    cr_assert_not(is_kept(world, CANARY));
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
