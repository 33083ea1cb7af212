/*
 * How many bytes a connection's kernel side has received, read or not.
 */
#ifndef RECEIVED_H
#define RECEIVED_H

#include <stdbool.h>
#include <stdint.h>

/* false: the kernel does not say (no TCP, or a Linux before 4.1). */
bool received_bytes(int descriptor, uint64_t *ret_bytes);

#endif
