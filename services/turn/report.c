/*
 * What an interview's turns were answered with, read again, and the report that is made of it.
 */
#include "report.h"

#include "coach_judge.h"
#include "private_reveal.h"
#include "report_internal.h"

#include <string.h>

#define OUTCOME_DEPTH 8

struct json_object *outcome_read(const struct private_text *stored)
{
    struct span text = private_reveal(stored);

    return text.length == 0 ? NULL : json_parse(text.bytes, text.length, OUTCOME_DEPTH);
}

struct json_object *outcome_last(const struct session *session)
{
    if (!session_is_complete(session))
        return NULL;
    return outcome_read(!private_text_is_empty(&session->finish)
                            ? &session->finish
                            : &session->turns[session->commit_count - 1].outcome);
}

void outcome_write(struct json_writer *writer, struct json_object *value)
{
    const char *text;
    size_t length;

    if (value == NULL) {
        json_null(writer);
        return;
    }
    text = json_object_to_json_string_length(
        value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &length);
    json_raw(writer, text, length);
    explicit_bzero((char *)(uintptr_t)text, length);
}

const char *report_kind(const struct session_turn *turn)
{
    return answer_kind_name(turn->is_skipped ? ANSWER_KIND_SKIP : ANSWER_KIND_ANSWER);
}

int64_t report_time_ms(const struct session *session, const struct session_turn *turn)
{
    return turn->at_ms > 0 ? turn->at_ms : session->last_activity_ms;
}

static void write_attempt(struct json_writer *writer, const struct session *session,
                          const struct session_turn *turn)
{
    struct json_object *outcome = outcome_read(&turn->outcome);

    json_begin_object(writer);
    json_put_private(writer, "transcript", &turn->transcript);
    json_key(writer, "coaching_feedback");
    outcome_write(writer, json_member(outcome, "coaching_feedback"));
    json_key(writer, "delivery");
    outcome_write(writer, json_member(outcome, "delivery"));
    json_put_string(writer, "kind", report_kind(turn));
    json_put_time(writer, "at", report_time_ms(session, turn));
    json_end_object(writer);
    json_wipe_and_put(outcome);
}

static void write_question(struct json_writer *writer, const struct session *session,
                           unsigned number)
{
    json_begin_object(writer);
    json_put_integer(writer, "number", number);
    json_put_private(writer, "question", &session->asked[number - 1]);
    json_put_array(writer, "attempts");
    for (unsigned at = 0; at < session->commit_count; at++)
        if (session->turns[at].number == number)
            write_attempt(writer, session, &session->turns[at]);
    json_end_array(writer);
    json_end_object(writer);
}

static void write_demands(struct json_writer *writer, const struct session *session)
{
    struct json_object *demands = outcome_read(&session->papers.demands);

    json_key(writer, "job_advert_demands");
    if (json_object_is_type(demands, json_type_array)) {
        outcome_write(writer, demands);
    } else {
        json_begin_array(writer);
        json_end_array(writer);
    }
    json_wipe_and_put(demands);
}

struct private_text report_json(const struct session *session)
{
    struct json_object *last = outcome_last(session);
    struct json_writer writer;
    struct buffer out;

    buffer_init(&out, REPORT_BYTES);
    json_writer_init(&writer, &out);
    json_begin_object(&writer);
    json_put_string(&writer, "session_id", session->id.text);
    json_put_private(&writer, "role", &session->role);
    json_put_private(&writer, "interview_type", &session->interview_type);
    json_put_string(&writer, "difficulty", session_difficulty(session));
    json_put_time(&writer, "started_at", session->created_ms);
    write_demands(&writer, session);
    json_put_array(&writer, "questions");
    for (unsigned number = 1; number <= session->turn_count; number++)
        write_question(&writer, session, number);
    json_end_array(&writer);
    json_key(&writer, "session_summary");
    outcome_write(&writer, json_member(last, "session_summary"));
    json_end_object(&writer);
    json_wipe_and_put(last);
    return private_text_take(&out);
}
