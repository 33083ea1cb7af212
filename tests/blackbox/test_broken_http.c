/*
 * Requests that are malformed, too large, or never complete.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "play.h"

TestSuite(broken_http, .timeout = 60);

/* The request as it stands is malformed: 400 in an envelope, and the connection ends,
 * because nobody can say where the next request begins. */
static void expect_malformed(struct world *world, const char *request)
{
    struct connection *connection = connection_open(world->port);
    connection_send_text(connection, request);

    const struct reply *reply = receive(world, connection, "GET");

    cr_assert(reply && reply->status == 400, "%d to:\n%s", reply ? reply->status : 0,
              request);
    expect_error(reply, ERROR_BAD_REQUEST);
    connection_half_close(connection);
    cr_assert(connection_ends(connection), "the connection went on after:\n%s", request);
    connection_close(connection);
}

Test(broken_http, a_malformed_request_line_is_a_bad_request)
{
    static const char *const LINES[] = {
        "\x16\x03\x01\x02 what is this\r\n\r\n",
        "GET\r\n\r\n",
        "GET /healthz\r\n\r\n",
        "GET /healthz HTTP/1.1 again\r\nHost: x\r\n\r\n",
        "GET /healthz HTP/1.1\r\nHost: x\r\n\r\n",
        "GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n",
        "/healthz GET HTTP/1.1\r\nHost: x\r\n\r\n",
    };
    struct world *world = world_with_builtin_coach();

    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++)
        expect_malformed(world, LINES[i]);
    world_end(world);
}

Test(broken_http, malformed_headers_are_a_bad_request)
{
    static const char *const HEADERS[] = {
        "Content-Length: 2\r\nContent-Length: 2\r\n",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 2x\r\n",
        "Content-Length: -2\r\n",
        "Content-Length: 99999999999999999999\r\n",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked, chunked\r\n",
        "Content-Length : 2\r\n",
        "Transfer-Encoding : chunked\r\n",
        "X Name: one\r\n",
        "No colon here\r\n",
    };
    struct world *world = world_with_builtin_coach();

    for (size_t i = 0; i < sizeof HEADERS / sizeof *HEADERS; i++)
        expect_malformed(world, words(world,
                                      "POST /session/start HTTP/1.1\r\nHost: x\r\n"
                                      "Content-Type: application/json\r\n%s\r\n{}",
                                      HEADERS[i]));
    world_end(world);
}

Test(broken_http, a_folded_header_is_a_bad_request)
{
    struct world *world = world_with_builtin_coach();

    const struct reply *reply =
        ask(world, (struct request){.method = "GET",
                                    .path = "/healthz",
                                    .headers = "X-Folded: one\r\n two\r\n"});

    expect_error(reply, ERROR_BAD_REQUEST);
    world_end(world);
}

Test(broken_http, a_request_without_a_host_is_a_bad_request)
{
    struct world *world = world_with_builtin_coach();

    expect_malformed(world, "GET /healthz HTTP/1.1\r\n\r\n");
    world_end(world);
}

static const struct reply *post_declared(struct world *world, const char *path,
                                         const char *token, const char *type,
                                         const char *length)
{
    struct connection *connection = begin(
        world,
        (struct request){.method = "POST",
                         .path = path,
                         .token = token,
                         .content_type = type,
                         .headers = words(world, "Content-Length: %s\r\n", length)});
    const struct reply *reply = receive(world, connection, "POST");

    connection_close(connection);
    return reply;
}

Test(broken_http, a_body_that_is_declared_too_large_is_refused_before_it_is_sent)
{
    struct world *world = world_with_builtin_coach("MAX_AUDIO_BYTES=2000");
    struct session session = start_session(world, 3);

    expect_error(
        post_declared(world, "/turn", session.token, DIO_CONTENT_TYPE, "100000000000"),
        ERROR_FILE_TOO_LARGE);
    expect_error(
        post_declared(world, "/session/start", NULL, "application/json", "100000000"),
        ERROR_FILE_TOO_LARGE);
    world_end(world);
}

Test(broken_http, a_chunked_body_that_grows_too_large_is_cut_off)
{
    struct world *world = world_with_builtin_coach("MAX_AUDIO_BYTES=2000");
    struct session session = start_session(world, 3);
    struct bytes chunks = {0};
    while (chunks.size < 8 * 1024 * 1024)
        bytes_addf(&chunks, "400\r\n%s\r\n", repeated(world, "0123456789abcdef", 64));

    struct connection *upload =
        begin(world, (struct request){.method = "POST",
                                      .path = "/turn",
                                      .token = session.token,
                                      .content_type = DIO_CONTENT_TYPE,
                                      .headers = "Transfer-Encoding: chunked\r\n"});
    size_t sent = connection_send_until_answered(upload, chunks.data, chunks.size);

    expect_error(finish(world, upload), ERROR_FILE_TOO_LARGE);
    cr_assert(sent < chunks.size, "all %zu bytes were taken", sent);
    bytes_free(&chunks);
    world_end(world);
}

Test(broken_http, a_chunked_body_is_a_body)
{
    struct world *world = world_with_builtin_coach();
    static const char request[] =
        "POST /session/start HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
        "19\r\n{\"role\":\"cook\",\"interview\r\n"
        "25;ext=1\r\n_type\":\"general\",\"difficulty\":\"easy\"}\r\n0\r\n\r\n";

    const struct reply *reply = ask_raw(world, "POST", request, sizeof request - 1);

    expect_success(reply);
    world_end(world);
}

Test(broken_http, a_request_that_never_ends_its_headers_is_dropped_in_time)
{
    struct world *world = world_with_builtin_coach("UPLOAD_TIMEOUT_SECONDS=1");
    struct connection *connection = connection_open(world->port);
    connection_send_text(connection, "POST /turn HTTP/1.1\r\nHost:");

    const struct reply *reply = receive(world, connection, "POST");

    if (reply)
        expect_error(reply, ERROR_UPLOAD_TIMEOUT);
    cr_assert(connection_ends(connection));
    connection_close(connection);
    world_end(world);
}
