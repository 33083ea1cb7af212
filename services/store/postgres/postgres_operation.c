#include "postgres_operation_internal.h"

#include "mem.h"
#include "postgres_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct postgres_operation *postgres_operation_new(enum postgres_kind kind, void *context)
{
    struct postgres_operation *operation = MEM_NEW(struct postgres_operation);

    operation->kind = kind;
    operation->context = context;
    operation->beginning.claim_changes = -1;
    return operation;
}

static void drop_result(struct postgres_operation *operation)
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

static void drop_request(struct postgres_operation *operation)
{
    switch (operation->kind) {
    case POSTGRES_CREATE: session_free(operation->request.create.session); break;
    case POSTGRES_COMMIT:
        private_text_free(&operation->request.commit.transcript);
        private_text_free(&operation->request.commit.next_question);
        private_text_free(&operation->request.commit.outcome);
        private_text_free(&operation->request.commit.speech.audio);
        break;
    case POSTGRES_END: private_text_free(&operation->request.end.outcome); break;
    case POSTGRES_REMEMBER: private_text_free(&operation->request.remember.heard); break;
    case POSTGRES_REFUSAL: refusal_done(&operation->request.note.refusal); break;
    case POSTGRES_BEGIN:
    case POSTGRES_LOAD:
    case POSTGRES_DELETE:
    case POSTGRES_SPEECH:
    case POSTGRES_RATES:
    case POSTGRES_DELIVERY:
    case POSTGRES_CHECK:
    case POSTGRES_HEARTBEAT: break; /* own nothing */
    }
}

void postgres_operation_free(struct postgres_operation *operation)
{
    if (operation == NULL)
        return;
    assert(operation->timer == NULL);
    postgres_begin_forget(operation);
    drop_result(operation);
    drop_request(operation);
    free(operation);
}

static bool beat(struct postgres_operation *operation,
                 const struct postgres_ground *ground, struct postgres_link *link)
{
    struct postgres_values values = {0};

    postgres_process_values(&values, &ground->process);
    return postgres_link_send(link, operation, POSTGRES_BEAT, &values);
}

bool postgres_operation_ask(struct postgres_operation *operation,
                            struct postgres_ground *ground, struct postgres_link *link)
{
    operation->ground = ground;
    switch (operation->kind) {
    case POSTGRES_CREATE: return postgres_create_ask(operation, link);
    case POSTGRES_LOAD: return postgres_load_ask(operation, link);
    case POSTGRES_DELETE: return postgres_delete_ask(operation, link);
    case POSTGRES_BEGIN: return postgres_begin_ask(operation, ground, link);
    case POSTGRES_COMMIT: return postgres_commit_ask(operation, ground, link);
    case POSTGRES_END: return postgres_end_ask(operation, ground, link);
    case POSTGRES_REMEMBER: return postgres_remember_ask(operation, link);
    case POSTGRES_SPEECH: return postgres_speech_ask(operation, link);
    case POSTGRES_REFUSAL: return postgres_refusal_ask(operation, link);
    case POSTGRES_RATES: return postgres_rates_ask(operation, link);
    case POSTGRES_DELIVERY: return postgres_delivery_ask(operation, ground, link);
    case POSTGRES_CHECK: /* writes, and durably */
    case POSTGRES_HEARTBEAT: return beat(operation, ground, link);
    }
    return false;
}

void postgres_operation_take(struct postgres_operation *operation,
                             enum postgres_statement which, const PGresult *result)
{
    switch (operation->kind) {
    case POSTGRES_CREATE: postgres_create_take(operation, which, result); break;
    case POSTGRES_LOAD: postgres_load_take(operation, result); break;
    case POSTGRES_DELETE: postgres_delete_take(operation, result); break;
    case POSTGRES_BEGIN: postgres_begin_take(operation, which, result); break;
    case POSTGRES_COMMIT: postgres_commit_take(operation, which, result); break;
    case POSTGRES_SPEECH: postgres_speech_take(operation, result); break;
    case POSTGRES_RATES: postgres_rates_take(operation, which, result); break;
    case POSTGRES_END:
    case POSTGRES_REMEMBER:
    case POSTGRES_REFUSAL:
    case POSTGRES_DELIVERY:
    case POSTGRES_CHECK:
    case POSTGRES_HEARTBEAT: break; /* that there was no error is all there is to know */
    }
}

