/*
 * How somebody can be reached is masked, and nothing else.
 */
#include "mask.h"
#include "utf8.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const struct {
    const char *text, *masked;
} cases[] = {
    /* e-mail */
    {"Write to anna.b+jobs@example.co.uk today.", "Write to [email] today."},
    {"mail:<ANNA@EXAMPLE.COM>, 'o'neil@x.ie'", "mail:<[email]>, [email]'"},
    {"anna @ example.com or anna@ example.com", "[email] or [email]"},
    {"anna at example dot com", "[email]"},
    {"john dot smith (at) gmail (dot) com!", "[email]!"},
    {"anna[at]example[dot]co[dot]uk", "[email]"},
    {"anna\xEF\xBC\xA0\x65xample\xEF\xBC\x8E\x63om", "[email]"}, /* fullwidth @ and . */
    {"an\xE2\x80\x8Bna@exam\xC2\xADple.com", "[email]"},         /* invisible between */
    {"m\xC3\xBCller@b\xC3\xBC\x63her.de", "[email]"},
    {"1990anna@mail.com", "[email]"},
    {"anna@localhost", "[email]"},
    {"I was good at dot painting and at dot com firms",
     "I was good at dot painting and at dot com firms"},
    {"we work at pace @ scale", "we work at pace @ scale"},
    /* links */
    {"See https://example.com/jobs?id=7.", "See [link]."},
    {"(www.example.org) and HTTP://1.2.3.4/x", "([link]) and [link]"},
    {"linkedin.com/in/anna-b, github.com/anna", "[link], [link]"},
    {"Portfolio: anna.design.example.io:8080/a", "Portfolio: [link]"},
    {"bit.ly/2xYz and example dot com", "[link] and [link]"},
    {"ASP.NET, Node.js, Vue.js, B.Com., e.g. and i.e. it",
     "ASP.NET, Node.js, Vue.js, B.Com., e.g. and i.e. it"},
    {"Ran it.In May we left.", "Ran it.In May we left."},
    /* phones and numbers */
    {"Call +44 (0)20 7946 0958 now", "Call [phone] now"},
    {"07700 900123; 0 7 7 0 0 9 0 0 1 2 3; (555) 010-9999", "[phone]; [phone]; [phone]"},
    {"555-0123 and 555.010.9999 and 1/800/555-0199", "[phone] and [phone] and [phone]"},
    {"555\xC2\xB7"
     "010\xC2\xB7"
     "9999 or 555\xE2\x80\xA2"
     "010\xE2\x80\xA2"
     "9999",
     "[phone] or [phone]"},
    {"\xE2\x80\xA2 C\xE2\x80\xA2Go\xE2\x80\xA2SQL, 2019\xE2\x80\xA2"
     "2023",
     "\xE2\x80\xA2 C\xE2\x80\xA2Go\xE2\x80\xA2SQL, 2019\xE2\x80\xA2"
     "2023"},
    {"\xEF\xBC\x90\xEF\xBC\x97\xEF\xBC\x97\xEF\xBC\x90\xEF\xBC\x90 \xEF\xBC\x99\xEF\xBC\x90\xEF\xBC\x90\xEF\xBC\x91\xEF\xBC\x92\xEF\xBC\x93",
     "[phone]"},
    {"\xD9\xA0\xD9\xA7\xD9\xA7\xD9\xA0\xD9\xA0\xD9\xA9\xD9\xA0\xD9\xA0",
     "[number]"}, /* Arabic-Indic */
    {"020\xE2\x80\x93"
     "7946\xC2\xA0"
     "0958",
     "[phone]"},
    {"07\xE2\x80\x8B"
     "700900\xE2\x80\x8B"
     "123",
     "[phone]"},
    {"Account 12345678, passport A1234567", "Account [number], passport A[number]"},
    {"4111 1111 1111 1111", "[number]"},
    {"a budget of 1,250,000 and of 10 000 000", "a budget of [number] and of [number]"},
    {"\xC2\xA3"
     "30,000 to 35,000, 25 days",
     "\xC2\xA3"
     "30,000 to 35,000, 25 days"},
    {"2019-2023, 2019 \xE2\x80\x93 2023, 2015/2016",
     "2019-2023, 2019 \xE2\x80\x93 2023, 2015/2016"},
    {"01/2019 - 03/2023; 12.05.2020 - 01.06.2021; 2023-05-12",
     "01/2019 - 03/2023; 12.05.2020 - 01.06.2021; 2023-05-12"},
    {"2019-2023 07700 900123", "2019-2023 [phone]"},
    {"0800-1630, 24/7, 365 days, ISO 9001:2015",
     "0800-1630, 24/7, 365 days, ISO 9001:2015"},
    {"4-5 years, 100-150 patients, 99.95 %, 123456",
     "4-5 years, 100-150 patients, 99.95 %, 123456"},
    {"[email] [phone] [link] [number]", "[email] [phone] [link] [number]"},
    {"", ""},
};

