/*
 * UUIDs, made and taken.
 */
#include "id.h"

#include <ctype.h>
#include <sodium.h>
#include <string.h>

/* Where the text of a UUID has a dash. */
static bool is_dash_place(size_t at)
{
    return at == 8 || at == 13 || at == 18 || at == 23;
}

/* RFC 9562, section 5.4: random but for the version, 4, and the variant, binary 10.
 * libsodium asks the system once; libuuid makes five calls for the same. */
struct id id_random(void)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[16];
    struct id id;
    size_t at = 0;

    randombytes_buf(bytes, sizeof(bytes));
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40);
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80);
    for (size_t byte = 0; byte < sizeof(bytes); byte++) {
        if (is_dash_place(at))
            id.text[at++] = '-';
        id.text[at++] = digits[bytes[byte] >> 4];
        id.text[at++] = digits[bytes[byte] & 0xf];
    }
    id.text[at] = '\0';
    return id;
}

bool id_parse(const char *bytes, size_t length, struct id *ret_id)
{
    if (length != sizeof(ret_id->text) - 1)
        return false;
    for (size_t at = 0; at < length; at++)
        if (is_dash_place(at) ? bytes[at] != '-' : !isxdigit((unsigned char)bytes[at]))
            return false;
    memcpy(ret_id->text, bytes, length);
    ret_id->text[length] = '\0';
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
