#include "idempotency.h"

#define MAX_KEY_BYTES 255

static bool is_visible(struct span key)
{
    for (size_t i = 0; i < key.length; i++) {
        if (key.bytes[i] <= ' ' || key.bytes[i] > '~')
            return false;
    }
    return true;
}

void idempotency_read(const struct headers *headers, const struct digest_key *input_key,
                      size_t least_bytes, struct store_key *ret_key,
                      struct field_errors *errors)
{
    struct span key = headers->idempotency_key;
    struct digest_state state;

    if (key.bytes == NULL)
        return;
    if (headers->has_two_idempotency_keys) {
        field_errors_add(errors, "Idempotency-Key", "doubled");
        return;
    }
    if (key.length < least_bytes || key.length > MAX_KEY_BYTES || !is_visible(key)) {
        field_errors_add(errors, "Idempotency-Key", "invalid");
        return;
    }
    digest_begin(&state, input_key);
    digest_add_field(&state, "key", 3);
    digest_add_field(&state, key.bytes, key.length);
    ret_key->key = digest_end(&state);
    ret_key->is_there = true;
}
