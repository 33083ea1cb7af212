/*
 * What the scripted upstream answers: whole HTTP responses of the size that the real ones
 * have. They are built once; each call then costs a copy and two numbers.
 */
#ifndef UPSTREAM_REPLY_H
#define UPSTREAM_REPLY_H

#include <stddef.h>
#include <stdint.h>

enum upstream_reply_kind {
    UPSTREAM_REPLY_COMPLETION, /* .../chat/completions: what a model says of one answer */
    UPSTREAM_REPLY_TURN,    /* /turn: what a turn's client receives; nginx passes it on */
    UPSTREAM_REPLY_SESSION, /* /session/start: so that the load can be tried without Poise
                             */
    UPSTREAM_REPLY_NOT_FOUND,
};

#define UPSTREAM_REPLY_KINDS     4
#define UPSTREAM_REPLY_MAX_BYTES 4096

struct upstream_reply {
    char bytes[UPSTREAM_REPLY_MAX_BYTES];
    size_t length;
    size_t number_at; /* where the call's number goes; 0: nowhere */
    size_t held_at;   /* where the microseconds go for which it was held; 0: nowhere */
};

/* Builds all of them. */
void upstream_replies_init(struct upstream_reply replies[UPSTREAM_REPLY_KINDS]);

/* Which reply a request to this target gets. */
enum upstream_reply_kind upstream_reply_kind_of(const char *target, size_t target_bytes);

/*
 * Makes `reply` the answer to call `number`: the question in it differs from call to call
 * and says for how long the request was held ("held=<microseconds>;"), which the load
 * generator takes off the latency that it saw.
 */
void upstream_reply_fill(struct upstream_reply *reply, unsigned number, int64_t held_us);

#endif
