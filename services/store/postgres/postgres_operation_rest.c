/*
 * What was heard, refusals, rates.
 */
#include "postgres_operation_steps_internal.h"

#define MINUTE_US INT64_C(60000000)

bool postgres_remember_ask(struct postgres_operation *operation,
                           struct postgres_link *link)
{
    struct postgres_values values = {0};

    postgres_value_id(&values, &operation->base.session_id);
    postgres_value_digest(&values, true, &operation->base.request.remember.audio);
    postgres_value_text(&values, &operation->base.request.remember.heard, false);
    return postgres_link_send(link, operation, POSTGRES_KEEP_HEARD, &values);
}

bool postgres_refusal_ask(struct postgres_operation *operation,
                          struct postgres_link *link)
{
    const struct refusal *refusal = &operation->base.request.refusal;
    struct postgres_values values = {0};
    struct store_id session;

    postgres_value_id(&values, &operation->note_id);
    postgres_value_number(&values, refusal->at_ms);
    if (*refusal->session_id.text != '\0') {
        session = store_id_of(&refusal->session_id);
        postgres_value_id(&values, &session);
    } else {
        postgres_value_null(&values);
    }
    postgres_value_text(&values, &refusal->question, true);
    postgres_value_string(&values, refusal->reason);
    postgres_value_number(&values, refusal->chunks_retrieved);
    if (refusal->max_score >= 0)
        postgres_value_double(&values, refusal->max_score);
    else
        postgres_value_null(&values);
    return postgres_link_send(link, operation, POSTGRES_NOTE_REFUSAL, &values);
}

/* `step` is the quota that is being asked; a denied one is asked once more, for when it is whole.
 */
bool postgres_rates_ask(struct postgres_operation *operation, struct postgres_link *link)
{
    const struct store_rate_request *request = &operation->base.request.rates;
    bool was_denied = operation->number > 0;
    struct postgres_values values = {0};

    postgres_value_digest(&values, true, &request->rates[operation->step].key);
    if (!was_denied)
        postgres_value_number(&values,
                              MINUTE_US / request->rates[operation->step].per_minute);
    operation->is_found = false;
    return postgres_link_send(
        link, operation, was_denied ? POSTGRES_READ_RATE : POSTGRES_TAKE_RATE, &values);
}

void postgres_rates_take(struct postgres_operation *operation,
                         enum postgres_statement which, const PGresult *result)
{
    struct postgres_row row = postgres_row_of(result, 0);

    operation->is_found = PQntuples(result) == 1;
    if (!operation->is_found)
        return;
    operation->base.rates[operation->step] = (struct store_rate){
        .is_taken = which == POSTGRES_TAKE_RATE,
        .whole_us = postgres_row_number(&row),
    };
    if (row.is_damaged)
        postgres_damaged(operation);
}

enum postgres_next postgres_rates_next(struct postgres_operation *operation)
{
    bool was_denied = operation->number > 0;

    if (!was_denied && !operation->is_found) {
        operation->number = 1;
        return NEXT_ASK;
    }
    if (was_denied || ++operation->step == operation->base.request.rates.count)
        return postgres_done(operation, OK);
    return NEXT_ASK;
}
