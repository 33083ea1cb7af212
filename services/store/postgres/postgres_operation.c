/*
 * The life of an operation: asked in steps, answered once.
 */
#include "postgres_operation_steps_internal.h"

#include "mem.h"
#include "postgres_state_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A refusal gets its id here, so that however often it is sent it is noted once. */
void postgres_operation_prepare(struct postgres_operation *operation)
{
    struct id id;

    operation->beginning.claim_changes = -1;
    switch (operation->base.kind) {
    case STORE_CREATE: /* it locks where sessions are counted */
        operation->is_alone = operation->base.request.create.client_most > 0;
        break;
    case STORE_RATES: /* it locks, and two may ask in opposite orders */
        operation->is_alone = true;
        break;
    case STORE_REFUSAL:
        id = id_random();
        operation->note_id = store_id_of(&id);
        break;
    case STORE_LOAD:
    case STORE_DELETE:
    case STORE_BEGIN:
    case STORE_COMMIT:
    case STORE_END:
    case STORE_REMEMBER:
    case STORE_SPEECH:
    case STORE_REPORT:
    case STORE_CHECK:
    case STORE_SWEEP:
    case STORE_BEAT: break;
    }
}

struct postgres_operation *postgres_operation_new(enum store_kind kind)
{
    struct postgres_operation *operation = MEM_NEW(struct postgres_operation);

    operation->base.kind = kind;
    postgres_operation_prepare(operation);
    return operation;
}

void postgres_operation_free(struct postgres_operation *operation)
{
    if (operation == NULL)
        return;
    assert(operation->timer == NULL);
    postgres_begin_forget(operation);
    store_operation_free(&operation->base);
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
    switch (operation->base.kind) {
    case STORE_CREATE: return postgres_create_ask(operation, link);
    case STORE_LOAD: return postgres_load_ask(operation, link);
    case STORE_DELETE: return postgres_delete_ask(operation, link);
    case STORE_BEGIN: return postgres_begin_ask(operation, ground, link);
    case STORE_COMMIT: return postgres_commit_ask(operation, ground, link);
    case STORE_END: return postgres_end_ask(operation, ground, link);
    case STORE_REMEMBER: return postgres_remember_ask(operation, link);
    case STORE_SPEECH: return postgres_speech_ask(operation, link);
    case STORE_REFUSAL: return postgres_refusal_ask(operation, link);
    case STORE_RATES: return postgres_rates_ask(operation, link);
    case STORE_REPORT: return postgres_delivery_ask(operation, ground, link);
    case STORE_CHECK: /* writes, and durably */
    case STORE_BEAT: return beat(operation, ground, link);
    case STORE_SWEEP: break; /* the connector does it */
    }
    return false;
}

void postgres_operation_take(struct postgres_operation *operation,
                             enum postgres_statement which, const PGresult *result)
{
    switch (operation->base.kind) {
    case STORE_CREATE: postgres_create_take(operation, which, result); break;
    case STORE_LOAD: postgres_load_take(operation, result); break;
    case STORE_DELETE: postgres_delete_take(operation, result); break;
    case STORE_BEGIN: postgres_begin_take(operation, which, result); break;
    case STORE_COMMIT: postgres_commit_take(operation, which, result); break;
    case STORE_SPEECH: postgres_speech_take(operation, result); break;
    case STORE_RATES: postgres_rates_take(operation, which, result); break;
    case STORE_END:
    case STORE_REMEMBER:
    case STORE_REFUSAL:
    case STORE_REPORT:
    case STORE_CHECK:
    case STORE_SWEEP:
    case STORE_BEAT: break; /* that there was no error is all there is to know */
    }
}

enum postgres_next postgres_operation_next(struct postgres_operation *operation)
{
    if (operation->base.error == ERROR_STORE_UNAVAILABLE) /* postgres_damaged() */
        return NEXT_DONE;
    switch (operation->base.kind) {
    case STORE_CREATE: return postgres_create_next(operation);
    case STORE_BEGIN: return postgres_begin_next(operation);
    case STORE_COMMIT: return postgres_commit_next(operation);
    case STORE_RATES: return postgres_rates_next(operation);
    case STORE_LOAD:
        return postgres_done(
            operation, operation->base.session != NULL ? OK : ERROR_SESSION_NOT_FOUND);
    case STORE_DELETE:
        return postgres_done(operation,
                             operation->is_found ? OK : ERROR_SESSION_NOT_FOUND);
    case STORE_SPEECH:
        return postgres_done(operation,
                             operation->is_found ? OK : ERROR_TTS_AUDIO_NOT_FOUND);
    case STORE_END:
    case STORE_REMEMBER:
    case STORE_REFUSAL:
    case STORE_REPORT:
    case STORE_CHECK:
    case STORE_SWEEP:
    case STORE_BEAT: break;
    }
    return postgres_done(operation, OK);
}

void postgres_operation_forget(struct postgres_operation *operation)
{
    store_operation_drop_result(&operation->base);
    postgres_begin_forget(operation);
    operation->base.error = OK;
    operation->is_found = false;
    operation->number = 0;
    operation->step = 0;
}

void postgres_operation_fail(struct postgres_operation *operation)
{
    store_operation_drop_result(&operation->base);
    operation->base.error = ERROR_STORE_UNAVAILABLE;
}

struct postgres_operation *postgres_operation_release(
    const struct postgres_operation *operation)
{
    struct postgres_operation *release;
    struct id request_id;

    if (operation->base.error != ERROR_STORE_UNAVAILABLE)
        return NULL;
    if (operation->base.kind == STORE_COMMIT)
        request_id = operation->base.request.commit.request_id;
    else if (operation->base.kind == STORE_BEGIN &&
             operation->beginning.claim_changes >= 0)
        request_id = operation->base.request.begin.request_id;
    else
        return NULL;
    release = postgres_operation_new(STORE_END);
    release->base.has_session = true;
    release->base.session_id = operation->base.session_id;
    release->base.request.end.request_id = request_id;
    return release;
}

void postgres_operation_tell(struct postgres_operation *operation)
{
    postgres_begin_forget(operation);
    store_operation_tell(&operation->base);
}

enum postgres_next postgres_done(struct postgres_operation *operation, enum error error)
{
    operation->base.error = error;
    return NEXT_DONE;
}

void postgres_damaged(struct postgres_operation *operation)
{
    store_operation_drop_result(&operation->base); /* an error brings nothing with it */
    memcpy(operation->sqlstate, POSTGRES_DAMAGED, sizeof(operation->sqlstate));
    operation->base.error = ERROR_STORE_UNAVAILABLE;
}

struct postgres_operation *postgres_pop(struct store_list *list)
{
    return (struct postgres_operation *)store_list_pop(list);
}

void postgres_prepend(struct store_list *list, struct store_list *other)
{
    store_list_append(other, list);
    *list = *other;
    *other = (struct store_list){0};
}
