/*
 * Addresses and networks as clients and proxies write them.
 */
#include "address.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct {
    const char *network, *address;
    bool has;
} cases[] = {
    {"10.0.0.0/8", "10.255.0.1", true},
    {"10.0.0.0/8", "11.0.0.1", false},
    {"192.0.2.128/25", "192.0.2.127", false},
    {"192.0.2.128/25", "192.0.2.200:8080", true},
    {"0.0.0.0/0", "203.0.113.9", true},
    {"0.0.0.0/0", "2001:db8::1", false},
    {"::/0", "203.0.113.9", true},
    {"2001:db8::/33", "2001:db8:7fff::1", true},
    {"2001:db8::/33", "[2001:db8:8000::1]:443", false},
    {"192.0.2.1", "::ffff:192.0.2.1", true},
    {"::1", "::1", true},
    {"::1", "127.0.0.1", false},
};

Test(address, a_network_has_its_addresses_and_no_others)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct network network;
        struct address address;

        cr_assert(network_parse(span_of(cases[i].network), &network), "%s",
                  cases[i].network);
        cr_assert(address_parse(span_of(cases[i].address), &address), "%s",
                  cases[i].address);
        cr_expect_eq(network_has(&network, &address), cases[i].has, "%s in %s",
                     cases[i].address, cases[i].network);
    }
}

Test(address, what_is_none_is_not_taken)
{
    static const char *const texts[] = {
        "",
        "localhost",
        "10.0.0",
        "10.0.0.0/33",
        "10.0.0.0/",
        "::1/129",
        "[::1",
        "1.2.3.4/1x",
        "10.0.0.0/-1",
        "0123456789012345678901234567890123456789012345678"};
    struct network network;

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        cr_expect_not(network_parse(span_of(texts[i]), &network), "%s", texts[i]);
}

Test(address, clients_of_one_ipv6_subscriber_are_one)
{
    struct address one, other;

    cr_assert(address_parse(span_of("2001:db8:0:1::7"), &one));
    cr_assert(address_parse(span_of("2001:db8:0:1:ffff::8"), &other));
    one = address_of_client(&one);
    other = address_of_client(&other);
    cr_assert_eq(memcmp(&one, &other, sizeof(one)), 0);
}
