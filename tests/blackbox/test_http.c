/*
 * HTTP itself: what is not ours, and what every response carries.
 */
#include <criterion/criterion.h>
#include <ctype.h>
#include <string.h>

#include "play.h"

TestSuite(http, .timeout = 60);

static const struct reply *get(struct world *world, const char *path, const char *headers)
{
    return ask(world,
               (struct request){.method = "GET", .path = path, .headers = headers});
}

Test(http, healthz_and_readyz_say_that_all_is_well)
{
    struct world *world = world_with_builtin_coach();

    expect_text(get(world, "/healthz", NULL), "data.status", "ok");
    const struct reply *ready = get(world, "/readyz", NULL);

    expect_success(ready);
    cr_assert(json_has(ready->json, "data.checks.store"), "%s", ready->body.data);
    world_end(world);
}

Test(http, an_unknown_path_is_not_found_whatever_the_method)
{
    static const char *const PATHS[] = {"/nowhere/",  "/nowhere",        "/turn/",
                                        "/turn/more", "/session",        "/session/",
                                        "/Turn",      "/session/a/more", "/healthz%00"};
    struct world *world = world_with_builtin_coach();

    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++)
        expect_error(get(world, PATHS[i], NULL), ERROR_NOT_FOUND);
    expect_error(ask(world, (struct request){.method = "BREW", .path = "/nowhere"}),
                 ERROR_NOT_FOUND);
    world_end(world);
}

Test(http, a_query_is_no_part_of_the_path)
{
    struct world *world = world_with_builtin_coach();

    expect_success(get(world, "/healthz?" CANARY "=1", NULL));
    world_end(world);
}

static void expect_allow(struct world *world, const char *method, const char *path,
                         const char *allowed)
{
    char value[128] = "";
    const struct reply *reply =
        ask(world, (struct request){.method = method, .path = path, .body = ""});

    expect_error(reply, ERROR_METHOD_NOT_ALLOWED);
    reply_header(reply, "Allow", value, sizeof value);
    cr_assert(strstr(value, allowed), "Allow of %s is %s", path, value);
}

Test(http, another_method_is_not_allowed_and_allow_says_which_is)
{
    struct world *world = world_with_builtin_coach();

    expect_allow(world, "GET", "/turn", "POST");
    expect_allow(world, "DELETE", "/turn", "POST");
    expect_allow(world, "PUT", "/session/start", "POST");
    expect_allow(world, "POST", "/healthz", "GET");
    expect_allow(world, "POST", "/session/6f9619ff-8b86-4011-b42d-00c04fc964ff", "GET");
    expect_allow(world, "POST", "/session/6f9619ff-8b86-4011-b42d-00c04fc964ff",
                 "DELETE");
    world_end(world);
}

Test(http, another_media_type_is_not_supported)
{
    static const char *const TYPES[] = {"text/plain",
                                        "application/x-www-form-urlencoded",
                                        "multipart/mixed; boundary=x",
                                        "application/jsonp",
                                        "multipart/form-data-x; boundary=x",
                                        ""};
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        expect_error(ask(world, (struct request){.method = "POST",
                                                 .path = "/turn",
                                                 .token = session.token,
                                                 .content_type = TYPES[i],
                                                 .body = ANSWER}),
                     ERROR_UNSUPPORTED_MEDIA_TYPE);
    expect_error(ask(world, (struct request){.method = "POST",
                                             .path = "/session/start",
                                             .content_type = "text/plain",
                                             .body = "{}"}),
                 ERROR_UNSUPPORTED_MEDIA_TYPE);
    world_end(world);
}

Test(http, a_media_type_is_taken_in_any_case_and_with_parameters)
{
    struct world *world = world_with_builtin_coach();

    expect_success(
        ask(world,
            (struct request){.method = "POST",
                             .path = "/session/start",
                             .content_type = "Application/JSON; charset=utf-8",
                             .body = "{\"role\":\"cook\",\"interview_type\":\"general\","
                                     "\"difficulty\":\"easy\"}"}));
    world_end(world);
}

