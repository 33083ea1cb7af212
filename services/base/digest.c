/*
 * BLAKE2b, with a key for each purpose.
 */
#include "digest.h"

#include <string.h>

struct digest_key digest_key_derive(const char *secret, size_t length,
                                    const char *purpose)
{
    struct digest_key key;
    struct digest_state state;

    /* The secret may be longer than a BLAKE2b key: it is hashed as data behind the
     * purpose. */
    crypto_generichash_init(&state.state, NULL, 0, DIGEST_BYTES);
    digest_add_field(&state, purpose, strlen(purpose));
    digest_add_field(&state, secret, length);
    crypto_generichash_final(&state.state, key.bytes, DIGEST_BYTES);
    sodium_memzero(&state, sizeof(state));
    return key;
}

void digest_begin(struct digest_state *state, const struct digest_key *key)
{
    crypto_generichash_init(&state->state, key->bytes, DIGEST_BYTES, DIGEST_BYTES);
}

void digest_add(struct digest_state *state, const void *bytes, size_t length)
{
    crypto_generichash_update(&state->state, bytes, length);
}

void digest_add_field(struct digest_state *state, const void *bytes, size_t length)
{
    unsigned char prefix[8];

    for (unsigned at = 0; at < sizeof(prefix); at++)
        prefix[at] = (unsigned char)(length >> (8 * at));
    digest_add(state, prefix, sizeof(prefix));
    digest_add(state, bytes, length);
}

struct digest digest_end(struct digest_state *state)
{
    struct digest digest;

    crypto_generichash_final(&state->state, digest.bytes, DIGEST_BYTES);
    sodium_memzero(state, sizeof(*state));
    return digest;
}

bool digest_equals(const struct digest *one, const struct digest *other)
{
    return sodium_memcmp(one->bytes, other->bytes, DIGEST_BYTES) == 0;
}
