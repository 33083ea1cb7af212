/*
 * First lines, whole and in part.
 */
#include "front_door.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect_line(const char *line, enum first_line expected)
{
    cr_expect_eq(front_door_judge(line, strlen(line)), expected, "of %s", line);
}

Test(front_door, request_lines_are_let_in)
{
    expect_line("GET / HTTP/1.1\r\n", FIRST_LINE_GOOD);
    expect_line("\r\n\r\nPOST /turn HTTP/1.0\r\nHost: x\r\n", FIRST_LINE_GOOD);
    expect_line("BREW http://x/y?z=%20 HTTP/9.9\n", FIRST_LINE_GOOD);
}

Test(front_door, every_beginning_of_a_request_line_waits_for_more)
{
    static const char line[] = "\r\nDELETE /session/1 HTTP/1.1\r";

    for (size_t length = 0; length < sizeof(line) - 2; length++)
        cr_expect_eq(front_door_judge(line, length), FIRST_LINE_PARTIAL, "of %zu",
                     length);
}

Test(front_door, what_is_no_request_line_is_refused)
{
    static const char *const LINES[] = {
        "GARBAGE\r\n\r\n",
        "\x16\x03\x01\x02",
        "GET /\r\n",
        "GET  / HTTP/1.1\r\n",
        " GET / HTTP/1.1",
        "GET / HTP/1.1",
        "GET / HTTP/1.1 x\r\n",
        "GET / HTTP/1.10\r\n",
        "GET / http/1.1\r",
        "G\xc3\x89T / ",
        "GET /\x01 HTTP/1.1",
        "AMETHODTHATISLONGERTHANANYTHATWASEVERHEARDOF",
    };

    for (size_t i = 0; i < sizeof(LINES) / sizeof(LINES[0]); i++)
        expect_line(LINES[i], FIRST_LINE_BAD);
}

Test(front_door, a_hello_of_tls_is_known_by_its_record)
{
    static const char hello[] = "\x16\x03\x01\x00\x04 and more";
    static const struct {
        const char *bytes;
        size_t length, available, whole;
        enum hello expected;
    } CASES[] = {
        {hello, 1, 1, 5, HELLO_PARTIAL},
        {hello, 4, 4, 5, HELLO_PARTIAL},
        {hello, 5, 5, 9, HELLO_PARTIAL},
        {hello, 8, 8, 9, HELLO_PARTIAL},
        {hello, 9, 9, 9, HELLO_WHOLE},
        {hello, 5, 9, 9, HELLO_WHOLE}, /* the rest waits in the socket */
        {"GET / HTTP/1.1", 14, 14, 5, HELLO_NONE},
        {"\x16\x02\x00\x00\x04", 5, 5, 5, HELLO_NONE}, /* no version of TLS */
        {"\x17\x03\x03\x00\x04", 5, 5, 5, HELLO_NONE}, /* no handshake */
        {"\x16\x03\x01\x00\x00", 5, 5, 5, HELLO_NONE}, /* empty */
        {"\x16\x03\x01\x40\x01", 5, 5, 5, HELLO_NONE}, /* longer than a record may be */
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        size_t whole = 0;

        cr_expect_eq(front_door_judge_hello(CASES[i].bytes, CASES[i].length,
                                            CASES[i].available, &whole),
                     CASES[i].expected, "of case %zu", i);
        cr_expect_eq(whole, CASES[i].whole, "of case %zu", i);
    }
}
