/*
 * A name for some bytes, so that a client need not fetch again what it has (RFC 9110 8.8.3).
 */
#ifndef ENTITY_TAG_H
#define ENTITY_TAG_H

#include "span.h"

#define ENTITY_TAG_BYTES 40

struct entity_tag {
    char text[ENTITY_TAG_BYTES]; /* with its quotes */
};

/* A strong tag: other bytes have another one. */
struct entity_tag entity_tag_of(struct span bytes);

/* Does If-None-Match name it?  A list of tags, weak ones too, or "*" (RFC 9110 13.1.2);
 * {NULL, 0} names none. */
bool entity_tag_is_in(const struct entity_tag *tag, struct span if_none_match);

#endif
