/*
 * The store: where sessions live, and where "exactly once" is decided.
 *
 * A process opens one store_backend, the database that STORE_URL names, and each of its loops
 * asks it through a store of its own.
 *
 * What is asked returns at once and calls `done` exactly once, from the loop, never before it
 * has returned.  Nothing can be cancelled: the context stays until then.  Errors are those of
 * the table: ERROR_STORE_UNAVAILABLE from any of them, others as named.  How often each is
 * asked, how long it takes and how much has no answer yet is counted; the log says once for the
 * process when the store goes away, and why, and when it is back (`store_away`, `store_back`).
 * While it can keep nothing no turn begins: a model would be paid for what is then lost.
 *
 * A turn is claimed with begin_turn(); whoever got STORE_RUN must end the claim with
 * commit_turn() or end_turn(), and whoever then sends the reply of a committed turn must
 * report_delivery().  In between the store counts the reply as on its way: a begin_turn()
 * that depends on whether it arrived waits for the report, but half a second at most.
 *
 * What is committed is durable when `done` is called.  The process, or any other on the
 * same store, may die at any moment: a session is as before the turn or as after it.
 */
#ifndef STORE_H
#define STORE_H

#include "digest.h"
#include "errors.h"
#include "log.h"
#include "loop.h"
#include "metrics.h"
#include "refusal.h"
#include "sentence.h"
#include "session.h"
#include "url.h"

struct store;
struct store_backend;

/* The session belongs to whom it is given to; NULL with an error. */
typedef void store_session_fn(void *context, enum error error, struct session *session,
                              bool is_replay);
typedef void store_done_fn(void *context, enum error error);

/* An Idempotency-Key and what it was sent with, both as keyed digests. */
struct store_key {
    bool is_there;
    struct digest key;
    struct digest fingerprint;
};

/* What identifies a turn's input. */
struct store_input {
    struct store_key key;
    bool has_audio;
    struct digest audio;
    bool has_transcript; /* the client sent one: not what STT heard */
    struct digest transcript;
};

/* What all clients together may use up on one day (UTC); 0: no cap. */
struct store_day_caps {
    int64_t turns;
    int64_t audio_ms; /* of recordings */
};

/* What was used up on a day, counted by days since 1970. */
struct store_usage {
    int64_t day;
    int64_t turns;
    int64_t audio_ms;
};

/* What the claim of a session is wanted for. */
enum store_purpose {
    STORE_FOR_TURN,    /* its next question is answered */
    STORE_FOR_ATTEMPT, /* the one of the last committed turn is, once more */
    STORE_FOR_FINISH   /* it ends, or its summary is made again; no input, no caps */
};

struct store_claim {
    struct id session_id;
    struct id request_id;
    enum store_purpose purpose;
    bool wants_turns;       /* for a turn: those before it */
    unsigned attempts_most; /* for an attempt: at one question, the first included */
    struct store_input input;
    int64_t audio_ms; /* of the recording; 0: there is none, or nobody can tell */
    struct store_day_caps caps;
    int64_t now_ms;
};

enum store_decision {
    STORE_RUN,   /* the turn is claimed: run it */
    STORE_REPLAY /* it ran before: answer with the outcome */
};

struct store_begun {
    enum store_decision decision;
    /* STORE_RUN: owned by whom it is given to.  With its papers; with its turns where they were wanted (the
     * transcripts as far as they are shown, SESSION_SHOWN_BYTES), where the turn is the last one, and for
     * anything else than a turn; then also with the turns' outcomes and that of a finish. */
    struct session *session;
    /* STORE_RUN: owned likewise; what remember_heard() was last given for a recording of
     * this digest in this session; empty: nothing. */
    struct private_text heard;
    bool is_refusal; /* STORE_REPLAY: of what kind the outcome is */
    /* STORE_REPLAY: owned likewise; as commit_turn(), keep_reply() or end_turn() got it. */
    struct private_text outcome;
    unsigned commit_number; /* STORE_REPLAY of a commit: its number, else 0.  Not 0:
                               report_delivery(), as after commit_turn() */
    bool may_be_typed;      /* USAGE_CAP_REACHED: of recordings alone */
};

