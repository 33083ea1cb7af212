/*
 * The operations of a turn: begin, then commit or end.  What may happen is decided by
 * store_decide(); here the facts are gathered and the decision is carried out.
 */
#include "sqlite_operation_internal.h"

static struct store_facts gather_facts(const struct sqlite_operation *operation,
                                       const struct operation_ground *ground,
                                       const struct stored_session *stored,
                                       const struct stored_record *record)
{
    struct claim_facts claim = claims_look(ground->claims, &operation->base.session_id);
    unsigned turn_count = stored->session->turn_count;
    const struct claim_facts *seen = &operation->seen;
    bool is_replied = claim.replied == turn_count;
    bool was_delivered = (is_replied && claim.was_delivered) ||
                         (seen->replied == turn_count && seen->was_delivered);
    struct store_facts facts = {
        .is_live = true,
        .turn_count = turn_count,
        .total_questions = stored->session->total_questions,
        .is_delivered = stored->is_delivered || was_delivered,
        .has_last_audio = stored->has_last_audio,
        .last_audio = stored->last_audio,
        .has_last_transcript = stored->has_last_transcript,
        .last_transcript = stored->last_transcript,
        .has_record = record != NULL,
        .is_running = claim.is_running,
        .running_key = claim.key,
        .is_on_its_way = is_replied && claim.is_on_its_way && !operation->has_waited,
    };

    if (record != NULL)
        facts.record_fingerprint = record->fingerprint;
    return facts;
}

/* Where a cap of the day holds the turn is counted, in the transaction that claims it;
 * what would go over it leaves nothing. */
static enum operation_step count_turn(struct sqlite_operation *operation,
                                      struct operation_ground *ground)
{
    const struct store_claim *request = &operation->base.request.begin;
    struct store_usage usage;
    enum error error;

    if (!store_has_caps(&request->caps))
        return STEP_DONE;
    if (!rows_read_usage(&ground->rows, store_day(request->now_ms), &usage))
        return STEP_FAILED;
    error = store_check_caps(&usage, request);
    if (error != OK) {
        operation->base.begun.may_be_typed = store_may_be_typed(&usage, request);
        return operation_done(operation, error);
    }
    if (!ground->is_writing)
        return STEP_WRITE;
    if (!rows_add_usage(&ground->rows, &usage, request->audio_ms))
        return STEP_FAILED;
    ground->usage = usage;
    return STEP_DONE;
}

/* The last of several turns makes the summary, from all of them. */
static bool read_turns(struct operation_ground *ground, struct stored_session *stored)
{
    const struct session *session = stored->session;

    return session->turn_count == 0 ||
           session->turn_count + 1 != session->total_questions ||
           rows_read_turns(&ground->rows, stored);
}

/* The claim is taken, and the session handed over. */
static enum operation_step start_turn(struct sqlite_operation *operation,
                                      struct operation_ground *ground,
                                      struct stored_session *stored)
{
    const struct store_claim *request = &operation->base.request.begin;
    enum operation_step step = count_turn(operation, ground);

    if (step != STEP_DONE || operation->base.error != OK)
        return step;
    if (!read_turns(ground, stored))
        return STEP_FAILED;
    if (!claims_run(ground->claims, &operation->base.session_id, &request->request_id,
                    &request->input.key))
        return operation_done(operation, ERROR_STORE_UNAVAILABLE);
    operation->base.begun.decision = STORE_RUN;
    operation->base.begun.session = stored->session;
    operation->base.begun.heard = stored->heard;
    stored->session = NULL;
    stored->heard = (struct private_text){0};
    return STEP_DONE;
}

/* A reply that is not known to have arrived is on its way once more, and what depends on
 * that waits for its report. */
static void track_replay(struct sqlite_operation *operation,
                         const struct store_facts *facts, unsigned turn_number)
{
    if (turn_number == facts->turn_count && !facts->is_delivered)
        operation->sends = (struct delivered){.session_id = operation->base.session_id,
                                              .turn_number = turn_number};
}

static enum operation_step replay(struct sqlite_operation *operation,
                                  const struct store_facts *facts, unsigned turn_number,
                                  struct private_text outcome)
{
    operation->base.begun = (struct store_begun){
        .decision = STORE_REPLAY,
        .is_refusal = turn_number == 0,
        .outcome = outcome,
        .turn_number = turn_number,
    };
    track_replay(operation, facts, turn_number);
    return STEP_DONE;
}

/* The last turn once more.  Under a key that is new, this is the key's first outcome from
 * now on. */
static enum operation_step replay_last(struct sqlite_operation *operation,
                                       struct operation_ground *ground,
                                       const struct store_facts *facts,
                                       const struct stored_session *stored)
{
    const struct store_key *key = &operation->base.request.begin.input.key;
    struct private_text outcome = {0};

    if (key->is_there && !ground->is_writing)
        return STEP_WRITE;
    if (key->is_there && !rows_insert_record(&ground->rows, &operation->base.session_id,
                                             key, facts->turn_count, false, NULL))
        return STEP_FAILED;
    if (!rows_read_outcome(&ground->rows, stored, facts->turn_count, &outcome))
        return STEP_FAILED;
    return replay(operation, facts, facts->turn_count, outcome);
}

