/*
 * traceparent, as the W3C's recommendation has it.
 */
#include "trace.h"

#include <criterion/criterion.h>
#include <string.h>

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN  "00f067aa0ba902b7"

Test(trace, a_good_one_is_read_and_goes_on_under_another_span)
{
    struct trace trace, child;
    char one[TRACE_HEADER_BYTES], other[TRACE_HEADER_BYTES];

    cr_assert(trace_read(span_of("00-" TRACE "-" SPAN "-01"), &trace));
    cr_assert_str_eq(trace.id, TRACE);
    cr_assert_str_eq(trace.parent, SPAN);
    child = trace_child(&trace);
    trace_write(&trace, one);
    trace_write(&child, other);

    cr_assert_eq(strlen(one), 55);
    cr_assert_eq(strncmp(one, "00-" TRACE "-", 36), 0);
    cr_assert_str_eq(one + 52, "-01");
    cr_assert_neq(strncmp(one + 36, SPAN, 16), 0);
    cr_assert_str_neq(one, other);
    cr_assert_str_eq(child.parent, trace.span);
    cr_assert(trace_read(span_of(one), &trace));
}

Test(trace, its_caller_says_whether_it_is_recorded)
{
    struct trace trace = {.id = ""};

    cr_assert_not(trace_is_recorded(&trace));
    cr_assert(trace_read(span_of("00-" TRACE "-" SPAN "-00"), &trace));
    cr_assert_not(trace_is_recorded(&trace));
    cr_assert(trace_read(span_of("00-" TRACE "-" SPAN "-03"), &trace));
    cr_assert(trace_is_recorded(&trace));
    trace = trace_begin();
    cr_assert(trace_is_recorded(&trace));
    cr_assert_str_eq(trace.parent, "");
}

Test(trace, a_later_version_may_say_more)
{
    struct trace trace;

    cr_assert(trace_read(span_of("cc-" TRACE "-" SPAN "-01-what-else"), &trace));
    cr_assert_not(trace_read(span_of("cc-" TRACE "-" SPAN "-01x"), &trace));
}

Test(trace, anything_else_is_none)
{
    static const char *const texts[] = {
        "",
        "00-" TRACE "-" SPAN "-0",
        "00-" TRACE "-" SPAN "-01-more",
        "ff-" TRACE "-" SPAN "-01",
        "00-00000000000000000000000000000000-" SPAN "-01",
        "00-" TRACE "-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-" SPAN "-01",
        "00-" TRACE "_" SPAN "-01",
        "00-" TRACE "-" SPAN "-0g",
    };
    struct trace trace;

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        cr_expect_not(trace_read(span_of(texts[i]), &trace), "%s", texts[i]);
        cr_expect_str_eq(trace.id, "");
    }
}
