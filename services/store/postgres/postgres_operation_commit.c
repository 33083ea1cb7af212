/*
 * A turn ends: it is committed, or its claim is given back.
 */
#include "postgres_operation_steps_internal.h"

#include "postgres_speech_internal.h"

#include <assert.h>
#include <string.h>

enum { COMMIT_STORE, COMMIT_EXPLAIN };

static struct store_id request_of(const struct postgres_operation *operation)
{
    return store_id_of(&operation->base.request.commit.request_id);
}

/* The scores as one byte each; NULL for a turn without. */
static void add_scores(struct postgres_values *values, const struct store_commit *commit,
                       unsigned char bytes[SESSION_SCORES])
{
    for (int i = 0; i < SESSION_SCORES; i++)
        bytes[i] = (unsigned char)commit->scores[i];
    if (commit->is_scored)
        postgres_value_bytes(values, bytes, SESSION_SCORES);
    else
        postgres_value_null(values);
}

static bool send_commit(struct postgres_operation *operation,
                        const struct postgres_ground *ground, struct postgres_link *link)
{
    const struct store_commit *commit = &operation->base.request.commit;
    const struct store_input *input = &commit->input;
    struct store_id request_id = request_of(operation);
    unsigned char scores[SESSION_SCORES];
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_number(&values, commit->turn_number);
    postgres_value_number(&values, commit->now_ms);
    postgres_value_number(&values, commit->expires_ms);
    postgres_value_digest(&values, input->has_audio, &input->audio);
    postgres_value_digest(&values, input->has_transcript, &input->transcript);
    postgres_value_id(&values, &request_id);
    postgres_value_id(&values, &ground->process.id);
    postgres_value_digest(&values, input->key.is_there, &input->key.key);
    postgres_value_digest(&values, input->key.is_there, &input->key.fingerprint);
    add_scores(&values, commit, scores);
    postgres_value_text(&values, &commit->transcript, false);
    postgres_value_text(&values, &commit->outcome, false);
    postgres_value_text(&values, &commit->next_question, true);
    postgres_speech_values(&values, &commit->speech);
    return postgres_link_send(link, operation, POSTGRES_COMMIT_TURN, &values);
}

static bool send_release(struct postgres_operation *operation,
                         const struct postgres_ground *ground,
                         const struct id *request_id, int64_t expires_ms,
                         struct postgres_link *link)
{
    struct store_id request = store_id_of(request_id);
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_id(&values, &request);
    postgres_value_id(&values, &ground->process.id);
    postgres_value_number(&values, expires_ms);
    postgres_value_number(&values, operation->base.now_ms);
    return postgres_link_send(link, operation, POSTGRES_END_TURN, &values);
}

/* The claim, if it is still there, is given back. */
static bool send_explain(struct postgres_operation *operation,
                         const struct postgres_ground *ground, struct postgres_link *link)
{
    const struct store_commit *commit = &operation->base.request.commit;
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_number(&values, commit->turn_number);
    postgres_value_number(&values, commit->now_ms);
    return postgres_link_send(link, operation, POSTGRES_EXPLAIN_COMMIT, &values) &&
           send_release(operation, ground, &commit->request_id, 0, link);
}

bool postgres_commit_ask(struct postgres_operation *operation,
                         struct postgres_ground *ground, struct postgres_link *link)
{
    if (operation->step == COMMIT_EXPLAIN)
        return send_explain(operation, ground, link);
    return postgres_speech_make_room(operation, ground, link) &&
           send_commit(operation, ground, link);
}

static void take_explanation(struct postgres_operation *operation, const PGresult *result)
{
    struct postgres_row row = postgres_row_of(result, 0);
    struct store_id request_id = request_of(operation);
    struct store_id stored = {{0}};

    operation->is_found = PQntuples(result) == 1;
    operation->is_ours = operation->is_found &&
                         postgres_row_bytes(&row, stored.bytes, sizeof(stored.bytes)) &&
                         store_id_equals(&stored, &request_id);
}

void postgres_commit_take(struct postgres_operation *operation,
                          enum postgres_statement which, const PGresult *result)
{
    struct postgres_row row = postgres_row_of(result, 0);

    if (which == POSTGRES_COMMIT_TURN)
        operation->is_found = PQntuples(result) == 1 && postgres_row_number(&row) == 1;
    else if (which == POSTGRES_EXPLAIN_COMMIT)
        take_explanation(operation, result);
    else if (which == POSTGRES_EVICT_SPEECH && PQntuples(result) == 1)
        operation->number = postgres_row_number(&row);
}

/* A turn that an earlier try of this very commit stored is committed. */
enum postgres_next postgres_commit_next(struct postgres_operation *operation)
{
    if (operation->step == COMMIT_STORE) {
        if (operation->is_found)
            return postgres_done(operation, OK);
        operation->step = COMMIT_EXPLAIN;
        return NEXT_ASK;
    }
    if (!operation->is_found)
        return postgres_done(operation, ERROR_SESSION_NOT_FOUND);
    return postgres_done(operation, operation->is_ours && operation->is_repeat
                                        ? OK
                                        : ERROR_TURN_IN_PROGRESS);
}

/* What is remembered and what is forgotten go first: when the claim is given back, it is so. */
bool postgres_end_ask(struct postgres_operation *operation,
                      const struct postgres_ground *ground, struct postgres_link *link)
{
    const struct store_end *end = &operation->base.request.end;
    struct postgres_values forget = {0};
    struct postgres_values insert = {0};
    struct postgres_values unheard = {0};

    postgres_value_id(&unheard, &operation->base.session_id);
    if (end->is_refusal &&
        !postgres_link_send(link, operation, POSTGRES_FORGET_HEARD, &unheard))
        return false;
    if (end->key.is_there && !private_text_is_empty(&end->outcome)) {
        postgres_value_id(&forget, &operation->base.session_id);
        postgres_value_number(&forget, STORE_MAX_REMEMBERED - 1);
        postgres_value_id(&insert, &operation->base.session_id);
        postgres_value_digest(&insert, true, &end->key.key);
        postgres_value_digest(&insert, true, &end->key.fingerprint);
        postgres_value_number(&insert, 0);
        postgres_value_text(&insert, &end->outcome, false);
        postgres_value_number(&insert, operation->base.now_ms);
        if (!postgres_link_send(link, operation, POSTGRES_FORGET_RECORDS, &forget) ||
            !postgres_link_send(link, operation, POSTGRES_INSERT_RECORD, &insert))
            return false;
    }
    return send_release(operation, ground, &end->request_id, end->expires_ms, link);
}

bool postgres_delivery_ask(struct postgres_operation *operation,
                           const struct postgres_ground *ground,
                           struct postgres_link *link)
{
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_number(&values, operation->base.request.report.turn_number);
    postgres_value_id(&values, &ground->process.id);
    postgres_value_number(&values, operation->base.request.report.was_delivered);
    return postgres_link_send(link, operation, POSTGRES_REPORT, &values);
}
