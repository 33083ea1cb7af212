/*
 * Speaking TLS: who may, what is said, and what becomes of those who will not.
 *
 * The certificates are made here, and the client is OpenSSL where the program is GnuTLS.  With
 * POISE_OVER_TLS=1 in the environment every other story plays over TLS as well.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "key_files.h"
#include "program.h"

TestSuite(tls, .timeout = 60);

static const char HEALTHZ[] = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

Test(tls, an_interview_is_played_over_it_on_one_connection)
{
    struct files files = make_files("poise.test", 30);
    struct world *world = world_with_builtin_coach(WITH_TLS(files));
    struct session session = start_session(world, 3);
    struct bytes turn = turn_bytes(&session, "I don't know");
    struct connection *connection = connection_open(world->port);

    for (int number = 1; number <= 3; number++) {
        connection_send(connection, turn.data, turn.size);
        const struct reply *reply = receive(world, connection, "POST");
        expect_number(reply, "data.question_number", number);
        expect_header(reply, "Strict-Transport-Security", "max-age=31536000");
    }
    expect_peer(connection, "poise.test");
    connection_close(connection);
    bytes_free(&turn);
    world_end(world);
    remove_files(&files);
}

Test(tls, a_large_recording_and_an_early_refusal_pass_through_it)
{
    enum { LARGE = 4 * 1024 * 1024 };
    struct files files = make_files("poise.test", 30);
    struct world *world =
        world_with_builtin_coach(WITH_TLS(files), "MAX_AUDIO_BYTES=5000000");
    struct session session = start_session(world, 3);
    char *audio = calloc(1, 2 * LARGE);
    struct form form = form_with_recording(world, 7, ANSWER);
    memcpy(audio, form.audio, form.audio_size);
    form.audio = audio;
    form.audio_size = LARGE;

    expect_number(send_form(world, &session, form), "data.question_number", 1);
    form.audio_size = 2 * LARGE;
    expect_error(send_form(world, &session, form), ERROR_FILE_TOO_LARGE);
    free(audio);
    world_end(world);
    remove_files(&files);
}

Test(tls, only_1_2_and_1_3_with_forward_secrecy_are_spoken)
{
    static const struct {
        struct secure_wishes wishes;
        bool is_good;
    } cases[] = {
        {{.lowest = TLS1_3_VERSION}, true},
        {{.highest = TLS1_2_VERSION, .ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256"}, true},
        {{.highest = TLS1_2_VERSION, .ciphers = "ECDHE-ECDSA-CHACHA20-POLY1305"}, true},
        {{.highest = TLS1_2_VERSION, .ciphers = "ECDHE-ECDSA-AES128-SHA"}, false},
        {{.highest = TLS1_2_VERSION, .ciphers = "ECDHE-ECDSA-AES256-SHA384"}, false},
        {{.highest = TLS1_2_VERSION, .ciphers = "AES128-GCM-SHA256"}, false},
        {{.lowest = TLS1_VERSION, .highest = TLS1_1_VERSION}, false},
    };
    struct files files = make_files("poise.test", 30);
    struct world *world = world_with_builtin_coach(WITH_TLS(files));

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct connection *connection =
            connection_open_secure(world->port, &cases[i].wishes);
        cr_expect_eq(connection != NULL, cases[i].is_good, "case %zu", i);
        if (connection)
            expect_alive(world, connection);
        connection_close(connection);
    }
    world_end(world);
    remove_files(&files);
}

Test(tls, http_1_1_is_what_alpn_agrees_on)
{
    struct files files = make_files("poise.test", 30);
    struct world *world = world_with_builtin_coach(WITH_TLS(files));
    struct connection *connection = connection_open_secure(
        world->port, &(struct secure_wishes){.protocol = "http/1.1"});
    const unsigned char *protocol;
    unsigned length;

    SSL_get0_alpn_selected(secure_ssl(connection_secure(connection)), &protocol, &length);

    cr_assert(length == 8 && memcmp(protocol, "http/1.1", 8) == 0);
    expect_alive(world, connection);
    connection_close(connection);
    world_end(world);
    remove_files(&files);
}

/* Any loop takes a ticket of any other. */
Test(tls, a_client_that_comes_back_resumes_its_session)
{
    struct files files = make_files("poise.test", 30);
    struct world *world = world_with_builtin_coach(WITH_TLS(files), "WORKERS=3");
    const struct secure_wishes old = {.highest = TLS1_2_VERSION};
    struct connection *first = connection_open_secure(world->port, &old);
    SSL_SESSION *session = SSL_get1_session(secure_ssl(connection_secure(first)));

    for (int i = 0; i < 8; i++) {
        struct connection *again = connection_open_secure(
            world->port,
            &(struct secure_wishes){.highest = TLS1_2_VERSION, .session = session});
        cr_expect(SSL_session_reused(secure_ssl(connection_secure(again))));
        expect_alive(world, again);
        connection_close(again);
    }
    SSL_SESSION_free(session);
    connection_close(first);
    world_end(world);
    remove_files(&files);
}

