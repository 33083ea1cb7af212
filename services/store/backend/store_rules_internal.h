/*
 * What every store does alike: given what is stored and what is under way, may this turn
 * run?
 */
#ifndef STORE_RULES_INTERNAL_H
#define STORE_RULES_INTERNAL_H

#include "store.h"

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
    unsigned total_questions;
    bool is_delivered;   /* the last committed turn's reply reached the client */
    bool has_last_audio; /* of the last committed turn, as below */
    struct digest last_audio;
    bool has_last_transcript;
    struct digest last_transcript;

    /* Stored under the claim's key. */
    bool has_record;
    struct digest record_fingerprint;

    /* Under way in this process. */
    bool is_running;              /* a turn of the session holds the claim */
    struct store_key running_key; /* the key that it came with */
    bool is_on_its_way; /* the last committed turn's reply, with no report yet */
};

enum store_verdict {
    VERDICT_RUN,
    VERDICT_REPLAY_RECORD, /* the outcome that is stored under the key */
    VERDICT_REPLAY_LAST,   /* the last committed turn's */
    VERDICT_WAIT,          /* until the last turn's reply is reported: ask again then */
    VERDICT_NOT_FOUND,
    VERDICT_KEY_REUSE,
    VERDICT_IN_PROGRESS,
    VERDICT_COMPLETE
};

/* The rules of "exactly once", in their order. */
enum store_verdict store_decide(const struct store_facts *facts,
                                const struct store_input *input);

/* OK for the verdicts that are no errors. */
enum error store_verdict_error(enum store_verdict verdict);

#endif
