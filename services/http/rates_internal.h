/*
 * How often a client may ask: so many requests a minute for each kind of work, counted for
 * its address and for its session, over all loops of the process.  Where several processes
 * share a store they count together there, and this table is what each knows of it.
 *
 * The counting is the generic cell rate algorithm (ITU-T I.371): of each client one time is
 * kept, that at which its quota will be whole again.  The table has a fixed size: where it
 * is full, the client whose quota is whole soonest is forgotten, which errs in its favour.
 */
#ifndef RATES_INTERNAL_H
#define RATES_INTERNAL_H

#include "span.h"

#include <stdbool.h>
#include <stdint.h>

enum rate_kind {
    RATE_NONE,
    RATE_SESSIONS,
    RATE_TURNS,
    RATE_TTS,
    RATE_ASKS,
    RATE_WRONG_KEYS, /* of the admin */
};

/* What is left of a quota. */
struct rate {
    const char *name;  /* static: of the policy */
    int64_t quota;     /* requests a minute; 0: no limit holds */
    int64_t remaining; /* of them, now */
    int64_t reset_s;   /* until all of them are there again */
    int64_t wait_s;    /* until there is one; 0: now */
};

struct rates;

struct rates *rates_new(void);
void rates_free(struct rates *rates); /* NULL is fine */

/* Takes one request out of the quota of whoever `key` stands for.  false: there is none
 * left, and nothing was taken.  From any thread. */
bool rates_take(struct rates *rates, enum rate_kind kind, struct span key,
                int64_t per_minute, int64_t now_us, struct rate *ret_rate);

/* What is left of it; nothing is taken. */
struct rate rates_look(struct rates *rates, enum rate_kind kind, struct span key,
                       int64_t per_minute, int64_t now_us);

/* Takes over what is known elsewhere of the same quota, after a request that was or was not
 * taken out of it: from now it is whole in `whole_us`, and later where this table says
 * later.  So whoever has used it up elsewhere is turned away here from now on.  From any
 * thread. */
void rates_learn(struct rates *rates, enum rate_kind kind, struct span key,
                 int64_t per_minute, int64_t now_us, bool was_taken, int64_t whole_us,
                 struct rate *ret_rate);

#endif
