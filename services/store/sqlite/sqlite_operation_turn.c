/*
 * The operations of a turn: begin, then commit, finish or end.  What may happen is decided by
 * store_decide(); here the facts are gathered and the decision is carried out.
 */
#include "sqlite_operation_internal.h"

static struct store_facts gather_facts(const struct sqlite_operation *operation,
                                       const struct operation_ground *ground,
                                       const struct stored_session *stored,
                                       const struct stored_record *record)
{
    struct claim_facts claim = claims_look(ground->claims, &operation->base.session_id);
    unsigned commit_count = stored->session->commit_count;
    const struct claim_facts *seen = &operation->seen;
    bool is_replied = claim.replied == commit_count;
    bool was_delivered = (is_replied && claim.was_delivered) ||
                         (seen->replied == commit_count && seen->was_delivered);
    struct store_facts facts = {
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

    store_facts_of(stored->session, &facts);
    if (record != NULL)
        facts.record_fingerprint = record->fingerprint;
    return facts;
}

/* Where a cap of the day holds the turn is counted, in the transaction that claims it;
 * what would go over it leaves nothing. */
enum operation_step operation_count_use(struct sqlite_operation *operation,
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

/* The claim is taken, and the session handed over. */
static enum operation_step start_turn(struct sqlite_operation *operation,
                                      struct operation_ground *ground,
                                      struct stored_session *stored)
{
    const struct store_claim *request = &operation->base.request.begin;
    enum operation_step step = operation_count_use(operation, ground);
    enum error error;

    if (step != STEP_DONE || operation->base.error != OK)
        return step;
    if (!rows_read_rest(&ground->rows, stored, store_extent_of(request, stored->session)))
        return STEP_FAILED;
    error = claims_run(ground->claims, &operation->base.session_id, &request->request_id,
                       &request->input.key);
    if (error != OK)
        return operation_done(operation, error);
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
                         const struct store_facts *facts, unsigned commit_number)
{
    if (commit_number == facts->commit_count && !facts->is_delivered)
        operation->sends = (struct delivered){.session_id = operation->base.session_id,
                                              .commit_number = commit_number};
}

/* Takes the record's outcome. */
static enum operation_step replay(struct sqlite_operation *operation,
                                  const struct store_facts *facts,
                                  struct stored_record *record)
{
    operation->base.begun = (struct store_begun){
        .decision = STORE_REPLAY,
        .is_refusal = record->commit_number == 0 && !record->is_reply,
        .outcome = private_text_move(&record->outcome),
        .commit_number = record->commit_number,
    };
    track_replay(operation, facts, record->commit_number);
    return STEP_DONE;
}

/* The last commit once more.  Under a key that is new, this is the key's first outcome from
 * now on. */
static enum operation_step replay_last(struct sqlite_operation *operation,
                                       struct operation_ground *ground,
                                       const struct store_facts *facts,
                                       const struct stored_session *stored)
{
    const struct store_key *key = &operation->base.request.begin.input.key;
    struct stored_record last = {.commit_number = facts->commit_count};

    if (key->is_there && !ground->is_writing)
        return STEP_WRITE;
    if (key->is_there && !rows_insert_record(&ground->rows, &operation->base.session_id,
                                             key, false, &last))
        return STEP_FAILED;
    if (!rows_read_outcome(&ground->rows, stored, last.commit_number, &last.outcome))
        return STEP_FAILED;
    return replay(operation, facts, &last);
}

static enum operation_step decide(struct sqlite_operation *operation,
                                  struct operation_ground *ground,
                                  struct stored_session *stored,
                                  struct stored_record *record)
{
    struct store_facts facts = gather_facts(operation, ground, stored, record);
    enum store_verdict verdict = store_decide(&facts, &operation->base.request.begin);

    switch (verdict) {
    case VERDICT_RUN: return start_turn(operation, ground, stored);
    case VERDICT_REPLAY_LAST: return replay_last(operation, ground, &facts, stored);
    case VERDICT_WAIT: return STEP_WAIT;
    case VERDICT_REPLAY_RECORD: return replay(operation, &facts, record);
    case VERDICT_NOT_FOUND:
    case VERDICT_KEY_REUSE:
    case VERDICT_IN_PROGRESS:
    case VERDICT_COMPLETE:
    case VERDICT_NO_QUESTION:
    case VERDICT_TOO_MANY: break;
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
    struct stored_record record = {.commit_number = commit->commit_number};

    return (!commit->input.key.is_there ||
            rows_insert_record(&ground->rows, id, &commit->input.key, true, &record)) &&
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
                                          .commit_number = commit->commit_number};
    return STEP_DONE;
}

enum operation_step operation_finish(struct sqlite_operation *operation,
                                     struct operation_ground *ground)
{
    switch (rows_finish(&ground->rows, &operation->base.session_id,
                        &operation->base.request.finish)) {
    case ROW_FAILED: return STEP_FAILED;
    case ROW_NONE: return explain_commit(operation, ground);
    case ROW_FOUND: break;
    }
    return STEP_DONE;
}

/* What a turn that changes nothing leaves: its outcome under its key, its speech. */
static bool end_rest(struct sqlite_operation *operation, struct operation_ground *ground)
{
    const struct store_id *id = &operation->base.session_id;
    struct store_end *end = &operation->base.request.end;
    struct store_id request_id = store_id_of(&end->request_id);
    struct stored_record record = {.is_reply = store_end_is_reply(&operation->base),
                                   .outcome = end->outcome};

    return (!store_end_is_remembered(end) ||
            rows_insert_record(&ground->rows, id, &end->key, false, &record)) &&
           (private_text_is_empty(&end->speech.audio) ||
            rows_insert_speech(&ground->rows, id, &request_id, &end->speech,
                               &ground->has_evicted));
}

/* Nothing of the session changes but the expiry.  What was heard in a recording that was
 * refused goes. */
enum operation_step operation_end(struct sqlite_operation *operation,
                                  struct operation_ground *ground)
{
    const struct store_end *end = &operation->base.request.end;
    bool is_reply = store_end_is_reply(&operation->base);
    struct stored_session stored = {0};
    enum row_result result;

    if (end->expires_ms != 0 &&
        !rows_push_back_expiry(&ground->rows, &operation->base.session_id,
                               end->expires_ms, operation->base.now_ms))
        return STEP_FAILED;
    if (end->forgets_heard &&
        !rows_forget_heard(&ground->rows, &operation->base.session_id,
                           &ground->has_deleted))
        return STEP_FAILED;
    if (!store_end_is_remembered(end) && !is_reply)
        return STEP_DONE;

    result = operation_find_live(operation, ground, &stored);
    stored_session_done(&stored);
    if (result == ROW_NONE)
        return operation_done(operation, ERROR_SESSION_NOT_FOUND);
    return result == ROW_FOUND && end_rest(operation, ground) ? STEP_DONE : STEP_FAILED;
}
