/*
 * One interview turn: from the candidate's answer to the coach's next question, or to feedback alone
 * where it is another attempt at the question before.
 *
 *   turn_start > begin > transcribe > screen_answer > coach > screen_reply > sum_up > commit
 *                                                     |                        |
 *                                                     announce > speak --------+
 *
 * The functions stand in the order in which they run.  A step that must wait starts one call and
 * returns; its continuation is the function right below it.  Every path ends in turn_finish(),
 * the only caller of turn->done.  Only commit() changes the session, so a refused turn cannot.
 */
#include "turn.h"

#include "clock.h"
#include "mem.h"
#include "turn_internal.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ASKS 2 /* a reply without a question is asked for once more */

/* The contract's words; the refusal of gate 2 without a text of its own is the table's.
 */
static const char filter_message[] =
    "Your response couldn't be processed. Please rephrase your "
    "answer to focus on the interview question.";

static loop_fn turn_aborted;
static void begin(struct turn *turn);
static store_begun_fn on_begun;
static void replay(struct turn *turn, struct store_begun *begun);
static void transcribe(struct turn *turn, const struct private_text *heard);
static transcriber_done_fn on_heard;
static void screen_answer(struct turn *turn);
static void coach(struct turn *turn);
static store_session_fn on_read_again;
static void ask(struct turn *turn);
static coach_text_fn on_text;
static void announce(struct turn *turn, struct private_text question);
static speaker_done_fn on_spoken;
static coach_done_fn on_reply;
static void settle_text(struct turn *turn);
static void screen_reply(struct turn *turn);
static void refuse_by_model(struct turn *turn);
static void sum_up(struct turn *turn);
static coach_done_fn on_summary;
static void commit_when_ready(struct turn *turn);
static void commit(struct turn *turn);
static void keep_reply(struct turn *turn);
static store_done_fn on_committed;

static enum error admit(const struct turn_services *services)
{
    if (atomic_load_explicit(services->is_draining, memory_order_relaxed))
        return ERROR_DRAINING;
    if (atomic_load_explicit(services->inflight, memory_order_relaxed) >=
        services->settings->max_inflight_turns)
        return ERROR_OVERLOADED;
    return OK;
}

void turn_start(const struct turn_services *services, struct turn_request *request,
                turn_done_fn *done, void *context)
{
    struct turn *turn = MEM_NEW(struct turn);

    turn->services = services;
    turn->done = done;
    turn->context = context;
    turn->request = *request;
    memset(request, 0, sizeof(*request));
    turn->started_us = clock_monotonic_us();
    turn->deadline_us = turn->started_us - turn->request.asked_us +
                        services->settings->turn_deadline_s * 1000000;
    turn->timings.us[TIMING_UPLOAD] = turn->request.upload_us;
    turn->timings.us[TIMING_STORE] = turn->request.asked_us;
    turn->spoken = SPOKEN_UNKNOWN;

    if (admit(services) == OK) {
        turn->is_admitted = true;
        atomic_fetch_add_explicit(services->inflight, 1, memory_order_relaxed);
        metrics_add(&services->metrics->TURNS_INFLIGHT, 1);
        begin(turn);
    } else {
        loop_later(services->loop, turn_aborted, turn);
    }
}

/* Not admitted: nothing was claimed, counted or stored. */
static void turn_aborted(void *context)
{
    struct turn *turn = context;
    enum error error = admit(turn->services);

    turn_fail(turn, error != OK ? error : ERROR_OVERLOADED);
}

static void begin(struct turn *turn)
{
    turn->step_us = clock_monotonic_us();
    turn_claim(turn, on_begun);
}

static void on_begun(void *context, enum error error, struct store_begun begun)
{
    struct turn *turn = context;
    bool is_turn = turn->request.purpose == STORE_FOR_TURN;

    turn->timings.us[TIMING_STORE] += clock_monotonic_us() - turn->step_us;
    if (error != OK) {
        turn_turn_away(turn, error, &begun);
        return;
    }
    if (begun.decision == STORE_REPLAY) {
        replay(turn, &begun);
        return;
    }
    turn->has_claim = true;
    turn->own_session = begun.session;
    turn->session = begun.session;
    turn->number = begun.session->turn_count + is_turn;
    turn->is_last = is_turn && turn->number == begun.session->total_questions;
    if (turn->request.purpose == STORE_FOR_FINISH)
        turn_finish_interview(turn);
    else
        transcribe(turn, &begun.heard);
    private_text_free(&begun.heard);
}

