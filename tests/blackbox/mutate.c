#include "mutate.h"

#include <string.h>

enum { LONGEST_COPY = 40 };

/* xorshift64 (Marsaglia 2003). */
size_t below(struct generator *generator, size_t limit)
{
    generator->state ^= generator->state << 13;
    generator->state ^= generator->state >> 7;
    generator->state ^= generator->state << 17;
    return (size_t)(generator->state >> 11) % limit;
}

static void replace(struct bytes *bytes, size_t at, size_t size, const char *by,
                    size_t by_size)
{
    struct bytes result = {0};

    bytes_add(&result, bytes->data, at);
    bytes_add(&result, by, by_size);
    bytes_add(&result, bytes->data + at + size, bytes->size - at - size);
    bytes_free(bytes);
    *bytes = result;
}

void mutate(struct generator *generator, struct bytes *bytes, struct pieces pieces)
{
    if (bytes->size == 0)
        return;

    size_t at = below(generator, bytes->size);
    size_t left = bytes->size - at;
    size_t size = below(generator, (left < LONGEST_COPY ? left : LONGEST_COPY) + 1);
    const char *piece = pieces.texts[below(generator, pieces.count)];
    char byte = (char)below(generator, 256);
    char copied[LONGEST_COPY];

    switch (below(generator, 7)) {
    case 0: bytes->data[at] = (char)(bytes->data[at] ^ (1 << below(generator, 8))); break;
    case 1: bytes->data[at] = byte; break;
    case 2: replace(bytes, at, 0, &byte, 1); break;
    case 3: replace(bytes, at, size, "", 0); break;
    case 4: replace(bytes, at, 0, piece, strlen(piece)); break;
    case 5: replace(bytes, at, size, piece, strlen(piece)); break;
    case 6:
        memcpy(copied, bytes->data + at, size);
        replace(bytes, below(generator, bytes->size), 0, copied, size);
        break;
    }
}

void cut_off(struct generator *generator, struct bytes *bytes)
{
    if (bytes->size == 0)
        return;

    size_t at = below(generator, bytes->size);
    replace(bytes, at, bytes->size - at, "", 0);
}
