/*
 * Forms as the app, browsers and hostile clients send them.
 */
#include "buffer.h"
#include "multipart_internal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOUNDARY "--dio-boundary-1234567890"
#define DIO                                                                  \
    "----dio-boundary-1234567890\r\n"                                        \
    "content-disposition: form-data; name=\"session_id\"\r\n"                \
    "\r\n"                                                                   \
    "0b9e0a52-3c1f-4a53-9a8e-3f6f7f3c8d11\r\n"                               \
    "----dio-boundary-1234567890\r\n"                                        \
    "content-disposition: form-data; name=\"transcript\"\r\n"                \
    "content-type: text/plain; charset=utf-8\r\n"                            \
    "content-transfer-encoding: binary\r\n"                                  \
    "\r\n"                                                                   \
    "J'ai dirig\xc3\xa9 l'\xc3\xa9quipe.\r\n--not the boundary\r\n\r\n"      \
    "----dio-boundary-1234567890\r\n"                                        \
    "content-disposition: form-data; name=\"audio\"; filename=\"a.m4a\"\r\n" \
    "content-type: audio/mp4\r\n"                                            \
    "\r\n"                                                                   \
    "\r\n----dio-boundary-123456789\r\r\n-\r\n"                              \
    "----dio-boundary-1234567890--\r\n"

/* What DIO says, as note() writes it. */
#define DIO_NOTES                                                                           \
    "session_id||=0b9e0a52-3c1f-4a53-9a8e-3f6f7f3c8d11;"                                    \
    "transcript|text/plain|=J'ai dirig\xc3\xa9 l'\xc3\xa9quipe.\r\n--not the boundary\r\n;" \
    "audio|audio/mp4|a.m4a=\r\n----dio-boundary-123456789\r\r\n-;"

static void note_begin(void *context, const struct multipart_part *part)
{
    buffer_append_string(context, part->name);
    buffer_append_char(context, '|');
    buffer_append_string(context, part->content_type);
    buffer_append_char(context, '|');
    buffer_append_string(context, part->file_name);
    buffer_append_char(context, '=');
}

static void note_bytes(void *context, struct span bytes)
{
    buffer_append(context, bytes.bytes, bytes.length);
}

static void note_end(void *context)
{
    buffer_append_char(context, ';');
}

static const struct multipart_events notes = {note_begin, note_bytes, note_end};

/* The body in two pieces, then in pieces of `step` bytes. */
static enum multipart_problem parse(const char *boundary, const char *body, size_t first,
                                    size_t step, struct buffer *ret_notes)
{
    struct multipart multipart;
    size_t length = strlen(body);
    size_t piece;

    buffer_init(ret_notes, 1 << 20);
    buffer_append(ret_notes, "", 0);
    multipart_init(&multipart, span_of(boundary), &notes, ret_notes);
    for (size_t at = 0; at < length; at += piece) {
        /* A copy of its own size, so that a sanitizer sees a read past it. */
        char *copy;

        piece = at == 0 && first > 0 ? first : step;
        piece = piece < length - at ? piece : length - at;
        copy = malloc(piece);
        memcpy(copy, body + at, piece);
        multipart_take(&multipart, (struct span){copy, piece});
        free(copy);
    }
    return multipart_finish(&multipart);
}

static void expect_parts(const char *boundary, const char *body, const char *expected)
{
    struct buffer seen;

    cr_expect_eq(parse(boundary, body, 0, 1 << 20, &seen), MULTIPART_GOOD, "of %s", body);
    cr_expect_str_eq(seen.bytes, expected);
    buffer_done(&seen);
}

static void expect_problem(const char *body, enum multipart_problem expected)
{
    struct buffer seen;

    cr_expect_eq(parse("B", body, 0, 1 << 20, &seen), expected, "of %s", body);
    buffer_done(&seen);
    cr_expect_eq(parse("B", body, 0, 1, &seen), expected, "byte by byte, of %s", body);
    buffer_done(&seen);
}

