/*
 * The Idempotency-Key header: 1 to 255 visible ASCII characters, and as such only a
 * digest.
 */
#ifndef IDEMPOTENCY_H
#define IDEMPOTENCY_H

#include "field_errors.h"
#include "headers.h"
#include "store.h"

/* Fills in key and is_there; the fingerprint is the caller's.  A key that breaks the
 * rules is a bad field. */
void idempotency_read(const struct headers *headers, const struct digest_key *input_key,
                      struct store_key *ret_key, struct field_errors *errors);

#endif