/* The outcome of then, under the request id of now. */
static void replay(struct turn *turn, struct store_begun *begun)
{
    struct turn_result result = {.retry_after_s = -1, .is_replay = true};

    if (!begun->is_refusal) {
        result.data = begun->outcome;
        result.commit_number = begun->commit_number; /* 0 of a reply that was kept */
    } else {
        if (turn_read_refusal(&begun->outcome, &result))
            result.error = ERROR_CONTENT_REFUSED;
        else
            result.error = ERROR_INTERNAL_ERROR;
        private_text_free(&begun->outcome);
    }
    turn_finish(turn, &result);
}

static void tell(struct turn *turn, enum turn_news news, const struct private_text *text)
{
    if (turn->request.news != NULL)
        turn->request.news(turn->context, news, text,
                           news == TURN_AUDIO ? turn->speech.content_type : NULL);
}

/* A transcript that the client sent, or that was heard before, needs no ears. */
static void transcribe(struct turn *turn, const struct private_text *heard)
{
    if (!private_text_is_blank(&turn->request.transcript)) {
        screen_answer(turn);
    } else if (!turn->request.input.has_audio) {
        turn_fail(turn, ERROR_MISSING_INPUT);
    } else if (turn_recall(turn, heard)) {
        screen_answer(turn);
    } else if (turn->services->transcribers->count == 0) {
        turn_fail(turn, ERROR_STT_NOT_CONFIGURED);
    } else {
        tell(turn, TURN_TRANSCRIBING, NULL);
        if (!turn_hear(turn, on_heard))
            turn_fail(turn, ERROR_STT_TIMEOUT);
    }
}

static void on_heard(void *context, enum error error, struct transcript transcript)
{
    struct turn *turn = context;
    struct turn_result result = {.error = error,
                                 .retry_after_s = transcript.retry_after_s};

    turn->hearing = NULL;
    turn->timings.us[TIMING_STT] += clock_monotonic_us() - turn->step_us;
    if (turn_may_hear_elsewhere(turn, error) && turn_hear(turn, on_heard)) {
        transcript_free(&transcript);
        return;
    }
    turn_forget_recording(turn);
    if (error != OK) {
        transcript_free(&transcript);
        turn_finish(turn, &result);
        return;
    }
    turn->spoken = delivery_spoken(&transcript);
    turn->words = transcript.words;
    turn->word_count = transcript.word_count;
    transcript.words = NULL;
    private_text_free(&turn->request.transcript);
    turn->request.transcript = private_text_move(&transcript.text);
    transcript_free(&transcript);
    screen_answer(turn);
}

/* Gate 1: what the filter stops or did not read goes nowhere, and what was heard is kept only if it
 * passes. */
static void screen_answer(struct turn *turn)
{
    struct filter_verdict verdict = turn_screen_answer(turn);

    if (turn->ear_at > 0 && verdict.outcome != FILTER_HIT)
        turn_remember(turn);
    switch (verdict.outcome) {
    case FILTER_PASS:
        tell(turn, TURN_TRANSCRIPT, &turn->request.transcript);
        turn_measure(turn);
        coach(turn);
        break;
    case FILTER_UNAVAILABLE: turn_fail(turn, ERROR_SAFETY_UNAVAILABLE); break;
    case FILTER_HIT:
        turn_refuse(turn, REFUSER_FILTER, verdict.category,
                    private_text_copy(filter_message, sizeof(filter_message) - 1));
        break;
    }
}

