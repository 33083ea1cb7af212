/*
 * The OpenAPI 3.1 description: written by hand in openapi.json, but for the errors, which
 * come from tables/errors.def.
 */
#ifndef OPENAPI_H
#define OPENAPI_H

#include "buffer.h"

/* Into a buffer that is initialised here. */
void openapi_write(struct buffer *ret_text);

#endif
