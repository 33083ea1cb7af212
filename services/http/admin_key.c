/*
 * ADMIN_KEY as a bearer token.  Digests are compared, which takes as long for any key of any length; an
 * address that has given a few wrong keys waits, and until then its keys are not looked at.
 */
#include "admin_key_internal.h"

#include "client_address_internal.h"
#include "clock.h"
#include "digest.h"
#include "private_reveal.h"

#define WRONG_KEYS_PER_MINUTE 5

static struct digest digest_of(const struct request *request, struct span text)
{
    struct digest_state state;

    digest_begin(&state, &request->server->services->shared->client_key);
    digest_add_field(&state, text.bytes, text.length);
    return digest_end(&state);
}

static bool is_given(const struct request *request)
{
    const struct services *services = request->server->services;
    struct span given = headers_bearer_token(&request->headers);
    struct digest own =
        digest_of(request, private_reveal(&services->settings->admin_key));
    struct digest other = digest_of(request, given);

    return given.bytes != NULL && digest_equals(&own, &other);
}

bool admin_key_is_here(const struct request *request)
{
    const struct services *services = request->server->services;

    return !private_text_is_empty(&services->settings->admin_key) &&
           (services->is_admin || services->settings->admin_port == 0);
}

enum error admin_key_judge(const struct request *request, int64_t *ret_wait_s)
{
    struct rates *rates = request->server->services->shared->rates;
    struct address address = client_address(request);
    struct span client = {(const char *)address.bytes, sizeof(address.bytes)};
    int64_t now_us = clock_monotonic_us();
    struct rate rate =
        rates_look(rates, RATE_WRONG_KEYS, client, WRONG_KEYS_PER_MINUTE, now_us);

    *ret_wait_s = rate.wait_s;
    if (rate.wait_s > 0)
        return ERROR_RATE_LIMITED;
    if (is_given(request))
        return OK;
    rates_take(rates, RATE_WRONG_KEYS, client, WRONG_KEYS_PER_MINUTE, now_us, &rate);
    return ERROR_INVALID_TOKEN;
}