/* Errors: SESSION_NOT_FOUND, SESSION_COMPLETE, TURN_IN_PROGRESS, IDEMPOTENCY_KEY_REUSE; for an
 * attempt NO_QUESTION_ANSWERED, TOO_MANY_ATTEMPTS;
 * USAGE_CAP_REACHED where a turn that is to run would go over a cap of the day, and then it
 * is not claimed.  A turn counts from when it is claimed, whatever becomes of it: it may
 * have cost something.  A replay costs nothing and is given on any day. */
typedef void store_begun_fn(void *context, enum error error, struct store_begun begun);

/* A longer text than this is not remembered. */
#define STORE_HEARD_BYTES_MOST 65536

/* So many refusals are kept. */
#define STORE_REFUSALS_MOST 100000

/* The spoken reply of a turn, found again by the turn's request id until it expires, or
 * until newer ones need the room.  One that is longer than `max_total_bytes` is not
 * stored, and the commit succeeds without it: whoever tells a client where to find it
 * looks at its length first. */
struct store_speech {
    struct private_text audio; /* owned */
    const char *content_type;  /* static: "audio/mpeg" or "audio/wav" */
    int64_t expires_ms;
    int64_t max_total_bytes; /* of all speech in the store: over this the oldest go */
};

/* ERROR_TTS_AUDIO_NOT_FOUND: not there, expired, or another session's. */
typedef void store_speech_fn(void *context, enum error error, struct store_speech speech);

struct store_commit {
    struct id session_id;
    struct id request_id;
    struct store_input input;
    unsigned commit_number; /* from 1; the stored commit_count must be one less */
    unsigned
        turn_number;   /* of the question, from 1: the turn_count that is stored then */
    bool was_finished; /* the session, when it was claimed; it must be so still */
    bool is_skipped;
    struct private_text transcript; /* owned; taken, like the texts below */
    bool is_scored;
    int scores[SESSION_SCORES];
    struct private_text next_question; /* empty on the last turn and for an attempt */
    struct private_text outcome;       /* JSON, for replays and reports */
    struct store_speech speech;        /* the reply, spoken; may be empty */
    int64_t now_ms;
    int64_t expires_ms;
};

/* The end of an interview by its candidate. */
struct store_finish {
    struct id session_id;
    struct id request_id;
    unsigned commit_count; /* of the session, when it was claimed; it must be so still */
    struct private_text outcome; /* owned; taken: JSON, for the next finish and reports */
    int64_t now_ms;
    int64_t expires_ms;
};

struct store_end {
    struct id session_id;
    struct id request_id;
    struct store_key key; /* remembered with the outcome where there is one */
    /* Owned; taken. JSON of a refusal, or of keep_reply()'s; empty for what is not remembered. */
    struct private_text outcome;
    struct store_speech speech; /* likewise: keep_reply()'s; may be empty */
    int64_t now_ms;
    bool forgets_heard; /* what remember_heard() kept for the session goes */
    int64_t expires_ms; /* the idle expiry is pushed back to here; 0 leaves it */
};

struct store_new_session {
    struct session *session; /* owned; taken */
    struct store_key key;
    struct digest client; /* who starts it: of the client's address, keyed */
    int64_t client_most;  /* sessions that are neither complete nor expired may one client
                             have at a time; 0: any number */
    int64_t now_ms;
};

#define STORE_RATES_MOST 2

/* One request to be taken out of each of these quotas, of which each is a minute's. */
struct store_rate_request {
    size_t count; /* 1 to STORE_RATES_MOST */
    struct {
        struct digest key; /* of what is asked for and by whom */
        int64_t per_minute;
    } rates[STORE_RATES_MOST];
};

struct store_rate {
    bool is_taken;    /* false: there was nothing left, and nothing was taken */
    int64_t whole_us; /* from now until the quota is whole again */
};

/* Takes in the given order, up to the first that has nothing left; those behind it are all
 * zeros. */
typedef void store_rates_fn(void *context, enum error error,
                            const struct store_rate rates[STORE_RATES_MOST]);

