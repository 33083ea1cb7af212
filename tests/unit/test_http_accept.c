/*
 * Who asks for events, who for an envelope, and who takes compressed bytes.
 */
#include "accept_internal.h"

#include <criterion/criterion.h>

static bool wants_events(const char *value)
{
    struct accept accept = {0};

    accept_add(&accept, span_of(value));
    return accept_wants_events(&accept);
}

Test(accept, events_are_asked_for_by_name)
{
    static const char *const VALUES[] = {
        "text/event-stream",
        "Text/Event-Stream",
        "application/json, text/event-stream",
        "text/event-stream, */*;q=0.1",
        " text/event-stream ; q=0.5 ",
        "application/json;q=0.5,text/event-stream;q=0.501",
        "text/event-stream;charset=utf-8;q=1.000",
        "text/html,,text/event-stream;Q=0.001",
    };

    for (size_t i = 0; i < sizeof(VALUES) / sizeof(VALUES[0]); i++)
        cr_expect(wants_events(VALUES[i]), "%s", VALUES[i]);
}

Test(accept, anything_else_asks_for_an_envelope)
{
    static const char *const VALUES[] = {
        "",
        "*/*",
        "text/*",
        "application/json",
        "text/event-stream;q=0",
        "text/event-stream;q=0.000",
        "text/event-stream;q=0.5, application/json",
        "text/event-stream;q=2",
        "text/event-stream;q=1.5",
        "text/event-stream;q=",
        "text/event-stream;q=0.0001",
        "text/event-stream;q=-1",
        "text/event-stream;q",
        "text/event-streams",
        "x/text/event-stream",
    };

    for (size_t i = 0; i < sizeof(VALUES) / sizeof(VALUES[0]); i++)
        cr_expect_not(wants_events(VALUES[i]), "%s", VALUES[i]);
}

Test(accept, several_lines_are_one_list)
{
    struct accept accept = {0};

    accept_add(&accept, span_of("application/json;q=0.9"));
    accept_add(&accept, span_of("text/event-stream"));

    cr_expect(accept_wants_events(&accept));
}

static bool takes_gzip(const char *value)
{
    struct accept accept = {0};

    accept_add_encoding(&accept, span_of(value));
    return accept_takes_gzip(&accept);
}

Test(accept, gzip_is_taken_by_who_names_it)
{
    cr_expect(takes_gzip("gzip"));
    cr_expect(takes_gzip("gzip, deflate, br, zstd"));
    cr_expect(takes_gzip("br;q=1.0, GZIP;q=0.001"));
    cr_expect_not(takes_gzip(""));
    cr_expect_not(takes_gzip("br"));
    cr_expect_not(takes_gzip("gzip;q=0"));
    cr_expect_not(takes_gzip("gzips"));
    cr_expect_not(takes_gzip("*"));
    cr_expect_not(takes_gzip("identity"));
}

Test(accept, types_are_no_encodings)
{
    struct accept accept = {0};

    accept_add(&accept, span_of("gzip"));
    accept_add_encoding(&accept, span_of("text/event-stream"));

    cr_expect_not(accept_takes_gzip(&accept));
    cr_expect_not(accept_wants_events(&accept));
}
