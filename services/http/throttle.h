/*
 * Which rates hold for a request, and who its client is: the other side of the connection,
 * or, where that is one of TRUSTED_PROXIES, the last address in X-Forwarded-For that is
 * none of them.
 */
#ifndef THROTTLE_H
#define THROTTLE_H

#include "address.h"
#include "rates.h"
#include "request.h"

/* The networks of a list that the settings have checked; the caller frees them. */
struct network *throttle_trusted(const char *list, size_t *ret_count);

/* Is it one of TRUSTED_PROXIES? */
bool throttle_trusts(const struct server *server, const struct address *address);

/* The client's address; all zeros where nobody can tell. */
struct address throttle_client(const struct request *request);

/* OK, or ERROR_RATE_LIMITED; what is left is noted in request->rate. */
enum error throttle_check(struct request *request);

#endif
