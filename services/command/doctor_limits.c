/*
 * The service's limits: which proxies are believed about a client's address, how much work is
 * accepted at once, how long a provider may take; and what systemd would add.
 */
#include "doctor_internal.h"

#include "address.h"
#include "url.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Of 128 bits: what no proxy's network is as wide as. */
#define WIDEST_IPV4 (96 + 8)
#define WIDEST_IPV6 16

#define UNIT_STOPS_AFTER_S 60 /* TimeoutStopSec of services/deploy/poise.service */
#define SENDING_S          5

static bool is_ipv4(const struct network *network)
{
    struct network all;

    return network_parse(span_of("0.0.0.0/0"), &all) &&
           network_has(&all, &network->address);
}

/* Trusts far more than proxies: anybody in there can invent the address of another. */
static bool is_too_wide(const struct network *network)
{
    return network->prefix_bits < (is_ipv4(network) ? WIDEST_IPV4 : WIDEST_IPV6);
}

static bool limits_addresses(const struct settings *settings)
{
    return settings->rate_sessions_per_minute > 0 ||
           settings->rate_turns_per_minute > 0 || settings->rate_tts_per_minute > 0 ||
           settings->rate_asks_per_minute > 0 ||
           settings->max_connections_per_address > 0;
}

bool doctor_check_proxies(const struct settings *settings)
{
    const char *rest = settings->trusted_proxies;
    size_t count = 0, wide = 0;
    struct network network;
    struct span entry;

    while (settings_next_entry(&rest, &entry))
        if (network_parse(entry, &network)) {
            count++;
            wide += is_too_wide(&network);
        }
    if (settings_is_production(settings) && !url_is_loopback_host(settings->host))
        doctor_note("proxies", "HOST is open to other machines and the port speaks plain "
                               "HTTP: a proxy with TLS must be in front");
    if (wide > 0)
        return doctor_say(false, "proxies",
                          "TRUSTED_PROXIES names half the world: whoever is in it can "
                          "say that it is somebody else, and no limit holds");
    if (count > 0 && !limits_addresses(settings))
        doctor_note("proxies", "TRUSTED_PROXIES is of no use: no limit is by address");
    if (count == 0 && limits_addresses(settings))
        doctor_note("proxies", "none: behind a proxy all clients would share one limit, "
                               "until TRUSTED_PROXIES names it");
    return doctor_say(true, "proxies",
                      count > 0 ? "X-Forwarded-For is believed of TRUSTED_PROXIES"
                                : "X-Forwarded-For is believed of nobody");
}

static void check_descriptors(const struct settings *settings)
{
    int64_t wanted = settings->max_connections + settings->max_inflight_turns;
    struct rlimit limit;
    char detail[160];

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max == RLIM_INFINITY ||
        (int64_t)limit.rlim_max >= wanted)
        return;
    snprintf(detail, sizeof(detail),
             "only %" PRIu64 " descriptors may be open; MAX_CONNECTIONS and "
             "MAX_INFLIGHT_TURNS want %" PRId64 " (ulimit -n, LimitNOFILE=)",
             (uint64_t)limit.rlim_max, wanted);
    doctor_note("limits", detail);
}

/* "100 ms", or "never" for 0. */
static const char *duration(char room[32], int64_t ms)
{
    if (ms == 0)
        return "never";
    snprintf(room, 32, "%" PRId64 " ms", ms);
    return room;
}

void doctor_show_limits(const struct settings *settings)
{
    char detail[320], lag[32], store[32];

    snprintf(detail, sizeof(detail),
             "%" PRId64 " turns and %" PRId64
             " connections at once; new work is turned away when a loop is late (%s) or "
             "the store is (%s)",
             settings->max_inflight_turns, settings->max_connections,
             duration(lag, settings->overload_lag_ms),
             duration(store, settings->overload_store_ms));
    doctor_say(true, "limits", detail);
    check_descriptors(settings);
    if (settings->breaker_failures > 0)
        snprintf(detail, sizeof(detail),
                 "%" PRId64 " more tries, left alone after %" PRId64
                 " failures in a row; a turn is answered within %" PRId64 " s",
                 settings->provider_retries, settings->breaker_failures,
                 settings->turn_deadline_s);
    else
        snprintf(detail, sizeof(detail),
                 "%" PRId64 " more tries, never left alone (BREAKER_FAILURES=0); a turn "
                 "is answered within %" PRId64 " s",
                 settings->provider_retries, settings->turn_deadline_s);
    doctor_say(true, "providers that fail", detail);
    if (settings->llm_timeout_s > settings->turn_deadline_s)
        doctor_note("providers that fail",
                    "LLM_TIMEOUT_SECONDS is longer than TURN_DEADLINE_SECONDS, which "
                    "ends a turn first");
}

void doctor_show_unit(const struct settings *settings)
{
    bool is_unit = getenv("INVOCATION_ID") != NULL && getenv("STATE_DIRECTORY") != NULL;

    if (settings->turn_deadline_s + SENDING_S > UNIT_STOPS_AFTER_S)
        doctor_note("systemd", "TimeoutStopSec= of the unit must be longer than "
                               "TURN_DEADLINE_SECONDS");
    if (is_unit || access("/etc/systemd/system/poise.service", F_OK) != 0)
        return;
    doctor_note(
        "systemd",
        "this is not what the unit sees; as the unit: systemd-run --pty "
        "-p DynamicUser=yes -p StateDirectory=poise "
        "-p EnvironmentFile=/etc/poise.env "
        "-p LoadCredential=SECRET_KEY:/etc/poise/SECRET_KEY /usr/local/bin/poise doctor");
}
