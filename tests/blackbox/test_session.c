/*
 * Sessions: started with what the contract allows, looked at, deleted, and closed to
 * strangers.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "play.h"

TestSuite(session, .timeout = 60);

static const struct reply *get_as(struct world *world, const char *id, const char *token)
{
    return ask(world, (struct request){.method = "GET",
                                       .path = words(world, "/session/%s", id),
                                       .token = token});
}

static const struct reply *start_as_role(struct world *world, const char *role)
{
    return start_with(world, words(world,
                                   "{\"role\":\"%s\",\"interview_type\":\"technical\","
                                   "\"difficulty\":\"hard\",\"question_count\":3}",
                                   role));
}

Test(session,
     a_started_session_has_an_id_a_token_and_an_opening_that_ends_with_the_question)
{
    struct world *world = world_with_builtin_coach();

    struct session session = start_session(world, 3);

    const struct reply *got = get_session(world, &session);
    const char *opening = text_at(session.started, "data.opening_prompt");
    const char *question = text_at(got, "data.asked_questions.0");
    cr_assert(strlen(session.id) == 36 && strlen(session.token) > 20);
    cr_assert(strstr(opening, "nurse"), "the role is not named: %s", opening);
    cr_assert_str_eq(opening + strlen(opening) - strlen(question), question);
    cr_assert(strlen(opening) > strlen(question), "nobody is welcomed: %s", opening);
    world_end(world);
}

Test(session, a_new_session_is_active_and_has_one_question)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    const struct reply *got = get_session(world, &session);

    expect_success(got);
    expect_text(got, "data.session_id", session.id);
    expect_text(got, "data.role", "nurse");
    expect_text(got, "data.interview_type", "behavioural");
    expect_text(got, "data.difficulty", "easy");
    expect_text(got, "data.status", "active");
    expect_number(got, "data.turn_count", 0);
    expect_number(got, "data.total_questions", 3);
    cr_assert(length_at(got, "data.asked_questions") == 1);
    world_end(world);
}

static void expect_time(const struct reply *reply, const char *path)
{
    const char *time = text_at(reply, path);
    const char *form = "dddd-dd-ddTdd:dd:dd";

    for (size_t i = 0; form[i]; i++) {
        bool fits =
            form[i] == 'd' ? time[i] >= '0' && time[i] <= '9' : time[i] == form[i];
        cr_assert(fits, "%s is no time: %s", path, time);
    }
    cr_assert(time[strlen(time) - 1] == 'Z', "%s is not in UTC: %s", path, time);
}

Test(session, the_times_of_a_session_are_iso_8601_in_utc)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    const struct reply *got = get_session(world, &session);

    expect_time(got, "data.created_at");
    expect_time(got, "data.last_activity_at");
    expect_time(got, "data.expires_at");
    cr_assert(strcmp(text_at(got, "data.created_at"), text_at(got, "data.expires_at")) <
              0);
    world_end(world);
}

Test(session, five_questions_are_asked_unless_another_number_is_given)
{
    struct world *world = world_with_builtin_coach();

    const struct reply *started = start_with(
        world,
        "{\"role\":\"cook\",\"interview_type\":\"general\",\"difficulty\":\"medium\"}");

    const struct reply *got = get_as(world, text_at(started, "data.session_id"),
                                     text_at(started, "data.session_token"));
    expect_number(got, "data.total_questions", 5);
    world_end(world);
}

Test(session, every_bad_field_is_named_at_once)
{
    struct world *world = world_with_builtin_coach();

    const struct reply *reply =
        start_with(world, "{\"role\":\"\",\"interview_type\":7,\"difficulty\":\"brutal\","
                          "\"question_count\":11}");

    expect_bad_fields(
        reply, FIELDS_NAMED("role", "interview_type", "difficulty", "question_count"));
    world_end(world);
}

Test(session, missing_fields_are_bad_fields_but_the_number_of_questions)
{
    struct world *world = world_with_builtin_coach();

    const struct reply *reply = start_with(world, "{}");

    expect_bad_fields(reply, FIELDS_NAMED("role", "interview_type", "difficulty"));
    world_end(world);
}

Test(session, a_number_of_questions_is_a_whole_number_from_1_to_10)
{
    static const char *const BAD[] = {
        "0",       "-1",     "11",     "2.5",       "true",
        "[1]",     "1e99",   "\"\"",   "\"0\"",     "\"11\"",
        "\"2.5\"", "\"3 \"", "\"-1\"", "\"three\"", "\"18446744073709551621\""};
    struct world *world = world_with_builtin_coach();

    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        expect_bad_fields(
            start_with(world, words(world,
                                    "{\"role\":\"cook\",\"interview_type\":\"general\","
                                    "\"difficulty\":\"easy\",\"question_count\":%s}",
                                    BAD[i])),
            FIELDS_NAMED("question_count"));
    world_end(world);
}

Test(session, a_number_of_questions_may_come_as_5_point_0_or_in_quotes)
{
    static const char *const GOOD[] = {"4", "4.0", "\"4\"", "\"04\""};
    struct world *world = world_with_builtin_coach();

    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
        const struct reply *reply =
            start_with(world, words(world,
                                    "{\"role\":\"cook\",\"interview_type\":\"general\","
                                    "\"difficulty\":\"easy\",\"question_count\":%s}",
                                    GOOD[i]));
        struct session session = started_session(reply);

        expect_number(get_session(world, &session), "data.total_questions", 4);
    }
    world_end(world);
}

Test(session, the_limits_of_the_number_of_questions_are_within)
{
    struct world *world = world_with_builtin_coach();

    struct session shortest = start_session(world, 1);
    struct session longest = start_session(world, 10);

    expect_number(get_session(world, &shortest), "data.total_questions", 1);
    expect_number(get_session(world, &longest), "data.total_questions", 10);
    world_end(world);
}

Test(session, lengths_are_counted_in_characters_not_bytes)
{
    struct world *world = world_with_builtin_coach();

    expect_success(start_as_role(world, repeated(world, "\u00e9", 100)));
    expect_success(start_as_role(world, repeated(world, "\U0001F469", 100)));
    expect_bad_fields(start_as_role(world, repeated(world, "a", 101)),
                      FIELDS_NAMED("role"));
    expect_bad_fields(start_as_role(world, repeated(world, "\u00e9", 101)),
                      FIELDS_NAMED("role"));
    world_end(world);
}

Test(session, a_role_comes_back_as_it_was_given)
{
    struct world *world = world_with_builtin_coach();

    const struct reply *started =
        start_as_role(world, "chef de rang \\\"caf\u00e9\\\" \u4e2d");

    const struct reply *got = get_as(world, text_at(started, "data.session_id"),
                                     text_at(started, "data.session_token"));
    expect_text(got, "data.role", "chef de rang \"caf\u00e9\" \u4e2d");
    world_end(world);
}

Test(session, a_role_that_fails_the_safety_filter_is_not_allowed)
{
    struct world *world = world_with_builtin_coach(BUILT_IN_PATTERNS);

    const struct reply *reply =
        start_with(world, "{\"role\":\"fuck you\",\"interview_type\":\"I will kill you\","
                          "\"difficulty\":\"easy\"}");

    expect_bad_fields(reply,
                      FIELDS_NAMED("role:not_allowed", "interview_type:not_allowed"));
    world_end(world);
}

Test(session, a_body_that_is_no_json_object_is_a_validation_error)
{
    static const char *const BAD[] = {
        "{",
        "[]",
        "null",
        "\"role\"",
        "{} {}",
        "role=cook",
        "{\"role\":\"\xff\"}",
        " ",
        "{\"role\":\"a\\u0000b\",\"interview_type\":\"general\",\"difficulty\":\"easy\"}"};
    struct world *world = world_with_builtin_coach();

    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        expect_error(start_with(world, BAD[i]), ERROR_VALIDATION_ERROR);
    world_end(world);
}

Test(session, deeply_nested_json_is_a_validation_error)
{
    struct world *world = world_with_builtin_coach();

    expect_error(start_with(world, repeated(world, "[", 500)), ERROR_VALIDATION_ERROR);
    expect_error(start_with(world, repeated(world, "{\"role\":", 200)),
                 ERROR_VALIDATION_ERROR);
    world_end(world);
}

Test(session, a_deleted_session_is_gone)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    const struct reply *deleted = delete_session(world, &session);

    expect_success(deleted);
    expect_flag(deleted, "data.deleted", true);
    expect_error(get_session(world, &session), ERROR_SESSION_NOT_FOUND);
    expect_error(delete_session(world, &session), ERROR_SESSION_NOT_FOUND);
    expect_error(answer(world, &session, ANSWER), ERROR_SESSION_NOT_FOUND);
    world_end(world);
}

Test(session, deleting_one_session_leaves_the_others)
{
    struct world *world = world_with_builtin_coach();
    struct session one = start_session(world, 3);
    struct session other = start_session(world, 3);

    delete_session(world, &one);

    expect_success(get_session(world, &other));
    world_end(world);
}

/* Another last character, of the same alphabet. */
static const char *forged(struct world *world, const char *token, size_t at)
{
    const char *copy = words(world, "%s", token);

    ((char *)copy)[at] = token[at] == 'A' ? 'B' : 'A';
    return copy;
}

