/*
 * What clients fill in: the fields of JSON bodies, the Idempotency-Key, and what is wrong with them
 * (`details.errors` of validation_error).
 */
#ifndef FORM_INTERNAL_H
#define FORM_INTERNAL_H

#include "ask.h"
#include "coach.h"
#include "filter.h"
#include "headers_internal.h"
#include "private_text.h"
#include "span.h"
#include "store.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#define FIELD_ERRORS_MAX 8

/* What is wrong with the fields of a request. */
struct field_errors {
    struct {
        const char *field; /* static, like the reason: nothing that the client sent */
        const char *reason;
    } list[FIELD_ERRORS_MAX];
    size_t count;
};

/* Past FIELD_ERRORS_MAX they are not added. */
void field_errors_add(struct field_errors *errors, const char *field, const char *reason);

/* Each of these members of a JSON body that stands there twice is a bad field. */
void field_errors_add_doubled(struct field_errors *errors, struct span body,
                              const char *const names[], size_t count);

/* {"errors":[{"field":"...","reason":"..."}]}, for the caller to free. */
struct private_text field_errors_json(const struct field_errors *errors);

/* The reason why a text cannot be taken, as validation_error tells it; NULL: it can.  Characters are code
 * points.  In a name there are no control characters. */
const char *form_text_fault(struct span text, size_t max_chars, bool is_name);

/* The Idempotency-Key header: 1 to 255 visible ASCII characters, and as such only a digest.
 *
 * Bytes of a key at least: of one that no token goes with, which has to be hard to guess (a
 * UUID has 36), and of others. */
#define IDEMPOTENCY_SECRET_BYTES 22
#define IDEMPOTENCY_KEY_BYTES    1

/* Fills in key and is_there; the fingerprint is the caller's.  A key that breaks the
 * rules is a bad field. */
void idempotency_read(const struct headers *headers, const struct digest_key *input_key,
                      size_t least_bytes, struct store_key *ret_key,
                      struct field_errors *errors);

/* The texts of the body of POST /session/start. */
enum start_text {
    START_ROLE,
    START_INTERVIEW_TYPE,
    START_JOB_ADVERT,
    START_RESUME,
    START_TEXTS
};

#define PAPER_MAX_CHARS 20000 /* of an advert, and of a CV */

/* The body of POST /session/start: what interview a client asks for. */
struct start_form {
    struct private_text
        texts[START_TEXTS]; /* owned; advert and CV masked, or empty: there is none */
    struct private_text
        sent[START_TEXTS]; /* owned: as they came, with what filter_admit() takes out */
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

/* The bodies of POST /ask and POST /v1/chat: a question about the study material.
 *
 * Reads a JSON object (borrowed; anything else, or NULL, is a bad body) into question, selection and
 * session_id, and says all that is wrong at once.  false: something is, and nothing was read. */
bool question_form_read_ask(struct json_object *body, struct ask_request *ret_request,
                            struct field_errors *errors);
bool question_form_read_chat(struct json_object *body, struct ask_request *ret_request,
                             struct field_errors *errors);

#endif
