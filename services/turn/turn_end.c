/*
 * The claim that a turn holds while it runs, taken before anything that costs, and the end that gives
 * it back: the turn fails, is refused or is done, is written into the log and the counters, and
 * whoever started it is told.
 */
#include "turn_internal.h"

#include "clock.h"

#include <stdlib.h>
#include <string.h>

#define DAY_MS INT64_C(86400000)

static const char type_message[] =
    "The limit for spoken answers today is reached. You can "
    "still type your answer.";

struct store_input turn_input(const struct turn *turn)
{
    struct store_input input = turn->request.input;

    if (input.has_audio && !input.key.is_there) {
        input.key = (struct store_key){
            .is_there = true, .key = input.audio, .fingerprint = input.audio};
        if (turn_is_attempt(
                turn)) /* which is something else than the turn it may have been */
            input.key.key.bytes[0] ^= 1;
    }
    return input;
}

/* The built-in coach has no memory of what was said before. */
static bool has_model(const struct coaches *coaches)
{
    for (size_t at = 0; at < coaches->count; at++)
        if (!coaches->all[at]->is_builtin)
            return true;
    return false;
}

void turn_claim(struct turn *turn, store_begun_fn *done)
{
    const struct settings *settings = turn->services->settings;
    struct store_claim claim = {
        .session_id = turn->request.session_id,
        .request_id = turn->request.request_id,
        .purpose = turn->request.purpose,
        .wants_turns = has_model(turn->services->coaches),
        .attempts_most = (unsigned)settings->max_attempts_per_question,
        .input = turn_input(turn),
        .audio_ms = turn->request.audio_ms,
        .now_ms = clock_wall_ms(),
    };

    if (turn->request.purpose != STORE_FOR_FINISH)
        claim.caps =
            (struct store_day_caps){.turns = settings->max_turns_per_day,
                                    .audio_ms = settings->max_audio_s_per_day * 1000};
    store_begin_turn(turn->services->store, &claim, done, turn);
}

/* A cap is of a day, and the next day begins at midnight, UTC. */
void turn_turn_away(struct turn *turn, enum error error, const struct store_begun *begun)
{
    struct turn_result result = {.error = error, .retry_after_s = -1};
    int64_t left_ms = DAY_MS - clock_wall_ms() % DAY_MS;

    if (error == ERROR_USAGE_CAP_REACHED) {
        const char *details =
            begun->may_be_typed ? "{\"cap\":\"audio\"}" : "{\"cap\":\"turns\"}";

        result.retry_after_s = (left_ms + 999) / 1000;
        result.details = private_text_copy(details, strlen(details));
        if (begun->may_be_typed)
            result.message = private_text_copy(type_message, sizeof(type_message) - 1);
    }
    turn_finish(turn, &result);
}

struct store_end turn_end_of(const struct turn *turn)
{
    const struct settings *settings = turn->services->settings;
    int64_t now_ms = clock_wall_ms();

    return (struct store_end){
        .session_id = turn->request.session_id,
        .request_id = turn->request.request_id,
        .key = turn->request.input.key,
        .forgets_heard = turn->is_refused,
        .now_ms = now_ms,
        .expires_ms =
            session_expiry(turn->session->created_ms, now_ms,
                           settings->session_ttl_minutes, settings->session_max_hours),
    };
}

/* Takes the outcome, which is remembered where it is not empty. */
static void end_claim(struct turn *turn, struct private_text outcome)
{
    struct store_end end = turn_end_of(turn);

    end.outcome = outcome;
    turn->has_claim = false;
    store_end_turn(turn->services->store, &end);
}

/* ---- the log and the counters ---- */

static void count(const struct turn *turn, const struct turn_result *result)
{
    struct metrics *metrics = turn->services->metrics;
    const struct turn_timings *timings = &turn->timings;

    if (turn->request.purpose == STORE_FOR_FINISH)
        return;
    metrics_add(&metrics->TURNS[result->is_replay ? METRICS_REPLAYED : result->error], 1);
    if (turn->is_refused)
        metrics_add_named(&metrics->REFUSALS[turn->refuser], turn->reason);
    for (int part = 0; part < TIMING_COUNT; part++)
        if (timings->us[part] > 0) /* what did not run took no time */
            histogram_note(&metrics->TURN_DURATION[part], BUCKETS_DURATIONS,
                           timings->us[part]);
}

static void add_warning(struct turn *turn, enum stage stage, const char *code)
{
    struct turn_warning *slot = &turn->warnings[turn->warning_count];

    if (turn->warning_count == TURN_MAX_WARNINGS)
        return;
    slot->stage = stage;
    slot->code = code;
    turn->warning_count++;
}

void turn_warn(struct turn *turn, enum warning warning)
{
    add_warning(turn, warning_info(warning)->stage, warning_info(warning)->code);
}

void turn_warn_of(struct turn *turn, enum error error)
{
    add_warning(turn, error_info(error)->stage, error_info(error)->code);
}

