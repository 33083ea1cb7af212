/*
 * The Idempotency-Key header: 1 to 255 visible ASCII characters, and as such only a
 * digest.
 */
#ifndef IDEMPOTENCY_H
#define IDEMPOTENCY_H

#include "field_errors.h"
#include "headers.h"
#include "store.h"

/* Bytes of a key at least: of one that no token goes with, which has to be hard to guess (a
 * UUID has 36), and of others. */
#define IDEMPOTENCY_SECRET_BYTES 22
#define IDEMPOTENCY_KEY_BYTES    1

/* Fills in key and is_there; the fingerprint is the caller's.  A key that breaks the
 * rules is a bad field. */
void idempotency_read(const struct headers *headers, const struct digest_key *input_key,
                      size_t least_bytes, struct store_key *ret_key,
                      struct field_errors *errors);

#endif
