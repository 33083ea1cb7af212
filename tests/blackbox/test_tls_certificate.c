/*
 * The certificate: read at the start and on SIGHUP, and what the operator is told of it.
 */
#include <criterion/criterion.h>
#include <poll.h>

#include "key_files.h"

TestSuite(tls_certificate, .timeout = 60);

Test(tls_certificate, a_hangup_shows_the_new_certificate_and_drops_nobody)
{
    struct files files = make_files("old.test", 30);
    struct world *world = world_with_groq(WITH_TLS(files));
    struct session session = start_session(world, 3);
    upstream_keeps_asking(world->upstream);
    upstream_hold(world->upstream);
    struct connection *kept = connection_open(world->port);
    struct connection *turn = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);
    struct connection *greeting =
        connection_open_unshaken(world->port, &(struct secure_wishes){0});
    struct pollfd answered = {.fd = connection_descriptor(greeting), .events = POLLIN};
    secure_say_hello(connection_secure(greeting));
    cr_assert(poll(&answered, 1, LONGEST_WAIT_S * 1000) == 1);
    write_pair(&files, "new.test", 60);

    world_signal(world, SIGHUP);
    world_await_output(world, "\"event\":\"certificate_reloaded\"");

    struct connection *after = connection_open(world->port);
    expect_peer(after, "new.test");
    expect_alive(world, after);
    expect_alive(world, kept);
    cr_assert(secure_shake_hands(connection_secure(greeting)));
    expect_peer(greeting, "old.test");
    expect_alive(world, greeting);
    upstream_release(world->upstream);
    expect_number(finish(world, turn), "data.question_number", 1);
    connection_close(after);
    connection_close(kept);
    connection_close(greeting);
    world_end(world);
    remove_files(&files);
}

Test(tls_certificate, a_bad_pair_keeps_the_old_one_and_the_log_says_why)
{
    struct files files = make_files("old.test", 30);
    struct world *world = world_with_builtin_coach(WITH_TLS(files));
    struct key_pair other = key_pair_make("other.test", 30);
    write_pem(files.certificate.data, &other.certificate);

    world_signal(world, SIGHUP);
    world_await_output(world, "\"event\":\"certificate_kept\"");

    cr_expect_eq(log_lines_with(world, ARGUMENTS("certificate_kept", "key_mismatch")), 1);
    struct connection *connection = connection_open(world->port);
    expect_peer(connection, "old.test");
    connection_close(connection);
    key_pair_free(&other);
    world_end(world);
    remove_files(&files);
}

Test(tls_certificate, a_new_one_that_has_expired_does_not_take_the_place_of_a_good_one)
{
    struct files files = make_files("old.test", 30);
    struct world *world = world_with_builtin_coach(WITH_TLS(files));
    write_pair(&files, "late.test", -3);

    world_signal(world, SIGHUP);
    world_await_output(world, "\"event\":\"certificate_kept\",\"reason\":\"expired\"");

    struct connection *connection = connection_open(world->port);
    expect_peer(connection, "old.test");
    connection_close(connection);
    world_end(world);
    remove_files(&files);
}

Test(tls_certificate, poise_health_asks_by_tls)
{
    struct files files = make_files("poise.test", 30);
    struct world *world = world_with_builtin_coach(WITH_TLS(files));
    struct bytes port = {0};
    bytes_addf(&port, "PORT=%d", world->port);

    struct run run = run_program(files.directory, ARGUMENTS("health"),
                                 SETTINGS(port.data, WITH_TLS(files)));

    cr_expect_eq(run.status, 0, "%s", run.output.data);
    bytes_free(&run.output);
    bytes_free(&port);
    world_end(world);
    remove_files(&files);
}

Test(tls_certificate, files_that_are_of_no_use_are_bad_settings)
{
    struct files files = make_files("poise.test", 30);
    struct files other = make_files("other.test", 30);
    const struct {
        const char *certificate, *key, *line;
    } cases[] = {
        {files.certificate.data, "", "TLS_KEY_FILE: is required"},
        {"", files.key.data, "TLS_CERT_FILE: is required"},
        {"/nowhere/cert.pem", files.key.data, "No such file"},
        {files.certificate.data, "/nowhere/key.pem", "No such file"},
        {files.key.data, files.key.data, "holds no chain of certificates"},
        {files.certificate.data, files.certificate.data, "holds no private key"},
        {files.certificate.data, other.key.data, "is not the key of the certificate"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes certificate = {0}, key = {0};
        bytes_addf(&certificate, "TLS_CERT_FILE=%s", cases[i].certificate);
        bytes_addf(&key, "TLS_KEY_FILE=%s", cases[i].key);
        struct run run = run_program(files.directory, NULL,
                                     SETTINGS("PORT=0", "STORE_URL=sqlite:///poise.db",
                                              certificate.data, key.data));
        cr_expect_eq(run.status, 2, "case %zu: status %d", i, run.status);
        cr_expect(bytes_has(&run.output, "poise: bad settings\n"));
        cr_expect(bytes_has(&run.output, cases[i].line), "case %zu: %s", i,
                  run.output.data);
        cr_expect_not(bytes_has(&run.output, "listening"));
        bytes_free(&run.output);
        bytes_free(&certificate);
        bytes_free(&key);
    }
    remove_files(&files);
    remove_files(&other);
}

Test(tls_certificate, an_expired_certificate_is_shown_and_complained_of)
{
    struct files files = make_files("poise.test", -3);
    struct world *world = world_with_builtin_coach(WITH_TLS(files));

    world_await_output(world, "\"event\":\"certificate_expired\",\"days_left\":-3");

    struct connection *connection = connection_open(world->port);
    expect_alive(world, connection);
    connection_close(connection);
    world_end(world);
    remove_files(&files);
}

Test(tls_certificate, doctor_knows_names_key_and_days)
{
    static const struct {
        int days;
        int status;
        const char *line;
    } cases[] = {{40, 0, "ok    tls: poise.test"},
                 {5, 0, "note  tls: it expires in 5 days"},
                 {-2, 1, "FAIL  tls: it has expired"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct files files = make_files("poise.test", cases[i].days);
        struct run run =
            run_program(files.directory, ARGUMENTS("doctor"),
                        SETTINGS("STORE_URL=sqlite:///poise.db", "SAFETY_ENABLED=false",
                                 "TTS_PROVIDER=none", WITH_TLS(files)));
        cr_expect_eq(run.status, cases[i].status, "status %d", run.status);
        cr_expect(bytes_has(&run.output, cases[i].line), "%s", run.output.data);
        bytes_free(&run.output);
        remove_files(&files);
    }
}
