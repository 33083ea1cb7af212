/*
 * What is wrong with the fields of a request: `details.errors` of validation_error.
 */
#ifndef FIELD_ERRORS_H
#define FIELD_ERRORS_H

#include "private_text.h"

#include <stddef.h>

#define FIELD_ERRORS_MAX 8

struct field_errors {
    struct {
        const char *field; /* static, like the reason: nothing that the client sent */
        const char *reason;
    } list[FIELD_ERRORS_MAX];
    size_t count;
};

/* Past FIELD_ERRORS_MAX they are not added. */
void field_errors_add(struct field_errors *errors, const char *field, const char *reason);

/* {"errors":[{"field":"...","reason":"..."}]}, for the caller to free. */
struct private_text field_errors_json(const struct field_errors *errors);

#endif
