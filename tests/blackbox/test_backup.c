/*
 * What an operator keeps and removes: backups and the way back, a file that goes away, one session that is to
 * be forgotten.
 */
#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "play.h"
#include "program.h"

TestSuite(backup, .timeout = 90);

static const struct request READYZ = {.method = "GET", .path = "/readyz"};

/* Runs `poise <command> <argument>` with the world's store, in its directory. */
static int command(struct world *world, const char *name, const char *argument,
                   const char *said)
{
    struct run run =
        run_program(world->directory, ARGUMENTS(name, argument),
                    SETTINGS(store_place_setting(world->store), BUILT_IN_PATTERNS));
    int status = run.status;

    cr_assert(bytes_has(&run.output, said), "no \"%s\" in: %s", said, run.output.data);
    cr_assert_not(bytes_has(&run.output, CANARY));
    bytes_free(&run.output);
    return status;
}

static int command_replacing(struct world *world, const char *name, const char *argument)
{
    struct run run =
        run_program(world->directory, ARGUMENTS(name, "--replace", argument),
                    SETTINGS(store_place_setting(world->store), BUILT_IN_PATTERNS));
    int status = run.status;

    bytes_free(&run.output);
    return status;
}

static bool is_there(struct world *world, const char *name)
{
    return access(world_path(world, name), F_OK) == 0;
}

Test(backup, made_while_it_serves_is_restored_after_a_kill)
{
    if (store_is_postgres())
        cr_skip_test("PostgreSQL has its own tools");
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 5);
    struct stat status;
    expect_number(answer(world, &session, ANSWER), "data.question_number", 1);
    const char *facts = session_facts(world, &session);

    cr_assert_eq(command(world, "backup", "kept.db", "1 sessions"), 0);
    cr_assert_eq(stat(world_path(world, "kept.db"), &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0600);
    cr_assert_not(is_there(world, "kept.db-wal") || is_there(world, "kept.db.partial"));
    expect_number(answer(world, &session, ANSWER " Two."), "data.question_number", 2);
    struct session later = start_session(world, 5);
    world_kill(world);
    cr_assert_eq(command(world, "restore", "kept.db", "--replace"), 1);
    cr_assert_eq(command_replacing(world, "restore", "kept.db"), 0);
    world_restart(world);

    cr_assert_str_eq(session_facts(world, &session), facts);
    expect_error(get_session(world, &later), ERROR_SESSION_NOT_FOUND);
    expect_number(answer(world, &session, ANSWER " Again."), "data.question_number", 2);
    world_end(world);
}

Test(backup, under_load_is_whole_and_nobody_is_turned_away)
{
    if (store_is_postgres())
        cr_skip_test("PostgreSQL has its own tools");
    struct world *world = world_with_builtin_coach();
    struct connection *under_way[40];
    struct session sessions[40];

    for (size_t i = 0; i < 40; i++)
        sessions[i] = start_session(world, 5);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 40; i++)
            under_way[i] =
                begin_answer(world, &sessions[i], words(world, ANSWER " %d", round));
        cr_assert_eq(command_replacing(world, "backup", "kept.db"), 0);
        for (size_t i = 0; i < 40; i++)
            expect_number(finish(world, under_way[i]), "data.question_number", round + 1);
    }
    world_kill(world);
    cr_assert_eq(command_replacing(world, "restore", "kept.db"), 0);
    world_restart(world);

    for (size_t i = 0; i < 40; i++)
        expect_success(get_session(world, &sessions[i]));
    world_end(world);
}

Test(backup, overwrites_nothing_without_being_asked)
{
    if (store_is_postgres())
        cr_skip_test("PostgreSQL has its own tools");
    struct world *world = world_with_builtin_coach();
    world_write_file(world, "kept.db", "something else");

    cr_assert_eq(command(world, "backup", "kept.db", "exists"), 1);
    cr_assert_eq(command(world, "backup", "nowhere/kept.db", "No such file"), 1);
    cr_assert_eq(command(world, "backup", "poise.db", "exists"), 1);
    cr_assert_eq(command_replacing(world, "backup", "poise.db"), 1);
    world_write_file(world, "kept.db.partial", "left by one that was killed");
    cr_assert_eq(command_replacing(world, "backup", "kept.db"), 0);
    cr_assert_not(is_there(world, "kept.db.partial"));
    cr_assert_eq(command_replacing(world, "backup", ""), 2);
    expect_success(ask(world, READYZ));
    world_end(world);
}

Test(backup, is_not_restored_under_a_running_service_nor_when_it_is_damaged)
{
    if (store_is_postgres())
        cr_skip_test("PostgreSQL has its own tools");
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 5);
    expect_success(answer(world, &session, ANSWER));
    cr_assert_eq(command(world, "backup", "kept.db", "checked"), 0);

    cr_assert_eq(command_replacing(world, "restore", "kept.db"), 1);
    expect_success(answer(world, &session, ANSWER " Two."));
    world_kill(world);
    world_write_file(world, "broken.db", "SQLite format 3, but no more of it");
    cr_assert_eq(command_replacing(world, "restore", "broken.db"), 1);
    cr_assert_eq(truncate(world_path(world, "kept.db"), 20480), 0);
    cr_assert_eq(command_replacing(world, "restore", "kept.db"), 1);
    cr_assert_not(is_there(world, "poise.db.partial"));
    world_restart(world);
    expect_number(get_session(world, &session), "data.turn_count", 2);
    world_end(world);
}

