#include "store_claims.h"

#include "mem.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BUCKETS 256 /* a power of two, as every later number of them */

struct store_claims {
    struct claim **buckets; /* owned, with the claims in them */
    size_t bucket_count;
    size_t count;
    size_t most;
};

static size_t bucket_of(const struct store_claims *claims,
                        const struct store_id *session_id)
{
    return store_id_hash(session_id) & (claims->bucket_count - 1);
}

static struct claim **place_of(struct store_claims *claims,
                               const struct store_id *session_id)
{
    struct claim **place = &claims->buckets[bucket_of(claims, session_id)];

    while (*place != NULL && !store_id_equals(&(*place)->session_id, session_id))
        place = &(*place)->next_in_bucket;
    return place;
}

static void grow(struct store_claims *claims)
{
    struct claim **old = claims->buckets;
    size_t old_count = claims->bucket_count;

    claims->bucket_count = old_count * 2;
    claims->buckets = mem_zalloc(claims->bucket_count * sizeof(*claims->buckets));
    for (size_t i = 0; i < old_count; i++)
        for (struct claim *claim = old[i], *next; claim != NULL; claim = next) {
            struct claim **place = place_of(claims, &claim->session_id);

            next = claim->next_in_bucket;
            claim->next_in_bucket = NULL;
            *place = claim;
        }
    free(old);
}

struct store_claims *store_claims_new(size_t most)
{
    struct store_claims *claims = MEM_NEW(struct store_claims);

    claims->most = most;
    claims->bucket_count = FIRST_BUCKETS;
    claims->buckets = mem_zalloc(FIRST_BUCKETS * sizeof(*claims->buckets));
    return claims;
}

void store_claims_free(struct store_claims *claims)
{
    if (claims == NULL)
        return;
    for (size_t i = 0; i < claims->bucket_count; i++)
        for (struct claim *claim = claims->buckets[i], *next; claim != NULL;
             claim = next) {
            next = claim->next_in_bucket;
            free(claim);
        }
    free(claims->buckets);
    free(claims);
}

struct claim *store_claims_find(struct store_claims *claims,
                                const struct store_id *session_id)
{
    return *place_of(claims, session_id);
}

struct claim *store_claims_get(struct store_claims *claims,
                               const struct store_id *session_id)
{
    struct claim **place = place_of(claims, session_id);

    if (*place != NULL)
        return *place;
    if (claims->count == claims->most)
        return NULL;
    if (claims->count == claims->bucket_count) {
        grow(claims);
        place = place_of(claims, session_id);
    }
    *place = MEM_NEW(struct claim);
    (*place)->session_id = *session_id;
    claims->count++;
    return *place;
}

void store_claims_settle(struct store_claims *claims, const struct store_id *session_id)
{
    struct claim **place = place_of(claims, session_id);
    struct claim *claim = *place;

    if (claim == NULL || claim->is_running || claim->is_listed ||
        claim->replies.on_their_way > 0)
        return;
    *place = claim->next_in_bucket;
    claims->count--;
    free(claim);
}

void claim_run(struct claim *claim, const struct id *request_id,
               const struct store_key *key)
{
    assert(!claim->is_running);
    claim->is_running = true;
    claim->request_id = *request_id;
    claim->key = *key;
}

void claim_release(struct claim *claim, const struct id *request_id)
{
    if (claim->is_running && id_equals(&claim->request_id, request_id))
        claim->is_running = false;
}

void claim_reply_sets_out(struct claim *claim, unsigned turn_number)
{
    if (claim->replies.turn_number != turn_number)
        claim->replies = (struct claim_replies){.turn_number = turn_number};
    claim->replies.on_their_way++;
}

void claim_reply_ends(struct claim *claim, unsigned turn_number, bool was_delivered)
{
    struct claim_replies *replies = &claim->replies;

    if (replies->turn_number != turn_number)
        return;
    if (was_delivered)
        replies->was_delivered = true;
    if (replies->on_their_way > 0)
        replies->on_their_way--;
}

bool claim_is_on_its_way(const struct claim *claim, unsigned turn_number)
{
    return claim != NULL && claim->replies.turn_number == turn_number &&
           claim->replies.on_their_way > 0 && !claim->replies.was_delivered;
}

bool claim_was_delivered(const struct claim *claim, unsigned turn_number)
{
    return claim != NULL && claim->replies.turn_number == turn_number &&
           claim->replies.was_delivered;
}
