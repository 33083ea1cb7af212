/*
 * Which browser pages may talk to the service (CORS, fetch.spec.whatwg.org 3.2): those of
 * the origins in CORS_ALLOWED_ORIGINS, compared byte for byte.
 */
#ifndef CORS_H
#define CORS_H

#include "span.h"

#include <stdbool.h>

struct cors {
    const char *allowed; /* borrowed from the settings: origins, separated by commas */
};

/* {NULL, 0} for `origin` is not allowed. */
bool cors_allows(const struct cors *cors, struct span origin);

#endif
