/*
 * Overload: how late the loop and the store are.
 */
#include "overload_internal.h"

#include "clock.h"

#define INTERVAL_US 500000
#define SAMPLES_MIN 3

void saturation_init(struct saturation *saturation, int64_t target_us)
{
    *saturation = (struct saturation){.target_us = target_us};
}

void saturation_note(struct saturation *saturation, int64_t delay_us, int64_t now_us)
{
    if (saturation->target_us == 0 || delay_us <= saturation->target_us) {
        saturation->samples = 0;
        saturation->is_on = false;
        return;
    }
    if (saturation->samples++ == 0)
        saturation->since_us = now_us;
    if (saturation->samples >= SAMPLES_MIN &&
        now_us - saturation->since_us >= INTERVAL_US)
        saturation->is_on = true;
}

#define PULSE_MS 100

static void on_pulse(void *context);

static void start_pulse(struct server *server)
{
    struct overload *overload = server->overload;

    overload->due_us = clock_monotonic_us() + PULSE_MS * 1000;
    overload->pulse =
        loop_timer_start(server->services->loop, PULSE_MS, on_pulse, server);
}

void overload_start(struct server *server)
{
    const struct settings *settings = server->services->settings;
    struct overload *overload = server->overload;

    saturation_init(&overload->loop, settings->overload_lag_ms * 1000);
    saturation_init(&overload->store, settings->overload_store_ms * 1000);
    start_pulse(server);
}

/* A timer is late by what the loop was busy with, or by what the machine had no time for:
 * so is everything else that waits for this loop. */
static void on_pulse(void *context)
{
    struct server *server = context;
    struct overload *overload = server->overload;
    const struct services *services = server->services;
    int64_t now_us = clock_monotonic_us();
    int64_t lag_us = now_us > overload->due_us ? now_us - overload->due_us : 0;

    histogram_note(&services->metrics->LOOP_LAG, BUCKETS_DURATIONS, lag_us);
    saturation_note(&overload->loop, lag_us, now_us);
    saturation_note(&overload->store, store_oldest_us(services->store), now_us);
    start_pulse(server);
}

enum shedding overload_reason(const struct server *server)
{
    if (server->overload->loop.is_on)
        return SHEDDING_LOOP;
    return server->overload->store.is_on ? SHEDDING_STORE : SHEDDING_COUNT;
}

void overload_stop(struct server *server)
{
    loop_timer_cancel(server->overload->pulse);
    server->overload->pulse = NULL;
}
