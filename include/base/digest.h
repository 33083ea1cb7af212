/*
 * Keyed 32-byte digests (BLAKE2b, RFC 7693, by libsodium): how the store recognises a
 * recording, an answer or an idempotency key that it has seen, without keeping it and
 * useless without the key.
 */
#ifndef DIGEST_H
#define DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#include <sodium.h>

#define DIGEST_BYTES 32

struct digest {
    unsigned char bytes[DIGEST_BYTES];
};

/* A secret of the program from which digests and signatures of one purpose are made. */
struct digest_key {
    unsigned char bytes[DIGEST_BYTES];
};

struct digest_state {
    crypto_generichash_state state;
};

/* Derives the key for a purpose ("token", "audio", ...) from SECRET_KEY. */
struct digest_key digest_key_derive(const char *secret, size_t length,
                                    const char *purpose);

void digest_begin(struct digest_state *state, const struct digest_key *key);
void digest_add(struct digest_state *state, const void *bytes, size_t length);

/* Adds a length and then the bytes, so that two fields cannot run into each other. */
void digest_add_field(struct digest_state *state, const void *bytes, size_t length);
struct digest digest_end(struct digest_state *state);

/* In constant time. */
bool digest_equals(const struct digest *one, const struct digest *other);

#endif
