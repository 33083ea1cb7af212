/*
 * One interview turn: from the candidate's answer to the coach's next question.  Likewise another
 * attempt at the last question, and the end of an interview by its candidate.
 */
#ifndef TURN_H
#define TURN_H

#include "audio.h"
#include "buffer.h"
#include "fallbacks.h"
#include "fillers.h"
#include "filter.h"
#include "speaker.h"
#include "store.h"
#include "trace.h"

#include <stdatomic.h>

/* What a loop lends to the turns that it runs: all is borrowed. */
struct turn_services {
    const struct settings *settings;
    struct loop *loop;
    struct store *store;
    const struct coaches *coaches;
    const struct transcribers *transcribers;
    struct speaker *speaker; /* NULL: replies are not spoken */
    const struct filler_counter *fillers;
    struct filter *filter; /* NULL where SAFETY_ENABLED is false; replaced between ticks
                              on a reload */
    struct log *log;
    struct metrics *metrics;
    struct spans *spans;             /* NULL: none are kept */
    _Atomic int64_t *inflight;       /* turns under way in the process */
    _Atomic int64_t *upload_bytes;   /* of recordings, among others: see held_bytes */
    const _Atomic bool *is_draining; /* nothing new is begun */
};

/* What a turn tells while it runs: that a stage begins, and words as soon as they are
 * final and screened. */
enum turn_news {
    TURN_TRANSCRIBING,
    TURN_THINKING,
    TURN_SPEAKING,
    TURN_TRANSCRIPT,     /* with the text: what was heard, or sent, once it has passed the
                            filter */
    TURN_ASSISTANT_TEXT, /* with the text: the next question, unrefused and screened */
    TURN_AUDIO,          /* with the sound of that text: at most TURN_AUDIO_BYTES */
};

#define TURN_AUDIO_BYTES (512 * 1024)

/* From the loop, never before turn_start() has returned, never after turn_done_fn.  The
 * text is borrowed during the call; NULL for a stage.  The content type is that of the sound
 * (speaker.h); of the others there is none. */
typedef void turn_news_fn(void *context, enum turn_news news,
                          const struct private_text *text, const char *content_type);

struct turn_request {
    struct id request_id;
    struct trace trace;             /* id "": none; its state outlives the turn */
    struct id session_id;           /* the token's, in lower case */
    enum store_purpose purpose;     /* to finish: without any answer */
    struct private_text transcript; /* owned; taken; empty: there was none */
    struct buffer recording;        /* owned; taken; where input.has_audio and there is no
                                       transcript: its bytes, or nothing where
                                       services->transcriber is NULL */
    enum audio_container container; /* of a recording that must be heard */
    int64_t held_bytes; /* counted in upload_bytes: given back when it was heard */
    int64_t audio_ms;   /* what such a recording counts for (recording_counts_ms()) */
    turn_news_fn *news; /* may be NULL; the context is that of `done` */
    struct store_input input;
    int64_t received_us; /* monotonic: when the request's headers were there */
    int64_t upload_us;   /* how long the body took */
    int64_t asked_us;    /* how long the store was asked whether the client may (rates) */
};

/* Time spent in each part (metric_labels.def); 0 for one that did not run. */
struct turn_timings {
    int64_t us[TIMING_COUNT];
};

struct turn_result {
    enum error error;
    struct private_text data; /* the receiver frees it: JSON for `data`, with OK */
    /* Likewise: message_safe where it is not the table's; may be empty. */
    struct private_text message;
    struct private_text details; /* likewise: JSON for error.details; may be empty */
    int64_t retry_after_s;       /* -1: none */
    bool is_replay;
    unsigned commit_number; /* of a commit: turn_note_arrival() is due; else 0 */
    struct turn_timings timings;
};

/* Called exactly once, from the loop, never before turn_start() has returned. */
typedef void turn_done_fn(void *context, struct turn_result result);

/* Starts a turn.  It ends by itself within TURN_DEADLINE_SECONDS and cannot be cancelled:
 * a client that leaves does not end its turn.  The request is emptied. */
void turn_start(const struct turn_services *services, struct turn_request *request,
                turn_done_fn *done, void *context);

/* For every result with a commit_number: did the reply reach the client? */
void turn_note_arrival(const struct turn_services *services, const struct id *session_id,
                       unsigned commit_number, bool has_arrived);

/* Frees what a result holds. */
void turn_result_free(struct turn_result *result);

#endif
