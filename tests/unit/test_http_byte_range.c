/*
 * Ranges of ten bytes, as players and download tools ask for them.
 */
#include "byte_range_internal.h"

#include <criterion/criterion.h>

static void expect_part(const char *range, int64_t first, int64_t last)
{
    struct byte_range got = byte_range_of(span_of(range), 10);

    cr_assert_eq(got.kind, BYTE_RANGE_PART, "%s", range);
    cr_expect(got.first == first && got.last == last, "%s: %d-%d", range, (int)got.first,
              (int)got.last);
}

Test(byte_range, one_range_of_bytes_is_a_part)
{
    expect_part("bytes=0-1", 0, 1);
    expect_part("bytes=0-9", 0, 9);
    expect_part("bytes=3-3", 3, 3);
    expect_part("bytes=4-", 4, 9);
    expect_part("bytes=-3", 7, 9);
    expect_part("Bytes=0-0", 0, 0);
}

Test(byte_range, what_reaches_past_the_end_ends_there)
{
    expect_part("bytes=0-10", 0, 9);
    expect_part("bytes=9-999999999999999999999999999999", 9, 9);
    expect_part("bytes=-10", 0, 9);
    expect_part("bytes=-11", 0, 9);
    expect_part("bytes=-999999999999999999999999999999", 0, 9);
}

Test(byte_range, what_begins_behind_the_end_or_is_empty_cannot_be_satisfied)
{
    static const char *const RANGES[] = {"bytes=10-", "bytes=10-20", "bytes=-0",
                                         "bytes=99999999999999999999999999-"};

    for (size_t i = 0; i < sizeof(RANGES) / sizeof(RANGES[0]); i++)
        cr_expect_eq(byte_range_of(span_of(RANGES[i]), 10).kind, BYTE_RANGE_UNSATISFIABLE,
                     "%s", RANGES[i]);
    cr_expect_eq(byte_range_of(span_of("bytes=0-"), 0).kind, BYTE_RANGE_UNSATISFIABLE);
    cr_expect_eq(byte_range_of(span_of("bytes=-1"), 0).kind, BYTE_RANGE_UNSATISFIABLE);
}

Test(byte_range, everything_else_is_ignored)
{
    static const char *const RANGES[] = {
        NULL,         "",           "bytes",       "bytes=",        "bytes=-",
        "bytes=5-4",  "bytes=a-b",  "bytes=1-b",   "bytes=0-1,3-4", "bytes=0-1,",
        "bytes=0 -1", "bytes=0-1 ", "bytes =0-1",  "items=0-1",     "0-1",
        "bytes=--1",  "bytes=1",    "bytes=0-1-2", "bytes=0x1-2",   "bytes=+1-2",
    };

    for (size_t i = 0; i < sizeof(RANGES) / sizeof(RANGES[0]); i++)
        cr_expect_eq(byte_range_of(span_of(RANGES[i]), 10).kind, BYTE_RANGE_WHOLE, "%s",
                     RANGES[i] != NULL ? RANGES[i] : "no range");
}

Test(byte_range, if_range_must_be_the_strong_tag)
{
    cr_expect(byte_range_holds((struct span){NULL, 0}, "\"a\""));
    cr_expect(byte_range_holds(span_of("\"a\""), "\"a\""));
    cr_expect_not(byte_range_holds(span_of("\"b\""), "\"a\""));
    cr_expect_not(byte_range_holds(span_of("W/\"a\""), "\"a\""));
    cr_expect_not(byte_range_holds(span_of("a"), "\"a\""));
    cr_expect_not(byte_range_holds(span_of(""), "\"a\""));
    cr_expect_not(byte_range_holds(span_of("Fri, 20 Nov 2026 18:00:00 GMT"), "\"a\""));
}
