/*
 * How long to wait before a call is tried again: doubling, with jitter, so that those who
 * failed together do not come back together.
 */
#ifndef BACKOFF_H
#define BACKOFF_H

#include <stdint.h>

/* Before try `number` (1 is the second one): at random between half of 200 ms * 2^(number
 * - 1) and all of it, and no sooner than the server asked for; `retry_after_s` -1: it did
 * not. */
int64_t backoff_ms(unsigned number, int64_t retry_after_s);

#endif
