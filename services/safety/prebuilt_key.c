/*
 * A hash of all that a database is compiled from.
 */
#include "prebuilt.h"

#include <sodium.h>
#include <string.h>

void prebuilt_key(const struct prebuilt_source *source, unsigned char *key)
{
    enum { KEY_BYTES = sizeof((struct prebuilt_header *)NULL)->key };
    crypto_generichash_state state;

    crypto_generichash_init(&state, NULL, 0, KEY_BYTES);
    for (unsigned i = 0; i < source->count; i++) {
        const char *expression = source->expressions[i];
        const unsigned numbers[] = {source->ids[i], source->flags[i]};
        crypto_generichash_update(&state, (const unsigned char *)numbers, sizeof numbers);
        crypto_generichash_update(&state, (const unsigned char *)expression,
                                  strlen(expression) + 1);
    }
    crypto_generichash_final(&state, key, KEY_BYTES);
}