Test(tls, plain_http_is_told_in_plain_http_that_the_port_speaks_https)
{
    static const char *const FIRST_BYTES[] = {HEALTHZ, "SSH-2.0-OpenSSH_9.2\r\n"};
    struct files files = make_files("poise.test", 30);
    struct world *world = world_with_builtin_coach(WITH_TLS(files));

    for (size_t i = 0; i < 2; i++) {
        struct connection *connection = connection_open_plain(world->port);
        connection_send_text(connection, FIRST_BYTES[i]);
        const struct reply *reply = receive(world, connection, "GET");
        expect_error(reply, ERROR_BAD_REQUEST);
        expect_text(reply, "error.details.reason", "https_required");
        expect_no_header(reply, "Strict-Transport-Security");
        cr_expect(connection_ends(connection));
        connection_close(connection);
    }
    world_end(world);
    remove_files(&files);
}

Test(tls, what_is_no_http_behind_the_handshake_gets_its_envelope)
{
    static const char *const REQUESTS[] = {
        "no http at all\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "/healthz GET HTTP/1.1\r\nHost: x\r\n\r\n",
    };
    struct files files = make_files("poise.test", 30);
    struct world *world = world_with_builtin_coach(WITH_TLS(files));

    for (size_t i = 0; i < 2 * sizeof REQUESTS / sizeof *REQUESTS; i++) {
        struct connection *connection = connection_open(world->port);
        if (i % 2 == 1)
            expect_alive(world, connection);
        connection_send_text(connection, REQUESTS[i / 2]);
        expect_error(receive(world, connection, "GET"), ERROR_BAD_REQUEST);
        cr_expect(connection_ends(connection));
        cr_expect(secure_was_told_goodbye(connection_secure(connection)));
        connection_close(connection);
    }
    world_end(world);
    remove_files(&files);
}

Test(tls, who_shakes_hands_and_leaves_is_no_bad_request)
{
    struct files files = make_files("poise.test", 30);
    struct world *world = world_with_builtin_coach(WITH_TLS(files));

    struct connection *connection = connection_open(world->port);
    connection_half_close(connection);
    cr_assert(connection_ends(connection));
    connection_close(connection);

    cr_assert_eq(log_lines_with(world, ARGUMENTS("\"bad_request\"")), 0);
    world_end(world);
    remove_files(&files);
}

Test(tls, a_thousand_that_never_finish_shaking_hands_do_not_hurt_the_next)
{
    enum { HALF = 1000 };
    struct files files = make_files("poise.test", 30);
    struct world *world = world_with_builtin_coach(WITH_TLS(files));
    struct connection *half[HALF];
    struct bytes hello = secure_hello();
    for (int i = 0; i < HALF; i++) {
        half[i] = connection_open_plain(world->port);
        cr_assert_not_null(half[i]);
        connection_send(half[i], hello.data, i % 2 == 0 ? hello.size : hello.size / 2);
    }

    struct session session = start_session(world, 3);
    expect_number(answer(world, &session, ANSWER), "data.question_number", 1);

    for (int i = 0; i < HALF; i++)
        connection_close(half[i]);
    bytes_free(&hello);
    world_end(world);
    remove_files(&files);
}