Test(multipart, the_apps_form_is_understood_wherever_it_is_split)
{
    for (size_t split = 0; split <= strlen(DIO); split++) {
        struct buffer seen;

        cr_assert_eq(parse(BOUNDARY, DIO, split, 1 << 20, &seen), MULTIPART_GOOD,
                     "split at %zu", split);
        cr_assert_str_eq(seen.bytes, DIO_NOTES, "split at %zu", split);
        buffer_done(&seen);
    }
}

Test(multipart, the_apps_form_is_understood_in_pieces_of_any_size)
{
    for (size_t step = 1; step < 80; step++) {
        struct buffer seen;

        cr_assert_eq(parse(BOUNDARY, DIO, 0, step, &seen), MULTIPART_GOOD, "of %zu",
                     step);
        cr_assert_str_eq(seen.bytes, DIO_NOTES, "of %zu", step);
        buffer_done(&seen);
    }
}

Test(multipart, a_body_that_ends_early_is_truncated_wherever_it_ends)
{
    size_t closing = strlen(DIO) - 2; /* the last line's end may be missing */

    for (size_t length = 0; length < closing; length++) {
        char *body = strndup(DIO, length);
        struct buffer seen;

        cr_assert_eq(parse(BOUNDARY, body, 0, 1 << 20, &seen), MULTIPART_TRUNCATED,
                     "after %zu bytes", length);
        buffer_done(&seen);
        free(body);
    }
}

#define PART(headers, content) "--B\r\n" headers "\r\n" content "\r\n"
#define NAMED(name)            "Content-Disposition: form-data; name=" name "\r\n"

Test(multipart, part_headers_are_read_in_any_case_and_order)
{
    expect_parts(
        "B",
        PART("CONTENT-TYPE: text/plain\r\nContent-disposition:form-data;NAME=a\r\n",
             "x") "--B--",
        "a|text/plain|=x;");
    expect_parts(
        "B",
        PART("Content-Disposition: Form-Data ; filename=\"b;c\" ; name=\"a\\\"b\" ;\r\n"
             "X-Other: y\r\n",
             "x") "--B--",
        "a\"b||b;c=x;");
}

Test(multipart, preamble_epilogue_and_white_space_behind_a_boundary_are_passed_over)
{
    expect_parts("B", "hello\r\nB\r\n" PART(NAMED("a"), "x") "--B--  \r\nbye\r\n--B\r\n",
                 "a||=x;");
    expect_parts("B", "\r\n--B \t\r\n" NAMED("a") "\r\nx\r\n--B--", "a||=x;");
}

Test(multipart, a_part_may_be_empty)
{
    expect_parts("B", PART(NAMED("a"), "") "--B--", "a||=;");
    expect_parts("B", "--B\r\n" NAMED("a") "\r\n--B--", "a||=;");
    expect_parts("B", "--B--", "");
}

Test(multipart, what_looks_like_the_boundary_within_a_line_is_content)
{
    expect_parts("B", PART(NAMED("a"), "x--B--\r--B\n--B\r\r\n-B") "--B--",
                 "a||=x--B--\r--B\n--B\r\r\n-B;");
}

Test(multipart, lines_that_end_in_lf_alone_are_refused)
{
    expect_problem("--B\nContent-Disposition: form-data; name=a\n\nx\n--B--",
                   MULTIPART_BAD_BOUNDARY);
    expect_problem("--B\r\nContent-Disposition: form-data; name=a\n\nx\r\n--B--",
                   MULTIPART_BAD_HEADER);
}

Test(multipart, a_boundary_is_followed_by_nothing_else)
{
    expect_problem("--Bc\r\n" NAMED("a") "\r\nx\r\n--B--", MULTIPART_BAD_BOUNDARY);
    expect_problem(PART(NAMED("a"), "x") "--B-\r\n", MULTIPART_BAD_BOUNDARY);
    expect_problem(PART(NAMED("a"), "x") "--B\rx", MULTIPART_BAD_BOUNDARY);
}

