/*
 * Who runs which turn in this process, and which replies are on their way: a table of
 * sessions, kept in memory by the thread that decides.  A session is in it only while
 * there is something to remember:
 *
 *     (nothing) -- begin --> running -- commit --> reply on its way -- report -->
 * (nothing)
 *                               \----- end ----> (nothing)
 *
 * A next turn may run while the reply of the one before is still on its way: the two are
 * kept side by side.
 */
#ifndef STORE_CLAIMS_H
#define STORE_CLAIMS_H

#include "store_rules.h"

#include <stdbool.h>
#include <stddef.h>

struct store_claims;

/* Replies of the last committed turn. */
struct claim_replies {
    unsigned turn_number; /* 0: none */
    unsigned on_their_way;
    bool was_delivered; /* one arrived; not yet written down */
};

struct claim {
    struct store_id session_id;
    struct claim *next_in_bucket; /* owned */

    bool is_running;
    struct id request_id; /* of the running turn, like the key */
    struct store_key key;

    struct claim_replies replies;
    bool is_listed;            /* in the list of reports to be written down */
    struct claim *next_listed; /* borrowed from the table */
};

/* Never more than `most` sessions. */
struct store_claims *store_claims_new(size_t most);
void store_claims_free(struct store_claims *claims);

/* NULL where nothing is remembered; borrowed, until store_claims_settle(). */
struct claim *store_claims_find(struct store_claims *claims,
                                const struct store_id *session_id);

/* The same, added where it is not there; NULL where the table is full. */
struct claim *store_claims_get(struct store_claims *claims,
                               const struct store_id *session_id);

/* Forgets the session if nothing is left to remember of it. */
void store_claims_settle(struct store_claims *claims, const struct store_id *session_id);

void claim_run(struct claim *claim, const struct id *request_id,
               const struct store_key *key);

/* Only the claim of this request; another's stays. */
void claim_release(struct claim *claim, const struct id *request_id);

/* A reply of the session's last committed turn sets out. */
void claim_reply_sets_out(struct claim *claim, unsigned turn_number);

/* It arrived, or failed.  Of a turn that is not the last one any more, this means
 * nothing. */
void claim_reply_ends(struct claim *claim, unsigned turn_number, bool was_delivered);

/* NULL is fine for these two. */
bool claim_is_on_its_way(const struct claim *claim, unsigned turn_number);
bool claim_was_delivered(const struct claim *claim, unsigned turn_number);

#endif
