/*
 * When a server that fails is asked again.
 */
#include "breaker.h"

#include <sodium.h>
#include <stdlib.h>

#define FIRST_OPEN_US       1000000
#define DOUBLES_MAX         6 /* to about a minute */
#define FIRST_BACKOFF_MS    200
#define BACKOFF_DOUBLES_MAX 8

static void open_again(struct breaker *breaker, int64_t now_us)
{
    unsigned doubles = breaker->openings < DOUBLES_MAX ? breaker->openings : DOUBLES_MAX;

    breaker->state = BREAKER_OPEN;
    breaker->open_until_us = now_us + ((int64_t)FIRST_OPEN_US << doubles);
    breaker->openings++;
    breaker->is_probing = false;
}

void breaker_init(struct breaker *breaker, unsigned threshold)
{
    *breaker = (struct breaker){.threshold = threshold};
}

bool breaker_take(struct breaker *breaker, int64_t now_us)
{
    if (breaker->state == BREAKER_OPEN && now_us >= breaker->open_until_us)
        breaker->state = BREAKER_HALF_OPEN;
    switch (breaker->state) {
    case BREAKER_CLOSED: return true;
    case BREAKER_OPEN: return false;
    case BREAKER_HALF_OPEN:
        if (breaker->is_probing)
            return false;
        breaker->is_probing = true;
        return true;
    }
    abort();
}

/* A call that began before the breaker opened says nothing of the server as it is now,
 * unless it says that it is well. */
void breaker_note(struct breaker *breaker, bool is_probe, bool is_good, int64_t now_us)
{
    if (is_good)
        breaker_init(breaker, breaker->threshold);
    else if (breaker->state == BREAKER_HALF_OPEN && is_probe)
        open_again(breaker, now_us);
    else if (breaker->state == BREAKER_CLOSED && breaker->threshold > 0 &&
             ++breaker->failures >= breaker->threshold)
        open_again(breaker, now_us);
}

void breaker_forget(struct breaker *breaker)
{
    breaker->is_probing = false;
}

int64_t breaker_wait_s(const struct breaker *breaker, int64_t now_us)
{
    if (breaker->state != BREAKER_OPEN || now_us >= breaker->open_until_us)
        return 0;
    return (breaker->open_until_us - now_us + 999999) / 1000000;
}

int64_t backoff_ms(unsigned number, int64_t retry_after_s)
{
    unsigned doubled = number > 1 ? number - 1 : 0;
    uint32_t half = FIRST_BACKOFF_MS / 2u
                    << (doubled < BACKOFF_DOUBLES_MAX ? doubled : BACKOFF_DOUBLES_MAX);
    int64_t wait_ms = half + randombytes_uniform(half + 1);

    return retry_after_s * 1000 > wait_ms ? retry_after_s * 1000 : wait_ms;
}
