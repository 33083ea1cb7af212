/*
 * What a loop lends to the requests that it runs.
 */
#ifndef SERVICES_H
#define SERVICES_H

#include "digest.h"
#include "token.h"
#include "turn.h"

struct addresses;
struct rates;
struct uploads;

/* What a secret key is for in a session: its token, and digests of answers, recordings and idempotency keys. */
struct session_keys {
    struct token_key token;
    struct digest_key input;
};

/* What all loops share; read-only after start, but for the atomics. */
struct shared_services {
    const struct settings *settings; /* borrowed, like every pointer here */
    struct store_backend *store;
    struct session_keys keys[2]; /* by SECRET_KEY; by SECRET_KEY_PREVIOUS */
    size_t key_count;
    struct digest_key client_key; /* digests of who asks */
    struct metrics **metrics;     /* of all loops */
    size_t metrics_count;
    struct spans *spans;         /* NULL: none are kept */
    struct rates *rates;         /* how often clients may ask */
    struct addresses *addresses; /* how many connections they have; NULL: any number */
    struct uploads *uploads;     /* whose bodies come in */
    /* Kept of bodies, and of recordings that are being heard. */
    _Atomic int64_t upload_bytes;
    _Atomic int64_t
        main_log_dropped;     /* lines of the main thread's log, which has no metrics */
    _Atomic int64_t inflight; /* turns under way in the process */
    _Atomic bool is_leaving;  /* a load balancer shall send nobody here any more */
    _Atomic bool is_draining; /* and nothing new is begun */
    bool is_socket_kept; /* somebody holds the listening socket for who comes after us */
};

/* One loop's own. */
struct services {
    struct shared_services *shared;  /* borrowed, like every pointer here */
    const struct settings *settings; /* the same as shared->settings */
    struct loop *loop;
    struct store *store; /* on shared->store */
    const struct coaches *coaches;
    const struct transcribers *transcribers;
    struct speaker *speaker; /* NULL: replies are not spoken */
    struct filter *filter;   /* NULL where SAFETY_ENABLED is false; replaced between ticks
                                on a reload */
    const struct turn_services *turns;
    struct log *log;
    struct metrics *metrics;
    bool is_admin; /* it serves the listener of ADMIN_PORT */
};

#endif
