/*
 * The harness itself: what it says is wrong must be wrong, and the scripted provider must
 * say what the script says.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "http.h"
#include "play.h"
#include "upstream.h"

TestSuite(harness, .timeout = 60);

static struct reply *call_upstream(struct upstream *upstream, const char *body)
{
    struct connection *connection = connection_open(upstream_port(upstream));
    struct bytes request = request_bytes(&(struct request){
        .method = "POST", .path = "/openai/v1/chat/completions", .body = body});

    connection_send(connection, request.data, request.size);
    struct reply *reply = connection_receive(connection, "POST");
    connection_close(connection);
    bytes_free(&request);
    return reply;
}

Test(harness, the_provider_says_what_the_script_says_in_order)
{
    struct upstream *upstream = upstream_open();
    upstream_will_ask(upstream, "And then?");
    upstream_will(upstream,
                  (struct saying){.status = 429, .headers = "Retry-After: 7\r\n"});

    struct reply *first = call_upstream(upstream, "{\"model\":\"m\"}");
    struct reply *second = call_upstream(upstream, "{}");

    expect_text(first, "choices.0.finish_reason", "stop");
    cr_assert(strstr(text_at(first, "choices.0.message.content"), "And then?"));
    cr_assert(second->status == 429);
    expect_header(second, "Retry-After", "7");
    cr_assert_str_eq(
        json_object_get_string(json_at(upstream_call(upstream, 0)->json, "model")), "m");
    reply_free(first);
    reply_free(second);
    cr_assert_null(upstream_close(upstream));
}

Test(harness, a_call_that_nobody_scripted_is_a_complaint)
{
    struct upstream *upstream = upstream_open();

    reply_free(call_upstream(upstream, "{}"));

    char *complaint = upstream_close(upstream);
    cr_assert_not_null(complaint);
    free(complaint);
}

Test(harness, a_scripted_call_that_never_comes_is_a_complaint)
{
    struct upstream *upstream = upstream_open();
    upstream_will_ask(upstream, "And then?");

    char *complaint = upstream_close(upstream);

    cr_assert_not_null(complaint);
    free(complaint);
}

Test(harness, a_reply_that_is_cut_or_reset_is_no_reply)
{
    struct upstream *upstream = upstream_open();
    upstream_will(upstream, (struct saying){.manner = MANNER_CUT, .body = "{\"a\":1}"});
    upstream_will(upstream, (struct saying){.manner = MANNER_RESET});

    cr_assert_null(call_upstream(upstream, "{}"));
    cr_assert_null(call_upstream(upstream, "{}"));
    cr_assert_null(upstream_close(upstream));
}

/* Parses text as a whole response. */
static struct reply *parsed(const char *text)
{
    struct bytes bytes = {0};
    struct reply *reply = NULL;
    size_t size;

    bytes_add_text(&bytes, text);
    reply_parse(&bytes, true, true, &reply, &size);
    bytes_free(&bytes);
    return reply;
}

#define HEAD_OF(status, id)                                                          \
    "HTTP/1.1 " status " x\r\nContent-Type: application/json\r\nX-Stage: upload\r\n" \
    "X-Request-ID: " id "\r\n\r\n"
#define ID "0b9e0a52-3c1f-4a53-9a8e-3f6f7f3c8d11"

#define FAULT(text)                                                              \
    do {                                                                         \
        struct reply *reply = parsed(text);                                      \
        cr_assert_not_null(envelope_fault(reply), "no fault found in %s", text); \
        reply_free(reply);                                                       \
    } while (0)

Test(harness, what_is_no_envelope_is_found_out)
{
    struct reply *good = parsed(HEAD_OF("200", ID) "{\"data\":{},\"error\":null,"
                                                   "\"request_id\":\"" ID "\"}");
    cr_assert_null(envelope_fault(good), "%s", envelope_fault(good));
    reply_free(good);

    FAULT(HEAD_OF("200", ID) "{\"data\":{},\"error\":null}");
    FAULT(HEAD_OF("200", ID) "{\"data\":{},\"error\":null,\"request_id\":\"" ID
                             "\",\"x\":1}");
    FAULT(HEAD_OF("200", ID) "{\"data\":{},\"error\":{},\"request_id\":\"" ID "\"}");
    FAULT(HEAD_OF("404", ID) "{\"data\":{},\"error\":null,\"request_id\":\"" ID "\"}");
    FAULT(
        HEAD_OF("200", "other") "{\"data\":{},\"error\":null,\"request_id\":\"other\"}");
    FAULT(HEAD_OF("200", ID) "{\"data\":{},\"error\":null,\"request_id\":\"" ID "\"} ,");
    FAULT(HEAD_OF("404", ID) "{\"data\":null,\"error\":{\"stage\":\"upload\","
                             "\"code\":\"no_such_code\",\"message_safe\":\"x\","
                             "\"retryable\":false,\"details\":null},\"request_id\":\"" ID
                             "\"}");
    FAULT(HEAD_OF("404", ID) "{\"data\":null,\"error\":{\"stage\":\"llm\","
                             "\"code\":\"session_not_found\",\"message_safe\":\"x\","
                             "\"retryable\":false,\"details\":null},\"request_id\":\"" ID
                             "\"}");
    FAULT("HTTP/1.1 400 x\r\n\r\n<html>");
}

Test(harness, a_good_error_is_no_fault)
{
    struct reply *reply =
        parsed(HEAD_OF("404", ID) "{\"data\":null,\"error\":{\"stage\":\"upload\","
                                  "\"code\":\"session_not_found\",\"message_safe\":\"x\","
                                  "\"retryable\":false,\"details\":null},"
                                  "\"request_id\":\"" ID "\"}");

    cr_assert_null(envelope_fault(reply), "%s", envelope_fault(reply));
    reply_free(reply);
}

Test(harness, chunked_bodies_are_put_together)
{
    struct reply *reply = parsed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                 "4\r\n[1, \r\n2\r\n2]\r\n0\r\n\r\n");

    cr_assert_str_eq(reply->body.data, "[1, 2]");
    cr_assert_not_null(reply->json);
    reply_free(reply);
}

Test(harness, a_dio_form_is_byte_for_byte_what_dio_writes)
{
    struct bytes body = dio_form(&(struct form){.session_id = "s",
                                                .transcript = "caf\u00e9",
                                                .audio = "abc",
                                                .audio_size = 3,
                                                .audio_type = "audio/mp4"});

    cr_assert_str_eq(body.data, "----dio-boundary-3141592653\r\n"
                                "content-disposition: form-data; name=\"session_id\"\r\n"
                                "\r\n"
                                "s\r\n"
                                "----dio-boundary-3141592653\r\n"
                                "content-disposition: form-data; name=\"transcript\"\r\n"
                                "content-type: text/plain; charset=utf-8\r\n"
                                "content-transfer-encoding: binary\r\n"
                                "\r\n"
                                "caf\xc3\xa9\r\n"
                                "----dio-boundary-3141592653\r\n"
                                "content-disposition: form-data; name=\"audio\"; "
                                "filename=\"recording.m4a\"\r\n"
                                "content-type: audio/mp4\r\n"
                                "\r\n"
                                "abc\r\n"
                                "----dio-boundary-3141592653--\r\n");
    bytes_free(&body);
}
