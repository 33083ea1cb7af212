/*
 * A JSON body that is read whole: the state of a request whose endpoint takes one.
 */
#ifndef JSON_BODY_INTERNAL_H
#define JSON_BODY_INTERNAL_H

#include "form_internal.h"
#include "request_internal.h"

#include <json-c/json.h>

/* For endpoint->begin: answers ERROR_UNSUPPORTED_MEDIA_TYPE where the body is of another
 * type. */
void json_body_begin(struct request *request, size_t max_bytes);

/* For endpoint->take: answers ERROR_FILE_TOO_LARGE past the most. */
void json_body_take(struct request *request, struct span bytes);

/* For endpoint->finish: NULL where it is no JSON.  A member that stands there twice is a bad field.  The
 * caller puts the object, wiped. */
struct json_object *json_body_parse(const struct request *request, int max_depth,
                                    struct field_errors *errors);

/* Answers ERROR_VALIDATION_ERROR with what is wrong. */
void json_body_refuse(struct request *request, const struct field_errors *errors);

/* For endpoint->free. */
void json_body_free(void *state);

#endif
