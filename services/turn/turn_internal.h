/*
 * A turn under way: what the pipeline (turn.c) shares with its calls (turn_calls.c), the filter's
 * verdicts (turn_screen.c), what it writes (turn_data.c) and its claim and end (turn_end.c).
 */
#ifndef TURN_INTERNAL_H
#define TURN_INTERNAL_H

#include "delivery_internal.h"
#include "reply_internal.h"
#include "turn.h"

#define TURN_MAX_WARNINGS 8

struct turn_warning {
    enum stage stage;
    const char *code; /* static */
};

struct turn {
    const struct turn_services *services; /* borrowed */
    turn_done_fn *done;
    void *context;
    struct turn_request request; /* its transcript is owned */
    int64_t started_us;          /* monotonic */
    int64_t deadline_us;
    int64_t step_us; /* when the step that is waited for began */
    struct turn_timings timings;
    size_t coach_at;  /* in services->coaches: who is asked */
    size_t ear_at;    /* in services->transcribers: who was asked, plus one */
    bool is_admitted; /* it counts as under way */

    struct session *own_session;   /* owned, to be freed; every step reads ... */
    const struct session *session; /* ... through this: none of them can change it */
    bool has_let_go;               /* of what in it only a prompt has a use for */
    bool has_claim;                /* begin_turn() gave it and it has not been ended */
    unsigned number;               /* of the question that is answered, from 1 */
    bool is_last;          /* it is the last question, answered for the first time */
    enum answer_kind kind; /* once a reply that is no refusal was read */

    struct transcriber_call
        *hearing; /* owned, like the next two; NULL means "not pending" */
    struct coach_call *pending;
    struct speaker_call *speaking;

    struct spoken
        spoken; /* how the answer was spoken; SPOKEN_UNKNOWN where it was typed */
    struct spoken_word
        *words; /* owned until turn_measure(): when each was said; NULL: not known */
    size_t word_count;
    struct private_text measured; /* owned: the delivery in words, for the coach, ... */
    struct private_text delivery; /* ... and as JSON, for the data */
    bool is_too_short, is_low_confidence; /* as in answer_delivery */
    struct reply_reader reader;           /* of the reply while it is being written */
    struct private_text
        announced; /* owned: the question that was passed on already; may be empty */
    int64_t speaking_since_us;
    struct speech
        speech; /* owned: of the announced question, once it is spoken; its type stays
                             when commit() has moved the sound on */
    bool is_accepted; /* the reply passed gate 2: commit when nothing is pending */
    unsigned asks;    /* so far for this reply */
    struct reply reply;
    struct summary *summary; /* owned; NULL: there is none */
    struct turn_warning warnings[TURN_MAX_WARNINGS];
    size_t warning_count;

    struct private_text
        data; /* what is being committed: the reply's, once it is durable */

    bool is_refused;
    enum refuser refuser;
    char reason[80]; /* a category's name, for the log */
};

/* Who is asked, or has answered. */
static inline struct coach *turn_coach(const struct turn *turn)
{
    return turn->services->coaches->all[turn->coach_at];
}

static inline bool turn_is_attempt(const struct turn *turn)
{
    return turn->request.purpose == STORE_FOR_ATTEMPT;
}

/* The question that is answered. */
static inline const struct private_text *turn_question(const struct turn *turn)
{
    return &turn->session->asked[turn->number - 1];
}

/* Is the session complete when this turn is committed? */
static inline bool turn_completes(const struct turn *turn)
{
    return session_is_complete(turn->session) ||
           (turn->is_last && turn->kind != ANSWER_KIND_REPEAT);
}

/* "filter" or "model". */
static inline const char *refuser_name(enum refuser refuser)
{
    static const char *const names[] = {
#define REFUSER(symbol, name) name,
#include "metric_labels.def"
    };

    return names[refuser];
}

/* ---- the claim and the end ---- */

/* What identifies the turn's input to the store.  A recording that came without a key has its
 * digest for one: no two recordings are equal, and a copy that was held up on its way is answered
 * with the turn that it made, however many came after it.  (A refusal is not remembered under it:
 * the end of a claim has the client's own key.) */
struct store_input turn_input(const struct turn *turn);

/* The end of the claim without a commit: the session stays as it was, but for its idle expiry. */
struct store_end turn_end_of(const struct turn *turn);

/* Asks the store for the claim. */
void turn_claim(struct turn *turn, store_begun_fn *done);

/* The store did not give it: what it said becomes the end of the turn. */
void turn_turn_away(struct turn *turn, enum error error, const struct store_begun *begun);

void turn_warn(struct turn *turn, enum warning warning);
void turn_warn_of(struct turn *turn, enum error error);

/* Why there are no scores, where there are none. */
void turn_warn_of_feedback(struct turn *turn);

/* The end without a success: an error of the table as it is, or a refusal, which is remembered.
 * The reason is a category's name; the message, which is taken, may be empty: then the table's is
 * shown. */
