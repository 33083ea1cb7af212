/*
 * How many bytes a TCP connection has carried since it began, as the kernel counts them (tcp(7),
 * TCP_INFO).  In a file of its own because the kernel's header, which alone has these numbers, and
 * libuv's do not go together.
 */
#ifndef TCP_COUNTS_H
#define TCP_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

struct tcp_counts {
    uint64_t received;     /* from the other side, read or not */
    uint64_t acknowledged; /* by the other side */
    bool is_closed;
};

/* false: it is no such connection, or the kernel does not say (before Linux 4.1). */
bool tcp_counts_ask(int descriptor, struct tcp_counts *ret_counts);

#endif
