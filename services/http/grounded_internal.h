/*
 * What POST /ask and POST /v1/chat have in common: a JSON body becomes a question (ask.h), and its result
 * the reply.
 */
#ifndef GROUNDED_INTERNAL_H
#define GROUNDED_INTERNAL_H

#include "form_internal.h"
#include "request_internal.h"

typedef bool read_question_fn(struct json_object *body, struct ask_request *ret_request,
                              struct field_errors *errors);

/* The body of both: two texts of the longest, each character escaped as JSON may. */
int64_t grounded_max_body_bytes(const struct settings *settings);
void grounded_begin(struct request *request);
void grounded_finish(struct request *request, enum ask_surface surface,
                     read_question_fn *read);

#endif
