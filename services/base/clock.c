/*
 * The system's clocks.
 */
#include "clock.h"

#include <stdio.h>
#include <time.h>

int64_t clock_monotonic_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t clock_wall_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void clock_iso8601(int64_t wall_ms, char *text)
{
    time_t seconds = (time_t)(wall_ms / 1000);
    unsigned milliseconds = (unsigned)(wall_ms % 1000);
    struct tm utc;

    gmtime_r(&seconds, &utc);
    snprintf(text, CLOCK_ISO8601_BYTES, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ",
             (unsigned)(utc.tm_year + 1900) % 10000U, (unsigned)(utc.tm_mon + 1) % 100U,
             (unsigned)utc.tm_mday % 100U, (unsigned)utc.tm_hour % 100U,
             (unsigned)utc.tm_min % 100U, (unsigned)utc.tm_sec % 100U,
             milliseconds % 1000U);
}