static void mask(const char *text, size_t length, struct buffer *out)
{
    buffer_init(out, 4 * length + 64);
    mask_contacts((struct span){text, length}, out);
    cr_assert_not(out->is_over);
    buffer_append(out, "", 0);
}

Test(mask, takes_out_how_somebody_can_be_reached)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct buffer out;

        mask(cases[i].text, strlen(cases[i].text), &out);
        cr_expect_str_eq(out.bytes, cases[i].masked, "%s\n  gives %s", cases[i].text,
                         out.bytes);
        buffer_done(&out);
    }
}

Test(mask, changes_nothing_where_it_has_masked)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct buffer once, twice;

        mask(cases[i].masked, strlen(cases[i].masked), &once);
        mask(once.bytes, once.length, &twice);
        cr_expect_str_eq(twice.bytes, once.bytes);
        buffer_done(&once);
        buffer_done(&twice);
    }
}

/* What a quadratic search would take minutes for. */
Test(mask, takes_linear_time)
{
    static const char *const pieces[] = {"a1",    "1a",   "a.",     "a dot ", "1 ",
                                         "2019 ", "a@",   "a at ",  "(",      "+1(",
                                         "ab.",   "a://", "1,234",  "1-",     "9 99 ",
                                         "'a",    "www.", "x.com/", "((1",    "31 2019 "};
    enum { LENGTH = 2000000 };
    char *text = malloc(LENGTH + 1);

    for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
        size_t length = strlen(pieces[i]);
        struct buffer out;

        for (size_t at = 0; at < LENGTH; at++)
            text[at] = pieces[i][at % length];
        mask(text, LENGTH, &out);
        buffer_done(&out);
    }
    free(text);
}

Test(mask, keeps_every_other_byte_and_valid_text)
{
    static const char *const pieces[] = {"a",
                                         "@",
                                         ".",
                                         "1",
                                         "2019",
                                         "-",
                                         " ",
                                         "(",
                                         "+",
                                         "com",
                                         "dot",
                                         "at",
                                         "/",
                                         ":",
                                         "\xC3\xA9",
                                         "\xEF\xBC\x91",
                                         "\xE2\x80\x8B",
                                         "\n"};
    uint64_t state = 1;

    for (int round = 0; round < 20000; round++) {
        char text[400];
        size_t length = 0, count = 1 + (size_t)round % 60;
        struct buffer out;

        for (size_t i = 0; i < count; i++) {
            const char *piece;

            state = state * UINT64_C(6364136223846793005) + 1;
            piece = pieces[(state >> 33) % (sizeof(pieces) / sizeof(*pieces))];
            memcpy(text + length, piece, strlen(piece));
            length += strlen(piece);
        }
        mask(text, length, &out);
        cr_assert(utf8_is_valid(out.bytes, out.length));
        buffer_done(&out);
    }
}
