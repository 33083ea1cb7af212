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

enum connection_state {
    CONNECTION_ARRIVING, /* held by the front door: too little was sent to see if it is
                            HTTP */
    CONNECTION_HEAD,    /* libmicrohttpd's from here on: reads the first request's head */
    CONNECTION_BODY,    /* a request's body comes in */
    CONNECTION_WORKING, /* the request is suspended, or being answered; no limit of its
                           own */
    CONNECTION_SENDING, /* the reply goes out */
    CONNECTION_IDLE,    /* between two requests, or in the head of a later one */
    CONNECTION_STATE_COUNT
};

struct request;

struct connection {
    struct server *server; /* borrowed */
    int descriptor;        /* owned while ARRIVING, then libmicrohttpd's */
    enum connection_state state;
    int64_t due_us;              /* monotonic; when this state ends by force */
    struct connection *previous; /* borrowed: the neighbours in the queue of its state */
    struct connection *next;
    uv_poll_t *poll;                /* ARRIVING: owned, waits for bytes; else NULL */
    struct request *request;        /* borrowed: the one under way, or NULL */
    struct addresses_entry *client; /* owned; NULL: clients are not counted */
    bool is_last;                   /* no further request is expected on it */
    bool must_linger; /* bytes of the request may be unread when it is closed */
    bool is_answered; /* the last words were written by ourselves */
};

/* A new connection in state ARRIVING, which owns the descriptor. */
struct connection *connection_new(struct server *server, int descriptor);

/* Moves on to another state, with the time limit of that. */
void connection_enter(struct connection *connection, enum connection_state state);

/* Out of its queue and freed; the descriptor is closed where it is still ours. */
void connection_free(struct connection *connection);

/* Ends one that does nothing, so that a new one can have its place: the one that has been
 * idle for longest, or else the one that has been slowest to say what it wants.  false:
 * all are at work. */
bool connection_give_one_up(struct server *server);

/* The server goes: ends all that wait for a request or are in the middle of one. */
void connection_end_unfinished(struct server *server);

/* A timer's work, while there are connections: ends those that are overdue. */
void connection_sweep(void *server);

#endif
