/*
 * A turn in the log and in the counters: numbers, ids, and words out of tables.
 */
#include "turn_internal.h"

/* A stage that did not run took no time. */
static void count_time(struct metrics *metrics, enum timing stage, int64_t us)
{
    if (us > 0)
        histogram_note(&metrics->TURN_DURATION[stage], BUCKETS_DURATIONS, us);
}

static void count(const struct turn *turn, const struct turn_result *result)
{
    struct metrics *metrics = turn->services->metrics;
    const struct turn_timings *timings = &turn->timings;

    metrics_add(&metrics->TURNS[result->is_replay ? METRICS_REPLAYED : result->error], 1);
    if (turn->refusal_source != NULL)
        metrics_add_named(
            &metrics->REFUSALS[turn->refusal_source[0] == 'f' ? REFUSER_FILTER
                                                              : REFUSER_MODEL],
            turn->refusal_reason);
    count_time(metrics, TIMING_UPLOAD, timings->upload_us);
    count_time(metrics, TIMING_STT, timings->stt_us);
    count_time(metrics, TIMING_SAFETY, timings->safety_us);
    count_time(metrics, TIMING_LLM, timings->llm_us);
    count_time(metrics, TIMING_TTS, timings->tts_us);
    count_time(metrics, TIMING_STORE, timings->store_us);
    count_time(metrics, TIMING_TOTAL, timings->total_us);
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
    if (turn->delivery.is_low_confidence)
        turn_warn(turn, WARNING_LOW_CONFIDENCE);
    else if (turn->delivery.is_too_short)
        turn_warn(turn, WARNING_TOO_SHORT);
    else if (turn->reply.feedback_state == FEEDBACK_MISSING)
        turn_warn(turn, WARNING_FEEDBACK_MISSING);
    else if (turn->reply.feedback_state == FEEDBACK_INVALID)
        turn_warn(turn, WARNING_FEEDBACK_INVALID);
}

void turn_report(const struct turn *turn, const struct turn_result *result)
{
    const struct turn_timings *timings = &turn->timings;
    struct log_line *line =
        log_begin(turn->services->log, LOG_INFO,
                  turn->refusal_source != NULL ? "turn_refused" : "turn");

    log_id(line, LOG_REQUEST_ID, &turn->request.request_id);
    log_id(line, LOG_SESSION_ID, &turn->request.session_id);
    if (result->error != OK) {
        log_word(line, LOG_STAGE, stage_name(error_info(result->error)->stage));
        log_word(line, LOG_CODE, error_info(result->error)->code);
    }
    if (turn->refusal_source != NULL) {
        log_word(line, LOG_SOURCE, turn->refusal_source);
        log_word(line, LOG_REASON, turn->refusal_reason);
    }
    if (result->is_replay)
        log_word(line, LOG_REPLAYED, "true");
    if (turn->number > 0)
        log_number(line, LOG_QUESTION_NUMBER, turn->number);
    log_word(line, LOG_COACH, turn_coach(turn)->name);
    log_number(line, LOG_UPLOAD_MS, timings->upload_us / 1000);
    log_number(line, LOG_STT_MS, timings->stt_us / 1000);
    log_number(line, LOG_SAFETY_MS, timings->safety_us / 1000);
    log_number(line, LOG_LLM_MS, timings->llm_us / 1000);
    log_number(line, LOG_TTS_MS, timings->tts_us / 1000);
    log_number(line, LOG_STORE_MS, timings->store_us / 1000);
    log_number(line, LOG_TOTAL_MS, timings->total_us / 1000);
    log_end(line);
    count(turn, result);
}
