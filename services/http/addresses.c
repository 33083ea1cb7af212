/*
 * How many connections each client address has: a table of chains behind a lock.
 */
#include "addresses_internal.h"

#include "mem.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define CHAINS 8192

struct addresses_entry {
    struct address address;
    int64_t open;
    size_t chain;
    struct addresses_entry *next; /* owned */
};

struct addresses {
    unsigned char key[crypto_shorthash_KEYBYTES]; /* so that nobody can aim at a chain */
    int64_t most;
    pthread_mutex_t lock; /* over what follows */
    struct addresses_entry *chains[CHAINS];
};

struct addresses *addresses_new(int64_t most)
{
    struct addresses *addresses = MEM_NEW(struct addresses);

    addresses->most = most;
    randombytes_buf(addresses->key, sizeof(addresses->key));
    pthread_mutex_init(&addresses->lock, NULL);
    return addresses;
}

void addresses_free(struct addresses *addresses)
{
    if (addresses == NULL)
        return;
    for (size_t i = 0; i < CHAINS; i++)
        while (addresses->chains[i] != NULL) {
            struct addresses_entry *entry = addresses->chains[i];

            addresses->chains[i] = entry->next;
            free(entry);
        }
    pthread_mutex_destroy(&addresses->lock);
    free(addresses);
}

static size_t chain_of(const struct addresses *addresses, const struct address *address)
{
    unsigned char hash[crypto_shorthash_BYTES];
    uint64_t number;

    crypto_shorthash(hash, (const unsigned char *)address->bytes, sizeof(address->bytes),
                     addresses->key);
    memcpy(&number, hash, sizeof(number));
    return number % CHAINS;
}

static struct addresses_entry *find(struct addresses *addresses, size_t chain,
                                    const struct address *address)
{
    struct addresses_entry *entry = addresses->chains[chain];

    while (entry != NULL &&
           memcmp(entry->address.bytes, address->bytes, sizeof(address->bytes)) != 0)
        entry = entry->next;
    if (entry != NULL)
        return entry;
    entry = MEM_NEW(struct addresses_entry);
    entry->address = *address;
    entry->chain = chain;
    entry->next = addresses->chains[chain];
    addresses->chains[chain] = entry;
    return entry;
}

struct addresses_entry *addresses_take(struct addresses *addresses,
                                       const struct address *address)
{
    size_t chain = chain_of(addresses, address);
    struct addresses_entry *entry;

    pthread_mutex_lock(&addresses->lock);
    entry = find(addresses, chain, address);
    if (entry->open < addresses->most)
        entry->open++;
    else
        entry = NULL;
    pthread_mutex_unlock(&addresses->lock);
    return entry;
}

void addresses_give_back(struct addresses *addresses, struct addresses_entry *entry)
{
    struct addresses_entry **link;

    pthread_mutex_lock(&addresses->lock);
    if (--entry->open == 0) {
        link = &addresses->chains[entry->chain];
        while (*link != entry)
            link = &(*link)->next;
        *link = entry->next;
        free(entry);
    }
    pthread_mutex_unlock(&addresses->lock);
}
