/*
 * Headers of the form `value; name=value; name="value"` (RFC 9110 5.6.6): Content-Type
 * and Content-Disposition.
 */
#ifndef PARAMETERS_INTERNAL_H
#define PARAMETERS_INTERNAL_H

#include "span.h"

#include <stdbool.h>
#include <stddef.h>

struct parameter {
    struct span name;
    struct span value; /* inside the quotes; with its backslashes where is_quoted */
    bool is_quoted;
};

/* What stands before the first semicolon, without white space around it. */
struct span parameters_value(struct span header);

/* The next parameter at or after `*offset`, which starts at 0 and moves past it.  false:
 * there are no more, and then `*offset` is header.length; or the header is malformed, and
 * then it is not. */
bool parameters_next(struct span header, size_t *offset, struct parameter *ret_parameter);

/* The value without its backslashes, into `text` of `size` bytes, NUL-terminated.  false:
 * it does not fit, or a NUL is in it. */
bool parameters_unquote(const struct parameter *parameter, char *text, size_t size);

#endif
