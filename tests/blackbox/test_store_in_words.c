/*
 * What is wrong with the store, in words: in the log once, in /readyz and in doctor; and no turn
 * begins that could not be kept.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "play.h"
#include "postgres.h"
#include "program.h"

TestSuite(store_in_words, .timeout = 90);

static const struct request READYZ = {.method = "GET", .path = "/readyz"};

static int lines_with(struct world *world, const char *part)
{
    return log_lines_with(world, (const char *const[]){part, NULL});
}

static void await_ready(struct world *world)
{
    for (int tries = 0; ask(world, READYZ)->status != 200; tries++) {
        cr_assert_lt(tries, 500, "the program never became ready");
        poll(NULL, 0, 20); /* as a load balancer does */
    }
}

Test(store_in_words, an_outage_of_postgresql_is_one_line_with_the_servers_sentence)
{
    struct postgres *postgres = postgres_start();
    char setting[160], host[64];
    snprintf(setting, sizeof setting,
             "STORE_URL=postgresql://poise:herons0ng@127.0.0.1:%d/postgres",
             postgres_port(postgres));
    snprintf(host, sizeof host, "127.0.0.1:%d", postgres_port(postgres));
    struct world *world = world_with_builtin_coach(setting, "WORKERS=2");
    struct session session = start_session(world, 3);

    postgres_stop_at_once(postgres);
    for (int i = 0; i < 5; i++)
        expect_error(get_session(world, &session), ERROR_STORE_UNAVAILABLE);

    const struct reply *reply = ask(world, READYZ);
    expect_text(reply, "error.details.checks.store_error.code", "08001");
    expect_text(reply, "error.details.checks.store_error.condition", "unable_to_connect");
    expect_text(reply, "error.details.checks.store_error.host", host);
    cr_assert_not_null(strstr(text_at(reply, "error.details.checks.store_error.said"),
                              "Connection refused"));
    struct run doctor =
        run_program(world->directory, ARGUMENTS("doctor"), SETTINGS(setting, "PORT=0"));
    cr_assert_eq(doctor.status, 1);
    cr_assert(bytes_has(&doctor.output, "FAIL  store: "), "%s", doctor.output.data);
    cr_assert(bytes_has(&doctor.output, "Connection refused"), "%s", doctor.output.data);
    cr_assert_not(bytes_has(&doctor.output, "herons0ng"));
    postgres_start_again(postgres);
    await_ready(world);
    world_await_output(world, "\"event\":\"store_back\"");

    cr_assert_eq(
        log_lines_with(world, (const char *const[]){"\"store_away\"",
                                                    "\"store_error\":\"08001\"",
                                                    "\"condition\":\"unable_to_connect\"",
                                                    host, "Connection refused", NULL}),
        1);
    cr_assert_eq(lines_with(world, "\"store_away\""), 1);
    bytes_free(&doctor.output);
    world_end(world);
    postgres_end(postgres);
}

/* The message of such an error quotes the value: only its name may be told. */
Test(store_in_words, what_postgresql_says_about_values_is_not_repeated)
{
    struct postgres *postgres = postgres_start();
    struct world *world = world_with_builtin_coach(postgres_setting(postgres));
    struct session session = start_session(world, 3);

    postgres_number(postgres, "SELECT 1 FROM (SELECT 1) AS one");
    postgres_number(postgres,
                    "CREATE FUNCTION deny() RETURNS trigger LANGUAGE plpgsql AS "
                    "$$ BEGIN RAISE EXCEPTION 'not %', NEW.transcript "
                    "USING ERRCODE = '22P02'; END $$; "
                    "CREATE TRIGGER deny BEFORE INSERT ON poise_turn "
                    "FOR EACH ROW EXECUTE FUNCTION deny(); SELECT 1");
    expect_error(answer(world, &session, ANSWER), ERROR_STORE_UNAVAILABLE);

    world_await_output(world,
                       "\"store_error\":\"22P02\",\"condition\":\"data_exception\"");
    world_end(world); /* looks for the words of the candidate */
    postgres_end(postgres);
}

/* ---- SQLite ---- */

static const char *make_disk(struct world *place, const char *name)
{
    const char *path = world_path(place, name);

    if (mkdir(path, 0755) != 0 || mount("tmpfs", path, "tmpfs", 0, "size=16m") != 0)
        return NULL;
    return path;
}

/* Leaves so many bytes. */
static void fill(const char *disk, long leave)
{
    char path[512];
    struct statvfs now;
    snprintf(path, sizeof path, "%s/ballast", disk);
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    cr_assert_geq(file, 0);

    statvfs(disk, &now);
    long size = (long)(now.f_bavail * now.f_frsize) - leave;
    cr_assert_eq(posix_fallocate(file, 0, size), 0);
    close(file);
}

static void make_room(const char *disk)
{
    char path[512];
    snprintf(path, sizeof path, "%s/ballast", disk);
    cr_assert_eq(unlink(path), 0);
}