enum postgres_next postgres_operation_next(struct postgres_operation *operation)
{
    if (operation->error == ERROR_STORE_UNAVAILABLE) /* postgres_damaged() */
        return NEXT_DONE;
    switch (operation->kind) {
    case POSTGRES_CREATE: return postgres_create_next(operation);
    case POSTGRES_BEGIN: return postgres_begin_next(operation);
    case POSTGRES_COMMIT: return postgres_commit_next(operation);
    case POSTGRES_RATES: return postgres_rates_next(operation);
    case POSTGRES_LOAD:
        return postgres_done(operation,
                             operation->session != NULL ? OK : ERROR_SESSION_NOT_FOUND);
    case POSTGRES_DELETE:
        return postgres_done(operation,
                             operation->is_found ? OK : ERROR_SESSION_NOT_FOUND);
    case POSTGRES_SPEECH:
        return postgres_done(operation,
                             operation->is_found ? OK : ERROR_TTS_AUDIO_NOT_FOUND);
    case POSTGRES_END:
    case POSTGRES_REMEMBER:
    case POSTGRES_REFUSAL:
    case POSTGRES_DELIVERY:
    case POSTGRES_CHECK:
    case POSTGRES_HEARTBEAT: break;
    }
    return postgres_done(operation, OK);
}

void postgres_operation_forget(struct postgres_operation *operation)
{
    drop_result(operation);
    postgres_begin_forget(operation);
    operation->error = OK;
    operation->is_found = false;
    operation->number = 0;
    operation->step = 0;
}

void postgres_operation_fail(struct postgres_operation *operation)
{
    drop_result(operation);
    operation->error = ERROR_STORE_UNAVAILABLE;
}

struct postgres_operation *postgres_operation_release(
    const struct postgres_operation *operation)
{
    struct postgres_operation *release;
    struct id request_id;

    if (operation->error != ERROR_STORE_UNAVAILABLE)
        return NULL;
    if (operation->kind == POSTGRES_COMMIT)
        request_id = operation->request.commit.request_id;
    else if (operation->kind == POSTGRES_BEGIN && operation->beginning.claim_changes >= 0)
        request_id = operation->request.begin.request_id;
    else
        return NULL;
    release = postgres_operation_new(POSTGRES_END, NULL);
    release->has_session = true;
    release->session_id = operation->session_id;
    release->request.end.request_id = request_id;
    return release;
}

void postgres_operation_tell(struct postgres_operation *operation)
{
    struct session *session = operation->session;
    struct store_begun begun = operation->begun;
    struct store_speech speech = operation->speech;

    operation->session = NULL;
    operation->begun = (struct store_begun){0};
    operation->speech = (struct store_speech){0};
    switch (operation->kind) {
    case POSTGRES_CREATE:
        if (operation->error == OK && !operation->is_replay) {
            session = operation->request.create.session;
            operation->request.create.session = NULL;
        }
        operation->tell.session(operation->context, operation->error, session,
                                operation->is_replay);
        break;
    case POSTGRES_LOAD:
        operation->tell.session(operation->context, operation->error, session, false);
        break;
    case POSTGRES_BEGIN:
        operation->tell.begun(operation->context, operation->error, begun);
        break;
    case POSTGRES_SPEECH:
        operation->tell.speech(operation->context, operation->error, speech);
        break;
    case POSTGRES_RATES:
        operation->tell.rates(operation->context, operation->error, operation->rates);
        break;
    case POSTGRES_DELETE:
    case POSTGRES_COMMIT:
    case POSTGRES_REFUSAL:
    case POSTGRES_CHECK:
        operation->tell.done(operation->context, operation->error);
        break;
    case POSTGRES_END:
    case POSTGRES_REMEMBER:
    case POSTGRES_DELIVERY:
    case POSTGRES_HEARTBEAT: break; /* nobody waits */
    }
    postgres_operation_free(operation);
}

enum postgres_next postgres_done(struct postgres_operation *operation, enum error error)
{
    operation->error = error;
    return NEXT_DONE;
}

void postgres_damaged(struct postgres_operation *operation)
{
    drop_result(operation); /* an error brings nothing with it */
    memcpy(operation->sqlstate, POSTGRES_DAMAGED, sizeof(operation->sqlstate));
    operation->error = ERROR_STORE_UNAVAILABLE;
}

void postgres_list_push(struct postgres_list *list, struct postgres_operation *operation)
{
    operation->next = NULL;
    if (list->first == NULL)
        list->first = operation;
    else
        list->last->next = operation;
    list->last = operation;
    list->count++;
}

struct postgres_operation *postgres_list_pop(struct postgres_list *list)
{
    struct postgres_operation *operation = list->first;

    if (operation == NULL)
        return NULL;
    list->first = operation->next;
    list->count--;
    operation->next = NULL;
    return operation;
}

void postgres_list_prepend(struct postgres_list *list, struct postgres_list *other)
{
    if (other->first == NULL)
        return;
    other->last->next = list->first;
    if (list->first == NULL)
        list->last = other->last;
    list->first = other->first;
    list->count += other->count;
    *other = (struct postgres_list){0};
}