void turn_warn_of_feedback(struct turn *turn)
{
    if (turn->kind != ANSWER_KIND_ANSWER)
        return;
    if (turn->is_low_confidence)
        turn_warn(turn, WARNING_LOW_CONFIDENCE);
    else if (turn->is_too_short)
        turn_warn(turn, WARNING_TOO_SHORT);
    else if (turn->reply.feedback_state == FEEDBACK_MISSING)
        turn_warn(turn, WARNING_FEEDBACK_MISSING);
    else if (turn->reply.feedback_state == FEEDBACK_INVALID)
        turn_warn(turn, WARNING_FEEDBACK_INVALID);
}

/* The one line of a turn in the log: numbers, ids, and words out of tables. */
static void log_turn(const struct turn *turn, const struct turn_result *result)
{
    struct log_line *line =
        log_begin(turn->services->log, log_level_of(result->error),
                  turn->is_refused                            ? "turn_refused"
                  : turn->request.purpose == STORE_FOR_FINISH ? "finish"
                                                              : "turn");

    log_request(line, &turn->request.request_id, &turn->request.trace);
    log_id(line, LOG_SESSION_ID, &turn->request.session_id);
    if (result->error != OK) {
        log_word(line, LOG_STAGE, stage_name(error_info(result->error)->stage));
        log_word(line, LOG_CODE, error_info(result->error)->code);
    }
    if (turn->is_refused) {
        log_word(line, LOG_SOURCE, refuser_name(turn->refuser));
        log_word(line, LOG_REASON, turn->reason);
    }
    if (result->is_replay)
        log_word(line, LOG_REPLAYED, "true");
    if (turn->number > 0)
        log_number(line, LOG_QUESTION_NUMBER, turn->number);
    if (turn_is_attempt(turn) && turn->session != NULL)
        log_number(line, LOG_ATTEMPT, turn->session->attempt_count + 1);
    if (turn->kind != ANSWER_KIND_ANSWER)
        log_word(line, LOG_KIND, answer_kind_name(turn->kind));
    log_word(line, LOG_COACH, turn_coach(turn)->name);
#define TIMING(symbol, name) \
    log_number(line, LOG_##symbol##_MS, turn->timings.us[TIMING_##symbol] / 1000);
#include "metric_labels.def"
    log_end(line);
}

void turn_note_step(const struct turn *turn, const char *name, enum error error)
{
    struct trace trace = trace_child(&turn->request.trace);

    spans_note(turn->services->spans,
               &(struct span_note){
                   .name = name,
                   .kind = SPAN_INTERNAL,
                   .trace = &trace,
                   .started_us = turn->step_us,
                   .error = error != OK ? error_info(error)->code : NULL,
                   .request_id = &turn->request.request_id,
                   .session_id = &turn->request.session_id,
               });
}

/* ---- the end ---- */

static void turn_free(struct turn *turn)
{
    private_text_free(&turn->request.transcript);
    turn_forget_recording(turn);
    free(turn->words);
    private_text_free(&turn->measured);
    private_text_free(&turn->delivery);
    private_text_free(&turn->announced);
    private_text_free(&turn->data);
    reply_reader_done(&turn->reader);
    reply_free(&turn->reply);
    if (turn->summary != NULL)
        summary_free(turn->summary);
    free(turn->summary);
    session_free(turn->own_session);
    free(turn);
}

void turn_fail(struct turn *turn, enum error error)
{
    struct turn_result result = {.error = error, .retry_after_s = -1};

    turn_finish(turn, &result);
}

/* A refusal is an outcome: the same request under the same key is refused again, without
 * a call. */
void turn_refuse(struct turn *turn, enum refuser refuser, const char *reason,
                 struct private_text message)
{
    struct turn_result result = {
        .error = ERROR_CONTENT_REFUSED, .retry_after_s = -1, .message = message};
    struct private_text outcome = {NULL, 0};

    turn->is_refused = true;
    turn->refuser = refuser;
    strncpy(turn->reason, reason, sizeof(turn->reason) - 1);
    result.details = turn_write_details(turn);
    if (turn->request.input.key.is_there)
        outcome = turn_write_refusal(&result);
    end_claim(turn, outcome);
    turn_finish(turn, &result);
}

void turn_finish(struct turn *turn, struct turn_result *result)
{
    struct private_text nothing = {NULL, 0};

    if (turn->has_claim)
        end_claim(turn, nothing);
    turn->timings.us[TIMING_TOTAL] = clock_monotonic_us() - turn->request.received_us;
    result->timings = turn->timings;
    if (turn->is_admitted) {
        log_turn(turn, result);
        count(turn, result);
        atomic_fetch_sub_explicit(turn->services->inflight, 1, memory_order_relaxed);
        metrics_add(&turn->services->metrics->TURNS_INFLIGHT, -1);
    }
    if (result->error != OK)
        turn_hush(turn);
    turn->done(turn->context, *result);
    turn_free(turn);
}

void turn_note_arrival(const struct turn_services *services, const struct id *session_id,
                       unsigned commit_number, bool has_arrived)
{
    if (!has_arrived)
        metrics_add(&services->metrics->RESPONSES_UNDELIVERED, 1);
    store_report_delivery(services->store, session_id, commit_number, has_arrived);
}

void turn_result_free(struct turn_result *result)
{
    private_text_free(&result->data);
    private_text_free(&result->message);
    private_text_free(&result->details);
}
