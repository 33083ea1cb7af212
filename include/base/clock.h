/*
 * Time: a monotonic clock for durations, the wall clock for what is stored and shown.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

int64_t clock_monotonic_us(void);

/* Milliseconds since 1970 UTC. */
int64_t clock_wall_ms(void);

#define CLOCK_ISO8601_BYTES 25

/* "2026-01-31T12:34:56.789Z" into `text` of CLOCK_ISO8601_BYTES. */
void clock_iso8601(int64_t wall_ms, char *text);

#endif