#define UUID_UPPER "6F9619FF-8B86-D011-B42D-00C04FC964FF"
#define UUID_LOWER "6f9619ff-8b86-1011-b42d-00c04fc964ff"

Test(http, a_uuid_that_the_client_brings_is_kept_as_it_came)
{
    struct world *world = world_with_builtin_coach();

    expect_header(get(world, "/healthz", "X-Request-ID: " UUID_UPPER "\r\n"),
                  "X-Request-ID", UUID_UPPER);
    expect_header(get(world, "/nowhere", "x-request-id: " UUID_LOWER "\r\n"),
                  "X-Request-ID", UUID_LOWER);
    world_end(world);
}

static bool is_v4_of_our_own(const char *id)
{
    return id[14] == '4' && strchr("89ab", id[19]) && strcmp(id, UUID_UPPER) != 0 &&
           strcmp(id, UUID_LOWER) != 0;
}

Test(http, anything_else_as_request_id_is_replaced_by_a_v4_uuid)
{
    static const char *const HEADERS[] = {
        NULL,
        "X-Request-ID: \r\n",
        "X-Request-ID: hello\r\n",
        "X-Request-ID: " UUID_UPPER "0\r\n",
        "X-Request-ID: {" UUID_UPPER "}\r\n",
        "X-Request-ID: 6F9619FF-8B86-D011-B42D-00C04FC964FG\r\n",
        "X-Request-ID: 6F9619FF8B86-D011-B42D-00C04FC964FFF1\r\n",
        "X-Request-ID: " UUID_UPPER "\r\nX-Request-ID: " UUID_LOWER "\r\n",
    };
    struct world *world = world_with_builtin_coach();

    for (size_t i = 0; i < sizeof HEADERS / sizeof *HEADERS; i++) {
        const struct reply *reply = get(world, "/healthz", HEADERS[i]);
        cr_assert(is_v4_of_our_own(text_at(reply, "request_id")), "%s gives %s",
                  HEADERS[i] ? HEADERS[i] : "none", reply->body.data);
    }
    world_end(world);
}

Test(http, no_two_requests_get_the_same_id)
{
    struct world *world = world_with_builtin_coach();

    cr_assert_str_neq(text_at(get(world, "/healthz", NULL), "request_id"),
                      text_at(get(world, "/healthz", NULL), "request_id"));
    world_end(world);
}

Test(http, head_is_get_without_the_body)
{
    struct world *world = world_with_builtin_coach();
    struct connection *connection =
        begin(world, (struct request){.method = "HEAD", .path = "/healthz"});

    const struct reply *head = receive(world, connection, "HEAD");
    connection_send_text(connection, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    const struct reply *next = receive(world, connection, "GET");

    cr_assert(head->status == 200 && reply_header_count(head, "X-Request-ID") == 1);
    expect_success(next);
    connection_close(connection);
    world_end(world);
}

Test(http, one_connection_serves_many_requests)
{
    struct world *world = world_with_builtin_coach();
    struct connection *connection = connection_open(world->port);

    for (int i = 0; i < 20; i++) {
        connection_send_text(connection,
                             i % 2 ? "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
                                   : "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n");
        expect_envelope(receive(world, connection, "GET"));
    }
    connection_close(connection);
    world_end(world);
}

Test(http, pipelined_requests_are_answered_in_order)
{
    struct world *world = world_with_builtin_coach();
    struct connection *connection = connection_open(world->port);
    connection_send_text(connection, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
                                     "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n"
                                     "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");

    expect_text(receive(world, connection, "GET"), "data.status", "ok");
    expect_error(receive(world, connection, "GET"), ERROR_NOT_FOUND);
    cr_assert(json_has(receive(world, connection, "GET")->json, "data.checks"));
    connection_close(connection);
    world_end(world);
}

Test(http, a_request_may_come_byte_by_byte)
{
    struct world *world = world_with_builtin_coach();
    struct connection *connection = connection_open(world->port);
    const char *request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

    for (size_t i = 0; request[i]; i++)
        connection_send(connection, request + i, 1);

    expect_success(receive(world, connection, "GET"));
    connection_close(connection);
    world_end(world);
}

Test(http, a_client_of_http_1_0_is_answered_and_the_connection_ends)
{
    struct world *world = world_with_builtin_coach();
    struct connection *connection = connection_open(world->port);
    connection_send_text(connection, "GET /healthz HTTP/1.0\r\n\r\n");

    expect_success(receive(world, connection, "GET"));
    cr_assert(connection_ends(connection));
    connection_close(connection);
    world_end(world);
}

Test(http, connection_close_is_obeyed)
{
    struct world *world = world_with_builtin_coach();
    struct connection *connection =
        begin(world, (struct request){.method = "GET",
                                      .path = "/healthz",
                                      .headers = "Connection: close\r\n"});

    expect_success(receive(world, connection, "GET"));
    cr_assert(connection_ends(connection));
    connection_close(connection);
    world_end(world);
}

static void expect_server_timing(const struct reply *reply)
{
    static const char *const PARTS[] = {
        "upload;dur=", "stt;dur=",   "safety;dur=", "llm;dur=",
        "tts;dur=",    "store;dur=", "total;dur="};
    char value[512] = "";

    reply_header(reply, "Server-Timing", value, sizeof value);
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
        cr_assert(strstr(value, PARTS[i]), "no %s in \"%s\"", PARTS[i], value);
}

Test(http, server_timing_of_a_turn_has_every_part_however_it_ends)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    upstream_will(world->upstream, (struct saying){.status = 500});

    expect_server_timing(answer(world, &session, ANSWER));
    expect_server_timing(answer(world, &session, ANSWER " More."));
    expect_server_timing(answer(world, &session, "fuck you"));
    world_end(world);
}

