/* Measured times and their percentiles.  See samples.h. */
#include "samples.h"

#include <stdlib.h>

void samples_done(struct samples *samples)
{
    free(samples->values_us);
    *samples = (struct samples){0};
}

void samples_add(struct samples *samples, int64_t value_us)
{
    if (samples->count == samples->capacity) {
        if (samples->capacity == SAMPLES_MAX)
            return;
        samples->capacity = samples->capacity == 0 ? 65536 : samples->capacity * 2;
        samples->values_us =
            realloc(samples->values_us, samples->capacity * sizeof *samples->values_us);
        if (samples->values_us == NULL)
            abort();
    }
    samples->values_us[samples->count++] =
        value_us > INT32_MAX ? INT32_MAX : (int32_t)value_us;
}

static int compare(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

/* The nearest-rank percentile of sorted samples. */
static int32_t percentile(const struct samples *samples, size_t percent)
{
    if (samples->count == 0)
        return 0;
    size_t rank = (samples->count * percent + 99) / 100;
    return samples->values_us[rank == 0 ? 0 : rank - 1];
}

void samples_print(struct samples *samples, const char *name, FILE *out)
{
    double sum = 0;

    if (samples->count > 0)
        qsort(samples->values_us, samples->count, sizeof *samples->values_us, compare);
    for (size_t i = 0; i < samples->count; i++)
        sum += samples->values_us[i];
    fprintf(
        out,
        "\"%s\": {\"mean\": %.1f, \"p50\": %d, \"p90\": %d, \"p99\": %d, \"max\": %d}",
        name, samples->count == 0 ? 0 : sum / (double)samples->count,
        percentile(samples, 50), percentile(samples, 90), percentile(samples, 99),
        percentile(samples, 100));
}
