/*
 * What clients and proxies name themselves by, in headers and settings: addresses, networks,
 * ids, traces.  Whatever is taken for one can be written again and is taken for the same.
 *
 * The input is lines.
 */
#include "address.h"
#include "fuzz.h"
#include "id.h"
#include "trace.h"

#include <arpa/inet.h>

static void check_address(struct span text)
{
    struct address address, again, client, client_again;
    char written[INET6_ADDRSTRLEN];

    if (!address_parse(text, &address))
        return;
    must(inet_ntop(AF_INET6, address.bytes, written, sizeof(written)) != NULL);
    must(address_parse(span_of(written), &again));
    must(memcmp(&address, &again, sizeof(address)) == 0);
    client = address_of_client(&address);
    client_again = address_of_client(&client);
    must(memcmp(&client, &client_again, sizeof(client)) == 0);
}

/* A network has its own address, and as many leading bits as it says are all that counts. */
static void check_network(struct span text)
{
    struct address other;
    struct network network;

    if (!network_parse(text, &network))
        return;
    must(network.prefix_bits <= 128 && network_has(&network, &network.address));
    for (unsigned bit = 0; bit < 128; bit++) {
        other = network.address;
        other.bytes[bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
        must(network_has(&network, &other) == (bit >= network.prefix_bits));
    }
}

static void check_id(struct span text)
{
    struct id id, lower, again;

    if (!id_parse(text.bytes, text.length, &id))
        return;
    must(fuzz_same(span_of(id.text), text));
    lower = id_lower(&id);
    again = id_lower(&lower);
    must(id_equals(&lower, &again));
    must(span_equals_ignoring_case(text, lower.text));
    must(id_parse(lower.text, strlen(lower.text), &again));
}

static void check_trace(struct span text)
{
    char value[TRACE_HEADER_BYTES];
    struct trace trace, again;

    if (!trace_read(text, &trace)) {
        must(trace.id[0] == '\0');
        return;
    }
    must(strlen(trace.id) == 32 && strlen(trace.flags) == 2);
    trace_write(&trace, value);
    must(trace_read(span_of(value), &again));
    must(strcmp(trace.id, again.id) == 0 && strcmp(trace.flags, again.flags) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span input = fuzz_input(bytes, length), line;

    while (fuzz_next(&input, "\n", &line)) {
        check_address(line);
        check_network(line);
        check_id(line);
        check_trace(line);
    }
    return 0;
}
