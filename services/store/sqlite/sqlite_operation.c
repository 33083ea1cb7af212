/*
 * Sessions, speech, what was heard, refusals, and the sweep: what each does with its rows.  (Turns
 * have a file of their own; speech is stored with its turn.)
 */
#include "sqlite_operation_internal.h"

/* What one transaction of the sweep removes at most: speech (all of it is overwritten), sessions
 * that it looks at, refusals. */
#define SWEEP_SPEECH_BYTES (1 << 20)
#define SWEEP_SESSIONS     64
#define SWEEP_REFUSALS     256

struct sqlite_operation *sqlite_pop(struct store_list *list)
{
    return (struct sqlite_operation *)store_list_pop(list);
}

bool operation_writes(const struct sqlite_operation *operation)
{
    switch (operation->base.kind) {
    case STORE_CREATE:
    case STORE_DELETE:
    case STORE_COMMIT:
    case STORE_FINISH:
    case STORE_REMEMBER:
    case STORE_REFUSAL:
    case STORE_COUNT_USE:
    case STORE_CHECK: return true;
    case STORE_END:
        return operation->base.request.end.expires_ms != 0 ||
               operation->base.request.end.forgets_heard ||
               store_end_is_reply(&operation->base) ||
               store_end_is_remembered(&operation->base.request.end);
    case STORE_BEGIN: /* a replay under a new key does, a sweep that finds something
                             does */
    case STORE_SWEEP: return operation->needs_write;
    case STORE_LOAD:
    case STORE_SPEECH:
    case STORE_REPORT:
    case STORE_RATES:
    case STORE_BEAT: return false;
    }
    return false;
}

enum operation_step operation_done(struct sqlite_operation *operation, enum error error)
{
    operation->base.error = error;
    return STEP_DONE;
}

static bool is_live(const struct session *session, int64_t now_ms)
{
    return session->expires_ms > now_ms;
}

enum row_result operation_find_live(struct sqlite_operation *operation,
                                    struct operation_ground *ground,
                                    struct stored_session *ret_stored)
{
    const struct store_operation *base = &operation->base;
    const struct store_input *input = &base->request.begin.input;
    bool is_heard = base->kind == STORE_BEGIN && input->has_audio;
    enum row_result result = rows_find_session(
        &ground->rows, &base->session_id, is_heard ? &input->audio : NULL, ret_stored);

    if (result != ROW_FOUND || is_live(ret_stored->session, base->now_ms))
        return result;
    stored_session_done(ret_stored);
    return ROW_NONE;
}

/* ROW_FOUND: the client has as many sessions as it may. */
static enum row_result find_full(const struct sqlite_operation *operation,
                                 struct operation_ground *ground)
{
    const struct store_new_session *create = &operation->base.request.create;
    int64_t count;

    if (create->client_most == 0)
        return ROW_NONE;
    if (!rows_count_of_client(&ground->rows, &create->client, create->now_ms, &count))
        return ROW_FAILED;
    return count >= create->client_most ? ROW_FOUND : ROW_NONE;
}

/* `expired`: the session that had the request's key, if there is one; it goes. */
static enum operation_step insert_session(struct sqlite_operation *operation,
                                          struct operation_ground *ground,
                                          const struct stored_session *expired)
{
    switch (find_full(operation, ground)) {
    case ROW_FAILED: return STEP_FAILED;
    case ROW_FOUND: return operation_done(operation, ERROR_USAGE_CAP_REACHED);
    case ROW_NONE: break;
    }
    if (expired->session != NULL) {
        ground->has_deleted = true;
        if (!rows_delete_session(&ground->rows, expired))
            return STEP_FAILED;
    }
    return rows_insert_session(&ground->rows, &operation->base.session_id,
                               &operation->base.request.create)
               ? STEP_DONE
               : STEP_FAILED;
}

/* A new session, unless its key is known.  The key of an expired session is free. */
static enum operation_step create(struct sqlite_operation *operation,
                                  struct operation_ground *ground)
{
    struct store_new_session *create = &operation->base.request.create;
    struct stored_session then = {0};
    struct digest fingerprint;
    struct store_id id;
    enum row_result known = ROW_NONE;
    enum operation_step step;

    if (create->key.is_there)
        known = rows_find_created(&ground->rows, &create->key.key, &id, &fingerprint);
    if (known == ROW_FOUND)
        known = rows_find_session(&ground->rows, &id, NULL, &then);
    if (known == ROW_FAILED)
        return STEP_FAILED;

