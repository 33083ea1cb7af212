#include "sqlite_operation_internal.h"

/* Sessions that one transaction of the sweep looks at. */
#define SWEEP_AT_ONCE 64

/* ROW_FOUND: the client has as many sessions as it may. */
static enum row_result find_full(const struct sqlite_operation *operation,
                                 struct operation_ground *ground)
{
    const struct store_new_session *create = &operation->base.request.create;
    int64_t count;

    if (create->client_most == 0)
        return ROW_NONE;
    if (!rows_count_of_client(ground->rows, &create->client, create->now_ms, &count))
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
        if (!rows_delete_session(ground->rows, expired))
            return STEP_FAILED;
    }
    return rows_insert_session(ground->rows, &operation->base.session_id,
                               &operation->base.request.create)
               ? STEP_DONE
               : STEP_FAILED;
}

/* A new session, unless its key is known.  The key of an expired session is free. */
enum operation_step operation_create(struct sqlite_operation *operation,
                                     struct operation_ground *ground)
{
    struct store_new_session *create = &operation->base.request.create;
    struct stored_session then = {0};
    struct digest fingerprint;
    struct store_id id;
    enum row_result known = ROW_NONE;
    enum operation_step step;

    if (create->key.is_there)
        known = rows_find_created(ground->rows, &create->key.key, &id, &fingerprint);
    if (known == ROW_FOUND)
        known = rows_find_session(ground->rows, &id, &then);
    if (known == ROW_FAILED)
        return STEP_FAILED;

    if (known == ROW_NONE || !operation_is_live(then.session, create->now_ms)) {
        step = insert_session(operation, ground, &then);
    } else if (!store_is_repeat(then.session, &fingerprint, &create->key)) {
        step = operation_done(operation, ERROR_IDEMPOTENCY_KEY_REUSE);
    } else {
        operation->base.session = then.session;
        operation->base.is_replay = true;
        return STEP_DONE;
    }
    session_free(then.session);
    return step;
}

enum operation_step operation_load(struct sqlite_operation *operation,
                                   struct operation_ground *ground)
{
    struct stored_session stored = {0};

    switch (operation_find_live(operation, ground, &stored)) {
    case ROW_FAILED: return STEP_FAILED;
    case ROW_NONE: return operation_done(operation, ERROR_SESSION_NOT_FOUND);
    case ROW_FOUND: break;
    }
    operation->base.session = stored.session;
    return STEP_DONE;
}

/* An expired session that the sweep has not come to yet goes as well, and still counts as
 * gone. */
enum operation_step operation_delete(struct sqlite_operation *operation,
                                     struct operation_ground *ground)
{
    struct claim *claim = store_claims_find(ground->claims, &operation->base.session_id);
    struct stored_session stored = {0};
    bool was_live;
    bool is_gone;

    switch (rows_find_session(ground->rows, &operation->base.session_id, &stored)) {
    case ROW_FAILED: return STEP_FAILED;
    case ROW_NONE: return operation_done(operation, ERROR_SESSION_NOT_FOUND);
    case ROW_FOUND: break;
    }
    was_live = operation_is_live(stored.session, operation->base.now_ms);
    is_gone = rows_delete_session(ground->rows, &stored);
    session_free(stored.session);
    if (!is_gone || !rows_delete_refusals_of(ground->rows, &operation->base.session_id))
        return STEP_FAILED;
    ground->has_deleted = true;
    if (claim != NULL)
        claim->replies = (struct claim_replies){0};
    return operation_done(operation, was_live ? OK : ERROR_SESSION_NOT_FOUND);
}

/* Sessions are looked at when they would have expired had nobody used them; one that was
 * used is looked at again at its new time. */
static enum operation_step sweep_sessions(struct sqlite_operation *operation,
                                          struct operation_ground *ground)
{
    struct stored_session stored = {0};
    struct store_id id;

    for (int looked_at = 0; looked_at < SWEEP_AT_ONCE; looked_at++) {
        enum row_result due = rows_find_due(ground->rows, operation->base.now_ms, &id);
        bool is_done;

        if (due == ROW_NONE)
            return STEP_DONE;
        if (due == ROW_FOUND && !ground->is_writing)
            return STEP_WRITE;
        if (due == ROW_FAILED ||
            rows_find_session(ground->rows, &id, &stored) != ROW_FOUND)
            return STEP_FAILED;
        if (operation_is_live(stored.session, operation->base.now_ms)) {
            is_done =
                rows_look_later(ground->rows, stored.row, stored.session->expires_ms);
        } else {
            is_done = rows_delete_session(ground->rows, &stored);
            operation->has_swept = true;
        }
        session_free(stored.session);
        if (!is_done)
            return STEP_FAILED;
    }
    return STEP_AGAIN;
}

/* However many transactions it takes, the log is emptied once, behind the last. */
enum operation_step operation_sweep(struct sqlite_operation *operation,
                                    struct operation_ground *ground)
{
    enum operation_step step = operation_sweep_speech(operation, ground);

    if (step == STEP_DONE)
        step = sweep_sessions(operation, ground);
    if (step == STEP_DONE)
        step = operation_sweep_refusals(operation, ground);
    if (step == STEP_DONE && operation->has_swept)
        ground->has_deleted = true;
    return step;
}
