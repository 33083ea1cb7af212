/*
 * One client of the load: a keep-alive connection that has at most one request under way.
 *
 * load_client_send starts a request; load_client_on_event carries it on and says when its
 * reply is complete.  The caller fills `out`, and owns the epoll descriptor.
 */
#ifndef LOAD_CLIENT_H
#define LOAD_CLIENT_H

#include "load_request.h"

#include <netinet/in.h>
#include <stdint.h>

#define LOAD_REPLY_MAX_BYTES 16384

struct load_client {
    int fd;             /* -1: not connected */
    int epoll_fd;       /* borrowed from the load */
    int64_t started_ns; /* when the request under way was sent */
    struct load_session session;
    int turns_left; /* in the session; 0: it needs a new one */
    size_t out_bytes, out_at;
    bool is_waiting_to_send; /* and so registered for EPOLLOUT */
    size_t in_bytes;
    char out[LOAD_REQUEST_MAX_BYTES];
    char in[LOAD_REPLY_MAX_BYTES];
};

enum load_event { LOAD_WAITING, LOAD_REPLIED, LOAD_LOST };

struct load_reply {
    int status;
    const char *body; /* borrowed from the client, until its next request */
    size_t body_bytes;
    int64_t latency_ns;
};

/* Connects, anew where it was connected.  False: see errno. */
bool load_client_connect(struct load_client *client, const struct sockaddr_in *server);

/* Sends the out_bytes in `out`.  False: the connection is lost. */
bool load_client_send(struct load_client *client);

/* LOAD_REPLIED: *ret_reply is the whole reply.  LOAD_LOST: the server closed, or broke
 * HTTP. */
enum load_event load_client_on_event(struct load_client *client,
                                     struct load_reply *ret_reply);

#endif
