#include "entity_tag.h"

#include <sodium.h>
#include <string.h>

#define HASH_BYTES crypto_generichash_BYTES_MIN

struct entity_tag entity_tag_of(struct span bytes)
{
    unsigned char hash[HASH_BYTES];
    struct entity_tag tag = {.text = "\""};

    crypto_generichash(hash, sizeof(hash), (const unsigned char *)bytes.bytes,
                       bytes.length, NULL, 0);
    sodium_bin2hex(tag.text + 1, sizeof(tag.text) - 1, hash, sizeof(hash));
    strcat(tag.text, "\"");
    return tag;
}

/* Ours has neither a quote nor a comma inside: where it stands as a whole it is named. */
bool entity_tag_is_in(const struct entity_tag *tag, struct span if_none_match)
{
    if (if_none_match.bytes == NULL)
        return false;
    return span_equals(if_none_match, "*") ||
           memmem(if_none_match.bytes, if_none_match.length, tag->text,
                  strlen(tag->text)) != NULL;
}
