/*
 * Rates: a table of times of fixed size behind a lock.
 */
#include "rates_internal.h"

#include "mem.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE_US  INT64_C(60000000)
#define SHELVES    8192 /* each with a few clients and a lock for many shelves */
#define PLACES     8
#define LOCK_COUNT 64

struct client {
    uint64_t name;
    int64_t whole_us; /* when its quota is whole; 0: nobody */
};

struct rates {
    unsigned char key[crypto_shorthash_KEYBYTES]; /* so that nobody can aim at a shelf */
    pthread_mutex_t locks[LOCK_COUNT];
    struct client shelves[SHELVES][PLACES];
};

struct rates *rates_new(void)
{
    struct rates *rates = MEM_NEW(struct rates);

    randombytes_buf(rates->key, sizeof(rates->key));
    for (size_t i = 0; i < LOCK_COUNT; i++)
        pthread_mutex_init(&rates->locks[i], NULL);
    return rates;
}

void rates_free(struct rates *rates)
{
    if (rates == NULL)
        return;
    for (size_t i = 0; i < LOCK_COUNT; i++)
        pthread_mutex_destroy(&rates->locks[i]);
    free(rates);
}

static uint64_t name_of(const struct rates *rates, enum rate_kind kind, struct span key)
{
    unsigned char text[64] = {(unsigned char)kind};
    unsigned char hash[crypto_shorthash_BYTES];
    size_t length = key.length < sizeof(text) - 1 ? key.length : sizeof(text) - 1;
    uint64_t name;

    memcpy(text + 1, key.bytes, length);
    crypto_shorthash(hash, text, length + 1, rates->key);
    memcpy(&name, hash, sizeof(name));
    return name;
}

/* Its place, or that of the one who can be forgotten best. */
static struct client *find(struct client *shelf, uint64_t name)
{
    struct client *place = &shelf[0];

    for (size_t i = 0; i < PLACES; i++) {
        if (shelf[i].name == name && shelf[i].whole_us > 0)
            return &shelf[i];
        if (shelf[i].whole_us < place->whole_us)
            place = &shelf[i];
    }
    *place = (struct client){.name = name};
    return place;
}

static int64_t seconds_up(int64_t us)
{
    return us > 0 ? (us + 999999) / 1000000 : 0;
}

/* What is left after a request that was or was not taken. */
static struct rate rate_of(const struct client *client, int64_t per_minute,
                           int64_t now_us, bool was_taken)
{
    int64_t each_us = MINUTE_US / per_minute;
    int64_t whole_us = client->whole_us > now_us ? client->whole_us : now_us;
    int64_t left_us = now_us + MINUTE_US - whole_us;

    return (struct rate){
        .quota = per_minute,
        .remaining = left_us > 0 ? left_us / each_us : 0,
        .reset_s = seconds_up(whole_us - now_us),
        .wait_s = was_taken ? 0 : seconds_up(each_us - left_us),
    };
}

static bool take(struct client *client, int64_t per_minute, int64_t now_us)
{
    int64_t each_us = MINUTE_US / per_minute;
    int64_t whole_us = client->whole_us > now_us ? client->whole_us : now_us;
    bool is_taken = whole_us + each_us <= now_us + MINUTE_US;

    if (is_taken)
        client->whole_us = whole_us + each_us;
    return is_taken;
}

/* Its place, behind the lock that is returned; the caller unlocks it. */
static pthread_mutex_t *hold(struct rates *rates, enum rate_kind kind, struct span key,
                             struct client **ret_client)
{
    uint64_t name = name_of(rates, kind, key);
    size_t shelf = name % SHELVES;
    pthread_mutex_t *lock = &rates->locks[shelf % LOCK_COUNT];

    pthread_mutex_lock(lock);
    *ret_client = find(rates->shelves[shelf], name);
    return lock;
}

bool rates_take(struct rates *rates, enum rate_kind kind, struct span key,
                int64_t per_minute, int64_t now_us, struct rate *ret_rate)
{
    struct client *client;
    pthread_mutex_t *lock = hold(rates, kind, key, &client);
    bool is_taken = take(client, per_minute, now_us);

    *ret_rate = rate_of(client, per_minute, now_us, is_taken);
    pthread_mutex_unlock(lock);
    return is_taken;
}

struct rate rates_look(struct rates *rates, enum rate_kind kind, struct span key,
                       int64_t per_minute, int64_t now_us)
{
    struct client *client;
    pthread_mutex_t *lock = hold(rates, kind, key, &client);
    struct rate rate = rate_of(client, per_minute, now_us, false);

    pthread_mutex_unlock(lock);
    return rate;
}

void rates_learn(struct rates *rates, enum rate_kind kind, struct span key,
                 int64_t per_minute, int64_t now_us, bool was_taken, int64_t whole_us,
                 struct rate *ret_rate)
{
    struct client *client;
    pthread_mutex_t *lock = hold(rates, kind, key, &client);

    if (client->whole_us < now_us + whole_us)
        client->whole_us = now_us + whole_us;
    *ret_rate = rate_of(client, per_minute, now_us, was_taken);
    pthread_mutex_unlock(lock);
}
