/*
 * Addresses and networks out of text and sockets, IPv4 mapped into IPv6.
 */
#include "address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

static const uint8_t mapped_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static bool is_mapped(const struct address *address)
{
    return memcmp(address->bytes, mapped_prefix, sizeof(mapped_prefix)) == 0;
}

static void map(const void *four_bytes, struct address *ret_address)
{
    memcpy(ret_address->bytes, mapped_prefix, sizeof(mapped_prefix));
    memcpy(ret_address->bytes + 12, four_bytes, 4);
}

/* Without brackets and port. */
static struct span bare(struct span text)
{
    const char *colon;

    if (text.length > 0 && text.bytes[0] == '[') {
        const char *end = memchr(text.bytes, ']', text.length);

        if (end == NULL)
            return (struct span){NULL, 0};
        return (struct span){text.bytes + 1, (size_t)(end - text.bytes) - 1};
    }
    colon = memchr(text.bytes, ':', text.length);
    if (colon != NULL && memchr(text.bytes, '.', (size_t)(colon - text.bytes)) != NULL)
        text.length = (size_t)(colon - text.bytes); /* 192.0.2.1:80 */
    return text;
}

bool address_parse(struct span text, struct address *ret_address)
{
    char copy[INET6_ADDRSTRLEN];
    struct in_addr four;

    if (text.bytes == NULL)
        return false;
    text = bare(text);
    if (text.length == 0 || text.length >= sizeof(copy))
        return false;
    memcpy(copy, text.bytes, text.length);
    copy[text.length] = '\0';
    if (inet_pton(AF_INET, copy, &four) != 1)
        return inet_pton(AF_INET6, copy, ret_address->bytes) == 1;
    map(&four, ret_address);
    return true;
}

bool address_of_peer(int descriptor, struct address *ret_address)
{
    struct sockaddr_storage peer;
    socklen_t length = sizeof(peer);

    if (getpeername(descriptor, (struct sockaddr *)&peer, &length) != 0)
        return false;
    if (peer.ss_family == AF_INET)
        map(&((struct sockaddr_in *)&peer)->sin_addr, ret_address);
    else if (peer.ss_family == AF_INET6)
        memcpy(ret_address->bytes, &((struct sockaddr_in6 *)&peer)->sin6_addr, 16);
    else
        return false;
    return true;
}

static bool parse_bits(struct span text, unsigned most, unsigned *ret_bits)
{
    unsigned bits = 0;

    if (text.length == 0 || text.length > 3)
        return false;
    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] < '0' || text.bytes[i] > '9')
            return false;
        bits = bits * 10 + (unsigned)(text.bytes[i] - '0');
    }
    *ret_bits = bits;
    return bits <= most;
}

bool network_parse(struct span text, struct network *ret_network)
{
    const char *slash = memchr(text.bytes, '/', text.length);
    size_t length = slash != NULL ? (size_t)(slash - text.bytes) : text.length;
    unsigned bits;

    if (!address_parse((struct span){text.bytes, length}, &ret_network->address))
        return false;
    ret_network->prefix_bits = 128;
    if (slash == NULL)
        return true;
    if (!parse_bits((struct span){slash + 1, text.length - length - 1},
                    is_mapped(&ret_network->address) ? 32 : 128, &bits))
        return false;
    ret_network->prefix_bits = is_mapped(&ret_network->address) ? bits + 96 : bits;
    return true;
}

bool network_has(const struct network *network, const struct address *address)
{
    unsigned whole = network->prefix_bits / 8, rest = network->prefix_bits % 8;
    uint8_t mask = (uint8_t)(0xff00u >> rest);

    return memcmp(network->address.bytes, address->bytes, whole) == 0 &&
           (rest == 0 ||
            ((network->address.bytes[whole] ^ address->bytes[whole]) & mask) == 0);
}

struct address address_of_client(const struct address *address)
{
    struct address client = *address;

    if (!is_mapped(address))
        memset(client.bytes + 8, 0, 8);
    return client;
}
