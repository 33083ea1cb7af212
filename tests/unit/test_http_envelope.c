/*
 * Replies, byte for byte.
 */
#include "envelope_internal.h"
#include "form_internal.h"

#include <criterion/criterion.h>
#include <string.h>

#define ID "0b9e0a52-3c1f-4a53-9a8e-3f6f7f3c8d11"

static const struct id id = {ID};
static const struct envelope_reader reader = {.request_id = &id};

static struct private_text text_of(const char *string)
{
    return private_text_copy(string, strlen(string));
}

static const char *header(const struct response *response, const char *name)
{
    for (size_t i = 0; i < response->header_count; i++) {
        if (strcmp(response->headers[i].name, name) == 0)
            return response->headers[i].value;
    }
    return NULL;
}

Test(envelope, success_carries_the_data)
{
    struct private_text data = text_of("{\"a\":[1]}");
    struct response response;

    envelope_make(&response, &reader, &(struct answer){.error = OK, .data = &data});

    cr_expect_eq(response.status, 200);
    cr_expect_str_eq(response.body.bytes,
                     "{\"data\":{\"a\":[1]},\"error\":null,\"request_id\":\"" ID "\"}");
    cr_expect_str_eq(header(&response, "X-Request-ID"), ID);
    cr_expect_str_eq(header(&response, "Content-Type"),
                     "application/json; charset=utf-8");
    cr_expect_str_eq(header(&response, "Vary"), "Origin");
    cr_expect_null(header(&response, "X-Stage"));
    response_done(&response);
    private_text_free(&data);
}

Test(envelope, an_error_is_what_the_table_says)
{
    struct response response;

    envelope_make(&response, &reader, &(struct answer){.error = ERROR_TURN_IN_PROGRESS});

    cr_expect_eq(response.status, 409);
    cr_expect_str_eq(
        response.body.bytes,
        "{\"data\":null,\"error\":{\"stage\":\"upload\",\"code\":\"turn_in_progress\","
        "\"message_safe\":\"Your previous answer is still being processed. Please "
        "wait a moment.\",\"retryable\":true,\"details\":null},"
        "\"request_id\":\"" ID "\"}");
    cr_expect_str_eq(header(&response, "X-Stage"), "upload");
    cr_expect_null(header(&response, "Retry-After"), "409 is no 429 or 503");
    response_done(&response);
}

Test(envelope, message_and_details_take_the_place_of_the_tables)
{
    struct private_text message = text_of("Stay \"here\".");
    struct private_text details = text_of("{\"source\":\"model\"}");
    struct response response;

    envelope_make(&response, &reader,
                  &(struct answer){.error = ERROR_CONTENT_REFUSED,
                                   .message = &message,
                                   .details = &details});

    cr_expect(strstr(response.body.bytes, "\"message_safe\":\"Stay \\\"here\\\".\""));
    cr_expect(strstr(response.body.bytes, "\"details\":{\"source\":\"model\"}}"));
    response_done(&response);
    private_text_free(&message);
    private_text_free(&details);
}

Test(envelope, every_retryable_429_and_503_says_when_to_come_back)
{
    for (enum error error = OK + 1; error < ERROR_COUNT; error++) {
        const struct error_info *info = error_info(error);
        bool is_due =
            (info->retryable && (info->http_status == 429 || info->http_status == 503)) ||
            error == ERROR_USAGE_CAP_REACHED;
        struct response response;

        if (info->http_status == 0)
            continue;
        envelope_make(&response, &reader, &(struct answer){.error = error});
        cr_expect_eq(header(&response, "Retry-After") != NULL, is_due, "%s", info->code);
        response_done(&response);
    }
}

Test(envelope, a_providers_retry_after_is_passed_on)
{
    struct response response;

    envelope_make(&response, &reader,
                  &(struct answer){.error = ERROR_LLM_RATE_LIMIT, .retry_after_s = 17});

    cr_expect_str_eq(header(&response, "Retry-After"), "17");
    response_done(&response);
}

Test(envelope, timings_become_server_timing)
{
    const struct turn_timings timings = {.us = {[TIMING_UPLOAD] = 1234,
                                                [TIMING_SAFETY] = 99,
                                                [TIMING_LLM] = 512700,
                                                [TIMING_TOTAL] = 1000000}};
    struct private_text data = text_of("{}");
    struct response response;

    envelope_make(&response, &reader,
                  &(struct answer){.error = OK, .data = &data, .timings = &timings});

    cr_expect_str_eq(
        header(&response, "Server-Timing"),
        "upload;dur=1.2, stt;dur=0.0, safety;dur=0.0, llm;dur=512.7, tts;dur=0.0, "
        "store;dur=0.0, total;dur=1000.0");
    response_done(&response);
    private_text_free(&data);
}

Test(envelope, only_an_allowed_page_may_read_the_reply)
{
    static const char allowed[] = "https://a.example, https://b.example:8443";
    struct envelope_reader page = {.request_id = &id,
                                   .allowed_origin = span_of("https://a.example")};
    struct response response;

    cr_expect(headers_allow_origin(allowed, page.allowed_origin));
    cr_expect(headers_allow_origin(allowed, span_of("https://b.example:8443")));
    cr_expect_not(headers_allow_origin(allowed, span_of("https://b.example")));
    cr_expect_not(headers_allow_origin(allowed, span_of("https://a.example,")));
    cr_expect_not(headers_allow_origin(allowed, (struct span){NULL, 0}));
    envelope_make(&response, &page, &(struct answer){.error = ERROR_NOT_FOUND});
    cr_expect_str_eq(header(&response, "Access-Control-Allow-Origin"),
                     "https://a.example");
    response_done(&response);
    envelope_make(&response, &reader, &(struct answer){.error = ERROR_NOT_FOUND});
    cr_expect_null(header(&response, "Access-Control-Allow-Origin"));
    response_done(&response);
}

Test(envelope, all_bad_fields_are_listed)
{
    struct field_errors errors = {.count = 0};
    struct private_text details;
    struct private_text expected =
        text_of("{\"errors\":[{\"field\":\"role\",\"reason\":\"required\"},"
                "{\"field\":\"difficulty\",\"reason\":\"not_a_choice\"}]}");

    field_errors_add(&errors, "role", "required");
    field_errors_add(&errors, "difficulty", "not_a_choice");
    details = field_errors_json(&errors);

    cr_expect(private_text_equals(&details, &expected));
    private_text_free(&details);
    private_text_free(&expected);
}
