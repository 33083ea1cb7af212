/*
 * POST /session/{session_id}/finish: the candidate ends the interview, and what was answered is summed
 * up.  No body is read.  A turn's pipeline does it (turn.h), under the session's claim.
 */
#include "request_internal.h"
#include "turn.h"

static void finish(struct request *request);
static void on_finished(void *context, struct turn_result result);

const struct endpoint ENDPOINT_SESSION_FINISH = {
    .needs_token = true, .names_session = true, .starts_work = true, .finish = finish};

static void finish(struct request *request)
{
    struct turn_request turn = {
        .request_id = request->request_id,
        .trace = request->trace,
        .session_id = request->session_id,
        .purpose = STORE_FOR_FINISH,
        .received_us = request->received_us,
        .asked_us = request->asked_us,
    };

    turn_start(request->server->services->turns, &turn, on_finished, request);
}

static void on_finished(void *context, struct turn_result result)
{
    struct request *request = context;

    request_answer(request, &(struct answer){.error = result.error,
                                             .data = &result.data,
                                             .details = &result.details,
                                             .retry_after_s = result.retry_after_s});
    turn_result_free(&result);
}
