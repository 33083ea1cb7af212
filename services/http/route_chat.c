/*
 * POST /v1/chat: the same question, by the rules of several gates.
 */
#include "grounded_internal.h"
#include "json_body_internal.h"
#include "request_internal.h"

static void finish(struct request *request)
{
    grounded_finish(request, ASK_CHAT, question_form_read_chat);
}

const struct endpoint ENDPOINT_CHAT = {
    .starts_work = true,
    .starts_turn = true,
    .max_body_bytes = grounded_max_body_bytes,
    .begin = grounded_begin,
    .take = json_body_take,
    .finish = finish,
    .free = json_body_free,
};
