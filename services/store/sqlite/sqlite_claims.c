/*
 * The table of claims: a hash table that grows, and in it a list of what is to be written down.
 */
#include "sqlite_claims_internal.h"

#include "mem.h"

#include <pthread.h>
#include <stdlib.h>

#define FIRST_BUCKETS 256 /* a power of two, as every later number of them */

struct claim {
    struct store_id session_id;
    struct claim *next_in_bucket; /* owned */

    bool is_running;
    struct id request_id; /* of the running turn, like the key */
    struct store_key key;

    unsigned commit_number; /* of its last reply; 0: none */
    unsigned on_their_way;  /* how often it was sent and not reported */
    bool was_delivered;     /* one arrived; not yet written down */

    bool is_listed; /* among those to be written down */
    struct claim *next_listed;
};

struct claims {
    pthread_mutex_t lock;
    struct claim **buckets; /* owned, with the claims in them */
    size_t bucket_count;
    size_t count;
    size_t most;
    struct claim *listed;
};

struct claims *claims_new(size_t most)
{
    struct claims *claims = MEM_NEW(struct claims);

    pthread_mutex_init(&claims->lock, NULL);
    claims->most = most;
    claims->bucket_count = FIRST_BUCKETS;
    claims->buckets = mem_zalloc(FIRST_BUCKETS * sizeof(*claims->buckets));
    return claims;
}

void claims_free(struct claims *claims)
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
    pthread_mutex_destroy(&claims->lock);
    free(claims);
}

static struct claim **place_of(struct claims *claims, const struct store_id *session_id)
{
    size_t bucket = store_id_hash(session_id) & (claims->bucket_count - 1);
    struct claim **place = &claims->buckets[bucket];

    while (*place != NULL && !store_id_equals(&(*place)->session_id, session_id))
        place = &(*place)->next_in_bucket;
    return place;
}

static void grow(struct claims *claims)
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

/* The session's claim, made where there is none; NULL where the table is full. */
static struct claim *get(struct claims *claims, const struct store_id *session_id)
{
    struct claim **place = place_of(claims, session_id);

    if (*place != NULL || claims->count == claims->most)
        return *place;
    if (claims->count == claims->bucket_count) {
        grow(claims);
        place = place_of(claims, session_id);
    }
    *place = MEM_NEW(struct claim);
    (*place)->session_id = *session_id;
    claims->count++;
    return *place;
}

/* Forgets the session if nothing is left to remember of it. */
static void settle(struct claims *claims, struct claim **place)
{
    struct claim *claim = *place;

    if (claim == NULL || claim->is_running || claim->is_listed || claim->on_their_way > 0)
        return;
    *place = claim->next_in_bucket;
    claims->count--;
    free(claim);
}

struct claim_facts claims_look(struct claims *claims, const struct store_id *session_id)
{
    struct claim_facts facts = {0};
    const struct claim *claim;

    pthread_mutex_lock(&claims->lock);
    claim = *place_of(claims, session_id);
    if (claim != NULL)
        facts = (struct claim_facts){
            .is_running = claim->is_running,
            .key = claim->key,
            .replied = claim->commit_number,
            .is_on_its_way = claim->on_their_way > 0 && !claim->was_delivered,
            .was_delivered = claim->was_delivered,
        };
    pthread_mutex_unlock(&claims->lock);
    return facts;
}

enum error claims_run(struct claims *claims, const struct store_id *session_id,
                      const struct id *request_id, const struct store_key *key)
{
    enum error error = OK;
    struct claim *claim;

    pthread_mutex_lock(&claims->lock);
    claim = get(claims, session_id);
    if (claim == NULL) {
        error = ERROR_STORE_UNAVAILABLE;
    } else if (claim->is_running) {
        error = ERROR_TURN_IN_PROGRESS;
    } else {
        claim->is_running = true;
        claim->request_id = *request_id;
        claim->key = *key;
    }
    pthread_mutex_unlock(&claims->lock);
    return error;
}

void claims_release(struct claims *claims, const struct store_id *session_id,
                    const struct id *request_id)
{
    struct claim **place;

    pthread_mutex_lock(&claims->lock);
    place = place_of(claims, session_id);
    if (*place != NULL && id_equals(&(*place)->request_id, request_id))
        (*place)->is_running = false;
    settle(claims, place);
    pthread_mutex_unlock(&claims->lock);
}

void claims_send(struct claims *claims, const struct delivered *reply)
{
    struct claim *claim;

    pthread_mutex_lock(&claims->lock);
    claim = get(claims, &reply->session_id);
    if (claim != NULL) {
        if (claim->commit_number != reply->commit_number) {
            claim->commit_number = reply->commit_number;
            claim->on_their_way = 0;
            claim->was_delivered = false;
        }
        claim->on_their_way++;
    }
    pthread_mutex_unlock(&claims->lock);
}

bool claims_report(struct claims *claims, const struct store_id *session_id,
                   unsigned commit_number, bool was_delivered)
{
    struct claim **place;
    struct claim *claim;
    bool is_news = false;

    pthread_mutex_lock(&claims->lock);
    place = place_of(claims, session_id);
    claim = *place;
    if (claim != NULL && claim->commit_number == commit_number) {
        claim->was_delivered |= was_delivered;
        if (claim->on_their_way > 0)
            claim->on_their_way--;
        if (claim->was_delivered && !claim->is_listed) {
            is_news = claim->is_listed = true;
            claim->next_listed = claims->listed;
            claims->listed = claim;
        }
    }
    settle(claims, place);
    pthread_mutex_unlock(&claims->lock);
    return is_news;
}

void claims_forget(struct claims *claims, const struct store_id *session_id)
{
    struct claim **place;

    pthread_mutex_lock(&claims->lock);
    place = place_of(claims, session_id);
    if (*place != NULL) {
        (*place)->commit_number = (*place)->on_their_way = 0;
        (*place)->was_delivered = false;
    }
    settle(claims, place);
    pthread_mutex_unlock(&claims->lock);
}

/* Those that a next turn has overtaken need not be written. */
size_t claims_list_delivered(struct claims *claims, struct delivered *ret_delivered,
                             size_t most)
{
    size_t count = 0;

    pthread_mutex_lock(&claims->lock);
    for (const struct claim *claim = claims->listed; claim != NULL && count < most;
         claim = claim->next_listed)
        ret_delivered[count++] = (struct delivered){
            .session_id = claim->session_id,
            .commit_number = claim->was_delivered ? claim->commit_number : 0,
        };
    pthread_mutex_unlock(&claims->lock);
    return count;
}

/* One that was delivered since they were listed stays in the list. */
static bool is_written(const struct claim *claim, const struct delivered *delivered)
{
    return !claim->was_delivered || claim->commit_number == delivered->commit_number;
}

/* What is listed since then stands in front, and they are behind it in their order. */
void claims_note_written(struct claims *claims, const struct delivered *delivered,
                         size_t count)
{
    struct claim **place;
    size_t at = 0;

    pthread_mutex_lock(&claims->lock);
    for (place = &claims->listed; *place != NULL && at < count;) {
        struct claim *claim = *place;

        if (!store_id_equals(&claim->session_id, &delivered[at].session_id)) {
            place = &claim->next_listed;
            continue;
        }
        if (is_written(claim, &delivered[at++])) {
            *place = claim->next_listed;
            claim->is_listed = false;
            settle(claims, place_of(claims, &claim->session_id));
        } else {
            place = &claim->next_listed;
        }
    }
    pthread_mutex_unlock(&claims->lock);
}
