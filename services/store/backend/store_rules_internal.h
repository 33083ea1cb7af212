/*
 * What every store does alike: given what is stored and what is under way, may this turn
 * run, and has its day room for it?
 */
#ifndef STORE_RULES_INTERNAL_H
#define STORE_RULES_INTERNAL_H

#include "store.h"

#include <pthread.h>

/* Refusals that are remembered for one session; the oldest goes first. */
#define STORE_MAX_REMEMBERED 64

/* A session's id in its 16 bytes: what tables and rows are looked up by. */
struct store_id {
    unsigned char bytes[16];
};

struct store_id store_id_of(const struct id *id);
struct id store_id_text(const struct store_id *id);
bool store_id_equals(const struct store_id *one, const struct store_id *other);

/* Session ids are random (id_random()), and no client gets here with one that was not
 * issued. */
uint32_t store_id_hash(const struct store_id *id);

/* Is a session that is to be made under a key the one of then, which was made with this
 * fingerprint?  Only until its first turn: who goes on with an interview has its token. */
bool store_is_repeat(const struct session *then, const struct digest *fingerprint,
                     const struct store_key *key);

/* What a decision depends on, found for one session and one claim. */
struct store_facts {
    /* Stored with the session. */
    bool is_live; /* it exists and has not expired; if not, nothing below counts */
    unsigned turn_count;
    unsigned commit_count;
    unsigned
        attempt_count; /* at the last committed turn's question: over 1, and the last commit
                               was another attempt */
    bool is_complete;
    bool is_delivered;   /* the last commit's reply reached the client */
    bool has_last_audio; /* of the last commit, as below */
    struct digest last_audio;
    bool has_last_transcript;
    struct digest last_transcript;

    /* Stored under the claim's key. */
    bool has_record;
    struct digest record_fingerprint;

    /* Under way in this process. */
    bool is_running;              /* a turn of the session holds the claim */
    struct store_key running_key; /* the key that it came with */
    bool is_on_its_way;           /* the last commit's reply, with no report yet */
};

enum store_verdict {
    VERDICT_RUN,
    VERDICT_REPLAY_RECORD, /* the outcome that is stored under the key */
    VERDICT_REPLAY_LAST,   /* the last commit's */
    VERDICT_WAIT,          /* until the last commit's reply is reported: ask again then */
    VERDICT_NOT_FOUND,
    VERDICT_KEY_REUSE,
    VERDICT_IN_PROGRESS,
    VERDICT_COMPLETE,
    VERDICT_NO_QUESTION,
    VERDICT_TOO_MANY
};

/* What the session tells of them. */
void store_facts_of(const struct session *session, struct store_facts *ret_facts);

/* The rules of "exactly once", in their order. */
enum store_verdict store_decide(const struct store_facts *facts,
                                const struct store_claim *claim);

/* OK for the verdicts that are no errors. */
enum error store_verdict_error(enum store_verdict verdict);

/* The day (UTC) that a turn counts for. */
int64_t store_day(int64_t now_ms);

/* Must the turn be counted? */
bool store_has_caps(const struct store_day_caps *caps);

/* May the turn run, after so much on its day?  OK or USAGE_CAP_REACHED.  A cap on recordings
 * leaves typed answers alone. */
enum error store_check_caps(const struct store_usage *usage,
                            const struct store_claim *claim);

/* Of a turn that may not: is it for its recording alone?  Where others count at the same
 * moment, `usage` may be a little behind. */
bool store_may_be_typed(const struct store_usage *usage, const struct store_claim *claim);

/* The latest that a process has seen, for any thread. */
struct store_usage_board {
    pthread_mutex_t lock;
    struct store_usage latest;
};

void store_usage_init(struct store_usage_board *board);
void store_usage_done(struct store_usage_board *board);

/* What loops saw of one day may come in any order. */
void store_usage_note(struct store_usage_board *board, const struct store_usage *usage);
struct store_usage store_usage_latest(struct store_usage_board *board);

/* Of speech, as a string that lives as long as the program; NULL for any other type. */
const char *store_content_type(const char *name);

/* The scores of a turn as one byte each.  false: it has none. */
bool store_write_scores(const struct store_commit *commit,
                        unsigned char ret_bytes[SESSION_SCORES]);
void store_read_scores(const unsigned char bytes[SESSION_SCORES],
                       struct session_turn *turn);

#endif
