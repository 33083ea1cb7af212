/*
 * The operations of a turn: begin, then commit or end.  What may happen is decided by
 * store_decide(); here the facts are gathered and the decision is carried out.
 */
#include "sqlite_operation_internal.h"

#include "store_usage.h"

static struct store_facts gather_facts(const struct sqlite_operation *operation,
                                       const struct claim *claim,
                                       const struct stored_session *stored,
                                       const struct stored_record *record)
{
    unsigned turn_count = stored->session->turn_count;
    struct store_facts facts = {
        .is_live = true,
        .turn_count = turn_count,
        .total_questions = stored->session->total_questions,
        .is_delivered = stored->is_delivered || claim_was_delivered(claim, turn_count),
        .has_last_audio = stored->has_last_audio,
        .last_audio = stored->last_audio,
        .has_last_transcript = stored->has_last_transcript,
        .last_transcript = stored->last_transcript,
        .has_record = record != NULL,
        .is_on_its_way = claim_is_on_its_way(claim, turn_count) && !operation->has_waited,
    };

    if (record != NULL)
        facts.record_fingerprint = record->fingerprint;
    if (claim != NULL && claim->is_running) {
        facts.is_running = true;
        facts.running_key = claim->key;
    }
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
    if (!rows_read_usage(ground->rows, store_day(request->now_ms), &usage))
        return STEP_FAILED;
    error = store_check_caps(&usage, request);
    if (error != OK) {
        operation->base.begun.may_be_typed = store_may_be_typed(&usage, request);
        return operation_done(operation, error);
    }
    if (!ground->is_writing)
        return STEP_WRITE;
    if (!rows_add_usage(ground->rows, &usage, request->audio_ms))
        return STEP_FAILED;
    ground->usage = usage;
    return STEP_DONE;
}

/* What the turn needs to know beside the session itself. */
static bool read_more(const struct sqlite_operation *operation,
                      struct operation_ground *ground, struct stored_session *stored,
                      struct private_text *ret_heard)
{
    const struct store_input *input = &operation->base.request.begin.input;
    const struct session *session = stored->session;
    bool is_last_of_many =
        session->turn_count + 1 == session->total_questions && session->turn_count > 0;

    return (!is_last_of_many || rows_read_turns(ground->rows, stored)) &&
           (!input->has_audio ||
            rows_read_heard(ground->rows, stored->row, &input->audio, ret_heard));
}

/* The claim is taken, and the session handed over. */
static enum operation_step start_turn(struct sqlite_operation *operation,
                                      struct operation_ground *ground,
                                      struct stored_session *stored)
{
    const struct store_claim *request = &operation->base.request.begin;
    struct claim *claim = store_claims_get(ground->claims, &operation->base.session_id);
    struct private_text heard = {0};
    enum operation_step step;

    if (claim == NULL)
        return operation_done(operation, ERROR_STORE_UNAVAILABLE);
    step = count_turn(operation, ground);
    if (step != STEP_DONE || operation->base.error != OK)
        return step;
    if (!read_more(operation, ground, stored, &heard))
        return STEP_FAILED;
    claim_run(claim, &request->request_id, &request->input.key);
    operation->base.begun.decision = STORE_RUN;
    operation->base.begun.session = stored->session;
    operation->base.begun.heard = heard;
    stored->session = NULL;
    return STEP_DONE;
}

/* A reply that is not known to have arrived is on its way once more, and what depends on
 * that waits for its report. */
static void track_replay(struct sqlite_operation *operation,
                         struct operation_ground *ground, const struct store_facts *facts,
                         unsigned turn_number)
{
    struct claim *claim;

    if (turn_number == 0 || turn_number != facts->turn_count || facts->is_delivered)
        return;
    claim = store_claims_get(ground->claims, &operation->base.session_id);
    if (claim != NULL)
        claim_reply_sets_out(claim, turn_number);
}

static enum operation_step replay(struct sqlite_operation *operation,
                                  struct operation_ground *ground,
                                  const struct store_facts *facts, unsigned turn_number,
                                  struct private_text outcome)
{
    operation->base.begun = (struct store_begun){
        .decision = STORE_REPLAY,
        .is_refusal = turn_number == 0,
        .outcome = outcome,
        .turn_number = turn_number,
    };
    track_replay(operation, ground, facts, turn_number);
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
    if (key->is_there && !rows_insert_record(ground->rows, stored->row, key,
                                             facts->turn_count, false, NULL))
        return STEP_FAILED;
    if (!rows_read_outcome(ground->rows, stored, facts->turn_count, &outcome))
        return STEP_FAILED;
    return replay(operation, ground, facts, facts->turn_count, outcome);
}

