/*
 * Who runs which turn in this process, and which replies are on their way: a table of
 * sessions, kept in memory.  A session is in it only while there is something to remember:
 *
 *     (nothing) -- begin --> running -- commit --> reply on its way -- report --> (nothing)
 *                               `------ end -----> (nothing)
 *
 * A next turn may run while the reply of the one before is still on its way: the two are kept
 * side by side.  A report is a fact at once; written down it is some milliseconds later.  Lost
 * in a crash, it makes a delivered reply count as undelivered, which costs a replay of the same
 * words at most.
 *
 * Any thread may call these.
 */
#ifndef SQLITE_CLAIMS_INTERNAL_H
#define SQLITE_CLAIMS_INTERNAL_H

#include "store_rules_internal.h"

struct claims;

/* What is remembered of a session; all zeros where nothing is. */
struct claim_facts {
    bool is_running;
    struct store_key key; /* of the turn that runs */
    unsigned replied;     /* the commit that the next two are about; 0: none */
    bool is_on_its_way;
    bool was_delivered;
};

/* A reply that arrived, and is not written down yet. */
struct delivered {
    struct store_id session_id;
    unsigned commit_number;
};

/* Never more than `most` sessions. */
struct claims *claims_new(size_t most);
void claims_free(struct claims *claims);

struct claim_facts claims_look(struct claims *claims, const struct store_id *session_id);

/* A turn runs from now on; else another does (two threads may have seen that none does), or the table is
 * full. */
enum error claims_run(struct claims *claims, const struct store_id *session_id,
                      const struct id *request_id, const struct store_key *key);

/* The turn of this request runs no more; another's does. */
void claims_release(struct claims *claims, const struct store_id *session_id,
                    const struct id *request_id);

/* A reply of the session's last commit sets out. */
void claims_send(struct claims *claims, const struct delivered *reply);

/* It arrived, or failed.  Of a turn that is not the last one any more this means nothing.  true:
 * there is something to be written down. */
bool claims_report(struct claims *claims, const struct store_id *session_id,
                   unsigned commit_number, bool was_delivered);

/* The session is gone. */
void claims_forget(struct claims *claims, const struct store_id *session_id);

/* What is to be written down, as far as there is room for it; and: it is. */
size_t claims_list_delivered(struct claims *claims, struct delivered *ret_delivered,
                             size_t most);
void claims_note_written(struct claims *claims, const struct delivered *delivered,
                         size_t count);

#endif
