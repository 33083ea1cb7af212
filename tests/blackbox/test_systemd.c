/*
 * What systemd and the program say to each other: the listening socket that outlives a
 * restart, READY, STOPPING and the watchdog.
 */
#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "play.h"
#include "program.h"

TestSuite(systemd, .timeout = 60);

/* A datagram socket where NOTIFY_SOCKET points, as systemd has one. */
struct manager {
    int descriptor;
    char setting[160];
    struct sockaddr_un address;
};

static struct manager manager_open(void)
{
    struct manager manager = {.descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0),
                              .address.sun_family = AF_UNIX};
    int length;

    /* An abstract name: no file is left behind. */
    length = snprintf(manager.address.sun_path + 1, sizeof manager.address.sun_path - 1,
                      "poise-test-%ld", (long)getpid());
    cr_assert_eq(
        bind(manager.descriptor, (struct sockaddr *)&manager.address,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)),
        0);
    snprintf(manager.setting, sizeof manager.setting, "NOTIFY_SOCKET=@%s",
             manager.address.sun_path + 1);
    return manager;
}

/* Waits for it; what else comes is passed over. */
static void expect_notice(const struct manager *manager, const char *notice)
{
    struct pollfd wanted = {.fd = manager->descriptor, .events = POLLIN};
    char text[256] = "";

    while (strncmp(text, notice, strlen(notice)) != 0) {
        cr_assert(poll(&wanted, 1, LONGEST_WAIT_S * 1000) > 0, "never said: %s", notice);
        ssize_t size = recv(manager->descriptor, text, sizeof text - 1, 0);
        text[size > 0 ? size : 0] = '\0';
    }
}

Test(systemd, is_told_when_the_service_listens_lives_and_ends)
{
    struct manager manager = manager_open();
    struct world *world =
        world_with_builtin_coach(manager.setting, "WATCHDOG_USEC=30000", "WORKERS=3");

    expect_notice(&manager, "READY=1");
    expect_notice(&manager, "STATUS=Turns are taken.");
    expect_notice(&manager, "WATCHDOG=1");
    expect_notice(&manager, "WATCHDOG=1");
    world_signal(world, SIGTERM);
    expect_notice(&manager, "STOPPING=1");
    cr_assert_eq(world_await_exit(world), 0);
    world_end(world);
    close(manager.descriptor);
}

Test(systemd, is_told_when_the_patterns_are_read_again)
{
    struct manager manager = manager_open();
    struct world *world = world_with_builtin_coach(manager.setting, "WORKERS=3");

    expect_notice(&manager, "READY=1");
    world_signal(world, SIGHUP);
    expect_notice(&manager, "RELOADING=1\nMONOTONIC_USEC=");
    expect_notice(&manager, "READY=1");
    world_write_file(world, "patterns.json", "[");
    world_signal(world, SIGHUP);
    expect_notice(&manager, "RELOADING=1\nMONOTONIC_USEC=");
    expect_notice(&manager, "READY=1");
    world_await_output(world, "\"patterns_kept\"");
    world_end(world);
    close(manager.descriptor);
}

Test(systemd, a_request_that_comes_between_two_processes_is_answered_by_the_second)
{
    int port;
    int listening = listen_on_free_port(&port);
    program_lend_socket(listening);
    struct world *world =
        world_with_builtin_coach("LISTEN_FDS=1", "LISTEN_PID=", "WORKERS=3");

    cr_assert_eq(world->port, port, "it listens elsewhere");
    struct session session = start_session(world, 5);
    world_signal(world, SIGTERM);
    cr_assert_eq(world_await_exit(world), 0);
    world->port = port;
    struct connection *waiting = begin_answer(world, &session, ANSWER);
    world_restart(world);

    expect_number(finish(world, waiting), "data.question_number", 1);
    world_end(world);
    program_lend_socket(-1);
    close(listening);
}

/* While the first still works on a turn, nobody is told that it drains. */
Test(systemd, a_new_connection_waits_for_the_second_process)
{
    int port;
    int listening = listen_on_free_port(&port);
    program_lend_socket(listening);
    struct world *world = world_with_groq("LISTEN_FDS=1", "LISTEN_PID=");
    struct session session = start_session(world, 5);
    struct session other = start_session(world, 5);
    upstream_keeps_asking(world->upstream);
    upstream_hold(world->upstream);

    struct connection *turn = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);
    world_signal(world, SIGTERM);
    cr_assert(program_await_output(world->program, "\"draining\""));
    struct connection *waiting = begin_answer(world, &other, ANSWER);
    upstream_release(world->upstream);
    expect_number(finish(world, turn), "data.question_number", 1);
    cr_assert_eq(world_await_exit(world), 0);
    world_restart(world);

    expect_number(finish(world, waiting), "data.question_number", 1);
    world_end(world);
    program_lend_socket(-1);
    close(listening);
}

static void expect_not_started(int lent)
{
    char *directory = directory_make();
    program_lend_socket(lent);

    struct run run = run_program(directory, NULL,
                                 SETTINGS("PORT=0", "STORE_URL=sqlite:///poise.db",
                                          "LISTEN_FDS=1", "LISTEN_PID="));

    cr_assert_eq(run.status, 1, "status %d", run.status);
    cr_assert(bytes_has(&run.output, "ListenStream"), "%s", run.output.data);
    program_lend_socket(-1);
    close(lent);
    bytes_free(&run.output);
    directory_remove(directory);
    free(directory);
}

/* Else it would listen on a port of its own, and clients of the unit would wait for ever. */
Test(systemd, a_socket_that_is_no_tcp_listener_stops_the_start)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int local = socket(AF_UNIX, SOCK_STREAM, 0);

    cr_assert_eq(bind(local, (struct sockaddr *)&address, sizeof address.sun_family), 0);
    cr_assert_eq(listen(local, 1), 0);
    expect_not_started(local);
    expect_not_started(socket(AF_INET, SOCK_STREAM, 0));
}
