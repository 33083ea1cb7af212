/*
 * The life of an operation, but for what a backend does with it.
 */
#include "store_operation_internal.h"

#include "mem.h"

#include <stdlib.h>

struct store_operation *store_operation_new(const struct store_backend *backend,
                                            enum store_kind kind, struct loop *loop)
{
    struct store_operation *operation = mem_zalloc(backend->operation_bytes);

    operation->kind = kind;
    operation->loop = loop;
    return operation;
}

void store_operation_drop_result(struct store_operation *operation)
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

static void drop_request(struct store_operation *operation)
{
    switch (operation->kind) {
    case STORE_CREATE: session_free(operation->request.create.session); break;
    case STORE_COMMIT:
        private_text_free(&operation->request.commit.transcript);
        private_text_free(&operation->request.commit.next_question);
        private_text_free(&operation->request.commit.outcome);
        private_text_free(&operation->request.commit.speech.audio);
        break;
    case STORE_FINISH: private_text_free(&operation->request.finish.outcome); break;
    case STORE_END:
        private_text_free(&operation->request.end.outcome);
        private_text_free(&operation->request.end.speech.audio);
        break;
    case STORE_REMEMBER: private_text_free(&operation->request.remember.heard); break;
    case STORE_REFUSAL: refusal_done(&operation->request.refusal); break;
    case STORE_BEGIN:
    case STORE_LOAD:
    case STORE_DELETE:
    case STORE_SPEECH:
    case STORE_RATES:
    case STORE_COUNT_USE:
    case STORE_REPORT:
    case STORE_CHECK:
    case STORE_SWEEP:
    case STORE_BEAT: break; /* own nothing */
    }
}

void store_operation_free(struct store_operation *operation)
{
    if (operation == NULL)
        return;
    store_operation_drop_result(operation);
    drop_request(operation);
    free(operation);
}

/* A session that was made is the one that was given. */
static struct session *take_session(struct store_operation *operation)
{
    struct session **place = &operation->session;
    struct session *session;

    if (operation->kind == STORE_CREATE && operation->error == OK &&
        !operation->is_replay)
        place = &operation->request.create.session;
    session = *place;
    *place = NULL;
    return session;
}

/* What is told belongs to whom it is told. */
static void tell(struct store_operation *operation)
{
    struct session *session = take_session(operation);
    struct store_begun begun = operation->begun;
    struct store_speech speech = operation->speech;

    operation->begun = (struct store_begun){0};
    operation->speech = (struct store_speech){0};
    switch (operation->kind) {
    case STORE_CREATE:
    case STORE_LOAD:
        operation->done.session(operation->context, operation->error, session,
                                operation->is_replay);
        break;
    case STORE_BEGIN:
        operation->done.begun(operation->context, operation->error, begun);
        break;
    case STORE_SPEECH:
        operation->done.speech(operation->context, operation->error, speech);
        break;
    case STORE_RATES:
        operation->done.rates(operation->context, operation->error, operation->rates);
        break;
    case STORE_DELETE:
    case STORE_COMMIT:
    case STORE_FINISH:
    case STORE_END:
    case STORE_REFUSAL:
    case STORE_COUNT_USE:
    case STORE_CHECK:
        if (operation->done.done != NULL) /* nobody waits for an end that is no reply */
            operation->done.done(operation->context, operation->error);
        break;
    case STORE_REMEMBER:
    case STORE_REPORT:
    case STORE_SWEEP:
    case STORE_BEAT: break; /* nobody waits */
    }
}

void store_operation_tell(struct store_operation *operation)
{
    if (operation->told != NULL)
        operation->told(operation);
    tell(operation);
    store_operation_free(operation);
}

bool store_end_is_remembered(const struct store_end *end)
{
    return end->key.is_there && !private_text_is_empty(&end->outcome);
}

enum store_extent store_extent_of(const struct store_claim *claim,
                                  const struct session *session)
{
    if (claim->purpose != STORE_FOR_TURN)
        return EXTENT_WHOLE;
    if (session->turn_count + 1 == session->total_questions)
        return EXTENT_TURNS;
    return claim->wants_turns ? EXTENT_SHOWN : EXTENT_SESSION;
}

void store_list_push(struct store_list *list, struct store_operation *operation)
{
    operation->next = NULL;
    if (list->first == NULL)
        list->first = operation;
    else
        list->last->next = operation;
    list->last = operation;
    list->count++;
}

struct store_operation *store_list_pop(struct store_list *list)
{
    struct store_operation *operation = list->first;

    if (operation == NULL)
        return NULL;
    list->first = operation->next;
    list->count--;
    operation->next = NULL;
    return operation;
}

void store_list_append(struct store_list *list, struct store_list *other)
{
    if (other->first == NULL)
        return;
    if (list->first == NULL)
        list->first = other->first;
    else
        list->last->next = other->first;
    list->last = other->last;
    list->count += other->count;
    *other = (struct store_list){0};
}
