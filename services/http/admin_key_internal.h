/*
 * Whether a request comes from the admin.
 */
#ifndef ADMIN_KEY_INTERNAL_H
#define ADMIN_KEY_INTERNAL_H

#include "request_internal.h"

/* Is there an ADMIN_KEY, and is this the listener where it opens something? */
bool admin_key_is_here(const struct request *request);

/* OK, or why not: INVALID_TOKEN, or RATE_LIMITED and for how long. */
enum error admin_key_judge(const struct request *request, int64_t *ret_wait_s);

#endif
