/*
 * What POST /ask and POST /v1/chat share: a body becomes a question, and its result the reply.
 */
#include "grounded_internal.h"

#include "admit_internal.h"
#include "json.h"
#include "json_body_internal.h"

#include <string.h>

#define MAX_BODY_BYTES (128 * 1024)
#define MAX_DEPTH      8

static ask_done_fn on_asked;

int64_t grounded_max_body_bytes(const struct settings *settings)
{
    (void)settings;
    return MAX_BODY_BYTES;
}

void grounded_begin(struct request *request)
{
    json_body_begin(request, MAX_BODY_BYTES);
}

/* A session is noted with a refusal only for whoever has its token. */
static void forget_unproven(struct request *request, struct id *session_id)
{
    struct id proven;

    if (!admit_proves_session(request, &proven) || !id_equals(&proven, session_id))
        *session_id = (struct id){.text = ""};
}

void grounded_finish(struct request *request, enum ask_surface surface,
                     read_question_fn *read)
{
    struct field_errors errors = {.count = 0};
    struct json_object *body = json_body_parse(request, MAX_DEPTH, &errors);
    struct ask_request question = {
        .surface = surface,
        .request_id = request->request_id,
        .trace = request->trace,
        .received_us = request->received_us,
    };

    if (read(body, &question, &errors)) {
        forget_unproven(request, &question.session_id);
        ask_start(request->server->asks, &question, on_asked, request);
    } else {
        json_body_refuse(request, &errors);
    }
    json_wipe_and_put(body);
}

static void on_asked(void *context, struct ask_result result)
{
    struct private_text message = {NULL, 0};

    if (result.message != NULL)
        message = private_text_copy(result.message, strlen(result.message));
    request_answer(context, &(struct answer){.error = result.error,
                                             .data = &result.data,
                                             .message = &message,
                                             .details = &result.details,
                                             .retry_after_s = result.retry_after_s});
    private_text_free(&message);
    ask_result_free(&result);
}