static enum operation_step decide(struct sqlite_operation *operation,
                                  struct operation_ground *ground,
                                  struct stored_session *stored,
                                  struct stored_record *record)
{
    struct store_facts facts = gather_facts(operation, ground, stored, record);
    enum store_verdict verdict =
        store_decide(&facts, &operation->base.request.begin.input);
    struct private_text outcome;

    switch (verdict) {
    case VERDICT_RUN: return start_turn(operation, ground, stored);
    case VERDICT_REPLAY_LAST: return replay_last(operation, ground, &facts, stored);
    case VERDICT_WAIT: return STEP_WAIT;
    case VERDICT_REPLAY_RECORD:
        outcome = record->outcome;
        record->outcome = (struct private_text){0};
        return replay(operation, &facts, record->turn_number, outcome);
    case VERDICT_NOT_FOUND:
    case VERDICT_KEY_REUSE:
    case VERDICT_IN_PROGRESS:
    case VERDICT_COMPLETE: break;
    }
    return operation_done(operation, store_verdict_error(verdict));
}

enum operation_step operation_begin(struct sqlite_operation *operation,
                                    struct operation_ground *ground)
{
    const struct store_key *key = &operation->base.request.begin.input.key;
    struct stored_session stored = {0};
    struct stored_record record = {0};
    enum row_result known = ROW_NONE;
    enum operation_step step = STEP_FAILED;

    switch (operation_find_live(operation, ground, &stored)) {
    case ROW_FAILED: return STEP_FAILED;
    case ROW_NONE: return operation_done(operation, ERROR_SESSION_NOT_FOUND);
    case ROW_FOUND: break;
    }
    if (key->is_there)
        known = rows_find_record(&ground->rows, &stored, &key->key, &record);
    if (known != ROW_FAILED)
        step = decide(operation, ground, &stored, known == ROW_FOUND ? &record : NULL);
    stored_session_done(&stored);
    private_text_free(&record.outcome);
    return step;
}

/* Why a commit found no session to change. */
static enum operation_step explain_commit(struct sqlite_operation *operation,
                                          struct operation_ground *ground)
{
    struct stored_session stored = {0};
    enum row_result result = operation_find_live(operation, ground, &stored);

    stored_session_done(&stored);
    switch (result) {
    case ROW_FAILED: return STEP_FAILED;
    case ROW_NONE: return operation_done(operation, ERROR_SESSION_NOT_FOUND);
    case ROW_FOUND: break;
    }
    return operation_done(operation, ERROR_TURN_IN_PROGRESS);
}

/* What goes with the turn: its outcome under the key, its speech.  With the last turn the
 * session is open no more. */
static bool commit_rest(struct sqlite_operation *operation,
                        struct operation_ground *ground)
{
    const struct store_id *id = &operation->base.session_id;
    const struct store_commit *commit = &operation->base.request.commit;
    struct store_id request_id = store_id_of(&commit->request_id);

    return (!commit->input.key.is_there ||
            rows_insert_record(&ground->rows, id, &commit->input.key, commit->turn_number,
                               true, NULL)) &&
           (!private_text_is_empty(&commit->next_question) ||
            rows_forget_client(&ground->rows, id)) &&
           (private_text_is_empty(&commit->speech.audio) ||
            rows_insert_speech(&ground->rows, id, &request_id, &commit->speech,
                               &ground->has_evicted));
}

enum operation_step operation_commit(struct sqlite_operation *operation,
                                     struct operation_ground *ground)
{
    const struct store_commit *commit = &operation->base.request.commit;

    switch (rows_commit_turn(&ground->rows, &operation->base.session_id, commit)) {
    case ROW_FAILED: return STEP_FAILED;
    case ROW_NONE: return explain_commit(operation, ground);
    case ROW_FOUND: break;
    }
    if (!commit_rest(operation, ground))
        return STEP_FAILED;
    operation->sends = (struct delivered){.session_id = operation->base.session_id,
                                          .turn_number = commit->turn_number};
    return STEP_DONE;
}

/* Nothing of the session changes but the expiry.  What was heard in a recording that was
 * refused goes. */
enum operation_step operation_end(struct sqlite_operation *operation,
                                  struct operation_ground *ground)
{
    const struct store_end *end = &operation->base.request.end;
    struct stored_session stored = {0};
    enum row_result result;

    if (end->expires_ms != 0 &&
        !rows_push_back_expiry(&ground->rows, &operation->base.session_id,
                               end->expires_ms, operation->base.now_ms))
        return STEP_FAILED;
    if (end->is_refusal && !rows_forget_heard(&ground->rows, &operation->base.session_id,
                                              &ground->has_deleted))
        return STEP_FAILED;
    if (!store_end_is_remembered(end))
        return STEP_DONE;

    result = operation_find_live(operation, ground, &stored);
    stored_session_done(&stored);
    if (result != ROW_FOUND)
        return result == ROW_NONE ? STEP_DONE : STEP_FAILED;
    return rows_insert_record(&ground->rows, &operation->base.session_id, &end->key, 0,
                              false, &end->outcome)
               ? STEP_DONE
               : STEP_FAILED;
}
