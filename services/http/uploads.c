/*
 * The uploads of all loops: a counter of bytes, and a table of sessions.  A loop that must end the
 * upload of another one posts to it.
 */
#include "uploads_internal.h"

#include "mem.h"

#include <pthread.h>
#include <stdlib.h>

#define CHAINS 1024

struct entry {
    struct id session_id;
    struct server *server; /* borrowed: who reads it */
    uint64_t ticket;       /* the request's */
    struct entry *next;    /* owned */
};

/* Another loop is told to end one. */
struct eviction {
    struct server *server; /* borrowed */
    uint64_t ticket;
    struct eviction *previous; /* borrowed: the neighbours in uploads->evictions */
    struct eviction *next;
};

struct uploads {
    pthread_mutex_t lock; /* over what follows */
    uint64_t last_ticket;
    struct entry *chains[CHAINS];
    struct eviction *evictions; /* owned list: posted, and not told yet */
};

struct uploads *uploads_new(void)
{
    struct uploads *uploads = MEM_NEW(struct uploads);

    pthread_mutex_init(&uploads->lock, NULL);
    return uploads;
}

void uploads_free(struct uploads *uploads)
{
    if (uploads == NULL)
        return;
    for (size_t i = 0; i < CHAINS; i++)
        while (uploads->chains[i] != NULL) {
            struct entry *entry = uploads->chains[i];

            uploads->chains[i] = entry->next;
            free(entry);
        }
    while (uploads->evictions != NULL) {
        struct eviction *eviction = uploads->evictions;

        uploads->evictions = eviction->next;
        free(eviction);
    }
    pthread_mutex_destroy(&uploads->lock);
    free(uploads);
}

bool uploads_have_room(const struct server *server, int64_t announced)
{
    const struct services *services = server->services;

    return services->shared->upload_bytes + (announced > 0 ? announced : 0) <=
           services->settings->uploads_max_bytes;
}

bool uploads_hold(struct request *request, size_t bytes)
{
    const struct services *services = request->server->services;
    int64_t more = (int64_t)bytes - request->held_bytes;
    int64_t held = atomic_fetch_add(&services->shared->upload_bytes, more);

    request->held_bytes += more;
    return held + more <= services->settings->uploads_max_bytes;
}

void uploads_release(struct request *request)
{
    atomic_fetch_sub(&request->server->services->shared->upload_bytes,
                     request->held_bytes);
    request->held_bytes = 0;
}

/* Session ids are made by us, at random (RFC 9562 5.4), and a token vouches for this one: nobody can
 * aim at a chain. */
static struct entry **chain_of(struct uploads *uploads, const struct id *session_id)
{
    size_t number = 0;

    for (size_t i = 0; i < 8; i++)
        number = number * 31 + (unsigned char)session_id->text[i];
    return &uploads->chains[number % CHAINS];
}

static struct entry **find(struct uploads *uploads, const struct id *session_id)
{
    struct entry **link = chain_of(uploads, session_id);

    while (*link != NULL && !id_equals(&(*link)->session_id, session_id))
        link = &(*link)->next;
    return link;
}

static void unlink_eviction(struct uploads *uploads, struct eviction *eviction)
{
    if (eviction->previous != NULL)
        eviction->previous->next = eviction->next;
    else
        uploads->evictions = eviction->next;
    if (eviction->next != NULL)
        eviction->next->previous = eviction->previous;
}

/* On the loop of the older upload, which may have ended meanwhile. */
static void on_eviction(void *context)
{
    struct eviction *eviction = context;
    struct server *server = eviction->server;
    struct uploads *uploads = server->services->shared->uploads;
    struct connection *connection = server->queues[CONNECTION_BODY].first;

    while (connection != NULL && connection->request->upload_ticket != eviction->ticket)
        connection = connection->next;
    if (connection != NULL)
        request_refuse_unfinished(connection->request, ERROR_TURN_IN_PROGRESS);
    pthread_mutex_lock(&uploads->lock);
    unlink_eviction(uploads, eviction);
    pthread_mutex_unlock(&uploads->lock);
    free(eviction);
}

/* Called with the lock held. */
static void evict(struct uploads *uploads, const struct entry *entry)
{
    struct eviction *eviction = MEM_NEW(struct eviction);

    eviction->server = entry->server;
    eviction->ticket = entry->ticket;
    eviction->next = uploads->evictions;
    if (eviction->next != NULL)
        eviction->next->previous = eviction;
    uploads->evictions = eviction;
    loop_post(entry->server->services->loop, on_eviction, eviction);
}

void uploads_enter(struct request *request)
{
    struct uploads *uploads = request->server->services->shared->uploads;
    struct entry **link;

    pthread_mutex_lock(&uploads->lock);
    link = find(uploads, &request->session_id);
    if (*link != NULL) {
        evict(uploads, *link);
    } else {
        *link = MEM_NEW(struct entry);
        (*link)->session_id = request->session_id;
    }
    (*link)->server = request->server;
    (*link)->ticket = request->upload_ticket = ++uploads->last_ticket;
    pthread_mutex_unlock(&uploads->lock);
}

void uploads_leave(struct request *request)
{
    struct uploads *uploads = request->server->services->shared->uploads;
    struct entry **link;
    struct entry *entry;

    if (request->upload_ticket == 0)
        return;
    pthread_mutex_lock(&uploads->lock);
    link = find(uploads, &request->session_id);
    entry = *link;
    if (entry != NULL && entry->ticket == request->upload_ticket) {
        *link = entry->next;
        free(entry);
    }
    pthread_mutex_unlock(&uploads->lock);
    request->upload_ticket = 0;
}
