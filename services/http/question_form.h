/*
 * The bodies of POST /ask and POST /v1/chat: a question about the study material.
 */
#ifndef QUESTION_FORM_H
#define QUESTION_FORM_H

#include "ask.h"
#include "field_errors.h"

#include <json-c/json.h>

/* Reads a JSON object (borrowed; anything else, or NULL, is a bad body) into question, selection and
 * session_id, and says all that is wrong at once.  false: something is, and nothing was read. */
bool question_form_read_ask(struct json_object *body, struct ask_request *ret_request,
                            struct field_errors *errors);
bool question_form_read_chat(struct json_object *body, struct ask_request *ret_request,
                             struct field_errors *errors);

#endif
