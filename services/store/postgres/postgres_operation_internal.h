/*
 * One thing asked of the store in PostgreSQL: the request, how far it has come, and in the end its
 * result.
 *
 * An operation comes to its result in steps.  A step is one or a few statements, sent together on
 * one connection:
 *
 *     postgres_operation_ask()    sends the statements of the step
 *     postgres_operation_take()   for each result that has no error
 *     postgres_operation_next()   all are there, and what they changed stands: what now?
 *
 * Between any two of them the connection may break, or the server undo what was done: then the
 * step is asked again, after postgres_operation_forget().  `is_repeat` says that an earlier try
 * may have been carried out without our hearing of it; every operation finds that out.
 */
#ifndef POSTGRES_OPERATION_INTERNAL_H
#define POSTGRES_OPERATION_INTERNAL_H

#include "postgres_process_internal.h"
#include "postgres_values_internal.h"
#include "store_operation_internal.h"

#include <stdatomic.h>

struct postgres_link;

enum postgres_next {
    NEXT_DONE, /* its result is there */
    NEXT_ASK,  /* the next step, at once */
    NEXT_WAIT  /* likewise, after wait_ms */
};

/* What all operations of a process share. */
struct postgres_ground {
    struct postgres_process process; /* this one */
    _Atomic int64_t
        speech_bytes; /* of all speech in the store, as far as is known here */
    struct store_usage_board usage;
};

enum postgres_begin_step { BEGIN_FACTS, BEGIN_CLAIM, BEGIN_REPLAY };

/* What the steps of a begin have found. */
struct postgres_beginning {
    enum postgres_begin_step step;
    struct store_facts facts;
    struct session *session;     /* owned */
    struct private_text heard;   /* owned */
    struct private_text outcome; /* owned */
    bool has_outcome;
    bool has_sender;       /* a process that lives is sending the last commit's reply */
    bool has_papers;       /* the session has */
    int64_t changes;       /* of the session, when the facts were read */
    int64_t claim_changes; /* when the claim was first tried; -1: it was not */
    bool is_ours; /* a try of this claim that we did not hear of was carried out */
    unsigned record_commit; /* of the record under the key; 0: a refusal, or a reply */
    bool record_is_reply;
    bool replays_record;
    bool was_expected;        /* the claim found the session unchanged */
    bool had_room;            /* and the day had room */
    struct store_usage usage; /* of that day; 0 where it was not counted */
    unsigned looks;           /* at a session that another turn runs in */
    int64_t wait_until_us;
};

struct postgres_operation {
    struct store_operation base;         /* the first member: an operation is cast back */
    struct postgres_operation *previous; /* among those that wait, like the next */
    struct postgres_operation *following;

    /* Where it stands; the lane's. */
    int64_t wait_ms;          /* with NEXT_WAIT */
    struct loop_timer *timer; /* while it waits; owned */
    void *lane;               /* borrowed, for the timer */
    bool is_repeat;
    bool is_alone;    /* in a transaction of its own */
    bool is_durable;  /* on a connection whose commits are durable */
    unsigned tries;   /* that were undone */
    char sqlstate[6]; /* of the latest */

    /* Where it stands; its own. */
    struct postgres_ground *ground; /* borrowed */
    unsigned step;                  /* of all but a begin */
    struct postgres_beginning beginning;
    bool is_found;
    bool is_ours;              /* of a commit: an earlier try of it was carried out */
    struct digest fingerprint; /* of a create: what the session of then was made with */
    struct store_id note_id;   /* of a refusal: under which it is noted */
    bool has_papers;           /* of a load: the session has */
    int64_t number; /* of a commit: bytes of speech that are left, -1: not asked;
                                   of rates: 1 where the quota had nothing left */
};

/* An operation on its way to a lane. */
void postgres_operation_prepare(struct postgres_operation *operation);

/* One of the lane's own. */
struct postgres_operation *postgres_operation_new(enum store_kind kind);

/* Wipes and frees it with all that it owns.  NULL is fine. */
void postgres_operation_free(struct postgres_operation *operation);

/* false: the connection is broken. */
bool postgres_operation_ask(struct postgres_operation *operation,
                            struct postgres_ground *ground, struct postgres_link *link);
