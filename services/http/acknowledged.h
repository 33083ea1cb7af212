/*
 * How many bytes the other side of a TCP connection has acknowledged since it began (tcp(7),
 * TCP_INFO).  In a file of its own because the kernel's header, which alone has that number, and
 * libuv's do not go together.
 */
#ifndef ACKNOWLEDGED_H
#define ACKNOWLEDGED_H

#include <stdbool.h>
#include <stdint.h>

/* false: it is no such connection. */
bool acknowledged_ask(int descriptor, uint64_t *ret_bytes, bool *ret_is_closed);

#endif
