/*
 * The model's answer while it is still being written: finds out, as early as it can be
 * known, that the answer is no refusal and what its question is, so that the question can
 * be spoken and shown while the feedback is still to come.
 *
 * It only ever announces a question that reply_parse() would find in the whole answer
 * too: an object that begins at once or in a fence, `refused` given before or after the
 * question but both complete, `refused` not true.  About anything else it stays silent,
 * and the whole answer decides.
 */
#ifndef REPLY_STREAM_H
#define REPLY_STREAM_H

#include "buffer.h"
#include "private_text.h"
#include "span.h"

#include <stdbool.h>

enum reply_stream_state {
    REPLY_STREAM_START,  /* before the object */
    REPLY_STREAM_KEY,    /* before a key */
    REPLY_STREAM_IN_KEY, /* inside a key's string */
    REPLY_STREAM_COLON,  /* behind a key */
    REPLY_STREAM_SPACE,  /* behind a colon */
    REPLY_STREAM_VALUE,  /* inside a member's value */
    REPLY_STREAM_COMMA,  /* behind a member */
    REPLY_STREAM_SILENT  /* it is none of what can be announced, or all was said */
};

struct reply_stream {
    enum reply_stream_state state;
    struct buffer text; /* owned: the answer so far */
    size_t at;          /* what of it was looked at */
    size_t key, value;  /* where the present member's key and value begin */
    size_t key_length;
    unsigned depth;    /* of containers inside the value */
    bool is_in_string; /* inside the value */
    bool is_escaped;   /* the next character is */
    bool is_verdict_known;
    bool has_question;
    struct private_text question; /* owned, until it is announced */
};

/* `ceiling`: the longest answer that is looked at. */
void reply_stream_init(struct reply_stream *stream, size_t ceiling);

/* Takes the next piece.  true, once in a stream's life: the question is final and may be
 * screened; it belongs to the caller. */
bool reply_stream_feed(struct reply_stream *stream, struct span piece,
                       struct private_text *ret_question);

/* Wipes and frees what it holds.  A zeroed one is fine. */
void reply_stream_done(struct reply_stream *stream);

#endif