Test(http, metrics_and_openapi_are_outside_the_envelope_but_have_a_request_id)
{
    struct world *world = world_with_builtin_coach();
    char type[128] = "";

    const struct reply *metrics = get(world, "/metrics", NULL);
    const struct reply *openapi = get(world, "/openapi.json", NULL);

    reply_header(metrics, "Content-Type", type, sizeof type);
    cr_assert(metrics->status == 200 && strncmp(type, "text/plain", 10) == 0);
    cr_assert(reply_header_count(metrics, "X-Request-ID") == 1);
    cr_assert(strncmp(text_at(openapi, "openapi"), "3.1", 3) == 0);
    cr_assert(reply_header_count(openapi, "X-Request-ID") == 1);
    world_end(world);
}

Test(http, openapi_names_every_route_and_every_error_code)
{
    static const char *const PATHS[] = {
#define ROUTE(symbol, method, path, name) path,
#include "routes.def"
    };
    struct world *world = world_with_builtin_coach();

    const struct reply *openapi = get(world, "/openapi.json", NULL);

    struct json_object *described = json_at(openapi->json, "paths");
    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++)
        cr_assert(json_object_object_get_ex(described, PATHS[i], NULL), "no %s",
                  PATHS[i]);
    for (int i = 0; i < EXPECTED_ERROR_COUNT; i++) {
        const struct error_row *row = error_row((enum expected_error)i);
        cr_assert(row->status == 0 ||
                      bytes_has(&openapi->body, words(world, "\"%s\"", row->code)),
                  "no %s", row->code);
    }
    world_end(world);
}

/* Whether /metrics has all of these lines by now. */
static bool metrics_have(struct world *world, const char *const *lines)
{
    const struct reply *metrics = get(world, "/metrics", NULL);

    while (*lines && bytes_has(&metrics->body, *lines))
        lines++;
    return !*lines;
}

Test(http, metrics_count_errors_and_refusals)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    int tries = 0;

    answer(world, &session, ANSWER);
    answer(world, &session, "fuck you");

    /* A loop may count a request a moment after its reply has left. */
    while (!metrics_have(
        world, FIELDS_NAMED("\npoise_turns_total{outcome=\"ok\"} 1\n",
                            "\npoise_refusals_total{source=\"filter\","
                            "category=\"profanity_or_slur\"} 1\n",
                            "poise_errors_total{code=\"content_refused\"} 1\n")))
        cr_assert(++tries < 10000, "the metrics never had them");
    world_end(world);
}
