/*
 * A UUID in its 36-character text form (RFC 9562), kept as it came.
 */
#ifndef ID_H
#define ID_H

#include <stdbool.h>
#include <stddef.h>

struct id {
    char text[37]; /* NUL-terminated */
};

/* A new random (version 4) UUID in lower case. */
struct id id_random(void);

/* Takes 8-4-4-4-12 hexadecimal digits, any version, either case.  false: anything else.
 */
bool id_parse(const char *bytes, size_t length, struct id *ret_id);

/* The same in lower case, for looking things up. */
struct id id_lower(const struct id *id);

bool id_equals(const struct id *one, const struct id *other);

#endif
