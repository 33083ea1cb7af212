/*
 * Finding a database among those that are part of the program (services/embedded.cmake).
 */
#include "prebuilt.h"

#include <string.h>

extern const char embedded_safety_databases[], embedded_safety_databases_end[];

/* Vectorscan holds the bytes to their check sum, its own version and the machine. */
hs_database_t *prebuilt_find(const unsigned char *key)
{
    const char *at = embedded_safety_databases;
    const char *end = embedded_safety_databases_end;
    struct prebuilt_header header;

    while ((size_t)(end - at) >= sizeof header) {
        memcpy(&header, at, sizeof header);
        at += sizeof header;
        if (header.length > (uint64_t)(end - at))
            return NULL;
        if (memcmp(header.key, key, sizeof header.key) == 0) {
            hs_database_t *database = NULL;
            return hs_deserialize_database(at, header.length, &database) == HS_SUCCESS
                       ? database
                       : NULL;
        }
        at += (header.length + 15) / 16 * 16;
    }
    return NULL;
}
