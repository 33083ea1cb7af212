/*
 * What a request is taken out of: the rates of its address and of its session, here and in the
 * store.
 */
#include "throttle_internal.h"

#include "client_address_internal.h"
#include "clock.h"

#include <stdlib.h>
#include <string.h>

static const enum rate_kind kinds[ROUTE_COUNT] = {
    [ROUTE_SESSION_START] = RATE_SESSIONS,
    [ROUTE_TURN] = RATE_TURNS,
    [ROUTE_SESSION_FINISH] = RATE_TURNS,
    [ROUTE_TTS] = RATE_TTS,
    [ROUTE_SESSION_SPEECH] = RATE_TTS,
    [ROUTE_ASK] = RATE_ASKS,
    [ROUTE_CHAT] = RATE_ASKS,
};

static const char *const names[] = {
    [RATE_SESSIONS] = "sessions",
    [RATE_TURNS] = "turns",
    [RATE_TTS] = "tts",
    [RATE_ASKS] = "asks",
};

static int64_t per_minute(const struct settings *settings, enum rate_kind kind)
{
    switch (kind) {
    case RATE_NONE: return 0;
    case RATE_SESSIONS: return settings->rate_sessions_per_minute;
    case RATE_TURNS: return settings->rate_turns_per_minute;
    case RATE_TTS: return settings->rate_tts_per_minute;
    case RATE_ASKS: return settings->rate_asks_per_minute;
    case RATE_WRONG_KEYS: break; /* admin_key.c counts these */
    }
    abort();
}

/* Who asks, by each of the quotas that the request comes out of. */
struct askers {
    size_t count;
    struct span keys[STORE_RATES_MOST]; /* borrowed from the request */
};

static struct askers askers_of(const struct request *request)
{
    struct askers askers = {
        .count = 1,
        .keys = {{(const char *)request->client.bytes, sizeof(request->client.bytes)}},
    };

    if (request->session_id.text[0] != '\0')
        askers.keys[askers.count++] = span_of(request->session_id.text);
    return askers;
}

static enum rate_kind kind_of(const struct request *request)
{
    return request->endpoint != NULL ? kinds[request->match.route] : RATE_NONE;
}

/* Keeps what is scarcer. */
static void keep(struct request *request, enum rate_kind kind, struct rate rate,
                 bool is_taken)
{
    rate.name = names[kind];
    if (request->rate.quota == 0 || rate.remaining < request->rate.remaining || !is_taken)
        request->rate = rate;
}

enum error throttle_check(struct request *request)
{
    const struct services *services = request->server->services;
    enum rate_kind kind = kind_of(request);
    int64_t limit = per_minute(services->settings, kind);
    struct askers askers;

    if (limit == 0)
        return OK;
    request->client = client_address(request);
    askers = askers_of(request);
    for (size_t i = 0; i < askers.count; i++) {
        struct rate rate;
        bool is_taken = rates_take(services->shared->rates, kind, askers.keys[i], limit,
                                   clock_monotonic_us(), &rate);

        keep(request, kind, rate, is_taken);
        if (!is_taken)
            return ERROR_RATE_LIMITED;
    }
    return OK;
}

static void on_rates(void *context, enum error error,
                     const struct store_rate told[STORE_RATES_MOST]);

void throttle_share(struct request *request)
{
    const struct services *services = request->server->services;
    enum rate_kind kind = kind_of(request);
    int64_t limit = per_minute(services->settings, kind);
    struct store_rate_request wanted;
    struct askers askers;

    if (limit == 0 || !store_shares_rates(services->store)) {
        request_work(request);
        return;
    }
    askers = askers_of(request);
    wanted.count = askers.count;
    for (size_t i = 0; i < askers.count; i++) {
        struct digest_state state;

        digest_begin(&state, &services->shared->client_key);
        digest_add_field(&state, names[kind], strlen(names[kind]));
        digest_add_field(&state, askers.keys[i].bytes, askers.keys[i].length);
        wanted.rates[i].key = digest_end(&state);
        wanted.rates[i].per_minute = limit;
    }
    request->asked_us = clock_monotonic_us();
    store_take_rates(services->store, &wanted, on_rates, request);
}

static void on_rates(void *context, enum error error,
                     const struct store_rate told[STORE_RATES_MOST])
{
    struct request *request = context;
    const struct services *services = request->server->services;
    enum rate_kind kind = kind_of(request);
    int64_t limit = per_minute(services->settings, kind);
    struct askers askers = askers_of(request);
    int64_t now_us = clock_monotonic_us();
    bool are_taken = true;

    request->asked_us = now_us - request->asked_us;
    if (error != OK) {
        metrics_add(&services->metrics->RATES_UNSHARED, 1);
        request_work(request);
        return;
    }
    request->rate = (struct rate){0};
    for (size_t i = 0; are_taken && i < askers.count; i++) {
        struct rate rate;

        are_taken = told[i].is_taken;
        rates_learn(services->shared->rates, kind, askers.keys[i], limit, now_us,
                    are_taken, told[i].whole_us, &rate);
        keep(request, kind, rate, are_taken);
    }
    if (are_taken)
        request_work(request);
    else
        request_answer(request, &(struct answer){.error = ERROR_RATE_LIMITED,
                                                 .retry_after_s = request->rate.wait_s});
}
