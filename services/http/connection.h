/*
 * A client's connection from accept to close, and how long it may take over each part of
 * it.
 *
 * States with one time limit each are queues in order of arrival, so the next one due is
 * always the first: no timer is started or stopped for a request.
 */
#ifndef CONNECTION_H
#define CONNECTION_H

#include "server_internal.h"

#include <gnutls/gnutls.h>

enum connection_state {
    CONNECTION_ARRIVING, /* held by the front door: too little was sent to see if it is
                            HTTP, or TLS */
    CONNECTION_GREETING, /* TLS only: the handshake is under way (greeting.h) */
    CONNECTION_HEAD,    /* libmicrohttpd's from here on: reads the first request's head */
    CONNECTION_BODY,    /* a request's body comes in */
    CONNECTION_WORKING, /* the request is suspended, or being answered; no limit of its
                           own */
    CONNECTION_SENDING, /* the reply goes out */
    CONNECTION_IDLE,    /* between two requests, for a moment */
    CONNECTION_STAYING, /* the same for longer: libmicrohttpd keeps it (parking.h) */
    CONNECTION_LEAVING, /* the same for longer: libmicrohttpd is letting go of it */
    CONNECTION_PARKED,  /* the same for longer: ours, without libmicrohttpd's buffers */
    CONNECTION_STATE_COUNT
};

/* How words are put for the client. */
enum connection_language {
    LANGUAGE_PLAIN,
    LANGUAGE_TLS,
    LANGUAGE_NONE /* it wants TLS, and the handshake is not done */
};

struct request;

struct connection {
    struct server *server; /* borrowed */
    int descriptor; /* owned while ARRIVING, GREETING, LEAVING and PARKED, else libmicrohttpd's */
    enum connection_language language;
    gnutls_session_t session;        /* owned, from GREETING on; NULL: no TLS (yet) */
    uint64_t first_record;           /* of words: the number of the client's first one */
    struct certificate *certificate; /* owned: a reference to what the session shows */
    enum connection_state state;
    struct MHD_Connection *mhd;  /* borrowed: libmicrohttpd's; NULL where it has none */
    int64_t due_us;              /* monotonic; when this state ends by force */
    struct connection *previous; /* borrowed: the neighbours in the queue of its state */
    struct connection *next;
    uv_poll_t
        *poll; /* ARRIVING, GREETING, PARKED: owned, waits for the client; else NULL */
    struct request *request;        /* borrowed: the one under way, or NULL */
    struct addresses_entry *client; /* owned; NULL: clients are not counted */
    uint64_t heard_bytes;           /* of the requests so far, heads and bodies */
    bool is_last;                   /* no further request is expected on it */
    bool must_linger; /* bytes of the request may be unread when it is closed */
    bool is_answered; /* the last words were written by ourselves */
    bool is_ended;    /* nothing more is written: wire_end() */
};

/* A new connection in state ARRIVING, which owns the descriptor. */
struct connection *connection_new(struct server *server, int descriptor);

/* Moves on to another state, with the time limit of that. */
void connection_enter(struct connection *connection, enum connection_state state);

/* Out of its queue and freed; the descriptor is closed where it is still ours. */
void connection_free(struct connection *connection);

/* Ends all that libmicrohttpd has not seen yet, or has let go of. */
void connection_end_ours(struct server *server);

/* Ends one that does nothing, so that a new one can have its place: the one that has been
 * idle for longest, or else one that is slow to say what it wants, or to read what it is
 * told.  false: all are at work. */
bool connection_give_one_up(struct server *server);

/* The server goes: ends all that wait for a request or are in the middle of one. */
void connection_end_unfinished(struct server *server);

/* A timer's work, while there are connections: ends those that are overdue. */
void connection_sweep(void *server);

#endif