/* Who is asked after somebody else gets the same prompt, for which the session is read again. */
static void coach(struct turn *turn)
{
    if (!turn->has_let_go) {
        ask(turn);
        return;
    }
    turn->step_us = clock_monotonic_us();
    store_load_session(turn->services->store, &turn->request.session_id, clock_wall_ms(),
                       true, on_read_again, turn);
}

static void on_read_again(void *context, enum error error, struct session *session,
                          bool is_replay)
{
    struct turn *turn = context;

    (void)is_replay;
    turn->timings.us[TIMING_STORE] += clock_monotonic_us() - turn->step_us;
    if (error == OK && (session->commit_count != turn->session->commit_count ||
                        session->is_finished != turn->session->is_finished)) {
        session_free(session); /* another process went on with it */
        error = ERROR_TURN_IN_PROGRESS;
    }
    if (error != OK) {
        turn_fail(turn, error);
        return;
    }
    session_free(turn->own_session);
    turn->own_session = session;
    turn->session = session;
    turn->has_let_go = false;
    ask(turn);
}

/* The answer is streamed only where somebody can do something with its beginning. */
static void ask(struct turn *turn)
{
    enum coach_task task = turn_is_attempt(turn) ? COACH_ATTEMPT
                           : turn->is_last       ? COACH_CLOSING
                                                 : COACH_NEXT_QUESTION;
    bool is_streamed = turn->services->speaker != NULL || turn->request.news != NULL;

    if (turn->asks++ == 0)
        tell(turn, TURN_THINKING, NULL);
    reply_reader_done(&turn->reader);
    if (!turn_ask(turn, task, is_streamed ? on_text : NULL, on_reply))
        turn_fail(turn, ERROR_LLM_TIMEOUT);
}

/* The question is passed on while the feedback is still being written, once it is known
 * that this is no refusal.  What the filter stops here is judged again, with the rest, in
 * the end. */
static void on_text(void *context, struct span text)
{
    struct turn *turn = context;
    struct private_text question = {NULL, 0};
    bool is_repeat;

    reply_reader_feed(&turn->reader, text, &question);
    is_repeat = turn->reader.kind == ANSWER_KIND_REPEAT;
    if (turn_is_attempt(turn) && !is_repeat) {
        private_text_free(&question);
        if (reply_reader_is_cleared(&turn->reader) &&
            private_text_is_empty(&turn->announced))
            announce(turn, turn_pending_text(turn));
        return;
    }
    if (private_text_is_empty(&question))
        return;
    if (turn->is_last && !is_repeat)
        reply_make_closing(&question);
    if (private_text_is_empty(&turn->announced) &&
        turn_screen(turn, &question).outcome == FILTER_PASS)
        announce(turn, question);
    else
        private_text_free(&question);
}

/* Takes the question, which has passed both halves of gate 2. */
static void announce(struct turn *turn, struct private_text question)
{
    turn->announced = question;
    tell(turn, TURN_ASSISTANT_TEXT, &turn->announced);
    if (turn->services->speaker != NULL)
        tell(turn, TURN_SPEAKING, NULL);
    turn_speak(turn, on_spoken);
}

/* Speech never fails a turn.  Whoever follows the turn hears it now, while the model may still be
 * writing its feedback: that it is paid for by then, also where the turn fails, is the price. */
static void on_spoken(void *context, enum error error, struct speech speech)
{
    struct turn *turn = context;
    int64_t most_bytes = turn->services->settings->tts_cache_max_bytes;

    turn->speaking = NULL;
    turn->timings.us[TIMING_TTS] += clock_monotonic_us() - turn->speaking_since_us;
    if (error == OK && (int64_t)speech.audio.length > most_bytes) {
        private_text_free(&speech.audio); /* the store would have no room to keep it */
        error = ERROR_TTS_PROVIDER_ERROR;
    }
    turn->speech = speech;
    if (error != OK)
        turn_warn_of(turn, error);
    else if (speech.audio.length <= TURN_AUDIO_BYTES)
        tell(turn, TURN_AUDIO, &turn->speech.audio);
    commit_when_ready(turn);
}

