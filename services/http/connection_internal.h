/*
 * A client's connection from accept to close, and how long it may take over each part of
 * it.
 *
 * libmicrohttpd has the descriptor from the beginning and closes it.  States with one time limit
 * each are queues in order of arrival, so the next one due is always the first: no timer is
 * started or stopped for a request.  Who is overdue is shut, which libmicrohttpd notices.
 */
#ifndef CONNECTION_INTERNAL_H
#define CONNECTION_INTERNAL_H

#include "server_internal.h"

enum connection_state {
    CONNECTION_TURNED_AWAY, /* one too many: may say what it wants, and is told why not */
    CONNECTION_HEAD,        /* the first request's head is awaited, or comes in */
    CONNECTION_BODY,        /* a request's body comes in */
    CONNECTION_WORKING, /* the request is suspended, or being answered; no limit of its
                               own */
    CONNECTION_SENDING, /* the reply goes out */
    CONNECTION_IDLE,    /* between two requests */
    CONNECTION_ENDING,  /* its time is up: what is left of a body is thrown away, for a
                               moment, and then it is shut */
    CONNECTION_STATE_COUNT
};

struct request;

struct connection {
    struct server *server; /* borrowed */
    int descriptor;        /* libmicrohttpd's; to ask the kernel about, and to shut */
    enum connection_state state;
    enum error refusal;          /* TURNED_AWAY: what every request is told; else OK */
    struct MHD_Connection *mhd;  /* borrowed: libmicrohttpd's name for it */
    int64_t due_us;              /* monotonic; when this state ends by force */
    struct connection *previous; /* borrowed: the neighbours in the queue of its state */
    struct connection *next;
    struct request *request;        /* borrowed: the one under way, or NULL */
    struct addresses_entry *client; /* owned; NULL: clients are not counted */
    bool must_linger;   /* bytes of the request may be unread when it is closed */
    int unread;         /* bytes that waited when it was last looked at */
    int64_t read_bytes; /* of the body, by then */
    int looks_in_vain;  /* at which the same waited, and nothing was read */
};

/* Hands a new client to libmicrohttpd, which closes the descriptor; also where there is no room.
 * `refusal`: OK, or why the client is turned away.  `client`, which may be NULL, is taken over. */
void connection_open(struct server *server, int descriptor, enum error refusal,
                     struct addresses_entry *client);

/* libmicrohttpd's callback, for the beginning and the end of each; `server` is a struct server. */
void connection_notify(void *server, struct MHD_Connection *mhd, void **socket_context,
                       enum MHD_ConnectionNotificationCode code);

/* Moves on to another state, with the time limit of that.  Who is turned away, or at the end,
 * stays so. */
void connection_enter(struct connection *connection, enum connection_state state);

/* Nothing more is read or sent, and it will be closed. */
void connection_shut(struct connection *connection);

/* Is the client still there?  A client that has closed its side is not: HTTP clients that wait
 * for a reply do not. */
bool connection_has_client(const struct connection *connection);

/* Ends one that does nothing, so that a new one can have its place: the one that has been
 * idle for longest, or else one that is slow to say what it wants, or to read what it is
 * told.  false: all are at work. */
bool connection_give_one_up(struct server *server);

/* The server goes: ends all that wait for a request or are in the middle of one, but for those whose
 * bytes wait to be read: these are told so. */
void connection_end_unfinished(struct server *server);

/* A timer's work, while there are connections: ends those that are overdue. */
void connection_sweep(void *server);

#endif
