/*
 * Histograms, meters, and what /metrics says of them.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "metrics.h"
#include "metrics_text.h"

static const struct meter_name groq = {.role = "coach",
                                       .provider = "groq",
                                       .operation = "chat",
                                       .model = "a \"model\"\\",
                                       .url = "https://me:secret@api.groq.com/openai"};

/* Calls each of `one` and `other` a loop, and frees nothing: the test ends with them. */
static const char *written(struct metrics *one, struct metrics *other)
{
    static struct buffer out;
    struct metrics *loops[] = {one, other};

    buffer_done(&out);
    buffer_init(&out, 1024 * 1024);
    metrics_write(loops, other != NULL ? 2 : 1, &out);
    return out.bytes;
}

static void expect_line(const char *text, const char *line)
{
    cr_expect_not_null(strstr(text, line), "no such line: %s", line);
}

Test(metrics, a_value_is_counted_up_to_the_bound_that_it_does_not_pass)
{
    static struct metrics metrics;

    histogram_note(&metrics.LOOP_LAG, BUCKETS_DURATIONS, 0);
    histogram_note(&metrics.LOOP_LAG, BUCKETS_DURATIONS, 1000);
    histogram_note(&metrics.LOOP_LAG, BUCKETS_DURATIONS, 1001);
    histogram_note(&metrics.LOOP_LAG, BUCKETS_DURATIONS, 31000000);

    const char *text = written(&metrics, NULL);
    expect_line(text, "\npoise_loop_lag_seconds_bucket{le=\"0.001\"} 2\n");
    expect_line(text, "\npoise_loop_lag_seconds_bucket{le=\"0.0025\"} 3\n");
    expect_line(text, "\npoise_loop_lag_seconds_bucket{le=\"30\"} 3\n");
    expect_line(text, "\npoise_loop_lag_seconds_bucket{le=\"+Inf\"} 4\n");
    expect_line(text, "\npoise_loop_lag_seconds_sum 31.002001\n");
    expect_line(text, "\npoise_loop_lag_seconds_count 4\n");
}

Test(metrics, loops_are_added_up)
{
    static struct metrics one, other;

    metrics_add(&one.TURNS[OK], 2);
    metrics_add(&other.TURNS[OK], 3);
    metrics_add(&other.TURNS[METRICS_REPLAYED], 1);
    metrics_add(&one.HTTP_REQUESTS[ROUTE_TURN][3], 1);
    metrics_add_named(&one.REFUSALS[REFUSER_FILTER], "threat");
    metrics_add_named(&other.REFUSALS[REFUSER_FILTER], "slur");
    metrics_add_named(&other.REFUSALS[REFUSER_FILTER], "threat");

    const char *text = written(&one, &other);
    expect_line(text, "\npoise_turns_total{outcome=\"ok\"} 5\n");
    expect_line(text, "\npoise_turns_total{outcome=\"replayed\"} 1\n");
    expect_line(text, "\npoise_http_requests_total{route=\"turn\",status=\"4xx\"} 1\n");
    expect_line(text, "{source=\"filter\",category=\"threat\"} 2\n"
                      "poise_refusals_total{source=\"filter\",category=\"slur\"} 1\n#");
}

Test(metrics, names_beyond_the_most_that_are_kept_are_counted_together)
{
    static struct metrics metrics;
    char name[16];

    for (int i = 0; i < NAMED_MOST + 10; i++) {
        snprintf(name, sizeof(name), "name%d", i);
        metrics_add_named(&metrics.REFUSALS[REFUSER_MODEL], name);
    }

    expect_line(written(&metrics, NULL), "category=\"name62\"} 1\n"
                                         "poise_refusals_total{source=\"model\","
                                         "category=\"other\"} 11\n#");
}

Test(metrics, a_provider_has_one_meter_and_its_url_gives_away_no_secret)
{
    static struct metrics metrics;
    struct meter *meter = metrics_meter(&metrics, &groq);
    struct meter_name elsewhere = groq;

    cr_assert_eq(metrics_meter(&metrics, &groq), meter);
    elsewhere.url = "http://[::1]:8080/v1";
    cr_assert_neq(metrics_meter(&metrics, &elsewhere), meter);
    meter_note_call(meter, CALL_RESULT_OK, 20001);
    meter_note_call(meter, CALL_RESULT_HELD_BACK, 1);
    meter_note_tokens(meter, 100, -1);

    const char *text = written(&metrics, NULL);
    expect_line(text, "{role=\"coach\",provider=\"groq\",model=\"a \\\"model\\\"\\\\\","
                      "server=\"api.groq.com\",port=\"443\",result=\"ok\"} 1\n");
    expect_line(text, "server=\"[::1]\",port=\"8080\",result=\"ok\"} 0\n");
    expect_line(text, "server=\"api.groq.com\",port=\"443\",result=\"held_back\"} 1\n");
    expect_line(text, "gen_ai_client_operation_duration_seconds_count{"
                      "gen_ai_operation_name=\"chat\",gen_ai_provider_name=\"groq\","
                      "gen_ai_request_model=\"a \\\"model\\\"\\\\\","
                      "server_address=\"api.groq.com\",server_port=\"443\"} 1\n");
    expect_line(text, "server_port=\"443\",gen_ai_token_type=\"input\"} 100\n");
    cr_expect_null(strstr(text, "secret"));
    cr_expect_null(strstr(text, "error_type"));
}

Test(metrics, a_label_that_is_too_long_is_cut_off_and_closed)
{
    struct metrics_labels labels = {.length = 0};
    char value[1200];

    memset(value, '"', sizeof(value) - 1);
    value[sizeof(value) - 1] = '\0';
    metrics_label(&labels, "empty", "");
    metrics_label(&labels, "long", value);
    metrics_label(&labels, "next", "1");

    cr_expect_eq(strncmp(labels.text, "long=\"\\\"", 8), 0);
    cr_expect_eq(labels.text[labels.length - 1], '"');
    cr_expect_eq(labels.text[labels.length - 3], '\\');
    cr_expect_eq(strlen(labels.text), labels.length);
}
