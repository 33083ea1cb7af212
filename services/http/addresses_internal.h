/*
 * How many connections each client address has open, in the whole process: for
 * MAX_CONNECTIONS_PER_ADDRESS.  Asked for once a connection, by any loop.
 */
#ifndef ADDRESSES_INTERNAL_H
#define ADDRESSES_INTERNAL_H

#include "address.h"

#include <stdint.h>

struct addresses;
struct addresses_entry; /* one client with connections open */

/* Each may have so many. */
struct addresses *addresses_new(int64_t most);
void addresses_free(struct addresses *addresses); /* NULL is fine */

/* NULL: it has as many as it may.  Who gets an entry gives it back. */
struct addresses_entry *addresses_take(struct addresses *addresses,
                                       const struct address *address);
void addresses_give_back(struct addresses *addresses, struct addresses_entry *entry);

#endif
