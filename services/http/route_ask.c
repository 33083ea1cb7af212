/*
 * POST /ask: a question about the study material, by the rules of a textbook.
 */
#include "grounded_internal.h"
#include "json_body_internal.h"
#include "request_internal.h"

static void finish(struct request *request)
{
    grounded_finish(request, ASK_TEXTBOOK, question_form_read_ask);
}

const struct endpoint ENDPOINT_ASK = {
    .starts_work = true,
    .starts_turn = true,
    .max_body_bytes = grounded_max_body_bytes,
    .begin = grounded_begin,
    .take = json_body_take,
    .finish = finish,
    .free = json_body_free,
};
