/*
 * One thing asked of the store, and the database that is asked: what a backend is.
 *
 * The store of a loop makes an operation and pushes it; the backend carries it out wherever it
 * likes and gives it back with store_operation_tell(), on the operation's loop.  In between it is
 * the backend's.
 */
#ifndef STORE_OPERATION_INTERNAL_H
#define STORE_OPERATION_INTERNAL_H

#include "store_rules_internal.h"
#include "store_trouble_internal.h"

enum store_kind {
    STORE_CREATE,
    STORE_LOAD,
    STORE_DELETE,
    STORE_BEGIN,
    STORE_COMMIT,
    STORE_FINISH,
    STORE_END,
    STORE_REMEMBER,
    STORE_SPEECH,
    STORE_REFUSAL,
    STORE_RATES,
    STORE_COUNT_USE,
    STORE_REPORT,
    STORE_CHECK,
    STORE_SWEEP, /* a backend asks this and the next of itself */
    STORE_BEAT
};

struct store_operation;

struct store_backend {
    /* Of a backend's own operations, which begin with a store_operation. */
    size_t operation_bytes;
    bool shares_rates;

    /* Takes the operation.  On the thread of its loop. */
    void (*push)(struct store_backend *backend, struct store_operation *operation);

    /* These are store_sweep(), store_stats() and store_close(). */
    void (*sweep)(struct store_backend *backend, int64_t now_ms,
                  int64_t refusals_before_ms);
    struct store_stats (*stats)(struct store_backend *backend);
    void (*close)(struct store_backend *backend);

    struct store_health health;
};

struct store_report {
    unsigned commit_number;
    bool was_delivered;
};

struct store_hearing {
    struct digest audio;
    struct private_text heard; /* owned */
};

struct store_operation {
    struct store_operation *next; /* in whatever list it is in */
    enum store_kind kind;
    struct loop *loop; /* borrowed; NULL: a backend's own */

    /* Whom the result is for; the store's. */
    void (*told)(
        struct store_operation *operation); /* it is about to be; NULL: nobody waits */
    struct store *store;                    /* borrowed, like the next two */
    struct store_operation *asked_before;
    struct store_operation *asked_after;
    int64_t asked_us; /* monotonic */
    union {
        store_session_fn *session;
        store_done_fn *done;
        store_begun_fn *begun;
        store_speech_fn *speech;
        store_rates_fn *rates;
    } done;
    void *context; /* borrowed from who asked */

    /* The request. */
    bool has_session;
    struct store_id session_id;
    int64_t now_ms;
    union {
        struct store_new_session create; /* texts and sessions in these are owned */
        struct store_claim begin;        /* of a count of uses: caps and time */
        bool is_whole;                   /* of a load */
        struct store_commit commit;
        struct store_finish finish;
        struct store_end end;
        struct store_report report;
        struct store_hearing remember;
        struct id speech_of; /* the request */
        struct refusal refusal;
        struct store_rate_request rates;
        int64_t refusals_before_ms; /* of a sweep */
    } request;

    /* The result. */
    enum error error;
    struct session *session; /* owned until it is told, like what is in the others */
    bool is_replay;
    struct store_begun begun;
    struct store_speech speech;
    struct store_rate rates[STORE_RATES_MOST];
};

/* One that nobody waits for yet. */
struct store_operation *store_operation_new(const struct store_backend *backend,
                                            enum store_kind kind, struct loop *loop);

/* Wipes and frees it with all that it owns.  NULL is fine. */
void store_operation_free(struct store_operation *operation);

/* What has come of it is dropped: it failed, or is to be asked again. */
void store_operation_drop_result(struct store_operation *operation);

/* Calls whoever waits, and frees it.  On the loop's thread. */
void store_operation_tell(struct store_operation *operation);

/* Is there something to be remembered under the end's key? */
bool store_end_is_remembered(const struct store_end *end);

/* Does somebody wait for the end: is it of a reply that is kept? */
static inline bool store_end_is_reply(const struct store_operation *end)
{
    return end->told != NULL;
}

/* What a begin reads besides the session, if it runs. */
enum store_extent {
    EXTENT_SESSION, /* its papers */
    EXTENT_SHOWN,   /* and its turns, the transcripts at least as far as they are shown */
    EXTENT_TURNS,   /* and its turns */
    EXTENT_WHOLE    /* with the turns' outcomes, and that of a finish */
};

enum store_extent store_extent_of(const struct store_claim *claim,
                                  const struct session *session);

/* Operations in their order; owned by whom the list belongs to. */
struct store_list {
    struct store_operation *first;
    struct store_operation *last;
    size_t count;
};

void store_list_push(struct store_list *list, struct store_operation *operation);

/* NULL where it is empty. */
struct store_operation *store_list_pop(struct store_list *list);

/* Puts the operations of `other`, which is empty afterwards, behind those of `list`. */
void store_list_append(struct store_list *list, struct store_list *other);

#endif