Test(multipart, bad_part_headers_are_refused)
{
    static const char *const HEADERS[] = {
        "",
        "Content-Type: text/plain\r\n",
        "Content-Disposition: form-data\r\n",
        "Content-Disposition: attachment; name=a\r\n",
        "Content-Disposition: form-data; name=a; name=b\r\n",
        "Content-Disposition: form-data; name=\"a\r\n",
        "Content-Disposition: form-data; name=a b\r\n",
        "Content-Disposition: form-data; name\r\n",
        "Content-Disposition: form-data; =a\r\n",
        NAMED("a") NAMED("a"),
        NAMED("a") "no colon\r\n",
        NAMED("a") ": no name\r\n",
        NAMED("a") " folded: x\r\n",
        NAMED("a") "Content-Type: a\r\nContent-Type: b\r\n",
        NAMED("a") "Content-Transfer-Encoding: base64\r\n",
        NAMED("a") "X: 1\r\nX: 2\r\nX: 3\r\nX: 4\r\nX: 5\r\nX: 6\r\nX: 7\r\nX: 8\r\n",
        NAMED("0123456789012345678901234567890123456789012345678901234567890123456789"),
    };

    for (size_t i = 0; i < sizeof(HEADERS) / sizeof(HEADERS[0]); i++) {
        char body[1024];

        snprintf(body, sizeof(body), "--B\r\n%s\r\nx\r\n--B--", HEADERS[i]);
        expect_problem(body, MULTIPART_BAD_HEADER);
    }
}

static void repeat(char *text, size_t size, const char *piece, size_t times)
{
    text[0] = '\0';
    while (times-- > 0)
        strncat(text, piece, size - strlen(text) - 1);
}

Test(multipart, lines_and_parts_have_a_bound)
{
    char line[MULTIPART_MAX_LINE_BYTES + 64] = "X: ";
    char body[8192];

    repeat(line + 3, sizeof(line) - 3, "y", MULTIPART_MAX_LINE_BYTES - 3);
    snprintf(body, sizeof(body), "--B\r\n" NAMED("a") "%s\r\n\r\nx\r\n--B--", line);
    expect_problem(body, MULTIPART_GOOD);
    strcat(line, "y");
    snprintf(body, sizeof(body), "--B\r\n" NAMED("a") "%s\r\n\r\nx\r\n--B--", line);
    expect_problem(body, MULTIPART_BAD_HEADER);

    repeat(body, sizeof(body), PART(NAMED("a"), "x"), MULTIPART_MAX_PARTS + 1);
    expect_problem(body, MULTIPART_TOO_MANY_PARTS);
}

Test(multipart, the_boundary_is_found_in_any_form_that_is_allowed)
{
    static const struct {
        const char *type;
        const char *boundary;
    } CASES[] = {
        {"multipart/form-data; boundary=abc", "abc"},
        {"Multipart/Form-Data;BOUNDARY=\"abc\"", "abc"},
        {"multipart/form-data; charset=utf-8; boundary=abc; x=y", "abc"},
        {"multipart/form-data ; boundary=\"a b:c\";", "a b:c"},
        {"multipart/form-data; boundary=--dio-boundary-0123", "--dio-boundary-0123"},
        {"multipart/form-data; boundary=a:b=c", "a:b=c"},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct span boundary;

        cr_assert(multipart_boundary(span_of(CASES[i].type), &boundary), "%s",
                  CASES[i].type);
        cr_expect(span_equals(boundary, CASES[i].boundary), "%s", CASES[i].type);
    }
}

Test(multipart, a_boundary_that_is_missing_or_broken_is_not_found)
{
    static const char *const TYPES[] = {
        "",
        "multipart/form-data",
        "multipart/mixed; boundary=abc",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"\"",
        "multipart/form-data; boundary=\"abc",
        "multipart/form-data; boundary=\"abc \"",
        "multipart/form-data; boundary=abc; boundary=abc",
        "multipart/form-data; boundary=a b",
        "multipart/form-data; boundary=a\\b",
        "multipart/form-data; boundary=\"a;b\"",
        "multipart/form-data, boundary=abc",
        ("multipart/form-data; boundary="
         "01234567890123456789012345678901234567890123456789012345678901234567890"),
    };

    for (size_t i = 0; i < sizeof(TYPES) / sizeof(TYPES[0]); i++) {
        struct span boundary;

        cr_expect_not(multipart_boundary(span_of(TYPES[i]), &boundary), "%s", TYPES[i]);
    }
}