void turn_fail(struct turn *turn, enum error error);
void turn_refuse(struct turn *turn, enum refuser refuser, const char *reason,
                 struct private_text message);

/* The span of a step that has just ended, and that no provider notes: "commit", or "coach" of the built-in
 * one. */
void turn_note_step(const struct turn *turn, const char *name, enum error error);

/* The one end of every turn, and the only caller of turn->done; the turn is gone
 * afterwards. */
void turn_finish(struct turn *turn, struct turn_result *result);

/* ---- the filter's verdicts ---- */

/* The verdict on one text; the time that it takes is counted.  Without a filter
 * everything passes. */
struct filter_verdict turn_screen(struct turn *turn, const struct private_text *text);

/* The verdict on the candidate's answer, out of which invisible characters are taken. */
struct filter_verdict turn_screen_answer(struct turn *turn);

/* The worst verdict over the feedback, if there is one. */
struct filter_verdict turn_screen_feedback(struct turn *turn);
bool turn_summary_is_safe(struct turn *turn, const struct summary *summary);

/* Drops every quote that is not in the answer, case and punctuation aside. */
void turn_check_quotes(struct turn *turn);

/* May the model's own words of refusal be shown?  They are there, short, pass the filter, accuse
 * nobody and do not echo the answer. */
bool turn_refusal_is_calm(struct turn *turn);

/* ---- calls ---- */

/* Starts one call of the coach, which is pending then.  false: there is no time left for
 * it.  For as long as a model takes to write the next question, nothing is held of the session that was
 * needed for the prompt alone: has_let_go. */
bool turn_ask(struct turn *turn, enum coach_task task, coach_text_fn *on_text,
              coach_done_fn *done);

/* After a failure: moves on to the next coach, where there is one and it may help.  Not
 * once a question was passed on: the next one's would be another. */
bool turn_may_ask_elsewhere(struct turn *turn, enum error error);

/* The recording is not needed any more. */
void turn_forget_recording(struct turn *turn);

/* Starts to hear the recording by the next transcriber, which is `hearing` then; of the
 * recording a copy is kept as long as there is another one to try.  false: there is no time
 * left for it. */
bool turn_hear(struct turn *turn, transcriber_done_fn *done);
bool turn_may_hear_elsewhere(const struct turn *turn, enum error error);

/* What was heard earlier in the same recording, as the store kept it: fills in transcript
 * and `spoken`.  false: nothing, or not readable. */
bool turn_recall(struct turn *turn, const struct private_text *heard);

/* Has the store keep the transcript and `spoken` for a retry of the same recording. */
void turn_remember(struct turn *turn);

/* Starts to speak the announced question; the end is a speech, or a warning, and then
 * `done`. */
void turn_speak(struct turn *turn, speaker_done_fn *done);

/* Ends what is pending of speech and drops what was spoken: it was asked for in vain, and is counted
 * so.  Nothing is fine. */
void turn_hush(struct turn *turn);

/* ---- what is written ---- */

/* Measures how the answer was delivered, and writes that down at once: the figures need less room so. */
void turn_measure(struct turn *turn);

/* Was there good feedback, of an answer that can be judged? */
bool turn_is_scored(const struct turn *turn);

/* The questions of the session, each once, with an answer, as the coach and the averages want them:
 * borrowed from the turn, SESSION_MAX_QUESTIONS at most.  Returns their number. */
size_t turn_best_answers(const struct turn *turn,
                         struct coach_turn *ret_turns); /* with this one */
size_t turn_earlier_answers(const struct turn *turn, struct coach_turn *ret_turns);

/* The attempt before this one; NULL: there is none that is known. */
const struct session_turn *turn_previous(const struct turn *turn);
struct coach_turn turn_of_coach(const struct session_turn *stored);

/* What the candidate was told last, and is told again after another attempt: the next question, or
 * the closing statement. */
struct private_text turn_pending_text(const struct turn *turn);

/* `data` of a successful turn, JSON. */
struct private_text turn_write_data(const struct turn *turn);

/* ---- the end of an interview by its candidate ---- */

/* After the claim: all that is left. */
void turn_finish_interview(struct turn *turn);

/* The summary that was asked for has come, or a warning that it did not.  Takes the reply. */
void turn_take_summary(struct turn *turn, enum error error, struct coach_reply *reply);

/* ---- JSON that several write ---- */

void turn_write_summary(struct json_writer *writer,
                        const struct turn *turn); /* or null */
void turn_write_warnings(struct json_writer *writer, const struct turn *turn);

/* The summary's member `demands`, where there is an advert; of the best answers. */
void turn_write_demands(struct json_writer *writer, const struct turn *turn,
                        const struct coach_turn *turns, size_t count);

/* error.details of a refusal, JSON. */
struct private_text turn_write_details(const struct turn *turn);

/* What the store keeps of a refusal under an idempotency key, and back.  false: not
 * readable. */
struct private_text turn_write_refusal(const struct turn_result *result);
bool turn_read_refusal(const struct private_text *outcome, struct turn_result *result);

#endif
