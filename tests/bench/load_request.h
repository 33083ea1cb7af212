/*
 * The requests of the load: the bytes that the mobile app's HTTP client (Dart's Dio)
 * sends to start a session and to send an answer, and the pool of sessions that they
 * belong to.
 */
#ifndef LOAD_REQUEST_H
#define LOAD_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#define LOAD_REQUEST_MAX_BYTES 4096
#define LOAD_TOKEN_MAX_BYTES   512

/* Sessions have ten questions; the tenth turn also makes the summary, so it is left out.
 */
#define LOAD_QUESTIONS         10
#define LOAD_TURNS_PER_SESSION 9

struct load_session {
    char id[37];
    char token[LOAD_TOKEN_MAX_BYTES];
};

/* Writes POST /session/start into `out` and returns its length. */
size_t load_request_write_start(char out[LOAD_REQUEST_MAX_BYTES]);

/*
 * Writes POST /turn with answer `number`: about 1,500 characters of an ordinary interview
 * answer, no two of them equal, as multipart/form-data.
 */
size_t load_request_write_turn(const struct load_session *session, unsigned number,
                               char out[LOAD_REQUEST_MAX_BYTES]);

/* Reads the reply to POST /session/start.  False: it is not one. */
bool load_session_read(const char *body, size_t length, struct load_session *ret_session);

/* A session for servers that do not look at it. */
struct load_session load_session_fixed(void);

#endif
