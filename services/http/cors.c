#include "cors.h"

#include <string.h>

bool cors_allows(const struct cors *cors, struct span origin)
{
    const char *rest = cors->allowed;

    if (origin.length == 0 || rest == NULL)
        return false;
    while (*rest != '\0') {
        size_t length;

        rest += strspn(rest, ", \t");
        length = strcspn(rest, ", \t");
        if (length == origin.length && memcmp(rest, origin.bytes, length) == 0)
            return true;
        rest += length;
    }
    return false;
}
