/*
 * What the kernel knows of a TCP connection.
 */
#ifndef TCP_COUNTS_INTERNAL_H
#define TCP_COUNTS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

struct tcp_counts {
    uint64_t written;      /* bytes that the socket took so far */
    uint64_t acknowledged; /* bytes of them that the other side has acknowledged */
    bool is_closed;        /* and nothing can arrive any more */
};

/* false: it cannot tell. */
bool tcp_counts_ask(int descriptor, struct tcp_counts *ret_counts);

#endif
