/*
 * Heads that are sound, and heads that two programs could read in two ways.
 */
#include "headers_internal.h"

#include <criterion/criterion.h>
#include <string.h>

/* Reads lines the way that libmicrohttpd leaves them: a NUL for the colon, values in
 * place. */
static struct headers read_lines(char *text)
{
    struct headers headers = {0};

    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char *colon = strchr(line, ':');
        char *value = colon + 1 + strspn(colon + 1, " ");

        *colon = '\0';
        headers_add(&headers, (struct span){line, (size_t)(colon - line)},
                    (struct span){value, strlen(value)});
    }
    return headers;
}

#define READ(literal) read_lines((char[]){literal})

Test(headers, an_ordinary_head_is_sound)
{
    struct headers headers =
        READ("Host: x\nContent-Length: 12\nX-Empty:\ncontent-type: a/b");

    cr_expect(headers_are_sound(&headers, true));
    cr_expect_eq(headers_body_length(&headers), 12);
    cr_expect(headers_announce_body(&headers));
    cr_expect(span_equals(headers.content_type, "a/b"));
}

Test(headers, what_could_be_read_in_two_ways_is_not_sound)
{
    static const char *const HEADS[] = {
        "Host: x\nContent-Length: 1\nContent-Length: 1",
        "Host: x\nContent-Length: 1\nTransfer-Encoding: chunked",
        "Host: x\nTransfer-Encoding: gzip",
        "Host: x\nTransfer-Encoding: chunked, chunked",
        "Host: x\nTransfer-Encoding: chunked\nTransfer-Encoding: chunked",
        "Host: x\nContent-Length: 1x",
        "Host: x\nContent-Length: -1",
        "Host: x\nContent-Length:",
        "Host: x\nHost: y",
        "Host : x",
        "Host: x\nX Y: z",
        "Host: x\n: z",
        "Accept: y",
    };

    for (size_t i = 0; i < sizeof(HEADS) / sizeof(HEADS[0]); i++) {
        char *text = strdup(HEADS[i]);
        struct headers headers = read_lines(text);

        cr_expect_not(headers_are_sound(&headers, true), "%s", HEADS[i]);
        free(text);
    }
}

Test(headers, only_http_1_1_needs_a_host)
{
    struct headers headers = READ("Accept: y");

    cr_expect(headers_are_sound(&headers, false));
}

Test(headers, a_clients_request_id_is_kept_as_it_came)
{
    struct headers headers = READ("X-Request-ID: 0B9E0a52-3c1f-4a53-9a8e-3f6f7f3c8d11");

    cr_expect_str_eq(headers_request_id(&headers).text,
                     "0B9E0a52-3c1f-4a53-9a8e-3f6f7f3c8d11");
}

Test(headers, two_request_ids_or_one_that_is_none_are_ignored)
{
    struct headers two = READ("X-Request-ID: 0b9e0a52-3c1f-4a53-9a8e-3f6f7f3c8d11\n"
                              "X-Request-ID: 0b9e0a52-3c1f-4a53-9a8e-3f6f7f3c8d11");
    struct headers none = READ("X-Request-ID: hello");

    cr_expect_str_neq(headers_request_id(&two).text,
                      "0b9e0a52-3c1f-4a53-9a8e-3f6f7f3c8d11");
    cr_expect_eq(strlen(headers_request_id(&none).text), 36);
}

Test(headers, a_bearer_token_is_taken_from_one_header_with_the_scheme_in_any_case)
{
    struct headers good = READ("authorization: bEARER  abc");
    struct headers basic = READ("Authorization: Basic abc");
    struct headers bare = READ("Authorization: Bearer");
    struct headers two = READ("Authorization: Bearer abc\nAuthorization: Bearer abc");

    cr_expect(span_equals(headers_bearer_token(&good), "abc"));
    cr_expect_null(headers_bearer_token(&basic).bytes);
    cr_expect_null(headers_bearer_token(&bare).bytes);
    cr_expect_null(headers_bearer_token(&two).bytes);
}

Test(headers, json_may_have_parameters)
{
    struct headers json = READ("Content-Type: Application/JSON; charset=utf-8");
    struct headers text = READ("Content-Type: text/json");

    cr_expect(headers_are_json(&json));
    cr_expect_not(headers_are_json(&text));
}
