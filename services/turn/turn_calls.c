/*
 * The calls of a turn: hearing the recording, asking the coach, speaking the reply; and the time
 * that each of them may take.
 */
#include "turn_internal.h"

#include "advert.h"
#include "clock.h"
#include "json.h"
#include "opening.h"
#include "private_reveal.h"
#include "prompt.h"

#define HEARD_BYTES    (64 * 1024)
#define TIME_BEHIND_MS 1500

/* Until the turn's deadline, at most `longest_ms`. */
static int64_t time_left_ms(const struct turn *turn, int64_t longest_ms)
{
    int64_t left_ms = (turn->deadline_us - clock_monotonic_us()) / 1000;

    return left_ms < longest_ms ? left_ms : longest_ms;
}

/* Likewise for one of several who may be needed one after the other: who is not the last
 * leaves a second and a half to each of the `behind` others, or an even share where there
 * is less. */
static int64_t time_share_ms(const struct turn *turn, size_t behind, int64_t longest_ms)
{
    int64_t left_ms = time_left_ms(turn, INT64_MAX);
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

/* But for what has to be written or counted. */
static struct coach_facts facts_of(const struct turn *turn)
{
    const struct session *session = turn->session;

    return (struct coach_facts){
        .role = &session->role,
        .interview_type = &session->interview_type,
        .difficulty = (enum difficulty)session->difficulty,
        .question_number = turn->number,
        .total_questions = session->total_questions,
        .question = turn_question(turn),
        .asked_questions = session->asked,
        .asked_count = session->asked_count,
        .transcript = &turn->request.transcript,
        .measured = private_reveal(&turn->measured),
        .words_per_minute = turn->spoken.words_per_minute,
        .longest_pause_ms = turn->spoken.longest_pause_ms,
        .job_advert = &session->papers.job_advert,
        .resume = &session->papers.resume,
    };
}

bool turn_ask(struct turn *turn, enum coach_task task, coach_text_fn *on_text,
              coach_done_fn *done)
{
    struct coach *coach = turn_coach(turn);
    size_t behind = turn->services->coaches->count - turn->coach_at - 1;
    struct private_text demands[ADVERT_DEMANDS_MOST];
    const struct session_turn *before = turn_previous(turn);
    struct coach_turn turns[SESSION_MAX_QUESTIONS];
    struct coach_turn previous;
    struct coach_ask ask = {
        .task = task,
        .facts = facts_of(turn),
        .request_id = turn->request.request_id,
        .trace = turn->request.trace,
        .timeout_ms =
            time_share_ms(turn, behind, turn->services->settings->llm_timeout_s * 1000),
        .on_text = on_text,
    };

    if (ask.timeout_ms <= 0)
        return false;
    ask.facts.demands = demands;
    ask.facts.demand_count = opening_demands(&turn->session->papers, demands);
    ask.facts.turns = turns;
    ask.facts.turn_count = task == COACH_SUMMARY ? turn_best_answers(turn, turns)
                                                 : turn_earlier_answers(turn, turns);
    if (task == COACH_ATTEMPT && before != NULL) {
        previous = turn_of_coach(before);
        ask.facts.previous = &previous;
    }
    prompt_write(&ask);
    turn->step_us = clock_monotonic_us();
    turn->pending = coach->start(coach, &ask, done, turn);
    for (size_t i = 0; i < ask.facts.demand_count; i++)
        private_text_free(&demands[i]);
    if (task == COACH_NEXT_QUESTION) {
        session_let_go(turn->own_session, turn->number);
        turn->has_let_go = true;
    }
    return true;
}

/* ---- the recording and the voice ---- */

bool turn_hear(struct turn *turn, transcriber_done_fn *done)
{
    const struct transcribers *all = turn->services->transcribers;
    struct transcriber *transcriber = all->all[turn->ear_at];
    size_t ears_behind = all->count - turn->ear_at - 1;
    size_t behind = ears_behind > 0 ? ears_behind + 1 : 0; /* the coach comes as well */
    struct buffer kept = {0};
    struct transcriber_ask ask = {
        .container = turn->request.container,
        .request_id = turn->request.request_id,
        .trace = turn->request.trace,
        .timeout_ms =
            time_share_ms(turn, behind, turn->services->settings->stt_timeout_s * 1000),
    };

    if (ask.timeout_ms <= 0)
        return false;
    if (++turn->ear_at < all->count) {
        buffer_init(&kept, turn->request.recording.ceiling);
        buffer_append(&kept, turn->request.recording.bytes,
                      turn->request.recording.length);
    }
    ask.recording = turn->request.recording;
    turn->request.recording = kept;
    turn->step_us = clock_monotonic_us();
    turn->hearing = transcriber->start(transcriber, &ask, done, turn);
    return true;
}

void turn_forget_recording(struct turn *turn)
{
    buffer_done(&turn->request.recording);
    atomic_fetch_sub(turn->services->upload_bytes, turn->request.held_bytes);
    turn->request.held_bytes = 0;
}

bool turn_may_hear_elsewhere(const struct turn *turn, enum error error)
{
    return fallback_helps(error) && turn->ear_at < turn->services->transcribers->count;
}

void turn_remember(struct turn *turn)
{
    const struct store_input *input = &turn->request.input;
    struct private_text heard;
    struct json_writer writer;
    struct buffer out;

    buffer_init(&out, HEARD_BYTES);
    json_writer_init(&writer, &out);
    json_begin_object(&writer);
    json_put_private(&writer, "transcript", &turn->request.transcript);
    json_put_decimal(&writer, "confidence", turn->spoken.confidence, 4);
    json_put_integer(&writer, "words_per_minute", turn->spoken.words_per_minute);
    json_put_integer(&writer, "longest_pause_ms", turn->spoken.longest_pause_ms);
    json_end_object(&writer);
    if (out.is_over) {
        buffer_done(&out); /* not kept: the retry is transcribed again */
        return;
    }
    heard = private_text_take(&out);
    store_remember_heard(turn->services->store, &turn->request.session_id, &input->audio,
                         &heard);
}

bool turn_recall(struct turn *turn, const struct private_text *heard)
{
    struct span text = private_reveal(heard);
    struct json_object *object = json_parse(text.bytes, text.length, 2);
    struct span transcript = json_member_string(object, "transcript");
    bool is_there = transcript.length > 0;

    if (is_there) {
        turn->request.transcript = private_text_copy(transcript.bytes, transcript.length);
        turn->spoken.confidence =
            json_object_get_double(json_member(object, "confidence"));
        turn->spoken.words_per_minute =
            json_object_get_int64(json_member(object, "words_per_minute"));
        turn->spoken.longest_pause_ms =
            json_object_get_int64(json_member(object, "longest_pause_ms"));
    }
    json_wipe_and_put(object);
    return is_there;
}

void turn_speak(struct turn *turn, speaker_done_fn *done)
{
    struct speaker *speaker = turn->services->speaker;
    struct speaker_ask ask = {
        .request_id = turn->request.request_id,
        .trace = turn->request.trace,
        .timeout_ms = time_left_ms(turn, turn->services->settings->tts_timeout_s * 1000),
    };

    if (speaker == NULL)
        return;
    if (ask.timeout_ms <= 0) {
        turn_warn_of(turn, ERROR_TTS_TIMEOUT);
        return;
    }
    ask.text = private_text_clone(&turn->announced);
    turn->speaking_since_us = clock_monotonic_us();
    turn->speaking = speaker->start(speaker, &ask, done, turn);
}

void turn_hush(struct turn *turn)
{
    if (turn->speaking != NULL || turn->speech.content_type != NULL)
        metrics_add(&turn->services->metrics->SPEECHES_UNUSED, 1);
    if (turn->speaking != NULL)
        turn->services->speaker->cancel(turn->speaking);
    turn->speaking = NULL;
    private_text_free(&turn->speech.audio);
    turn->speech.content_type = NULL;
}