    if (known == ROW_NONE || !is_live(then.session, create->now_ms)) {
        step = insert_session(operation, ground, &then);
    } else if (!store_is_repeat(then.session, &fingerprint, &create->key)) {
        step = operation_done(operation, ERROR_IDEMPOTENCY_KEY_REUSE);
    } else {
        operation->base.session = then.session;
        operation->base.is_replay = true;
        return STEP_DONE;
    }
    stored_session_done(&then);
    return step;
}

static enum operation_step load(struct sqlite_operation *operation,
                                struct operation_ground *ground)
{
    struct stored_session stored = {0};

    switch (operation_find_live(operation, ground, &stored)) {
    case ROW_FAILED: return STEP_FAILED;
    case ROW_NONE: return operation_done(operation, ERROR_SESSION_NOT_FOUND);
    case ROW_FOUND: break;
    }
    if (operation->base.request.is_whole &&
        !rows_read_rest(&ground->rows, &stored, EXTENT_WHOLE)) {
        stored_session_done(&stored);
        return STEP_FAILED;
    }
    operation->base.session = stored.session;
    return STEP_DONE;
}

/* An expired session that the sweep has not come to yet goes as well, and still counts as
 * gone. */
static enum operation_step delete_session(struct sqlite_operation *operation,
                                          struct operation_ground *ground)
{
    struct stored_session stored = {0};
    bool was_live;
    bool is_gone;

    switch (
        rows_find_session(&ground->rows, &operation->base.session_id, NULL, &stored)) {
    case ROW_FAILED: return STEP_FAILED;
    case ROW_NONE: return operation_done(operation, ERROR_SESSION_NOT_FOUND);
    case ROW_FOUND: break;
    }
    was_live = is_live(stored.session, operation->base.now_ms);
    is_gone = rows_delete_session(&ground->rows, &stored);
    stored_session_done(&stored);
    if (!is_gone || !rows_delete_refusals_of(&ground->rows, &operation->base.session_id))
        return STEP_FAILED;
    ground->has_deleted = true;
    return operation_done(operation, was_live ? OK : ERROR_SESSION_NOT_FOUND);
}

static enum operation_step remember(struct sqlite_operation *operation,
                                    struct operation_ground *ground)
{
    const struct store_hearing *remember = &operation->base.request.remember;

    return rows_keep_heard(&ground->rows, &operation->base.session_id, &remember->audio,
                           &remember->heard)
               ? STEP_DONE
               : STEP_FAILED;
}

static enum operation_step read_speech(struct sqlite_operation *operation,
                                       struct operation_ground *ground)
{
    struct store_id request_id = store_id_of(&operation->base.request.speech_of);

    switch (rows_read_speech(&ground->rows, &operation->base.session_id, &request_id,
                             operation->base.now_ms, &operation->base.speech)) {
    case ROW_FAILED: return STEP_FAILED;
    case ROW_NONE: return operation_done(operation, ERROR_TTS_AUDIO_NOT_FOUND);
    case ROW_FOUND: break;
    }
    return STEP_DONE;
}

static enum operation_step note_refusal(struct sqlite_operation *operation,
                                        struct operation_ground *ground)
{
    return rows_insert_refusal(&ground->rows, &operation->base.request.refusal,
                               &ground->has_evicted)
               ? STEP_DONE
               : STEP_FAILED;
}

static enum operation_step sweep_speech(struct sqlite_operation *operation,
                                        struct operation_ground *ground)
{
    struct stored_speech first;

    for (int64_t bytes = 0; bytes < SWEEP_SPEECH_BYTES; bytes += first.length_bytes) {
        enum row_result result = rows_find_speech_to_expire(&ground->rows, &first);

        if (result == ROW_FAILED)
            return STEP_FAILED;
        if (result == ROW_NONE || first.expires_ms > operation->base.now_ms)
            return STEP_DONE;
        if (!ground->is_writing)
            return STEP_WRITE;
        if (!rows_delete_speech(&ground->rows, &first))
            return STEP_FAILED;
        operation->has_swept = true;
    }
    return STEP_AGAIN;
}

/* Sessions are looked at when they would have expired had nobody used them; one that was
 * used is looked at again at its new time. */
static enum operation_step sweep_sessions(struct sqlite_operation *operation,
                                          struct operation_ground *ground)
{
    struct stored_session stored = {0};
    struct store_id id;