static enum operation_step decide(struct sqlite_operation *operation,
                                  struct operation_ground *ground,
                                  struct stored_session *stored,
                                  struct stored_record *record)
{
    const struct claim *claim =
        store_claims_find(ground->claims, &operation->base.session_id);
    struct store_facts facts = gather_facts(operation, claim, stored, record);
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
        return replay(operation, ground, &facts, record->turn_number, outcome);
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
        known = rows_find_record(ground->rows, &stored, &key->key, &record);
    if (known != ROW_FAILED)
        step = decide(operation, ground, &stored, known == ROW_FOUND ? &record : NULL);
    session_free(stored.session);
    private_text_free(&record.outcome);
    return step;
}

/* Why a commit found no session to change. */
static enum operation_step explain_commit(struct sqlite_operation *operation,
                                          struct operation_ground *ground)
{
    struct stored_session stored = {0};
    enum row_result result = operation_find_live(operation, ground, &stored);

    session_free(stored.session);
    switch (result) {
    case ROW_FAILED: return STEP_FAILED;
    case ROW_NONE: return operation_done(operation, ERROR_SESSION_NOT_FOUND);
    case ROW_FOUND: break;
    }
    return operation_done(operation, ERROR_TURN_IN_PROGRESS);
}

/* Has another process stored an outcome under the key meanwhile?  Then that was the
 * first. */
static enum row_result find_earlier_outcome(struct sqlite_operation *operation,
                                            struct operation_ground *ground)
{
    const struct store_key *key = &operation->base.request.commit.input.key;
    struct stored_session stored = {0};
    struct stored_record record = {0};
    enum row_result result;

    if (!key->is_there)
        return ROW_NONE;
    result = rows_find_session(ground->rows, &operation->base.session_id, &stored);
    if (result == ROW_FOUND)
        result = rows_find_record(ground->rows, &stored, &key->key, &record);
    session_free(stored.session);
    private_text_free(&record.outcome);
    return result;
}

/* What goes with the turn: its outcome under the key, its speech.  What was heard in a
 * recording is in the turn now, and with the last turn the session is open no more. */
static bool commit_rest(struct sqlite_operation *operation,
                        struct operation_ground *ground, int64_t row)
{
    const struct store_commit *commit = &operation->base.request.commit;
    struct store_id request_id = store_id_of(&commit->request_id);

    return (!commit->input.key.is_there ||
            rows_insert_record(ground->rows, row, &commit->input.key, commit->turn_number,
                               true, NULL)) &&
           rows_drop_heard(ground->rows, row) &&
           (!private_text_is_empty(&commit->next_question) ||
            rows_forget_client(ground->rows, row)) &&
           (private_text_is_empty(&commit->speech.audio) ||
            rows_insert_speech(ground->rows, row, &request_id, &commit->speech,
                               &ground->has_evicted));
}

enum operation_step operation_commit(struct sqlite_operation *operation,
                                     struct operation_ground *ground)
{
    const struct store_commit *commit = &operation->base.request.commit;
    struct claim *claim = store_claims_get(ground->claims, &operation->base.session_id);
    int64_t row;

    if (claim != NULL)
        claim_release(claim, &commit->request_id);
    switch (find_earlier_outcome(operation, ground)) {
    case ROW_FAILED: return STEP_FAILED;
    case ROW_FOUND: return operation_done(operation, ERROR_TURN_IN_PROGRESS);
    case ROW_NONE: break;
    }
    switch (rows_commit_turn(ground->rows, &operation->base.session_id, commit, &row)) {
    case ROW_FAILED: return STEP_FAILED;
    case ROW_NONE: return explain_commit(operation, ground);
    case ROW_FOUND: break;
    }
    if (!commit_rest(operation, ground, row))
        return STEP_FAILED;
    if (claim != NULL)
        claim_reply_sets_out(claim, commit->turn_number);
    return STEP_DONE;
}

/* Nothing of the session changes but the expiry.  What was heard in a recording that was
 * refused goes. */
enum operation_step operation_end(struct sqlite_operation *operation,
                                  struct operation_ground *ground)
{
    const struct store_end *end = &operation->base.request.end;
    struct claim *claim = store_claims_find(ground->claims, &operation->base.session_id);
    struct stored_session stored = {0};
    enum row_result result;
    bool is_done;

    if (claim != NULL)
        claim_release(claim, &end->request_id);
    if (end->expires_ms != 0 &&
        !rows_push_back_expiry(ground->rows, &operation->base.session_id, end->expires_ms,
                               operation->base.now_ms))
        return STEP_FAILED;
    if (end->is_refusal && !rows_forget_heard(ground->rows, &operation->base.session_id,
                                              &ground->has_deleted))
        return STEP_FAILED;
    if (!store_end_is_remembered(end))
        return STEP_DONE;

    result = operation_find_live(operation, ground, &stored);
    if (result != ROW_FOUND)
        return result == ROW_NONE ? STEP_DONE : STEP_FAILED;
    is_done =
        rows_insert_record(ground->rows, stored.row, &end->key, 0, false, &end->outcome);
    session_free(stored.session);
    return is_done ? STEP_DONE : STEP_FAILED;
}
