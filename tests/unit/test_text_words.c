/*
 * Text: UTF-8, words, buffers, ids, digests, and the writer and reader of JSON.
 */
#include "clock.h"
#include "digest.h"
#include "id.h"
#include "json.h"
#include "private_reveal.h"
#include "utf8.h"
#include "words.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

Test(utf8, what_rfc_3629_allows_is_valid)
{
    static const char *const good[] = {"",
                                       "plain text of more than eight bytes",
                                       "\xc3\xa4",
                                       "\xe2\x82\xac",
                                       "\xf0\x9f\x98\x80",
                                       "\xf4\x8f\xbf\xbf",
                                       ("12345678\xc3\xa4"
                                        "12345678")};

    for (size_t at = 0; at < sizeof(good) / sizeof(good[0]); at++)
        cr_expect(utf8_is_valid(good[at], strlen(good[at])), "%zu", at);
}

Test(utf8, what_it_forbids_is_not)
{
    static const char *const bad[] = {"\x80",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xc3",
                                      "\xe0\x80\x80",
                                      "\xed\xa0\x80",
                                      "\xf0\x80\x80\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xff",
                                      "12345678\xe2\x82"};

    for (size_t at = 0; at < sizeof(bad) / sizeof(bad[0]); at++)
        cr_expect_not(utf8_is_valid(bad[at], strlen(bad[at])), "%zu", at);
    cr_expect_not(utf8_is_valid("a\0b", 3));
    cr_expect_not(utf8_is_valid("1234567\0 12345678", 17));
}

Test(private_text, blank_is_white_space_of_any_kind)
{
    struct private_text blank = private_text_copy(" \t\r\n\xc2\xa0\xe3\x80\x80", 9);
    struct private_text word = private_text_copy("  a ", 4);
    struct private_text unseen = private_text_copy("\xef\xbb\xbf\xe2\x80\x8b\xc2\xa0", 8);

    cr_expect(private_text_is_blank(&blank));
    cr_expect_not(private_text_is_blank(&word));
    cr_expect(private_text_is_blank(&unseen));
    private_text_free(&unseen);
    cr_expect_eq(private_text_characters(&blank), 6);
    private_text_free(&blank);
    private_text_free(&word);
    cr_expect(private_text_is_blank(&blank));
}

Test(buffer, nothing_passes_the_ceiling)
{
    struct buffer buffer;

    buffer_init(&buffer, 5);
    cr_expect(buffer_append(&buffer, "abc", 3));
    cr_expect_not(buffer_append(&buffer, "def", 3));
    cr_expect(buffer.is_over);
    cr_expect_str_eq(buffer.bytes, "abc");
    cr_expect(buffer_append(&buffer, "de", 2));
    buffer_done(&buffer);
}

Test(buffer, numbers_are_written_to_the_last_digit)
{
    struct buffer buffer;

    buffer_init(&buffer, 100);
    buffer_append_number(&buffer, INT64_MIN);
    buffer_append_char(&buffer, ' ');
    buffer_append_number(&buffer, 0);
    cr_expect_str_eq(buffer.bytes, "-9223372036854775808 0");
    buffer_done(&buffer);
}

Test(words, runs_are_shared_whatever_case_and_punctuation)
{
    struct span answer = span_of("Well, I told them: the plan IS bad, very bad.");

    cr_expect(words_share_run(span_of("You said the plan is bad very often"), answer, 5));
    cr_expect_not(words_share_run(span_of("the plan was bad very"), answer, 5));
    cr_expect_not(words_share_run(span_of("the plan is bad"), answer, 5));
    cr_expect_not(words_share_run(span_of(""), answer, 5));
    cr_expect_eq(words_count(span_of("  one two\xc2\xa0three - ")), 4);
}

