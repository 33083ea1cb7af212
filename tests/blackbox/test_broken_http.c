/*
 * Requests that are malformed, too large, or never complete.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "play.h"

TestSuite(broken_http, .timeout = 60);

/* libmicrohttpd may have said it twice. */
static bool ends(struct connection *connection)
{
    char block[1024];
    ssize_t size;

    do
        size = recv(connection_descriptor(connection), block, sizeof block, 0);
    while (size > 0);
    return size == 0 || errno == ECONNRESET;
}

/* The request as it stands is malformed: 400, and the connection ends, because nobody can say where
 * the next request begins.  What reaches us is told so in an envelope; what libmicrohttpd does not
 * understand it answers by itself, or not at all. */
static void expect_malformed(struct world *world, const char *request, bool reaches_us)
{
    struct connection *connection = connection_open(world->port);
    connection_send_text(connection, request);

    const struct reply *reply = receive(world, connection, "GET");

    if (reaches_us)
        expect_error(reply, ERROR_BAD_REQUEST);
    cr_assert(!reply || reply->status == 400 || reply->status == 413 ||
                  reply->status == 505,
              "%d to:\n%s", reply ? reply->status : 0, request);
    connection_half_close(connection);
    cr_assert(reaches_us ? connection_ends(connection) : ends(connection),
              "the connection went on after:\n%s", request);
    connection_close(connection);
}

Test(broken_http, a_malformed_request_line_ends_the_connection)
{
    static const char *const LINES[] = {
        "\x16\x03\x01\x02 what is this\r\n\r\n",
        "GET\r\n\r\n",
        "GET /healthz\r\n\r\n",
        "GET /healthz HTTP/1.1 again\r\nHost: x\r\n\r\n",
        "GET /healthz HTP/1.1\r\nHost: x\r\n\r\n",
        "GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n",
    };
    struct world *world = world_with_builtin_coach();

    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++)
        expect_malformed(world, LINES[i], false);
    expect_malformed(world, "/healthz GET HTTP/1.1\r\nHost: x\r\n\r\n", true);
    world_end(world);
}

static void expect_bad_headers(const char *const headers[], size_t count, bool reach_us)
{
    struct world *world = world_with_builtin_coach();

    for (size_t i = 0; i < count; i++)
        expect_malformed(world,
                         words(world,
                               "POST /session/start HTTP/1.1\r\nHost: x\r\n"
                               "Content-Type: application/json\r\n%s\r\n{}",
                               headers[i]),
                         reach_us);
    world_end(world);
}

Test(broken_http, headers_that_can_be_read_in_two_ways_are_a_bad_request)
{
    static const char *const HEADERS[] = {
        "Content-Length: 2\r\nContent-Length: 2\r\n",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked, chunked\r\n",
        "Transfer-Encoding: chunked \r\n",
        "Transfer-Encoding: chunked\t\r\n",
        "Content-Length : 2\r\n",
        "Transfer-Encoding : chunked\r\n",
        "X Name: one\r\n",
    };

    expect_bad_headers(HEADERS, sizeof HEADERS / sizeof *HEADERS, true);
}

Test(broken_http, malformed_headers_end_the_connection)
{
    static const char *const HEADERS[] = {
        "Content-Length: 2x\r\n",
        "Content-Length: -2\r\n",
        "Content-Length: 99999999999999999999\r\n",
        "No colon here\r\n",
    };

    expect_bad_headers(HEADERS, sizeof HEADERS / sizeof *HEADERS, false);
}

/* RFC 9112 5.2 lets a server join them. */
Test(broken_http, a_folded_header_is_one_line)
{
    struct world *world = world_with_builtin_coach();

    expect_success(ask(world, (struct request){.method = "GET",
                                               .path = "/healthz",
                                               .headers = "X-Folded: one\r\n two\r\n"}));
    world_end(world);
}

Test(broken_http, a_request_without_a_host_is_a_bad_request)
{
    struct world *world = world_with_builtin_coach();

    expect_malformed(world, "GET /healthz HTTP/1.1\r\n\r\n", true);
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
    expect_error(post_declared(world, "/turn", session.token, DIO_CONTENT_TYPE,
                               "4611686018427387904"),
                 ERROR_FILE_TOO_LARGE);
    expect_error(post_declared(world, "/turn", session.token, DIO_CONTENT_TYPE,
                               "18446744073709551614"),
                 ERROR_FILE_TOO_LARGE);
    expect_error(
        post_declared(world, "/session/start", NULL, "application/json", "100000000"),
        ERROR_FILE_TOO_LARGE);
    world_end(world);
}

static struct connection *begin_chunks(struct world *world, const struct session *session)
{
    return begin(world, (struct request){.method = "POST",
                                         .path = "/turn",
                                         .token = session->token,
                                         .content_type = DIO_CONTENT_TYPE,
                                         .headers = "Transfer-Encoding: chunked\r\n"});
}

static struct bytes chunks_of(struct world *world, size_t megabytes)
{
    struct bytes chunks = {0};

    while (chunks.size < megabytes * 1024 * 1024)
        bytes_addf(&chunks, "400\r\n%s\r\n", repeated(world, "0123456789abcdef", 64));
    bytes_addf(&chunks, "0\r\n\r\n");
    return chunks;
}

Test(broken_http, a_chunked_body_that_grows_too_large_is_read_over_and_refused)
{
    struct world *world = world_with_builtin_coach("MAX_AUDIO_BYTES=2000");
    struct session session = start_session(world, 3);
    struct bytes chunks = chunks_of(world, 4);

    struct connection *upload = begin_chunks(world, &session);
    connection_send(upload, chunks.data, chunks.size);

    expect_error(finish(world, upload), ERROR_FILE_TOO_LARGE);
    bytes_free(&chunks);
    world_end(world);
}

Test(broken_http, a_chunked_body_that_never_stops_growing_is_cut_off)
{
    struct world *world = world_with_builtin_coach("MAX_AUDIO_BYTES=2000");
    struct session session = start_session(world, 3);
    struct bytes chunks = chunks_of(world, 40);

    struct connection *upload = begin_chunks(world, &session);
    size_t sent = connection_send_until_answered(upload, chunks.data, chunks.size);

    cr_assert(sent < chunks.size, "all %zu bytes were taken", sent);
    connection_close(upload);
    expect_success(ask(world, (struct request){.method = "GET", .path = "/healthz"}));
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
