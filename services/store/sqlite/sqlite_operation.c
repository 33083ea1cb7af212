#include "sqlite_operation_internal.h"

#include "mem.h"

#include <assert.h>
#include <stdlib.h>

struct operation *operation_new(enum operation_kind kind, struct loop *loop,
                                void *context)
{
    struct operation *operation = MEM_NEW(struct operation);

    operation->kind = kind;
    operation->loop = loop;
    operation->context = context;
    return operation;
}

static void drop_result(struct operation *operation)
{
    session_free(operation->session);
    session_free(operation->begun.session);
    private_text_free(&operation->begun.outcome);
    private_text_free(&operation->begun.heard);
    private_text_free(&operation->speech.audio);
    operation->session = NULL;
    operation->begun = (struct store_begun){0};
    operation->speech = (struct store_speech){0};
    operation->is_replay = false;
}

void operation_free(struct operation *operation)
{
    if (operation == NULL)
        return;
    drop_result(operation);
    if (operation->kind == OPERATION_CREATE)
        session_free(operation->request.create.session);
    if (operation->kind == OPERATION_COMMIT) {
        private_text_free(&operation->request.commit.transcript);
        private_text_free(&operation->request.commit.next_question);
        private_text_free(&operation->request.commit.outcome);
        private_text_free(&operation->request.commit.speech.audio);
    }
    if (operation->kind == OPERATION_REMEMBER)
        private_text_free(&operation->request.remember.heard);
    if (operation->kind == OPERATION_REFUSAL)
        refusal_done(&operation->request.refusal);
    if (operation->kind == OPERATION_END)
        private_text_free(&operation->request.end.outcome);
    free(operation);
}

bool operation_is_remembered(const struct store_end *end)
{
    return end->key.is_there && !private_text_is_empty(&end->outcome);
}

bool operation_writes(const struct operation *operation)
{
    switch (operation->kind) {
    case OPERATION_CREATE:
    case OPERATION_DELETE:
    case OPERATION_COMMIT:
    case OPERATION_REMEMBER:
    case OPERATION_REFUSAL:
    case OPERATION_CHECK: return true;
    case OPERATION_END:
        return operation->request.end.expires_ms != 0 ||
               operation->request.end.is_refusal ||
               operation_is_remembered(&operation->request.end);
    case OPERATION_BEGIN: /* a replay under a new key does, a sweep that finds something
                             does */
    case OPERATION_SWEEP: return operation->needs_write;
    case OPERATION_LOAD:
    case OPERATION_SPEECH:
    case OPERATION_REPORT: return false;
    }
    return false;
}

enum operation_step operation_run(struct operation *operation,
                                  struct operation_ground *ground)
{
    operation->error = OK;
    switch (operation->kind) {
    case OPERATION_CREATE: return operation_create(operation, ground);
    case OPERATION_LOAD: return operation_load(operation, ground);
    case OPERATION_DELETE: return operation_delete(operation, ground);
    case OPERATION_BEGIN: return operation_begin(operation, ground);
    case OPERATION_COMMIT: return operation_commit(operation, ground);
    case OPERATION_END: return operation_end(operation, ground);
    case OPERATION_REMEMBER: return operation_remember(operation, ground);
    case OPERATION_SPEECH: return operation_speech(operation, ground);
    case OPERATION_REFUSAL: return operation_note_refusal(operation, ground);
    case OPERATION_SWEEP: return operation_sweep(operation, ground);
    case OPERATION_CHECK: return rows_probe(ground->rows) ? STEP_DONE : STEP_FAILED;
    case OPERATION_REPORT: return STEP_DONE; /* noted before the batch began */
    }
    return STEP_FAILED;
}

enum operation_step operation_done(struct operation *operation, enum error error)
{
    operation->error = error;
    return STEP_DONE;
}

bool operation_is_live(const struct session *session, int64_t now_ms)
{
    return session->expires_ms > now_ms;
}

enum row_result operation_find_live(struct operation *operation,
                                    struct operation_ground *ground,
                                    struct stored_session *ret_stored)
{
    enum row_result result =
        rows_find_session(ground->rows, &operation->session_id, ret_stored);

    if (result != ROW_FOUND || operation_is_live(ret_stored->session, operation->now_ms))
        return result;
    session_free(ret_stored->session);
    ret_stored->session = NULL;
    return ROW_NONE;
}

void operation_undo(struct operation *operation, struct operation_ground *ground)
{
    struct claim *claim;

    if (operation->has_session) {
        claim = store_claims_find(ground->claims, &operation->session_id);
        if (claim != NULL)
            claim->replies = operation->replies_before;
        if (claim != NULL && operation->kind == OPERATION_BEGIN &&
            operation->begun.session != NULL)
            claim_release(claim, &operation->request.begin.request_id);
    }
    drop_result(operation);
}

void operation_fail(struct operation *operation, struct operation_ground *ground)
{
    struct claim *claim = NULL;

    if (operation->has_session)
        claim = store_claims_find(ground->claims, &operation->session_id);
    if (claim != NULL && operation->kind == OPERATION_COMMIT)
        claim_release(claim, &operation->request.commit.request_id);
    if (claim != NULL && operation->kind == OPERATION_END)
        claim_release(claim, &operation->request.end.request_id);
    if (operation->has_swept)
        ground->has_deleted = true;
    operation->error = ERROR_STORE_UNAVAILABLE;
}

void operation_tell(struct operation *operation)
{
    struct session *session = operation->session;
    struct store_begun begun = operation->begun;
    struct store_speech speech = operation->speech;

    operation->session = NULL;
    operation->begun = (struct store_begun){0};
    operation->speech = (struct store_speech){0};
    switch (operation->kind) {
    case OPERATION_CREATE:
        if (operation->error == OK && !operation->is_replay) {
            session = operation->request.create.session;
            operation->request.create.session = NULL;
        }
        operation->tell.session(operation->context, operation->error, session,
                                operation->is_replay);
        break;
    case OPERATION_LOAD:
        operation->tell.session(operation->context, operation->error, session, false);
        break;
    case OPERATION_BEGIN:
        operation->tell.begun(operation->context, operation->error, begun);
        break;
    case OPERATION_SPEECH:
        operation->tell.speech(operation->context, operation->error, speech);
        break;
    case OPERATION_DELETE:
    case OPERATION_COMMIT:
    case OPERATION_REFUSAL:
    case OPERATION_CHECK:
        operation->tell.done(operation->context, operation->error);
        break;
    case OPERATION_END:
    case OPERATION_REMEMBER:
    case OPERATION_REPORT:
    case OPERATION_SWEEP: break; /* nobody waits */
    }
    operation_free(operation);
}

void operation_list_push(struct operation_list *list, struct operation *operation)
{
    operation->next = NULL;
    if (list->first == NULL)
        list->first = operation;
    else
        list->last->next = operation;
    list->last = operation;
    list->count++;
}

struct operation *operation_list_pop(struct operation_list *list)
{
    struct operation *operation = list->first;

    if (operation == NULL)
        return NULL;
    list->first = operation->next;
    list->count--;
    operation->next = NULL;
    return operation;
}

void operation_list_append(struct operation_list *list, struct operation_list *other)
{
    if (other->first == NULL)
        return;
    if (list->first == NULL)
        list->first = other->first;
    else
        list->last->next = other->first;
    list->last = other->last;
    list->count += other->count;
    *other = (struct operation_list){0};
}
