/*
 * One outgoing HTTP call, on warm connections that all calls of a loop share.
 *
 * HTTP/2 where a server has it over TLS, else HTTP/1.1; plain http and https only; no
 * redirect is followed: a 3xx is an answer.  TLS certificates are checked against the
 * system's, or against the file or directory that SSL_CERT_FILE or SSL_CERT_DIR names.
 * The usual variables of the environment for a proxy (https_proxy, http_proxy, all_proxy,
 * no_proxy) are honoured, but for plain http to this machine. What curl itself says about a transfer is never printed.
 */
#ifndef CALL_H
#define CALL_H

#include "id.h"
#include "loop.h"
#include "private_text.h"
#include "span.h"
#include "trace.h"

#include <stdint.h>

struct call_pool; /* the connections of one loop */
struct call;

enum call_outcome {
    CALL_ANSWERED,    /* a whole reply with any HTTP status */
    CALL_TIMED_OUT,   /* the reply was not complete within timeout_ms */
    CALL_UNREACHABLE, /* no connection, at the latest after 10 seconds; nothing was sent
                       */
    CALL_BROKEN,      /* the connection ended, or what came was no HTTP */
    CALL_TOO_LARGE, /* the reply was longer than max_reply_bytes; reading stopped there */
    CALL_HELD_BACK  /* not made at all: the breaker is open (upstream.h) */
};

/* Pieces of the body of a 2xx reply as they come, in order, borrowed during the call.
 * From the loop, never before call_start() has returned, never after `done`.  It may start
 * other calls and cancel them, but not the call whose piece it gets. */
typedef void call_bytes_fn(void *context, struct span bytes);

/* Texts that are pointed at are borrowed until call_start() returns. */
struct call_request {
    const char *url;
    const char *method;       /* NULL: GET without a content type, else POST */
    const char *content_type; /* NULL for a GET */
    const struct private_text *authorization; /* value of the header, or NULL */
    const char *authorization_name;           /* of that header; NULL: Authorization */
    const char *extra_header, *extra_value;   /* one more header, or NULL; static */
    const struct id *request_id;              /* sent as X-Request-ID, or NULL */
    const struct trace
        *trace; /* of the call itself; NULL or empty: no traceparent is sent */
    struct private_text body; /* owned; taken by call_start() */
    int64_t timeout_ms;       /* for everything from now to the last byte; over 0 */
    size_t max_reply_bytes;
    /* NULL: the body is wanted whole.  Else a 2xx body is told in pieces, with the context of
     * `done`, and is not in the answer. */
    call_bytes_fn *on_bytes;
};

#define CALL_SERVER_ID_BYTES 65

/* What a call came to.  The receiver owns the texts: call_answer_free().
 */
struct call_answer {
    enum call_outcome outcome;
    long status;        /* of CALL_ANSWERED, else 0 */
    const char *reason; /* static: of a failure, such as connection_refused; or NULL */
    /* The server's own name for the request (x-request-id, request-id, dg-request-id), of
     * visible characters that stand in names; "": it gave none. */
    char server_id[CALL_SERVER_ID_BYTES];
    int64_t retry_after_s;    /* Retry-After (RFC 9110, 10.2.3) in seconds, or what
                                 x-ratelimit-reset-* says of a spent limit; -1: none */
    struct private_text body; /* of CALL_ANSWERED */
    /* What was sent, given back: it may be sent again */
    struct private_text request_body;
    int64_t duration_us; /* of all tries together; only from upstream_call() */
};

/* Wipes and frees both texts, which are empty afterwards. */
void call_answer_free(struct call_answer *answer);

/* "answered", "timed_out", ...: for logs. */
const char *call_outcome_name(enum call_outcome outcome);

/* Called exactly once, from the loop, never before call_start() has returned, never after
 * call_cancel(). */
typedef void call_done_fn(void *context, struct call_answer answer);

/* The loop is borrowed. */
struct call_pool *call_pool_new(struct loop *loop);

/* Borrowed from the pool. */
struct loop *call_pool_loop(const struct call_pool *pool);

/* Calls still under way are cancelled.  Not from a call's done().  NULL is fine. */
void call_pool_free(struct call_pool *pool);

/* A GET where there is no content type (and no body), else a POST, unless the request names a
 * method.  The header's values must have no control characters in them.
 *
 * A request that gets no byte of an answer on a connection that was used before is sent
 * once more on a new one: servers close idle connections without asking. */
struct call *call_start(struct call_pool *pool, struct call_request *request,
                        call_done_fn *done, void *context);

/* The call is gone, and its connection with it.  NULL is fine. */
void call_cancel(struct call *call);

#endif