    for (int looked_at = 0; looked_at < SWEEP_SESSIONS; looked_at++) {
        enum row_result due = rows_find_due(&ground->rows, operation->base.now_ms, &id);
        bool is_done;

        if (due == ROW_NONE)
            return STEP_DONE;
        if (due == ROW_FOUND && !ground->is_writing)
            return STEP_WRITE;
        if (due == ROW_FAILED ||
            rows_find_session(&ground->rows, &id, NULL, &stored) != ROW_FOUND)
            return STEP_FAILED;
        if (is_live(stored.session, operation->base.now_ms)) {
            is_done =
                rows_look_later(&ground->rows, stored.row, stored.session->expires_ms);
        } else {
            is_done = rows_delete_session(&ground->rows, &stored);
            operation->has_swept = true;
        }
        stored_session_done(&stored);
        if (!is_done)
            return STEP_FAILED;
    }
    return STEP_AGAIN;
}

static enum operation_step sweep_refusals(struct sqlite_operation *operation,
                                          struct operation_ground *ground)
{
    int64_t before_ms = operation->base.request.refusals_before_ms;
    int count;

    if (!ground->is_writing) {
        switch (rows_has_old_refusal(&ground->rows, before_ms)) {
        case ROW_FAILED: return STEP_FAILED;
        case ROW_NONE: return STEP_DONE;
        case ROW_FOUND: return STEP_WRITE;
        }
    }
    if (!rows_delete_old_refusals(&ground->rows, before_ms, SWEEP_REFUSALS, &count))
        return STEP_FAILED;
    operation->has_swept |= count > 0;
    return count == SWEEP_REFUSALS ? STEP_AGAIN : STEP_DONE;
}

/* However many transactions it takes, the log is emptied once, behind the last. */
static enum operation_step sweep(struct sqlite_operation *operation,
                                 struct operation_ground *ground)
{
    enum operation_step step = sweep_speech(operation, ground);

    if (step == STEP_DONE)
        step = sweep_sessions(operation, ground);
    if (step == STEP_DONE)
        step = sweep_refusals(operation, ground);
    if (step == STEP_DONE && operation->has_swept)
        ground->has_deleted = true;
    return step;
}

enum operation_step operation_run(struct sqlite_operation *operation,
                                  struct operation_ground *ground)
{
    operation->base.error = OK;
    operation->sends.commit_number = 0;
    switch (operation->base.kind) {
    case STORE_CREATE: return create(operation, ground);
    case STORE_LOAD: return load(operation, ground);
    case STORE_DELETE: return delete_session(operation, ground);
    case STORE_BEGIN: return operation_begin(operation, ground);
    case STORE_COMMIT: return operation_commit(operation, ground);
    case STORE_FINISH: return operation_finish(operation, ground);
    case STORE_END: return operation_end(operation, ground);
    case STORE_REMEMBER: return remember(operation, ground);
    case STORE_SPEECH: return read_speech(operation, ground);
    case STORE_REFUSAL: return note_refusal(operation, ground);
    case STORE_COUNT_USE: return operation_count_use(operation, ground);
    case STORE_SWEEP: return sweep(operation, ground);
    case STORE_CHECK: return rows_probe(&ground->rows) ? STEP_DONE : STEP_FAILED;
    case STORE_REPORT: /* noted when it came */
    case STORE_RATES:  /* not shared */
    case STORE_BEAT: break;
    }
    return STEP_FAILED;
}

void operation_undo(struct sqlite_operation *operation, struct operation_ground *ground)
{
    if (operation->base.kind == STORE_BEGIN && operation->base.begun.session != NULL)
        claims_release(ground->claims, &operation->base.session_id,
                       &operation->base.request.begin.request_id);
    operation->sends.commit_number = 0;
    store_operation_drop_result(&operation->base);
}

void operation_settle(struct sqlite_operation *operation, struct operation_ground *ground)
{
    const struct store_operation *base = &operation->base;

    if (base->kind == STORE_COMMIT)
        claims_release(ground->claims, &base->session_id,
                       &base->request.commit.request_id);
    if (base->kind == STORE_FINISH)
        claims_release(ground->claims, &base->session_id,
                       &base->request.finish.request_id);
    if (base->kind == STORE_END)
        claims_release(ground->claims, &base->session_id, &base->request.end.request_id);
    if (base->kind == STORE_DELETE && base->error != ERROR_STORE_UNAVAILABLE)
        claims_forget(ground->claims, &base->session_id);
    if (operation->sends.commit_number > 0)
        claims_send(ground->claims, &operation->sends);
}

void operation_fail(struct sqlite_operation *operation, struct operation_ground *ground)
{
    if (operation->has_swept)
        ground->has_deleted = true;
    operation->base.error = ERROR_STORE_UNAVAILABLE;
    operation->step = STEP_DONE;
}
