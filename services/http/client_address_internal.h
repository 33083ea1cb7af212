/*
 * Who the client of a request is: the other side of the connection, or, where that is one of
 * TRUSTED_PROXIES, the last address in X-Forwarded-For that is none of them.
 */
#ifndef CLIENT_ADDRESS_INTERNAL_H
#define CLIENT_ADDRESS_INTERNAL_H

#include "address.h"
#include "digest.h"
#include "request_internal.h"

/* The networks of a list that the settings have checked; the caller frees them. */
struct network *client_trusted(const char *list, size_t *ret_count);

/* Is it one of TRUSTED_PROXIES? */
bool client_is_trusted(const struct server *server, const struct address *address);

/* All zeros where nobody can tell. */
struct address client_address(const struct request *request);

/* Stands for that address without telling it, and is of no use without the secret. */
struct digest client_digest(const struct request *request);

#endif