static void on_reply(void *context, enum error error, struct coach_reply reply)
{
    struct turn *turn = context;

    turn->pending = NULL;
    turn->timings.us[TIMING_LLM] += clock_monotonic_us() - turn->step_us;
    if (turn_coach(turn)->model == NULL)
        turn_note_step(turn, "coach", error);
    if (error != OK) {
        struct turn_result result = {.error = error,
                                     .retry_after_s = reply.retry_after_s};

        if (turn_may_ask_elsewhere(turn, error))
            coach(turn);
        else
            turn_finish(turn, &result);
        return;
    }
    if (reply.is_another)
        reply_reader_done(&turn->reader);
    reply_free(&turn->reply);
    reply_reader_end(&turn->reader, &reply.text, &turn->reply);
    private_text_free(&reply.text);
    if (!turn->reply.is_refused)
        settle_text(turn);

    if (turn->reply.is_refused)
        refuse_by_model(turn);
    else if (!private_text_is_empty(&turn->reply.question))
        screen_reply(turn);
    else if (turn->asks < MOST_ASKS ||
             turn_may_ask_elsewhere(turn, ERROR_LLM_PROVIDER_ERROR))
        coach(turn);
    else
        turn_fail(turn, ERROR_LLM_PROVIDER_ERROR);
}

/* Gate 2, the verdict.  The model's words are passed on only where they are calm on their own.  A refusal
 * tells no text of the model before it: a model that says so after it has said the opposite, and
 * somebody was told, contradicts itself, which is no reply that can be understood. */
static void refuse_by_model(struct turn *turn)
{
    struct private_text words = {NULL, 0};

    if (turn->request.news != NULL && !private_text_is_empty(&turn->announced)) {
        turn_fail(turn, ERROR_LLM_PROVIDER_ERROR);
        return;
    }
    if (turn_refusal_is_calm(turn))
        words = private_text_move(&turn->reply.question);
    turn_refuse(turn, REFUSER_MODEL, "refused", words);
}

/* What the model wrote is said where it is a next question or the closing, and where it says the same
 * question in plainer words that pass the filter. */
static void settle_text(struct turn *turn)
{
    struct private_text *text = &turn->reply.question;

    turn->kind = turn->reply.kind;
    if (turn->kind == ANSWER_KIND_REPEAT) {
        if (!private_text_is_empty(text) &&
            turn_screen(turn, text).outcome == FILTER_PASS)
            return;
        private_text_free(text);
        *text = private_text_clone(turn_question(turn));
    } else if (turn_is_attempt(turn)) {
        private_text_free(text);
        *text = turn_pending_text(turn);
    } else if (turn->is_last && !private_text_is_empty(text)) {
        reply_make_closing(text);
    }
}

/* Gate 2, the text: what the filter stops is never shown.  What the candidate has been told before
 * passed it then.  Feedback that fails after its
 * question has been passed on is dropped alone. */
static void screen_reply(struct turn *turn)
{
    struct filter_verdict verdict = {.outcome = FILTER_PASS};

    if (!turn_is_attempt(turn) && turn->kind != ANSWER_KIND_REPEAT)
        verdict = turn_screen(turn, &turn->reply.question);
    if (verdict.outcome == FILTER_PASS) {
        verdict = turn_screen_feedback(turn);
        if (verdict.outcome != FILTER_PASS && !private_text_is_empty(&turn->announced)) {
            turn->reply.feedback_state = FEEDBACK_INVALID;
            verdict.outcome = FILTER_PASS;
        }
    }
    switch (verdict.outcome) {
    case FILTER_PASS: sum_up(turn); break;
    case FILTER_UNAVAILABLE: turn_fail(turn, ERROR_SAFETY_UNAVAILABLE); break;
    case FILTER_HIT:
        turn_refuse(turn, REFUSER_MODEL, verdict.category,
                    (struct private_text){NULL, 0});
        break;
    }
}

/* The last turn also makes the summary, and so does each other attempt behind it, while the reply is
 * spoken.  Neither can fail the turn. */
