/*
 * One call of the coach for a turn.
 */
#include "turn_internal.h"

#include "clock.h"
#include "prompt.h"

#define MEASURED_BYTES 4096
#define TIME_BEHIND_MS 1500

int64_t turn_time_left_ms(const struct turn *turn, int64_t longest_ms)
{
    int64_t left_ms = (turn->deadline_us - clock_monotonic_us()) / 1000;

    return left_ms < longest_ms ? left_ms : longest_ms;
}

int64_t turn_time_share_ms(const struct turn *turn, size_t behind, int64_t longest_ms)
{
    int64_t left_ms = turn_time_left_ms(turn, INT64_MAX);
    int64_t even_ms = left_ms / (int64_t)(behind + 1);
    int64_t share_ms = left_ms - (int64_t)behind * TIME_BEHIND_MS;

    if (share_ms < even_ms)
        share_ms = even_ms;
    return share_ms < longest_ms ? share_ms : longest_ms;
}

bool turn_may_ask_elsewhere(struct turn *turn, enum error error)
{
    const struct coaches *coaches = turn->services->coaches;

    if (!fallback_helps(error) || turn->coach_at + 1 == coaches->count ||
        !private_text_is_empty(&turn->announced))
        return false;
    turn->coach_at++;
    return true;
}

bool turn_ask(struct turn *turn, enum coach_task task, coach_text_fn *on_text,
              coach_done_fn *done)
{
    struct coach *vendor = turn_coach(turn);
    const struct session *session = turn->session;
    struct coach_turn turns[SESSION_MAX_QUESTIONS];
    struct coach_ask coach_ask = {
        .task = task,
        .facts =
            {
                .role = &session->role,
                .interview_type = &session->interview_type,
                .difficulty = (enum difficulty)session->difficulty,
                .question_number = turn->number,
                .total_questions = session->total_questions,
                .question = session_current_question(session),
                .asked_questions = session->asked,
                .asked_count = session->asked_count,
                .transcript = &turn->request.transcript,
                .words_per_minute = turn->delivery.spoken.words_per_minute,
                .longest_pause_ms = turn->delivery.spoken.longest_pause_ms,
                .turns = turns,
            },
        .request_id = turn->request.request_id,
        .trace = turn->request.trace,
        .timeout_ms =
            turn_time_share_ms(turn, turn->services->coaches->count - turn->coach_at - 1,
                               turn->services->settings->llm_timeout_s * 1000),
        .on_text = on_text,
    };

    struct buffer measured;

    if (coach_ask.timeout_ms <= 0)
        return false;
    buffer_init(&measured, MEASURED_BYTES);
    delivery_describe(&measured, &turn->delivery);
    coach_ask.facts.measured = (struct span){measured.bytes, measured.length};
    if (task == COACH_SUMMARY)
        coach_ask.facts.turn_count = turn_history(turn, turns);
    prompt_write(&coach_ask);
    turn->step_us = clock_monotonic_us();
    turn->pending = vendor->start(vendor, &coach_ask, done, turn);
    buffer_done(&measured);
    return true;
}
