/*
 * What the files of outgoing calls share: call.c (a call's life), call_pool.c (which
 * connection it takes) and call_wire.c (curl's descriptors and timers on the loop).
 */
#ifndef CALL_INTERNAL_H
#define CALL_INTERNAL_H

#include "call.h"

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

/* curl walks all connections to a host for each new transfer: at 3,000 in flight that was
 * half of all CPU.  So a loop has several curl multi handles, each with its share of the
 * connections. */
#define CALL_SHARDS      16
#define CALL_ORIGINS_MAX 8
#define CALL_SPARES_MAX  1024

/* One of the multi handles. */
struct shard {
    struct call_pool *pool; /* borrowed: it owns the shard */
    CURLM *multi;           /* owned */
    uv_timer_t *timer;      /* owned; freed by its close callback */
    bool is_kicked;         /* kick() is put off with loop_later() */
    size_t in_flight;
    struct call *news; /* borrowed from the pool: those with pieces of a body to tell */
};

/* What a shard has to do with one origin. */
struct home {
    struct origin *origin; /* borrowed: it owns the home */
    struct shard *shard;   /* borrowed from the pool */
    size_t connections;    /* open, and not known to be given up by the other side */
    size_t in_flight;
};

/* A server that is called: scheme, host and port. */
struct origin {
    char *name; /* owned */
    size_t name_length;
    bool is_multiplexed; /* it has answered in HTTP/2: a connection takes many calls */
    struct home homes[CALL_SHARDS];
};

struct wire; /* a descriptor of curl's: call_wire.c */

struct call_pool {
    struct loop *loop; /* borrowed */
    bool has_proxy;    /* the environment names one */
    CURLSH *share;     /* owned: DNS and TLS sessions, which all shards know */
    struct shard shards[CALL_SHARDS];
    struct origin *origins[CALL_ORIGINS_MAX]; /* owned */
    size_t origin_count;
    struct wire **wires; /* owned: by descriptor; NULL: not one of ours */
    size_t wires_capacity;
    CURL *spares[CALL_SPARES_MAX]; /* owned: prepared handles that no call uses */
    size_t spare_count;
    struct call *calls; /* owned: those under way */
};

/* call_pool.c */
CURL *call_handle_take(struct call_pool *pool);
void call_handle_give_back(struct call_pool *pool, CURL *easy, bool is_spent);
struct home *call_home_pick(struct call_pool *pool, const char *url);

/* call_wire.c */
void call_wires_attach(struct shard *shard);
void call_wires_detach(struct shard *shard); /* before the multi handle is cleaned up */
curl_socket_t call_wire_open(void *home, curlsocktype purpose,
                             struct curl_sockaddr *address);
int call_wire_close(void *home, curl_socket_t descriptor);

/* call.c: hands out what curl has just received for calls that want it in pieces. */
void call_tell_bytes(struct shard *shard);

/* call.c: curl has ended the transfer of this call. */
void call_end(struct call *call, CURLcode code);

/* retry_after.c: the value of the header of this name; NULL bytes where the line is
 * another's. */
struct span call_header_value(const char *line, size_t length, const char *name);

/* retry_after.c: the value of Retry-After in seconds from `now_s`; -1: it is not one. */
int64_t retry_after_parse(const char *value, size_t length, int64_t now_s);

/* retry_after.c: the limits that a server tells of in the head of a reply: Groq's and
 * OpenAI's x-ratelimit-remaining-requests, -tokens and x-ratelimit-reset-requests, -tokens
 * (https://console.groq.com/docs/rate-limits). */
#define RATE_LIMITS 2 /* requests, tokens */
struct rate_limits {
    bool is_spent[RATE_LIMITS];   /* nothing remains */
    int64_t reset_s[RATE_LIMITS]; /* 0: not said */
};

void rate_limits_read(struct rate_limits *limits, const char *line, size_t length);

/* Seconds until no limit is spent any more; -1: none is, or the server did not say when. */
int64_t rate_limits_wait_s(const struct rate_limits *limits);

/* A Go duration as those headers have it ("2m59.56s", "7.66s", "110ms"), rounded up to whole
 * seconds; -1: it is not one. */
int64_t duration_parse(const char *value, size_t length);

#endif