Test(tls, a_handshake_that_takes_too_long_is_ended)
{
    struct files files = make_files("poise.test", 30);
    struct world *world =
        world_with_builtin_coach(WITH_TLS(files), "UPLOAD_TIMEOUT_SECONDS=1");
    struct bytes hello = secure_hello();
    struct connection *silent = connection_open_plain(world->port);
    struct connection *half = connection_open_plain(world->port);
    struct connection *greeted = connection_open_plain(world->port);
    connection_send(half, hello.data, hello.size / 2);
    connection_send(greeted, hello.data, hello.size);
    char block[65536];

    cr_expect(connection_ends(silent));
    cr_expect(connection_ends(half));
    while (connection_read(greeted, block, sizeof block) > 0)
        continue; /* the server's half of the handshake, then the end */

    connection_close(silent);
    connection_close(half);
    connection_close(greeted);
    const struct reply *metrics =
        ask(world, (struct request){.method = "GET", .path = "/metrics"});
    cr_expect(bytes_has(&metrics->body, "poise_tls_handshakes_failed_total 1\n"));
    cr_expect(bytes_has(&metrics->body, "poise_tls_certificate_not_after_seconds 1"));
    bytes_free(&hello);
    world_end(world);
    remove_files(&files);
}

static void expect_replay_after(void (*leave)(struct connection *connection))
{
    struct files files = make_files("poise.test", 30);
    struct world *world = world_with_groq(WITH_TLS(files));
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    struct connection *turn = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);
    leave(turn);
    upstream_release(world->upstream);
    await_turn_count(world, &session, 1);

    expect_text(answer(world, &session, ANSWER), "data.assistant_text", "And then?");
    expect_number(get_session(world, &session), "data.turn_count", 1);
    world_end(world);
    remove_files(&files);
}

Test(tls, who_said_goodbye_before_the_reply_gets_the_turn_later)
{
    expect_replay_after(connection_close);
}

Test(tls, who_was_cut_off_before_the_reply_gets_the_turn_later)
{
    expect_replay_after(connection_reset);
}

/* The client is gone as soon as it has the reply, and the server's goodbye is answered by a reset:
 * that is no lost reply. */
Test(tls, a_reply_that_arrived_is_not_taken_for_lost)
{
    struct files files = make_files("poise.test", 30);
    struct world *world = world_with_builtin_coach(WITH_TLS(files));

    for (int i = 0; i < 20; i++) {
        struct session session = start_session(world, 3);
        expect_number(answer(world, &session, "I don't know"), "data.question_number", 1);
        expect_number(answer(world, &session, "I don't know"), "data.question_number", 2);
    }
    world_end(world);
    remove_files(&files);
}

Test(tls, a_hello_that_comes_between_two_processes_is_answered_by_the_second)
{
    int port;
    int listening = listen_on_free_port(&port);
    struct files files = make_files("poise.test", 30);
    program_lend_socket(listening);
    struct world *world =
        world_with_builtin_coach(WITH_TLS(files), "LISTEN_FDS=1", "LISTEN_PID=");
    struct session session = start_session(world, 5);
    struct bytes turn = turn_bytes(&session, ANSWER);
    world_signal(world, SIGTERM);
    cr_assert_eq(world_await_exit(world), 0);
    struct connection *waiting =
        connection_open_unshaken(port, &(struct secure_wishes){0});
    secure_say_hello(connection_secure(waiting));
    world_restart(world);

    cr_assert(secure_shake_hands(connection_secure(waiting)));
    connection_send(waiting, turn.data, turn.size);
    expect_number(finish(world, waiting), "data.question_number", 1);

    bytes_free(&turn);
    world_end(world);
    remove_files(&files);
    program_lend_socket(-1);
    close(listening);
}

Test(tls, turns_under_way_are_finished_over_it_when_the_service_ends)
{
    struct files files = make_files("poise.test", 30);
    struct world *world = world_with_groq(WITH_TLS(files));
    struct session session = start_session(world, 3);
    upstream_keeps_asking(world->upstream);
    upstream_hold(world->upstream);
    struct connection *idle = connection_open(world->port);
    expect_alive(world, idle);
    struct connection *turn = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);

    world_signal(world, SIGTERM);
    world_await_output(world, "\"draining\"");
    upstream_release(world->upstream);

    expect_number(finish(world, turn), "data.question_number", 1);
    cr_expect(connection_ends(idle));
    cr_expect(secure_was_told_goodbye(connection_secure(idle)));
    connection_close(idle);
    cr_assert_eq(world_await_exit(world), 0);
    world_end(world);
    remove_files(&files);
}
