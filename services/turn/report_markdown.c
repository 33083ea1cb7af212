/*
 * The report as Markdown.
 *
 * What people and models wrote is put into it so that it stays text: signs of Markdown and of HTML are
 * escaped (CommonMark 2.4), and a line break in it begins no line of ours but one of the same quote.
 */
#include "clock.h"
#include "private_reveal.h"
#include "reply_internal.h"
#include "report.h"
#include "report_internal.h"

#include <stdio.h>
#include <string.h>

/* Does a sign mean something here?  Some do at the start of a line alone, "1." behind nothing but the
 * number. */
static bool is_sign(char byte, bool is_at_start, bool is_in_number)
{
    return byte != '\0' && (strchr("\\`*_[]<>&|#~", byte) != NULL ||
                            (is_at_start && strchr("+-=:", byte) != NULL) ||
                            (is_in_number && strchr(".)", byte) != NULL));
}

/* Spaces where `line_start` is NULL: in a heading, a table, an item. */
static void put_text(struct buffer *out, struct span text, const char *line_start)
{
    bool is_at_start = true, is_in_number = false;

    for (size_t at = 0; at < text.length; at++) {
        char byte = text.bytes[at];
        bool is_digit = byte >= '0' && byte <= '9';

        if (byte == '\r')
            continue;
        if (byte == '\n') {
            buffer_append_string(out, line_start == NULL ? " " : line_start);
            is_at_start = true;
            continue;
        }
        if (is_sign(byte, is_at_start, is_in_number))
            buffer_append_char(out, '\\');
        buffer_append_char(out, byte);
        is_in_number = is_digit && (is_at_start || is_in_number);
        is_at_start = is_at_start && (byte == ' ' || byte == '\t');
    }
}

static void put_private(struct buffer *out, const struct private_text *text)
{
    put_text(out, private_reveal(text), NULL);
}

static void put_string(struct buffer *out, struct json_object *string)
{
    if (json_object_is_type(string, json_type_string))
        put_text(out,
                 (struct span){json_object_get_string(string),
                               (size_t)json_object_get_string_len(string)},
                 NULL);
}

static void put_time(struct buffer *out, int64_t wall_ms)
{
    char text[CLOCK_ISO8601_BYTES];

    clock_iso8601(wall_ms, text);
    buffer_append_string(out, text);
}

/* "1 filler", "2 fillers". */
static void put_count(struct buffer *out, struct json_object *number, const char *what)
{
    int64_t count = json_object_get_int64(number);

    buffer_append_number(out, count);
    buffer_append_char(out, ' ');
    buffer_append_string(out, what);
    buffer_append_string(out, count == 1 ? "" : "s");
}

static void put_delivery(struct buffer *out, struct json_object *delivery)
{
    struct json_object *pace = json_member(delivery, "words_per_minute");
    struct json_object *pause = json_member(delivery, "longest_pause_ms");
    char seconds[32];

    if (delivery == NULL)
        return;
    buffer_append_string(out, "\nDelivery: ");
    put_count(out, json_member(delivery, "word_count"), "word");
    buffer_append_string(out, ", ");
    put_count(out, json_member(delivery, "filler_count"), "filler");
    if (pace != NULL) {
        buffer_append_string(out, ", ");
        buffer_append_number(out, json_object_get_int64(pace));
        buffer_append_string(out, " words a minute");
    }
    if (pause != NULL) {
        snprintf(seconds, sizeof(seconds), ", longest pause %.1f s",
                 (double)json_object_get_int64(pause) / 1000);
        buffer_append_string(out, seconds);
    }
    buffer_append_string(out, ".\n");
}

static void put_feedback(struct buffer *out, struct json_object *feedback)
{
    struct json_object *dimensions = json_member(feedback, "dimensions");
    size_t count = dimensions == NULL ? 0 : json_object_array_length(dimensions);

    if (count == 0)
        return;
    buffer_append_string(out, "\n| | Score | Tip |\n|---|---|---|\n");
    for (size_t at = 0; at < count; at++) {
        struct json_object *entry = json_object_array_get_idx(dimensions, at);

        buffer_append_string(out, "| ");
        put_string(out, json_member(entry, "label"));
        buffer_append_string(out, " | ");
        buffer_append_number(out, json_object_get_int64(json_member(entry, "score")));
        buffer_append_string(out, " | ");
        put_string(out, json_member(entry, "tip"));
        buffer_append_string(out, " |\n");
    }
    buffer_append_string(out, "\nNext: ");
    put_string(out, json_member(feedback, "summary_tip"));
    buffer_append_char(out, '\n');
}

