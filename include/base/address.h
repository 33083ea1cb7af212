/*
 * Internet addresses, as clients have them and proxies name them.
 */
#ifndef ADDRESS_H
#define ADDRESS_H

#include "span.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* IPv6, or IPv4 mapped into it (RFC 4291, 2.5.5.2). */
struct address {
    uint8_t bytes[16];
};

struct network {
    struct address address;
    unsigned prefix_bits; /* of 128 */
};

/* "192.0.2.1", "2001:db8::1", also in brackets and with a port behind.  false: neither. */
bool address_parse(struct span text, struct address *ret_address);

/* The other side of a socket.  false: it is no internet socket, or has none. */
bool address_of_peer(int descriptor, struct address *ret_address);

/* "10.0.0.0/8", "2001:db8::/32" or a single address. */
bool network_parse(struct span text, struct network *ret_network);
bool network_has(const struct network *network, const struct address *address);

/* What stands for one client: the address, and of IPv6 the first 64 bits, which one
 * subscriber has all of (RFC 6177). */
struct address address_of_client(const struct address *address);

#endif
