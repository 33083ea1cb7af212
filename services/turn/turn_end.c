/*
 * How a turn ends: it fails, is refused, or is done; its claim is given back, it is
 * reported, and whoever started it is told.
 */
#include "turn_internal.h"

#include "clock.h"

#include <stdlib.h>
#include <string.h>

void turn_note_refusal(struct turn *turn, const char *source, const char *reason)
{
    turn->refusal_source = source;
    strncpy(turn->reason, reason, sizeof(turn->reason) - 1);
    turn->refusal_reason = turn->reason;
}

static void turn_free(struct turn *turn)
{
    private_text_free(&turn->request.transcript);
    buffer_done(&turn->request.recording);
    private_text_free(&turn->announced);
    private_text_free(&turn->data);
    reply_stream_done(&turn->stream);
    reply_free(&turn->reply);
    summary_free(&turn->summary);
    session_free(turn->own_session);
    free(turn);
}

void turn_fail(struct turn *turn, enum error error)
{
    struct turn_result result = {.error = error, .retry_after_s = -1};

    turn_finish(turn, &result);
}

/* A refusal is an outcome: the same request under the same key is refused again, without
 * a call. */
void turn_refuse(struct turn *turn, struct turn_result *result)
{
    struct private_text nothing = {NULL, 0};

    turn_end_claim(turn, turn->request.input.key.is_there ? turn_write_refusal(result)
                                                          : nothing);
    turn_finish(turn, result);
}

void turn_finish(struct turn *turn, struct turn_result *result)
{
    struct private_text nothing = {NULL, 0};

    if (turn->has_claim)
        turn_end_claim(turn, nothing);
    turn->timings.total_us = clock_monotonic_us() - turn->request.received_us;
    result->timings = turn->timings;
    if (turn->is_admitted) {
        turn_report(turn, result);
        atomic_fetch_sub_explicit(&turn->services->shared->inflight, 1,
                                  memory_order_relaxed);
        metrics_add(&turn->services->metrics->TURNS_INFLIGHT, -1);
    }
    turn_hush(turn);
    turn->done(turn->context, *result);
    turn_free(turn);
}

void turn_report_delivery(struct services *services, const struct id *session_id,
                          unsigned turn_number, bool was_delivered)
{
    if (!was_delivered)
        metrics_add(&services->metrics->RESPONSES_UNDELIVERED, 1);
    store_report_delivery(services->store, session_id, turn_number, was_delivered);
}

void turn_result_free(struct turn_result *result)
{
    private_text_free(&result->data);
    private_text_free(&result->message);
    private_text_free(&result->details);
}
