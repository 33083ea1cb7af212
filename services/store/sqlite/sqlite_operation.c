#include "sqlite_operation_internal.h"

#include "mem.h"

#include <assert.h>
#include <stdlib.h>

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
    case STORE_REMEMBER:
    case STORE_REFUSAL:
    case STORE_CHECK: return true;
    case STORE_END:
        return operation->base.request.end.expires_ms != 0 ||
               operation->base.request.end.is_refusal ||
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

enum operation_step operation_run(struct sqlite_operation *operation,
                                  struct operation_ground *ground)
{
    operation->base.error = OK;
    switch (operation->base.kind) {
    case STORE_CREATE: return operation_create(operation, ground);
    case STORE_LOAD: return operation_load(operation, ground);
    case STORE_DELETE: return operation_delete(operation, ground);
    case STORE_BEGIN: return operation_begin(operation, ground);
    case STORE_COMMIT: return operation_commit(operation, ground);
    case STORE_END: return operation_end(operation, ground);
    case STORE_REMEMBER: return operation_remember(operation, ground);
    case STORE_SPEECH: return operation_speech(operation, ground);
    case STORE_REFUSAL: return operation_note_refusal(operation, ground);
    case STORE_SWEEP: return operation_sweep(operation, ground);
    case STORE_CHECK: return rows_probe(ground->rows) ? STEP_DONE : STEP_FAILED;
    case STORE_REPORT: return STEP_DONE; /* noted before the batch began */
    case STORE_RATES:                    /* not shared */
    case STORE_BEAT: break;
    }
    return STEP_FAILED;
}

enum operation_step operation_done(struct sqlite_operation *operation, enum error error)
{
    operation->base.error = error;
    return STEP_DONE;
}

bool operation_is_live(const struct session *session, int64_t now_ms)
{
    return session->expires_ms > now_ms;
}

enum row_result operation_find_live(struct sqlite_operation *operation,
                                    struct operation_ground *ground,
                                    struct stored_session *ret_stored)
{
    enum row_result result =
        rows_find_session(ground->rows, &operation->base.session_id, ret_stored);

    if (result != ROW_FOUND ||
        operation_is_live(ret_stored->session, operation->base.now_ms))
        return result;
    session_free(ret_stored->session);
    ret_stored->session = NULL;
    return ROW_NONE;
}

void operation_undo(struct sqlite_operation *operation, struct operation_ground *ground)
{
    struct claim *claim;

    if (operation->base.has_session) {
        claim = store_claims_find(ground->claims, &operation->base.session_id);
        if (claim != NULL)
            claim->replies = operation->replies_before;
        if (claim != NULL && operation->base.kind == STORE_BEGIN &&
            operation->base.begun.session != NULL)
            claim_release(claim, &operation->base.request.begin.request_id);
    }
    store_operation_drop_result(&operation->base);
}

void operation_fail(struct sqlite_operation *operation, struct operation_ground *ground)
{
    struct claim *claim = NULL;

    if (operation->base.has_session)
        claim = store_claims_find(ground->claims, &operation->base.session_id);
    if (claim != NULL && operation->base.kind == STORE_COMMIT)
        claim_release(claim, &operation->base.request.commit.request_id);
    if (claim != NULL && operation->base.kind == STORE_END)
        claim_release(claim, &operation->base.request.end.request_id);
    if (operation->has_swept)
        ground->has_deleted = true;
    operation->base.error = ERROR_STORE_UNAVAILABLE;
}