void postgres_operation_take(struct postgres_operation *operation,
                             enum postgres_statement which, const PGresult *result);
enum postgres_next postgres_operation_next(struct postgres_operation *operation);
void postgres_operation_forget(struct postgres_operation *operation);

/* Its result is ERROR_STORE_UNAVAILABLE. */
void postgres_operation_fail(struct postgres_operation *operation);

/* Ended without our knowing what became of its claim: the operation that gives the claim back;
 * NULL where there is none. */
struct postgres_operation *postgres_operation_release(
    const struct postgres_operation *operation);

/* Calls back, on the loop's thread, and frees the operation. */
void postgres_operation_tell(struct postgres_operation *operation);

/* NULL where it is empty. */
struct postgres_operation *postgres_pop(struct store_list *list);

/* Puts the operations of `other`, which is empty afterwards, in front of those of `list`. */
void postgres_prepend(struct store_list *list, struct store_list *other);

/* What follows is for the two files of operations (turns: postgres_operation_turn.c). */
bool postgres_begin_ask(struct postgres_operation *operation,
                        const struct postgres_ground *ground, struct postgres_link *link);
void postgres_begin_take(struct postgres_operation *operation,
                         enum postgres_statement which, const PGresult *result);
enum postgres_next postgres_begin_next(struct postgres_operation *operation);
void postgres_begin_forget(struct postgres_operation *operation);

bool postgres_commit_ask(struct postgres_operation *operation,
                         struct postgres_ground *ground, struct postgres_link *link);
void postgres_commit_take(struct postgres_operation *operation,
                          enum postgres_statement which, const PGresult *result);
enum postgres_next postgres_commit_next(struct postgres_operation *operation);

bool postgres_finish_ask(struct postgres_operation *operation,
                         const struct postgres_ground *ground,
                         struct postgres_link *link);

bool postgres_end_ask(struct postgres_operation *operation,
                      struct postgres_ground *ground, struct postgres_link *link);
bool postgres_delivery_ask(struct postgres_operation *operation,
                           const struct postgres_ground *ground,
                           struct postgres_link *link);
/* The columns of SESSION_COLUMNS, in postgres_statements.def.  NULL where they make no sense.
 * `ret_has_papers` may be NULL. */
struct session *postgres_read_session(struct postgres_row *row, const struct store_id *id,
                                      bool *ret_has_papers);

/* Sends the statements that read so much of a session, and takes what they bring: what came into the
 * session since it was read is left out.  postgres_rest_is_read(): all of it was there. */
bool postgres_rest_ask(struct postgres_operation *operation,
                       const struct session *session, bool has_papers,
                       enum store_extent extent, struct postgres_link *link);
void postgres_rest_take(struct session *session, enum postgres_statement which,
                        const PGresult *result);
bool postgres_rest_is_read(const struct session *session, bool has_papers,
                           enum store_extent extent);

/* What is stored makes no sense: the operation fails. */
void postgres_damaged(struct postgres_operation *operation);

enum postgres_next postgres_done(struct postgres_operation *operation, enum error error);

/*
 * A turn's speech is stored with it.
 *
 * How many bytes all of it takes is not summed with each commit, nor kept in a row that all
 * commits would wait for.  Each process has a figure of its own: what the sweep found, and what it
 * has stored itself since.  Where that says that there is no room, older speech goes, by the true
 * sum.  Several processes may pass the bound together by what they store between two sweeps.
 */
/* The values of the speech; NULLs where there is none, or more than may be stored. */
void postgres_speech_values(struct postgres_values *values,
                            const struct store_speech *speech);

/* false: there is none, or more than may be stored. */
bool postgres_speech_is_stored(const struct store_speech *speech);

/* Before the commit: sends the statement that makes room, if one is needed. */
bool postgres_speech_make_room(struct postgres_operation *operation,
                               struct postgres_ground *ground,
                               struct postgres_link *link);

/* A commit has come to its end. */
void postgres_speech_count(const struct postgres_operation *operation,
                           struct postgres_ground *ground);

/* GET /tts. */
bool postgres_speech_ask(struct postgres_operation *operation,
                         struct postgres_link *link);
void postgres_speech_take(struct postgres_operation *operation, const PGresult *result);

#endif