Test(backup, of_postgres_is_left_to_its_own_tools)
{
    struct run run = run_program("/tmp", ARGUMENTS("backup", "kept.db"),
                                 SETTINGS("STORE_URL=postgresql://nobody@localhost/x"));

    cr_assert_eq(run.status, 1);
    cr_assert(bytes_has(&run.output, "pg_dump"));
    bytes_free(&run.output);
}

static void expect_lost(struct world *world, const struct session *session)
{
    world_await_output(world, "\"event\":\"store_file_lost\"");
    expect_error(answer(world, session, ANSWER " Two."), ERROR_STORE_UNAVAILABLE);
    const struct reply *reply = ask(world, READYZ);
    expect_error(reply, ERROR_NOT_READY);
    expect_text(reply, "error.details.checks.store_error.said",
                "the database file was removed or replaced");
}

Test(backup, a_file_that_is_removed_or_replaced_is_noticed_and_so_is_its_return)
{
    if (store_is_postgres())
        cr_skip_test("it has no file of ours");
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 5);
    expect_success(answer(world, &session, ANSWER));
    const char *file = world_path(world, "poise.db");
    const char *away = world_path(world, "away.db");

    cr_assert_eq(rename(file, away), 0);
    expect_lost(world, &session);
    cr_assert_eq(rename(away, file), 0);
    world_await_output(world, "\"event\":\"store_file_back\"");
    expect_number(answer(world, &session, ANSWER " Two."), "data.question_number", 2);
    cr_assert_eq(unlink(file), 0);
    world_write_file(world, "poise.db", "");
    expect_error(answer(world, &session, ANSWER " Three."), ERROR_STORE_UNAVAILABLE);
    expect_error(ask(world, READYZ), ERROR_NOT_READY);
    world_kill(world);
    world_restart(world);
    world_end(world);
}

Test(backup, a_session_is_forgotten_with_every_trace_while_the_service_runs)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 5);
    struct session other = start_session(world, 5);
    expect_success(answer(world, &session, "My project was called heronsundial."));
    expect_success(answer(world, &other, ANSWER));

    cr_assert_eq(command(world, "forget", "not-an-id", "usage"), 2);
    cr_assert_eq(command(world, "forget", session.id, "is deleted"), 0);
    cr_assert_eq(command(world, "forget", session.id, "session_not_found"), 1);
    struct run run = run_program(world->directory, ARGUMENTS("forget", session.id),
                                 SETTINGS("STORE_URL=sqlite:///absent.db"));
    cr_assert_eq(run.status, 1);
    cr_assert_not(is_there(world, "absent.db"), "it has made a store: %s",
                  run.output.data);
    bytes_free(&run.output);

    expect_error(get_session(world, &session), ERROR_SESSION_NOT_FOUND);
    expect_number(get_session(world, &other), "data.turn_count", 1);
    struct bytes kept = {0};
    if (!store_is_postgres()) {
        store_place_read(world->store, &kept);
        cr_assert_not(bytes_has(&kept, "heronsundial"));
    }
    bytes_free(&kept);
    world_end(world);
}

Test(backup, a_session_is_forgotten_in_the_middle_of_a_turn)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 5);
    upstream_keeps_asking(world->upstream);
    upstream_hold(world->upstream);
    struct connection *turn =
        begin_answer(world, &session, "My project was called heronsundial.");
    upstream_await_calls(world->upstream, 1);

    cr_assert_eq(command(world, "forget", session.id, "is deleted"), 0);
    upstream_release(world->upstream);

    expect_error(finish(world, turn), ERROR_SESSION_NOT_FOUND);
    expect_error(get_session(world, &session), ERROR_SESSION_NOT_FOUND);
    struct bytes kept = {0};
    store_place_read(world->store, &kept);
    cr_assert_not(bytes_has(&kept, "heronsundial"));
    bytes_free(&kept);
    world_end(world);
}

Test(backup, is_restored_where_there_is_nothing)
{
    if (store_is_postgres())
        cr_skip_test("PostgreSQL has its own tools");
    struct world *world = world_with_builtin_coach();
    start_session(world, 5);
    cr_assert_eq(command(world, "backup", "kept.db", "checked"), 0);

    struct run run =
        run_program(world->directory, ARGUMENTS("restore", "kept.db"),
                    SETTINGS("STORE_URL=sqlite:///elsewhere.db", BUILT_IN_PATTERNS));

    cr_assert_eq(run.status, 0, "%s", run.output.data);
    cr_assert(is_there(world, "elsewhere.db"));
    bytes_free(&run.output);
    world_end(world);
}
