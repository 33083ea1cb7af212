/*
 * The body of POST /session/start: what interview a client asks for.
 */
#ifndef START_FORM_H
#define START_FORM_H

#include "coach.h"
#include "field_errors.h"
#include "filter.h"

#include <json-c/json.h>

struct start_form {
    struct private_text role; /* owned, like all texts here */
    struct private_text interview_type;
    struct private_text sent_role; /* as they came, with what filter_admit() takes out */
    struct private_text sent_interview_type;
    enum difficulty difficulty;
    unsigned question_count;
};

/* Reads a JSON object (borrowed; anything else, or NULL, is a bad body) and says all that
 * is wrong at once.  The filter may be NULL: then nothing is screened.
 * ERROR_VALIDATION_ERROR, or ERROR_SAFETY_UNAVAILABLE where there was no verdict. */
enum error start_form_read(struct json_object *body, struct filter *filter,
                           struct start_form *ret_form, struct field_errors *errors);

/* A zeroed form is fine. */
void start_form_free(struct start_form *form);

#endif
