#include "throttle.h"

#include "clock.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

#define FORWARDED_MOST 32 /* entries of X-Forwarded-For that are looked at */

static const enum rate_kind kinds[ROUTE_COUNT] = {
    [ROUTE_SESSION_START] = RATE_SESSIONS,
    [ROUTE_TURN] = RATE_TURNS,
    [ROUTE_TTS] = RATE_TTS,
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
    }
    abort();
}

struct network *throttle_trusted(const char *list, size_t *ret_count)
{
    struct network *networks = mem_zalloc((strlen(list) + 1) * sizeof(*networks));
    struct span entry;

    *ret_count = 0;
    while (settings_next_entry(&list, &entry))
        *ret_count += network_parse(entry, &networks[*ret_count]);
    return networks;
}

bool throttle_trusts(const struct server *server, const struct address *address)
{
    for (size_t i = 0; i < server->trusted_count; i++)
        if (network_has(&server->trusted[i], address))
            return true;
    return false;
}

/* What has not been looked at yet of X-Forwarded-For: a list, over one line or more. */
struct forwarded {
    const struct span *lines; /* borrowed from the request */
    size_t line_count;        /* the last of them ... */
    size_t end;               /* ... up to here */
};

static struct forwarded forwarded_of(const struct headers *headers)
{
    size_t count = headers->forwarded_count;

    return (struct forwarded){headers->forwarded_for, count,
                              count > 0 ? headers->forwarded_for[count - 1].length : 0};
}

/* The last entry; false: there is none. */
static bool take_entry(struct forwarded *rest, struct span *ret_entry)
{
    struct span list;
    size_t stop, from;

    while (rest->end == 0 && rest->line_count > 1)
        rest->end = rest->lines[--rest->line_count - 1].length;
    if (rest->end == 0)
        return false;
    list = rest->lines[rest->line_count - 1];
    stop = rest->end;
    for (from = stop; from > 0 && list.bytes[from - 1] != ',';)
        from--;
    rest->end = from > 0 ? from - 1 : 0;
    while (from < stop && (list.bytes[from] == ' ' || list.bytes[from] == '\t'))
        from++;
    while (stop > from && (list.bytes[stop - 1] == ' ' || list.bytes[stop - 1] == '\t'))
        stop--;
    *ret_entry = (struct span){list.bytes + from, stop - from};
    return true;
}

/* Each proxy adds who called it at the end; what stands before an address that is not
 * ours could be anybody's invention. */
struct address throttle_client(const struct request *request)
{
    const struct server *server = request->server;
    struct forwarded rest = forwarded_of(&request->headers);
    struct address client = {{0}}, named;
    struct span entry;

    if (!address_of_peer(request->connection->descriptor, &client))
        return client;
    for (int looked_at = 0; looked_at < FORWARDED_MOST &&
                            throttle_trusts(server, &client) && take_entry(&rest, &entry);
         looked_at++) {
        if (!address_parse(entry, &named))
            break;
        client = named;
    }
    return address_of_client(&client);
}

/* Keeps what is scarcer. */
static bool take(struct request *request, enum rate_kind kind, struct span key)
{
    const struct services *services = request->server->services;
    struct rate rate;
    bool is_taken =
        rates_take(services->shared->rates, kind, key,
                   per_minute(services->settings, kind), clock_monotonic_us(), &rate);

    rate.name = names[kind];
    if (request->rate.quota == 0 || rate.remaining < request->rate.remaining || !is_taken)
        request->rate = rate;
    return is_taken;
}

enum error throttle_check(struct request *request)
{
    enum rate_kind kind =
        request->endpoint != NULL ? kinds[request->match.route] : RATE_NONE;
    struct address client;

    if (per_minute(request->server->services->settings, kind) == 0)
        return OK;
    client = throttle_client(request);
    if (!take(request, kind,
              (struct span){(const char *)client.bytes, sizeof(client.bytes)}))
        return ERROR_RATE_LIMITED;
    if (request->session_id.text[0] != '\0' &&
        !take(request, kind, span_of(request->session_id.text)))
        return ERROR_RATE_LIMITED;
    return OK;
}