/* What went wrong last, in words for whoever runs the service, and in nobody else's. */
struct store_trouble {
    char code[32]; /* a SQLSTATE, or the name of SQLite's code; "": nothing has */
    const char
        *condition; /* static: what the SQLSTATE is called; NULL: it is none we know */
    char host[URL_HOST_BYTES]; /* of a server; or "" */
    struct sentence said;      /* by the server or the library; or "" */
    int number;                /* errno, where the system refused something, or 0 */
};

struct store_stats {
    int64_t commits;    /* transactions that changed something */
    int64_t operations; /* that were in them */
    /* Of SQLite's file.  Lost: it was removed or replaced, and nothing is read or written any more until it
     * is back or the process starts anew. */
    bool is_file_lost;
    bool is_disk_full; /* there is hardly any room where that file is: no turn begins */
    int64_t file_bytes;
    int64_t disk_free_bytes;  /* 0: nobody knows, or there is no file */
    struct store_usage usage; /* when this process saw it last, with what the others had
                                 counted by then */
};

/* "sqlite:///path" (four slashes for an absolute one; empty or NULL: a file in the default
 * place, made with its directories) or "postgresql://...".  What is not there yet is made, what
 * an earlier version of the program made is brought up to date.  NULL where that cannot be, with a
 * line for a terminal in `problem`, which never has a password; a line and no NULL where a server
 * does not answer yet. */
struct store_backend *store_open(const char *url, struct buffer *problem);

/* Is it a URL of PostgreSQL's?  NULL is none. */
bool store_is_postgres(const char *url);

/* After the last loop has stopped and before any is freed, and before the stores on it are:
 * finishes what was asked for, and calls nobody.  NULL is fine. */
void store_close(struct store_backend *backend);

/* Removes expired sessions and speech, and refusals from before a time, a bounded number at a
 * time; in the end no byte of them is left in the files.  From any thread, like the next. */
void store_sweep(struct store_backend *backend, int64_t now_ms,
                 int64_t refusals_before_ms);
struct store_stats store_stats(struct store_backend *backend);
struct store_trouble store_trouble(struct store_backend *backend);

/* For a terminal: "57P01 admin_shutdown, db1:5432: terminating connection ...". */
void store_write_trouble(const struct store_trouble *trouble, struct buffer *out);

/* Tells the refusals in the store of `url` that are not older than `since_ms`, the oldest
 * first.  It reads beside whatever uses the store, and makes and changes nothing.  false, with
 * a line in `problem`, where it cannot be read. */
bool store_refusals(const char *url, int64_t since_ms, refusal_fn *tell, void *context,
                    struct buffer *problem);

/* What a copy of a store has. */
struct store_copy {
    int64_t bytes;
    int64_t sessions;
};

enum store_presence { STORE_PRESENT, STORE_ABSENT, STORE_IN_USE };

/* Of an SQLite file: is it there, and does another process have it open?  Asked before this process opens
 * it: asked later, the locks of this process would go.  Of PostgreSQL nothing is said but STORE_PRESENT. */
enum store_presence store_presence(const char *url);

/* Are its tables those of an earlier version, which store_open() would bring up to date?  It changes
 * nothing. */
bool store_is_older(const char *url);

/* Copies the store of `url`, as it is at one moment, into a file of its own, mode 0600, that is checked
 * before it has its name; beside whatever uses the store, of which nothing changes. */
bool store_backup(const char *url, const char *file, bool may_replace,
                  struct store_copy *ret_copy, struct buffer *problem);

/* Puts such a file in the place of the store, after checking it; only while no process has the store
 * open.  What was there before is gone.  Both: false, with a line in `problem`, also where the store is
 * PostgreSQL, or where something stands in the place and `may_replace` is false. */
bool store_restore(const char *url, const char *file, bool may_replace,
                   struct store_copy *ret_copy, struct buffer *problem);

/* One loop's.  All are borrowed; `metrics` and `log` (NULL: nothing is said) are the loop's too.
 * Freed when the backend is closed: NULL is fine. */
