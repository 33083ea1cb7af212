/*
 * The end of an interview by its candidate: what was answered so far is summed up, and that is kept.
 *
 *   turn_finish_interview > sum up, unless there is a summary > keep
 */
#include "turn_internal.h"

#include "clock.h"
#include "mem.h"
#include "report_internal.h"

#define DATA_BYTES (1024 * 1024) /* the longest summary, escaped */

static coach_done_fn on_summary;
static void keep(struct turn *turn);
static store_done_fn on_kept;

void turn_take_summary(struct turn *turn, enum error error, struct coach_reply *reply)
{
    struct summary summary = {0};

    turn->pending = NULL;
    turn->timings.us[TIMING_LLM] += clock_monotonic_us() - turn->step_us;
    if (error != OK) {
        turn_warn(turn, WARNING_SUMMARY_MISSING);
    } else if (!summary_parse(&reply->text, &summary) ||
               !turn_summary_is_safe(turn, &summary)) {
        turn_warn(turn, WARNING_SUMMARY_INVALID);
        summary_free(&summary);
    } else {
        turn->summary = MEM_NEW(struct summary);
        *turn->summary = summary;
    }
    private_text_free(&reply->text);
}

/* Questions that were only skipped are not answered. */
static int count_answered(const struct turn *turn)
{
    struct coach_turn turns[SESSION_MAX_QUESTIONS];
    size_t count = turn_best_answers(turn, turns);
    int answered = 0;

    for (size_t at = 0; at < count; at++)
        answered += !turns[at].is_skipped;
    return answered;
}

/* With the summary that was kept, or with the one that was made now. */
static struct private_text write_data(const struct turn *turn, struct json_object *kept)
{
    struct json_writer writer;
    struct buffer out;

    buffer_init(&out, DATA_BYTES);
    json_writer_init(&writer, &out);
    json_begin_object(&writer);
    json_put_boolean(&writer, "is_complete", true);
    json_put_integer(&writer, "questions_answered", count_answered(turn));
    json_key(&writer, "session_summary");
    if (kept != NULL)
        outcome_write(&writer, kept);
    else
        turn_write_summary(&writer, turn);
    turn_write_warnings(&writer, turn);
    json_end_object(&writer);
    return private_text_take(&out);
}

void turn_finish_interview(struct turn *turn)
{
    struct turn_result result = {.error = OK, .retry_after_s = -1};
    struct json_object *last = outcome_last(turn->session);
    struct json_object *summary = json_member(last, "session_summary");

    /* An interview whose questions were all skipped has its summary and keeps it. */
    if (count_answered(turn) == 0 && !session_is_complete(turn->session)) {
        turn_fail(turn, ERROR_NOTHING_ANSWERED);
    } else if (summary != NULL) {
        result.data = write_data(turn, summary);
        turn_finish(turn, &result);
    } else if (!turn_ask(turn, COACH_SUMMARY, NULL, on_summary)) {
        turn_warn(turn, WARNING_SUMMARY_MISSING);
        keep(turn);
    }
    json_wipe_and_put(last);
}

static void on_summary(void *context, enum error error, struct coach_reply reply)
{
    struct turn *turn = context;

    turn_take_summary(turn, error, &reply);
    keep(turn);
}

/* The data is the reply's too, once it is durable. */
static void keep(struct turn *turn)
{
    struct store_end end = turn_end_of(turn);
    struct store_finish finish = {
        .session_id = end.session_id,
        .request_id = end.request_id,
        .commit_count = turn->session->commit_count,
        .outcome = write_data(turn, NULL),
        .now_ms = end.now_ms,
        .expires_ms = end.expires_ms,
    };

    turn->data = private_text_clone(&finish.outcome);
    turn->has_claim = false;
    turn->step_us = clock_monotonic_us();
    store_finish_session(turn->services->store, &finish, on_kept, turn);
}

static void on_kept(void *context, enum error error)
{
    struct turn *turn = context;
    struct turn_result result = {.error = error, .retry_after_s = -1};

    turn->timings.us[TIMING_STORE] += clock_monotonic_us() - turn->step_us;
    if (error == OK)
        result.data = private_text_move(&turn->data);
    turn_finish(turn, &result);
}
