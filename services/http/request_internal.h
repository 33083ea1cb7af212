/*
 * One request, from its head to the end of its reply.
 *
 *   request_handle > admit > endpoint.begin > endpoint.take ... > throttle_share >
 * endpoint.finish > request_answer
 *
 * An endpoint answers with one of the request_answer() family, exactly once: from any of
 * its functions, or later from the loop; until then the request is suspended and holds no
 * thread.  What is answered at the head, before a body, is sent at once and ends the connection
 * (linger_internal.h); what is answered in the middle of one is sent behind it.
 */
#ifndef REQUEST_INTERNAL_H
#define REQUEST_INTERNAL_H

#include "connection_internal.h"
#include "envelope_internal.h"
#include "headers_internal.h"
#include "response_internal.h"
#include "router_internal.h"

struct endpoint;
struct event_stream;

struct request {
    struct server *server;         /* borrowed */
    struct connection *connection; /* borrowed */
    struct MHD_Connection *mhd;    /* borrowed: libmicrohttpd's name for it */
    struct request *previous;      /* borrowed: the neighbours in server->suspended */
    struct request *next;

    struct id request_id;
    struct trace trace; /* id "": none */
    /* Borrowed from libmicrohttpd until the request is completed. */
    struct headers headers;
    bool is_http_1_1;
    enum method method;
    struct match match;
    const struct endpoint *endpoint; /* static; NULL: none */
    struct span allowed_origin;
    const struct session_keys *keys; /* borrowed: the token's, else SECRET_KEY's */
    struct id session_id;            /* the token's, in lower case; "" without */
    int64_t received_us;             /* monotonic: when the head was there */
    int64_t body_bytes;              /* that came so far */
    int64_t discarded_bytes;         /* of them: behind the answer */
    int64_t held_bytes;              /* counted in shared->upload_bytes */
    uint64_t upload_ticket;          /* its name among the uploads of sessions; 0: none */
    void *state; /* owned: the endpoint's own, freed by endpoint->free */

    struct rate rate;      /* what is left to the client; quota 0: no limit holds */
    struct address client; /* whom the rates are counted for; where none hold: nobody */
    char client_name[17];  /* a keyed hash of the address of who was rate_limited; "" */
    int64_t asked_us;      /* how long the store was asked about rates */

    bool is_admin;       /* it came with ADMIN_KEY in the place of a token */
    bool is_complete;    /* the whole body came, or there was none */
    bool is_suspended;   /* waits for request_answer() */
    bool is_answered;    /* `response` is made */
    bool is_abandoned;   /* the server goes: no reply */
    bool is_client_gone; /* it was when the reply was due */
    enum error error;    /* what it was answered */
    /* Of a commit whose delivery is to be reported; else 0. */
    unsigned commit_number;
    struct response response;
    struct event_stream *stream; /* owned; NULL: the reply is not told in events */
};

/* What one route does.  Any may be NULL but finish(). */
struct endpoint {
    bool needs_token;    /* a session's bearer token */
    bool names_session;  /* its path's {parameter} is a session: the token's */
    bool opens_to_admin; /* ADMIN_KEY does for that session's token */
    bool starts_work;    /* refused while draining */
    bool starts_turn;    /* refused while as many turns run as may */
    int64_t (*max_body_bytes)(
        const struct settings *settings);   /* NULL: a little, which is ignored */
    void (*begin)(struct request *request); /* the head is there and good */
    void (*take)(struct request *request, struct span bytes); /* a piece of the body */
    void (*finish)(struct request *request);                  /* all of it came */
    void (*free)(void *state);
};

/* What each route of tables/routes.def does: in route_<name>.c. */
#define ROUTE(symbol, method, path, name) extern const struct endpoint ENDPOINT_##symbol;
#include "routes.def"

/* Answers.  What it borrows may go afterwards. */
void request_answer(struct request *request, const struct answer *answer);

/* Answers with an error that has nothing to add to the table. */
void request_fail(struct request *request, enum error error);

/* Answers with success.  Takes the JSON of `data`. */
void request_succeed(struct request *request, struct buffer *data);

/* Answers 200 with something that is no envelope.  The type is static; the bytes are
 * taken. */
void request_answer_raw(struct request *request, const char *content_type,
                        struct buffer *body);

/* Answers with what the endpoint has put into request->response by itself. */
void request_answer_made(struct request *request);

/* Whom a reply that an endpoint makes by itself is for. */
struct envelope_reader request_reader(const struct request *request);

/* All of it came, and nothing more is in its way: the endpoint's finish(). */
void request_work(struct request *request);

/* The request waits for us: libmicrohttpd leaves it alone until it is resumed, and then
 * goes on where it was. */
void request_suspend(struct request *request);
void request_resume(struct request *request);

/* Is it answered?  The endpoint has no more to do then. */
static inline bool request_is_answered(const struct request *request)
{
    return request->is_answered;
}

/* libmicrohttpd's callbacks; `server` is a struct server. */
enum MHD_Result request_handle(void *server, struct MHD_Connection *mhd,
                               const char *target, const char *method,
                               const char *version, const char *bytes, size_t *length,
                               void **context);
void request_completed(void *server, struct MHD_Connection *mhd, void **context,
                       enum MHD_RequestTerminationCode code);

/* Answers a request whose body is not complete yet: the reply goes out where the body still ends. */
void request_refuse_unfinished(struct request *request, enum error error);

/* The server goes: ends the waiting of a suspended request without a reply. */
void request_abandon(struct request *request);

#endif
