/* Measured times in microseconds, all of them kept, so that percentiles are exact. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Above this many, further samples are counted out: 64 MB of them. */
#define SAMPLES_MAX (16U << 20)

struct samples {
    int32_t *values_us; /* owned */
    size_t count, capacity;
};

void samples_done(struct samples *samples);
void samples_add(struct samples *samples, int64_t value_us);

/* Prints `"name": {"mean": .., "p50": .., "p90": .., "p99": .., "max": ..}`; sorts the
 * samples. */
void samples_print(struct samples *samples, const char *name, FILE *out);

#endif
