/*
 * Browsers of other origins: only those that CORS_ALLOWED_ORIGINS names.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
#include <criterion/criterion.h>
#include <string.h>
#include <strings.h>

#include "play.h"

TestSuite(cors, .timeout = 60);

#define ALLOWED "Origin: https://app.example\r\n"

static struct world *world_with_origins(void)
{
    return world_with_builtin_coach(
        "CORS_ALLOWED_ORIGINS=https://app.example, http://localhost:3000");
}

static const struct reply *get_from(struct world *world, const char *origin)
{
    return ask(world,
               (struct request){.method = "GET", .path = "/healthz", .headers = origin});
}

Test(cors, an_origin_on_the_list_is_allowed)
{
    struct world *world = world_with_origins();

    expect_header(get_from(world, ALLOWED), "Access-Control-Allow-Origin",
                  "https://app.example");
    expect_header(get_from(world, "Origin: http://localhost:3000\r\n"),
                  "Access-Control-Allow-Origin", "http://localhost:3000");
    world_end(world);
}

Test(cors, any_other_origin_is_not)
{
    static const char *const ORIGINS[] = {
        "Origin: https://evil.example\r\n",
        "Origin: https://app.example.evil\r\n",
        "Origin: http://app.example\r\n",
        "Origin: https://app.example:8443\r\n",
        "Origin: null\r\n",
        "Origin: *\r\n",
        "Origin: \r\n",
        "Origin: https://app.example, http://localhost:3000\r\n",
    };
    struct world *world = world_with_origins();

    for (size_t i = 0; i < sizeof ORIGINS / sizeof *ORIGINS; i++)
        expect_no_header(get_from(world, ORIGINS[i]), "Access-Control-Allow-Origin");
    world_end(world);
}

Test(cors, every_origin_is_allowed_where_a_star_says_so_and_the_log_tells)
{
    struct world *world = world_with_builtin_coach("CORS_ALLOWED_ORIGINS=*");

    world_await_output(world, "\"cors_allows_any_origin\"");
    expect_header(get_from(world, "Origin: https://any.example\r\n"),
                  "Access-Control-Allow-Origin", "https://any.example");
    expect_no_header(ask(world, (struct request){.method = "GET", .path = "/healthz"}),
                     "Access-Control-Allow-Origin");
    world_end(world);
}

Test(cors, nobody_is_allowed_unless_the_setting_says_so)
{
    struct world *world = world_with_builtin_coach();

    expect_no_header(get_from(world, ALLOWED), "Access-Control-Allow-Origin");
    world_end(world);
}

Test(cors, replies_vary_by_origin)
{
    struct world *world = world_with_origins();

    expect_header(get_from(world, ALLOWED), "Vary", "Origin");
    expect_header(get_from(world, NULL), "Vary", "Origin");
    world_end(world);
}

static void expect_listed(const struct reply *reply, const char *header, const char *name)
{
    char value[512] = "";

    reply_header(reply, header, value, sizeof value);
    cr_assert(strcasestr(value, name), "%s is not in %s: %s", name, header, value);
}

Test(cors, the_headers_that_a_page_may_read_are_exposed)
{
    struct world *world = world_with_origins();

    const struct reply *reply = get_from(world, ALLOWED);

    expect_listed(reply, "Access-Control-Expose-Headers", "X-Request-ID");
    expect_listed(reply, "Access-Control-Expose-Headers", "Retry-After");
    expect_listed(reply, "Access-Control-Expose-Headers", "Server-Timing");
    expect_listed(reply, "Access-Control-Expose-Headers", "RateLimit");
    world_end(world);
}

static const struct reply *preflight(struct world *world, const char *origin)
{
    return ask(world,
               (struct request){
                   .method = "OPTIONS",
                   .path = "/turn",
                   .headers = words(world,
                                    "%sAccess-Control-Request-Method: POST\r\n"
                                    "Access-Control-Request-Headers: authorization\r\n",
                                    origin)});
}

Test(cors, a_preflight_names_methods_and_headers)
{
    struct world *world = world_with_origins();

    const struct reply *reply = preflight(world, ALLOWED);

    cr_assert(reply->status == 204 || reply->status == 200, "%d", reply->status);
    expect_header(reply, "Access-Control-Allow-Origin", "https://app.example");
    expect_listed(reply, "Access-Control-Allow-Methods", "POST");
    expect_listed(reply, "Access-Control-Allow-Headers", "Authorization");
    expect_listed(reply, "Access-Control-Allow-Headers", "Content-Type");
    expect_listed(reply, "Access-Control-Allow-Headers", "X-Request-ID");
    expect_listed(reply, "Access-Control-Allow-Headers", "Idempotency-Key");
    expect_listed(reply, "Access-Control-Allow-Headers", "traceparent");
    cr_assert(reply_header_count(reply, "X-Request-ID") == 1);
    world_end(world);
}

Test(cors, a_preflight_may_have_a_body_that_means_nothing)
{
    struct world *world = world_with_origins();

    for (int i = 0; i < 2; i++) {
        const struct reply *reply =
            ask(world, (struct request){.method = "OPTIONS",
                                        .path = i == 0 ? "/turn" : "/healthz",
                                        .headers = ALLOWED,
                                        .body = "{}"});

        cr_assert(reply->status == 204 || reply->status == 200, "%d", reply->status);
    }
    world_end(world);
}

Test(cors, a_preflight_of_a_stranger_is_granted_nothing)
{
    struct world *world = world_with_origins();

    const struct reply *reply = preflight(world, "Origin: https://evil.example\r\n");

    expect_no_header(reply, "Access-Control-Allow-Origin");
    expect_no_header(reply, "Access-Control-Allow-Headers");
    world_end(world);
}

Test(cors, errors_can_be_read_by_a_page_too)
{
    struct world *world = world_with_origins();

    const struct reply *reply = ask(
        world, (struct request){.method = "GET", .path = "/nowhere", .headers = ALLOWED});

    expect_error(reply, ERROR_NOT_FOUND);
    expect_header(reply, "Access-Control-Allow-Origin", "https://app.example");
    world_end(world);
}