/* Every byte value at every place of the eight that are looked at together. */
Test(words, are_counted_alike_wherever_they_begin)
{
    for (int byte = 1; byte < 0x80; byte++)
        for (size_t at = 0; at < 16; at++) {
            char text[] = "ab cd\tefg\nhijk l";
            size_t count = 0;

            text[at] = (char)byte;
            for (size_t i = 0; text[i] != '\0'; i++)
                count += !isspace((unsigned char)text[i]) &&
                         (i == 0 || isspace((unsigned char)text[i - 1]));
            cr_expect_eq(words_count(span_of(text)), count, "%d at %zu", byte, at);
        }
}

Test(id, a_uuid_has_36_characters)
{
    struct id id;

    cr_expect(id_parse("123E4567-e89b-12d3-a456-426614174000", 36, &id));
    cr_expect_str_eq(id.text, "123E4567-e89b-12d3-a456-426614174000");
    cr_expect_not(id_parse("123e4567-e89b-12d3-a456-42661417400", 35, &id));
    cr_expect_not(id_parse("123e4567-e89b-12d3-a456-4266141740000", 37, &id));
    cr_expect_not(id_parse("123e4567xe89b-12d3-a456-426614174000", 36, &id));
    cr_expect_not(id_parse("g23e4567-e89b-12d3-a456-426614174000", 36, &id));
    id = id_random();
    cr_expect(id_parse(id.text, strlen(id.text), &id));
    cr_expect_eq(id.text[14], '4');
}

Test(digest, fields_do_not_run_into_each_other)
{
    struct digest_key key = digest_key_derive("secret", 6, "test");
    struct digest_state one, other;
    struct digest first, second;

    digest_begin(&one, &key);
    digest_add_field(&one, "ab", 2);
    digest_add_field(&one, "c", 1);
    digest_begin(&other, &key);
    digest_add_field(&other, "a", 1);
    digest_add_field(&other, "bc", 2);
    first = digest_end(&one);
    second = digest_end(&other);
    cr_expect_not(digest_equals(&first, &second));
}

Test(clock, time_is_written_as_iso_8601)
{
    char text[CLOCK_ISO8601_BYTES];

    clock_iso8601(1767225600123, text);
    cr_expect_str_eq(text, "2026-01-01T00:00:00.123Z");
}

Test(json, a_writer_escapes_and_separates)
{
    struct json_writer writer;
    struct buffer out;

    buffer_init(&out, 1000);
    json_writer_init(&writer, &out);
    json_begin_object(&writer);
    json_key(&writer, "a");
    json_string(&writer, "q\"b\\n\n\x01\xc3\xa4");
    json_key(&writer, "b");
    json_begin_array(&writer);
    json_integer(&writer, -5);
    json_boolean(&writer, true);
    json_null(&writer);
    json_begin_object(&writer);
    json_end_object(&writer);
    json_end_array(&writer);
    json_key(&writer, "c");
    json_decimal(&writer, 3.456, 2);
    json_end_object(&writer);
    cr_expect_str_eq(out.bytes,
                     "{\"a\":\"q\\\"b\\\\n\\n\\u0001\xc3\xa4\",\"b\":[-5,true,null,{}],"
                     "\"c\":3.46}");
    buffer_done(&out);
}

Test(json, only_one_whole_text_is_taken)
{
    static const char *const bad[] = {"",     "{",           "{}x",  "{\"a\":1,}",
                                      "'a'",  "[1 2]",       "nul",  "{\"a\" 1}",
                                      "\xff", "[[[[[1]]]]]", "{} {}"};
    static const char *const good[] = {"{}", " [1,2] \n", "7", "\"a\"", "true", "[[1]]"};

    for (size_t at = 0; at < sizeof(bad) / sizeof(bad[0]); at++) {
        struct json_object *object = json_parse(bad[at], strlen(bad[at]), 4);

        cr_expect_null(object, "%s", bad[at]);
        json_object_put(object);
    }
    for (size_t at = 0; at < sizeof(good) / sizeof(good[0]); at++) {
        struct json_object *object = json_parse(good[at], strlen(good[at]), 4);

        cr_expect_not_null(object, "%s", good[at]);
        json_object_put(object);
    }
}
