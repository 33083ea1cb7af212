#include "backoff.h"

#include <sodium.h>

#define FIRST_MS    200
#define DOUBLES_MAX 8

int64_t backoff_ms(unsigned number, int64_t retry_after_s)
{
    unsigned doubled = number > 1 ? number - 1 : 0;
    uint32_t half = FIRST_MS / 2u << (doubled < DOUBLES_MAX ? doubled : DOUBLES_MAX);
    int64_t wait_ms = half + randombytes_uniform(half + 1);

    return retry_after_s * 1000 > wait_ms ? retry_after_s * 1000 : wait_ms;
}
