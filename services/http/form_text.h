/*
 * Texts that a client writes into a field: how long, and of what.
 */
#ifndef FORM_TEXT_H
#define FORM_TEXT_H

#include "span.h"

#include <stdbool.h>
#include <stddef.h>

/* The reason why a text cannot be taken, as validation_error tells it; NULL: it can.  Characters are code
 * points.  In a name there are no control characters. */
const char *form_text_fault(struct span text, size_t max_chars, bool is_name);

#endif
