/*
 * The log: allow-listed fields, words that are words, and a reader who does not read.
 */
#include "log.h"

#include <criterion/criterion.h>
#include <json-c/json.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* What one log with one line wrote. */
static size_t line_of(const char *word, char *text, size_t capacity)
{
    int ends[2];
    struct log *log;
    struct log_line *line;
    struct id id = {"123e4567-e89b-12d3-a456-426614174000"};
    ssize_t length;

    cr_assert_eq(pipe(ends), 0);
    log = log_new(ends[1], LOG_INFO);
    log_end(log_begin(log, LOG_DEBUG_LEVEL, "not_wanted"));
    line = log_begin(log, LOG_INFO, "turn");
    log_id(line, LOG_REQUEST_ID, &id);
    log_word(line, LOG_CODE, word);
    log_number(line, LOG_TOTAL_MS, -7);
    log_word(line, LOG_TOTAL_MS, "a_word_in_a_number_field");
    log_end(line);
    log_free(log);
    length = read(ends[0], text, capacity - 1);
    close(ends[0]);
    close(ends[1]);
    text[length > 0 ? length : 0] = '\0';
    return (size_t)(length > 0 ? length : 0);
}

Test(log, a_line_is_one_json_object)
{
    char text[1000];
    struct json_object *object;

    line_of("llm_timeout", text, sizeof(text));
    object = json_tokener_parse(text);
    cr_assert_not_null(object, "%s", text);
    cr_expect_str_eq(json_object_get_string(json_object_object_get(object, "event")),
                     "turn");
    cr_expect_str_eq(json_object_get_string(json_object_object_get(object, "code")),
                     "llm_timeout");
    cr_expect_eq(json_object_get_int(json_object_object_get(object, "total_ms")), -7);
    cr_expect_str_eq(json_object_get_string(json_object_object_get(object, "request_id")),
                     "123e4567-e89b-12d3-a456-426614174000");
    cr_expect_eq(strchr(text, '\n'), text + strlen(text) - 1);
    cr_expect_null(strstr(text, "not_wanted"));
    json_object_put(object);
}

Test(log, what_is_no_word_is_not_written)
{
    char text[1000];

    line_of("my answer, in words", text, sizeof(text));
    cr_expect_null(strstr(text, "answer"));
    cr_expect_not_null(strstr(text, "\"code\":\"?\""));
}

Test(log, lines_whose_reader_has_gone_are_counted_at_once)
{
    int ends[2];
    struct log *log;

    signal(SIGPIPE, SIG_IGN);
    cr_assert_eq(pipe(ends), 0);
    log = log_new(ends[1], LOG_INFO);
    close(ends[0]);
    for (int i = 0; i < 3; i++)
        log_end(log_begin(log, LOG_INFO, "turn"));
    log_flush(log);
    cr_expect_eq(log_dropped(log), 3);
    log_flush(log);
    cr_expect_eq(log_dropped(log), 3);
    log_end(log_begin(log, LOG_INFO, "turn"));
    log_flush(log);
    cr_expect_eq(log_dropped(log), 4);
    log_free(log);
    close(ends[1]);
}

Test(log, lines_that_nobody_reads_are_dropped_and_counted)
{
    int ends[2];
    struct log *log;

    cr_assert_eq(pipe(ends), 0);
    log = log_new(ends[1], LOG_INFO);
    for (int count = 0; count < 20000; count++) {
        log_end(log_begin(log, LOG_INFO, "turn"));
        log_flush(log);
    }
    cr_expect_gt(log_dropped(log), 0);
    log_free(log);
    close(ends[0]);
    close(ends[1]);
}

Test(log, a_sentence_of_a_servers_stays_inside_its_quotes_and_its_bounds)
{
    char longest[2 * SENTENCE_BYTES] = "";
    struct sentence sentence =
        sentence_quote("failed:\n\t\"db\" C:\\x \xc3\xa9\x7f says no\n\n");

    cr_expect_str_eq(sentence.text, "failed: 'db' C:/x ??? says no");
    cr_expect_str_empty(sentence_quote(NULL).text);
    memset(longest, 'a', sizeof(longest) - 1);
    cr_expect_eq(strlen(sentence_quote(longest).text), SENTENCE_BYTES - 1);
}
