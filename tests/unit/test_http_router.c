/*
 * Targets and methods.
 */
#include "router_internal.h"

#include <criterion/criterion.h>

static void expect_route(enum method method, const char *target, enum route route)
{
    cr_expect_eq(router_match(method, target).route, route, "%s %s", method_name(method),
                 target);
}

Test(router, every_path_has_its_route)
{
    expect_route(METHOD_POST, "/session/start", ROUTE_SESSION_START);
    expect_route(METHOD_GET, "/session/0b9e0a52", ROUTE_SESSION_GET);
    expect_route(METHOD_DELETE, "/session/0b9e0a52", ROUTE_SESSION_DELETE);
    expect_route(METHOD_POST, "/turn", ROUTE_TURN);
    expect_route(METHOD_GET, "/healthz", ROUTE_HEALTHZ);
    expect_route(METHOD_GET, "/openapi.json", ROUTE_OPENAPI);
    expect_route(METHOD_GET, "/", ROUTE_PAGE);
    expect_route(METHOD_GET, "/web/main.js", ROUTE_PAGE_FILE);
}

Test(router, a_head_goes_where_a_get_goes)
{
    expect_route(METHOD_HEAD, "/healthz", ROUTE_HEALTHZ);
    expect_route(METHOD_HEAD, "/turn", ROUTE_COUNT);
}

Test(router, a_query_and_the_absolute_form_do_not_matter)
{
    expect_route(METHOD_GET, "/healthz?verbose=1", ROUTE_HEALTHZ);
    expect_route(METHOD_GET, "HTTP://example.org:8000/healthz?x", ROUTE_HEALTHZ);
    expect_route(METHOD_GET, "http://example.org", ROUTE_COUNT);
}

Test(router, what_only_resembles_a_path_is_none)
{
    static const char *const TARGETS[] = {
        "",          "/web/",        "/web/a/b",    "healthz",
        "/healthz/", "//healthz",    "/Healthz",    "/session/",
        "/session",  "/session/a/b", "/healthz%00", "/turn/../turn",
        "*"};

    for (size_t i = 0; i < sizeof(TARGETS) / sizeof(TARGETS[0]); i++)
        cr_expect_not(router_match(METHOD_GET, TARGETS[i]).is_path_known, "%s",
                      TARGETS[i]);
}

Test(router, the_parameter_is_what_stands_in_its_place)
{
    struct match match = router_match(METHOD_GET, "/session/abc?x=/y");

    cr_expect(span_equals(match.parameter, "abc"));
}

Test(router, allow_lists_what_the_path_takes)
{
    cr_expect_str_eq(router_match(METHOD_PUT, "/turn").allow, "POST, OPTIONS");
    cr_expect_str_eq(router_match(METHOD_PUT, "/healthz").allow, "GET, HEAD, OPTIONS");
    cr_expect_str_eq(router_match(METHOD_PUT, "/session/x").allow,
                     "GET, HEAD, DELETE, OPTIONS");
    cr_expect_str_eq(router_match(METHOD_PUT, "/nothing").allow, "");
}

Test(router, methods_are_told_apart_by_case)
{
    cr_expect_eq(method_parse("POST"), METHOD_POST);
    cr_expect_eq(method_parse("post"), METHOD_OTHER);
    cr_expect_eq(method_parse("BREW"), METHOD_OTHER);
}
