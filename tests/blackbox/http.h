/*
 * A raw HTTP client for one connection: it sends exactly the bytes it is given and parses
 * what comes back.  Nothing is sent that a story did not write.
 *
 * Waiting has one limit, LONGEST_WAIT_S, after which a story has failed; nothing is ever
 * waited out on purpose.
 */
#ifndef BLACKBOX_HTTP_H
#define BLACKBOX_HTTP_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "bytes.h"
#include "secure.h"

#define LONGEST_WAIT_S 60

/* One response. */
struct reply {
    int status;
    struct bytes head; /* owned: status line and header lines, each with its CRLF */
    struct bytes body; /* owned: after chunked coding is undone */
    struct json_object
        *json; /* owned: the body, where all of it is strict JSON; else NULL */
};

struct connection;

/* Connects to 127.0.0.1, with TLS where secure_port() says so; NULL when nobody listens, or will not
 * shake hands. */
struct connection *connection_open(int port);

/* The same without TLS, and with TLS as this client wants it. */
struct connection *connection_open_plain(int port);
struct connection *connection_open_secure(int port, const struct secure_wishes *wishes);

/* With TLS that has not begun: secure_say_hello() or secure_shake_hands() comes next. */
struct connection *connection_open_unshaken(int port, const struct secure_wishes *wishes);

/* NULL: it does not speak TLS.  Borrowed. */
struct secure *connection_secure(const struct connection *connection);

/* False once the other side no longer takes bytes. */
bool connection_send(struct connection *connection, const void *data, size_t size);
bool connection_send_text(struct connection *connection, const char *text);

/* Sends in blocks, and stops early when the other side begins to answer; returns what
 * went. */
size_t connection_send_until_answered(struct connection *connection, const void *data,
                                      size_t size);

/*
 * Reads one response, which the caller frees.  method tells whether a body follows (HEAD
 * has none).  100 Continue is skipped.  NULL when the connection ends before a whole
 * response.
 */
struct reply *connection_receive(struct connection *connection, const char *method);

/* Reads what is there, or waits for it, as recv(2) does: for stories that parse by themselves. */
ssize_t connection_read(struct connection *connection, void *data, size_t room);

/* True when the other side closes without sending anything more. */
bool connection_ends(struct connection *connection);

void connection_half_close(struct connection *connection); /* no more bytes from here */
void connection_close(struct connection *connection);      /* FIN */
void connection_reset(struct connection *connection);      /* RST, by SO_LINGER 0 */
int connection_descriptor(const struct connection *connection);

/*
 * Parses one response at the start of bytes.  Returns 1 and the reply with the number of
 * bytes it took, 0 when more are needed, -1 when it is not HTTP.  ended: no more bytes
 * will come.
 */
int reply_parse(const struct bytes *bytes, bool has_body, bool ended,
                struct reply **ret_reply, size_t *ret_size);
void reply_free(struct reply *reply);

/* The value of a header, up to its CRLF, in a buffer of the reply's caller; false when
 * absent. */
bool reply_header(const struct reply *reply, const char *name, char *ret_value,
                  size_t room);
int reply_header_count(const struct reply *reply, const char *name);

/* The same for any block of header lines, such as those of a recorded request. */
bool head_header(const struct bytes *head, const char *name, char *ret_value,
                 size_t room);
int head_header_count(const struct bytes *head, const char *name);

/* A socket listening on a free port of 127.0.0.1. */
int listen_on_free_port(int *ret_port);

#endif