static void sum_up(struct turn *turn)
{
    turn_warn_of_feedback(turn);
    turn_check_quotes(turn);
    if (!private_text_equals(&turn->announced, &turn->reply.question)) {
        turn_hush(turn);
        private_text_free(&turn->announced);
        announce(turn, private_text_clone(&turn->reply.question));
    }
    turn->is_accepted = true;
    if (turn_completes(turn) && turn->kind != ANSWER_KIND_REPEAT &&
        !turn_ask(turn, COACH_SUMMARY, NULL, on_summary))
        turn_warn(turn, WARNING_SUMMARY_MISSING);
    commit_when_ready(turn);
}

static void on_summary(void *context, enum error error, struct coach_reply reply)
{
    struct turn *turn = context;

    turn_take_summary(turn, error, &reply);
    commit_when_ready(turn);
}

static void commit_when_ready(struct turn *turn)
{
    if (turn->is_accepted && turn->pending == NULL && turn->speaking == NULL)
        turn->kind == ANSWER_KIND_REPEAT ? keep_reply(turn) : commit(turn);
}

/* The data, which is the turn's own too: the reply's, once it is durable. */
static struct private_text make_data(struct turn *turn)
{
    turn->timings.us[TIMING_TOTAL] = clock_monotonic_us() - turn->request.received_us;
    turn->data = turn_write_data(turn);
    return private_text_clone(&turn->data);
}

static struct store_speech take_speech(struct turn *turn, int64_t now_ms)
{
    const struct settings *settings = turn->services->settings;

    if (private_text_is_empty(&turn->speech.audio))
        return (struct store_speech){.content_type = NULL};
    return (struct store_speech){
        .audio = private_text_move(&turn->speech.audio),
        .content_type = turn->speech.content_type,
        .expires_ms = now_ms + settings->tts_cache_ttl_s * 1000,
        .max_total_bytes = settings->tts_cache_max_bytes,
    };
}

static void commit(struct turn *turn)
{
    const struct settings *settings = turn->services->settings;
    int64_t now_ms = clock_wall_ms();
    struct store_commit commit = {
        .session_id = turn->request.session_id,
        .request_id = turn->request.request_id,
        .input = turn_input(turn),
        .commit_number = turn->session->commit_count + 1,
        .turn_number = turn->number,
        .was_finished = turn->session->is_finished,
        .is_skipped = turn->kind == ANSWER_KIND_SKIP,
        .is_scored = turn_is_scored(turn),
        .now_ms = now_ms,
        .expires_ms =
            session_expiry(turn->session->created_ms, now_ms,
                           settings->session_ttl_minutes, settings->session_max_hours),
    };

    memcpy(commit.scores, turn->reply.feedback.scores, sizeof(commit.scores));
    commit.outcome = make_data(turn);
    commit.speech = take_speech(turn, now_ms);
    /* The words are written into the data: the store may have them. */
    commit.transcript = private_text_move(&turn->request.transcript);
    if (!turn->is_last && !turn_is_attempt(turn))
        commit.next_question = private_text_move(&turn->reply.question);
    turn->has_claim = false;
    turn->step_us = clock_monotonic_us();
    store_commit_turn(turn->services->store, &commit, on_committed, turn);
}

/* The question was said again: the session stays as it was, and the same request gets the same
 * reply. */
static void keep_reply(struct turn *turn)
{
    struct store_end end = turn_end_of(turn);

    end.key = turn_input(turn).key;
    end.outcome = make_data(turn);
    end.speech = take_speech(turn, end.now_ms);
    end.forgets_heard = true;
    turn->has_claim = false;
    turn->step_us = clock_monotonic_us();
    store_keep_reply(turn->services->store, &end, on_committed, turn);
}

static void on_committed(void *context, enum error error)
{
    struct turn *turn = context;
    struct turn_result result = {.error = error, .retry_after_s = -1};

    turn->timings.us[TIMING_STORE] += clock_monotonic_us() - turn->step_us;
    turn_note_step(turn, "commit", error);
    if (error == OK) {
        result.data = private_text_move(&turn->data);
        if (turn->kind != ANSWER_KIND_REPEAT)
            result.commit_number = turn->session->commit_count + 1;
    }
    turn_finish(turn, &result);
}