static void put_attempt(struct buffer *out, const struct session *session,
                        const struct session_turn *turn)
{
    struct json_object *outcome = outcome_read(&turn->outcome);

    buffer_append_string(out, "\n### Attempt ");
    buffer_append_number(out, turn->attempt);
    buffer_append_string(out, turn->is_skipped ? " (skipped), " : ", ");
    put_time(out, report_time_ms(session, turn));
    buffer_append_string(out, "\n\n> ");
    put_text(out, private_reveal(&turn->transcript), "\n> ");
    buffer_append_char(out, '\n');
    put_delivery(out, json_member(outcome, "delivery"));
    put_feedback(out, json_member(outcome, "coaching_feedback"));
    json_wipe_and_put(outcome);
}

static void put_list(struct buffer *out, const char *heading, struct json_object *lines)
{
    size_t count =
        json_object_is_type(lines, json_type_array) ? json_object_array_length(lines) : 0;

    if (count > 0)
        buffer_append_string(out, heading);
    for (size_t at = 0; at < count; at++) {
        struct json_object *line = json_object_array_get_idx(lines, at);

        buffer_append_string(out, "- ");
        put_string(out, json_object_is_type(line, json_type_object)
                            ? json_member(line, "demand")
                            : line);
        if (json_member(line, "quote") != NULL) {
            buffer_append_string(out, ": shown in question ");
            buffer_append_number(
                out, json_object_get_int64(json_member(line, "question_number")));
            buffer_append_string(out, ", \"");
            put_string(out, json_member(line, "quote"));
            buffer_append_char(out, '"');
        } else if (json_object_is_type(line, json_type_object)) {
            buffer_append_string(out, ": not shown");
        }
        buffer_append_char(out, '\n');
    }
}

static void put_averages(struct buffer *out, struct json_object *averages)
{
    if (averages == NULL || json_object_object_length(averages) == 0)
        return;
    buffer_append_string(out, "\n| | Average |\n|---|---|\n");
    for (int at = 0; at < DIMENSION_COUNT; at++) {
        struct json_object *average =
            json_member(averages, dimension_key((enum dimension)at));

        buffer_append_string(out, "| ");
        buffer_append_string(out, dimension_label((enum dimension)at));
        buffer_append_string(out, " | ");
        buffer_append_string(out, json_object_get_string(average));
        buffer_append_string(out, " |\n");
    }
}

static void put_summary(struct buffer *out, struct json_object *summary)
{
    if (summary == NULL)
        return;
    buffer_append_string(out, "\n## Summary\n\n");
    put_string(out, json_member(summary, "overall_assessment"));
    buffer_append_char(out, '\n');
    put_averages(out, json_member(summary, "average_scores"));
    put_list(out, "\n### Strengths\n\n", json_member(summary, "strengths"));
    put_list(out, "\n### To improve\n\n", json_member(summary, "improvements"));
    put_list(out, "\n### Next steps\n\n", json_member(summary, "recommended_actions"));
    put_list(out, "\n### What the advert asks for\n\n", json_member(summary, "demands"));
}

static void put_head(struct buffer *out, const struct session *session)
{
    struct json_object *demands = outcome_read(&session->papers.demands);

    buffer_append_string(out, "# Interview: ");
    put_private(out, &session->role);
    buffer_append_string(out, "\n\n");
    put_private(out, &session->interview_type);
    buffer_append_string(out, ", ");
    buffer_append_string(out, session_difficulty(session));
    buffer_append_string(out, ", started ");
    put_time(out, session->created_ms);
    buffer_append_char(out, '\n');
    put_list(out, "\n## The advert asks for\n\n", demands);
    json_wipe_and_put(demands);
}

struct private_text report_markdown(const struct session *session)
{
    struct json_object *last = outcome_last(session);
    struct buffer out;

    buffer_init(&out, REPORT_BYTES);
    put_head(&out, session);
    for (unsigned number = 1; number <= session->turn_count; number++) {
        buffer_append_string(&out, "\n## Question ");
        buffer_append_number(&out, number);
        buffer_append_string(&out, "\n\n**");
        put_private(&out, &session->asked[number - 1]);
        buffer_append_string(&out, "**\n");
        for (unsigned at = 0; at < session->commit_count; at++)
            if (session->turns[at].number == number)
                put_attempt(&out, session, &session->turns[at]);
    }
    put_summary(&out, json_member(last, "session_summary"));
    json_wipe_and_put(last);
    return private_text_take(&out);
}