struct store *store_new(struct store_backend *backend, struct loop *loop,
                        struct metrics *metrics, struct log *log);
void store_free(struct store *store);

/* Stores a new session, which is taken.  With a key that is known and has the same fingerprint:
 * the session of then, `is_replay`; but once a turn of it was committed, the key alone opens it
 * to nobody.  Errors: IDEMPOTENCY_KEY_REUSE, USAGE_CAP_REACHED where the client has
 * `client_most` already. */
void store_create_session(struct store *store, struct store_new_session *request,
                          store_session_fn *done, void *context);

/* Errors: SESSION_NOT_FOUND, also for one that has expired.  The whole of it has its turns with
 * their outcomes, its papers, and the outcome of a finish. */
void store_load_session(struct store *store, const struct id *session_id, int64_t now_ms,
                        bool is_whole, store_session_fn *done, void *context);

/* Removes every trace, from the files too: also the refusals that were noted with this
 * session.  Errors: SESSION_NOT_FOUND. */
void store_delete_session(struct store *store, const struct id *session_id,
                          int64_t now_ms, store_done_fn *done, void *context);

void store_begin_turn(struct store *store, const struct store_claim *claim,
                      store_begun_fn *done, void *context);

/* Ends the claim, whatever the result.  Errors: TURN_IN_PROGRESS where another process won,
 * SESSION_NOT_FOUND where the session went meanwhile; then nothing was changed. */
void store_commit_turn(struct store *store, struct store_commit *commit,
                       store_done_fn *done, void *context);

/* Ends the claim, whatever the result: the session is finished.  Errors as of the commit. */
void store_finish_session(struct store *store, struct store_finish *finish,
                          store_done_fn *done, void *context);

/* Ends the claim of a turn that was refused or failed.  Not waited for. */
void store_end_turn(struct store *store, struct store_end *end);

/* The same of a turn that succeeded and changes nothing in the session: its outcome is remembered
 * under its key as a success, and its speech is kept. */
void store_keep_reply(struct store *store, struct store_end *end, store_done_fn *done,
                      void *context);

/* Keeps with the session what was heard in a recording, so that the same recording need not be
 * transcribed again; in place of what was kept before.  The text is taken.  Not waited for, and
 * no part of the session that a client can see: a refused turn leaves that as it was.  Kept
 * until a turn of the session is refused or committed (from then on the recording of that turn
 * is answered by a replay), or the session goes. */
void store_remember_heard(struct store *store, const struct id *session_id,
                          const struct digest *audio, struct private_text *heard);

/* The speech of the turn with this request id, which must be of this session. */
void store_load_speech(struct store *store, const struct id *session_id,
                       const struct id *request_id, int64_t now_ms, store_speech_fn *done,
                       void *context);

/* Whether the reply of a commit reached the client.  Not waited for. */
void store_report_delivery(struct store *store, const struct id *session_id,
                           unsigned commit_number, bool was_delivered);

/* Keeps a refusal in the table of the refusal log; past STORE_REFUSALS_MOST the oldest go.  The
 * question is taken. */
void store_note_refusal(struct store *store, struct refusal *refusal, store_done_fn *done,
                        void *context);

/* Do several processes share this store's rates?  If not, each counts by itself. */
bool store_shares_rates(const struct store *store);

/* Takes a request out of quotas that hold for all processes on this store together, by the
 * generic cell rate algorithm (ITU-T I.371) and the store's own clock.  Only where it
 * store_shares_rates(). */
void store_take_rates(struct store *store, const struct store_rate_request *request,
                      store_rates_fn *done, void *context);

/* Counts what may cost as much as a turn as one of the day's, where a cap of the day holds.  Errors:
 * USAGE_CAP_REACHED, and then it is not counted. */
void store_count_use(struct store *store, const struct store_day_caps *caps,
                     int64_t now_ms, store_done_fn *done, void *context);

/* Can the store be read and written now? */
void store_check(struct store *store, store_done_fn *done, void *context);

/* How long the one has waited that has waited longest, of those that somebody waits for with a
 * turn; 0: nobody waits. */
int64_t store_oldest_us(const struct store *store);

#endif