Test(session, a_token_that_is_missing_malformed_or_forged_is_invalid)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    size_t length = strlen(session.token);
    const char *const bad[] = {NULL,
                               "",
                               "x",
                               "a.b.c",
                               repeated(world, "A", 4000),
                               words(world, "%s%s", session.token, "A"),
                               words(world, "%.*s", (int)length - 1, session.token),
                               forged(world, session.token, 0),
                               forged(world, session.token, length / 2),
                               forged(world, session.token, length - 2)};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_error(get_as(world, session.id, bad[i]), ERROR_INVALID_TOKEN);
    world_end(world);
}

Test(session, another_scheme_or_two_tokens_are_invalid)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    const char *path = words(world, "/session/%s", session.id);
    const char *basic = words(world, "Authorization: Basic %s\r\n", session.token);
    const char *bare = words(world, "Authorization: %s\r\n", session.token);

    expect_error(
        ask(world, (struct request){.method = "GET", .path = path, .headers = basic}),
        ERROR_INVALID_TOKEN);
    expect_error(
        ask(world, (struct request){.method = "GET", .path = path, .headers = bare}),
        ERROR_INVALID_TOKEN);
    world_end(world);
}

Test(session, the_token_of_another_session_is_a_mismatch)
{
    struct world *world = world_with_builtin_coach();
    struct session mine = start_session(world, 3);
    struct session yours = start_session(world, 3);

    expect_error(get_as(world, mine.id, yours.token), ERROR_SESSION_ID_MISMATCH);
    expect_error(ask(world, (struct request){.method = "DELETE",
                                             .path = words(world, "/session/%s", mine.id),
                                             .token = yours.token}),
                 ERROR_SESSION_ID_MISMATCH);
    expect_error(send_form(world, &yours,
                           (struct form){.session_id = mine.id, .transcript = ANSWER}),
                 ERROR_SESSION_ID_MISMATCH);
    expect_success(get_session(world, &mine));
    world_end(world);
}

Test(session, a_token_of_another_secret_is_invalid)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    struct world *stranger =
        world_with_builtin_coach("SECRET_KEY=another-secret-another-secret-another!");

    expect_error(get_session(stranger, &session), ERROR_INVALID_TOKEN);
    world_end(stranger);
    world_end(world);
}

Test(session, sessions_and_tokens_live_on_when_the_program_is_started_again)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    expect_success(answer(world, &session, ANSWER));
    const char *before = session_facts(world, &session);

    world_signal(world, SIGTERM);
    cr_assert(world_await_exit(world) == 0);
    world_restart(world);

    cr_assert_str_eq(session_facts(world, &session), before);
    world_end(world);
}
