/*
 * The one writer of envelopes: what every JSON reply looks like, and the headers that go
 * with it.
 */
#ifndef ENVELOPE_INTERNAL_H
#define ENVELOPE_INTERNAL_H

#include "errors.h"
#include "id.h"
#include "private_text.h"
#include "rates_internal.h"
#include "response_internal.h"
#include "turn.h"

#include <stdbool.h>
#include <stdint.h>

/* What a request comes to.  All pointers are borrowed until the call that takes it
 * returns. */
struct answer {
    enum error error;
    const struct private_text *data;    /* JSON; with OK */
    const struct private_text *message; /* instead of the table's; may be NULL or empty */
    const struct private_text *details; /* JSON; may be NULL or empty */
    int64_t retry_after_s;              /* 0 or less: what suits the error */
    bool is_replay;
    const struct turn_timings *timings; /* NULL: no Server-Timing */
    const char *allow;      /* of ERROR_METHOD_NOT_ALLOWED: which are allowed */
    const char *vary;       /* what beside the origin it depends on; NULL: nothing */
    int64_t complete_bytes; /* of ERROR_RANGE_NOT_SATISFIABLE: how many there are */
};

/* Whom the reply is for. */
struct envelope_reader {
    const struct id *request_id; /* borrowed until the reply is sent */
    struct span allowed_origin;  /* the page that may read it (CORS); {NULL, 0}: none */
    const struct rate *rate;     /* what is left to the client; NULL: no limit holds */
};

/* Makes the reply; response_done() by the caller. */
void envelope_make(struct response *response, const struct envelope_reader *reader,
                   const struct answer *answer);

/* Only the JSON of it, on one line. */
void envelope_write(struct buffer *out, const struct id *request_id,
                    const struct answer *answer);

/* The headers that every reply has, envelope or not; the caller has called
 * response_init(). */
void envelope_common_headers(struct response *response,
                             const struct envelope_reader *reader);

/* The same but Cache-Control, for what a client may keep. */
void envelope_cacheable_headers(struct response *response,
                                const struct envelope_reader *reader);

/* A reply to a CORS preflight or a plain OPTIONS: 204 without a body. */
void envelope_make_options(struct response *response,
                           const struct envelope_reader *reader, const char *allow);

#endif