Test(store_in_words, a_full_disk_is_noticed_before_a_model_is_paid)
{
    struct world *place = world_with_builtin_coach();
    const char *disk = make_disk(place, "disk");
    if (disk == NULL) {
        world_end(place);
        cr_skip_test("no disk can be mounted here: %s", strerror(errno));
    }
    const char *setting = words(place, "STORE_URL=sqlite:///%s/poise.db", disk);
    struct world *world = world_with_groq(setting);
    struct session session = start_session(world, 5);

    fill(disk, 65536);
    world_await_output(world, "\"event\":\"store_disk_full\"");
    expect_error(answer(world, &session, ANSWER), ERROR_STORE_UNAVAILABLE);
    cr_assert_eq(upstream_call_count(world->upstream), 0, "a model was paid");
    const struct reply *reply = ask(world, READYZ);
    expect_error(reply, ERROR_NOT_READY);
    expect_text(reply, "error.details.checks.store_error.system", strerror(ENOSPC));
    struct run doctor = run_program(world->directory, ARGUMENTS("doctor"),
                                    SETTINGS(setting, "PORT=0", "TTS_PROVIDER=none"));
    cr_assert_eq(doctor.status, 1);
    cr_assert(bytes_has(&doctor.output, "No space left on device"), "%s",
              doctor.output.data);

    make_room(disk);
    world_await_output(world, "\"event\":\"store_disk_has_room\"");
    upstream_will_ask(world->upstream, "And then?");
    expect_number(answer(world, &session, ANSWER), "data.question_number", 1);
    bytes_free(&doctor.output);
    world_end(world);
    umount2(disk, MNT_DETACH);
    world_end(place);
}

/* It filled up between two looks. */
Test(store_in_words, a_write_that_finds_the_disk_full_is_told_by_sqlites_name)
{
    struct world *place = world_with_builtin_coach();
    const char *disk = make_disk(place, "disk");
    if (disk == NULL) {
        world_end(place);
        cr_skip_test("no disk can be mounted here: %s", strerror(errno));
    }
    struct world *world =
        world_with_groq(words(place, "STORE_URL=sqlite:///%s/poise.db", disk));
    fill(disk, 0);

    for (int i = 0; i < 20; i++)
        start_with(world, "{\"role\":\"nurse\",\"interview_type\":\"general\","
                          "\"difficulty\":\"easy\"}");
    world_await_output(world, "\"store_error\":\"SQLITE_FULL\"");
    make_room(disk);
    await_ready(world);
    world_await_output(world, "\"event\":\"store_back\"");

    cr_assert_eq(
        log_lines_with(world, (const char *const[]){"\"store_away\"", "\"SQLITE_FULL\"",
                                                    "\"errno\":28",
                                                    "database or disk is full", NULL}),
        1);
    cr_assert_eq(lines_with(world, "\"store_away\""), 1);
    world_end(world);
    umount2(disk, MNT_DETACH);
    world_end(place);
}

/* ---- PgBouncer ---- */

#define PGBOUNCER "/usr/sbin/pgbouncer"

static struct run run_behind_pooler(const char *command, struct world *place,
                                    struct postgres *postgres, int port, const char *mode)
{
    const char *ini = words(
        place,
        "[databases]\npostgres = host=127.0.0.1 port=%d user=poise\n[pgbouncer]\n"
        "listen_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir =\nauth_type = any\n"
        "pool_mode = %s\nserver_reset_query_always = 0\n",
        postgres_port(postgres), port, mode);
    const char *path = world_write_file(place, "pgbouncer.ini", ini);
    chmod(path, 0644);
    chmod(place->directory, 0755);
    struct program *pooler = program_start(&(struct launch){.path = PGBOUNCER,
                                                            .directory = "/",
                                                            .arguments = ARGUMENTS(path),
                                                            .user = 65534,
                                                            .group = 65534},
                                           NULL);
    cr_assert(program_await_output(pooler, "process up"));

    struct run run = run_program(
        place->directory, ARGUMENTS(command),
        SETTINGS(words(place, "STORE_URL=postgresql://poise@127.0.0.1:%d/postgres", port),
                 "PORT=0", "STT_PROVIDER=none", "TTS_PROVIDER=none"));
    program_free(pooler);
    return run;
}

Test(store_in_words, a_pooler_of_transactions_is_recognised_and_one_of_sessions_is_fine)
{
    if (access(PGBOUNCER, X_OK) != 0)
        cr_skip_test("PgBouncer is not installed here");
    struct postgres *postgres = postgres_start();
    struct world *place = world_with_builtin_coach();
    int port;
    close(listen_on_free_port(&port));

    struct run start = run_behind_pooler("serve", place, postgres, port, "transaction");
    cr_assert_eq(start.status, 1, "%s", start.output.data);
    cr_assert(
        bytes_has(&start.output, "poise: store: PostgreSQL: a pooler such as PgBouncer"),
        "%s", start.output.data);
    struct run pooled = run_behind_pooler("doctor", place, postgres, port, "transaction");
    cr_assert_eq(pooled.status, 1, "%s", pooled.output.data);
    cr_assert(bytes_has(&pooled.output, "PgBouncer is in between and pools transactions"),
              "%s", pooled.output.data);
    struct run session = run_behind_pooler("doctor", place, postgres, port, "session");
    cr_assert_eq(session.status, 0, "%s", session.output.data);

    bytes_free(&start.output);
    bytes_free(&pooled.output);
    bytes_free(&session.output);
    world_end(place);
    postgres_end(postgres);
}
