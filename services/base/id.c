/*
 * UUIDs, made and taken: libuuid knows their text.
 */
#include "id.h"

#include <ctype.h>
#include <sodium.h>
#include <string.h>
#include <uuid/uuid.h>

/* RFC 9562, section 5.4: random but for the version, 4, and the variant, binary 10.  libsodium asks the
 * system once; uuid_generate_random() makes five calls for the same, and takes ten times as long. */
struct id id_random(void)
{
    uuid_t bytes;
    struct id id;

    randombytes_buf(bytes, sizeof(bytes));
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40);
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80);
    uuid_unparse_lower(bytes, id.text);
    return id;
}

bool id_parse(const char *bytes, size_t length, struct id *ret_id)
{
    struct id id;
    uuid_t parsed;

    if (length != sizeof(id.text) - 1)
        return false;
    memcpy(id.text, bytes, length);
    id.text[length] = '\0';
    if (uuid_parse(id.text, parsed) != 0)
        return false;
    *ret_id = id;
    return true;
}

struct id id_lower(const struct id *id)
{
    struct id lower = *id;

    for (char *at = lower.text; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
    return lower;
}

bool id_equals(const struct id *one, const struct id *other)
{
    return strcmp(one->text, other->text) == 0;
}
