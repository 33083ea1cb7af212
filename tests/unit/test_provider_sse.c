/*
 * Server-sent events: a table, each row at every split point.
 */
#include "sse_internal.h"

#include <criterion/criterion.h>
#include <string.h>

#define CEILING 64

static const struct {
    const char *bytes;
    const char *events; /* each with a '|' behind it */
} streams[] = {
    {"data: one\n\n", "one|"},
    {"data:one\n\ndata:  two\n\n", "one| two|"},
    {"data: one\r\n\r\ndata: two\r\n\r\n", "one|two|"},
    {"data: one\r\rdata: two\r\r", "one|two|"},
    {"data: one\r\n\ndata: two\n\r\n", "one|two|"},
    {"data: a\r\ndata: b\rdata: c\n\n", "a\nb\nc|"},
    {"data\n\n", "|"},
    {"data:\n\n", "|"},
    {"data\ndata\n\n", "\n|"},
    {"\n\n\n: a comment\n\n:\n\ndata: one\n\n", "one|"},
    {"event: error\nid: 7\nretry: 10\ndata: one\nunknown: x\n\n", "one|"},
    {"event: nothing\n\n", ""},
    {"Data: no\ndatum: no\n data: no\n\n", ""},
    {"data: {\"a\": \"b:c\"}\n\n", "{\"a\": \"b:c\"}|"},
    {"data: unfinished", ""},
    {"data: unfinished\n", ""},
    {"data: one\n\ndata: unfinished\n", "one|"},
    {"\xEF\xBB\xBF"
     "data: one\n\n",
     "one|"},
    {"\xEF\xBB"
     "data: no\n\n",
     ""},
    {"\xEF\xBB\xBF\xEF\xBB\xBF"
     "data: no\n\ndata: one\n\n",
     "one|"},
    {"", ""},
};

static void on_event(void *context, struct span data)
{
    char *events = context;

    strncat(events, data.bytes, data.length);
    strcat(events, "|");
}

static void feed(struct sse *sse, const char *bytes, size_t length)
{
    sse_feed(sse, (struct span){bytes, length});
}

Test(provider_sse, events_are_the_same_wherever_their_bytes_are_split)
{
    for (size_t i = 0; i < sizeof(streams) / sizeof(*streams); i++) {
        const char *bytes = streams[i].bytes;
        size_t length = strlen(bytes);

        for (size_t one = 0; one <= length; one++) {
            for (size_t two = one; two <= length; two++) {
                char events[256] = "";
                struct sse sse;

                sse_init(&sse, CEILING, on_event, events);
                feed(&sse, bytes, one);
                feed(&sse, bytes + one, two - one);
                feed(&sse, bytes + two, length - two);
                cr_expect_str_eq(events, streams[i].events, "row %zu at %zu, %zu: %s", i,
                                 one, two, events);
                sse_done(&sse);
            }
        }
    }
}

Test(provider_sse, an_event_is_told_as_soon_as_its_blank_line_has_begun)
{
    char events[256] = "";
    struct sse sse;

    sse_init(&sse, CEILING, on_event, events);
    feed(&sse, "data: one\r\n\r", 12);

    cr_assert_str_eq(events, "one|");
    sse_done(&sse);
}

Test(provider_sse, a_line_or_an_event_over_the_ceiling_ends_it)
{
    static const char *const ends[] = {"data: ", "data: x\n", ""};
    char events[256] = "";

    for (size_t i = 0; i < 2; i++) {
        struct sse sse;
        bool goes_on = true;

        sse_init(&sse, CEILING, on_event, events);
        for (size_t n = 0; goes_on && n < CEILING; n++)
            goes_on = sse_feed(&sse, span_of(ends[i]));
        cr_expect_not(goes_on);
        cr_expect_not(sse_feed(&sse, span_of("\n\ndata: one\n\n")));
        cr_expect_str_eq(events, "");
        sse_done(&sse);
    }
}
