/*
 * What the mobile app and other clients do: sessions, answers, forms.
 *
 * Replies are kept by the world until world_end().
 */
#ifndef BLACKBOX_PLAY_H
#define BLACKBOX_PLAY_H

#include "expect.h"
#include "world.h"

/* One request as a client writes it.  What is NULL is left out. */
struct request {
    const char *method;
    const char *path;
    const char *token;   /* Authorization: Bearer <token> */
    const char *headers; /* further lines, each with CRLF */
    const char *content_type;
    const char *body;
    size_t body_size; /* 0: the length of body as text */
};

/* The bytes of a request, with Host and, where there is a body, Content-Length. */
struct bytes request_bytes(const struct request *request);

/* Sends it on a connection of its own and returns the whole reply, which obeys every rule
 * of an envelope unless the path is one of those without. */
const struct reply *ask(struct world *world, struct request request);

/* The same without a look at the reply; NULL when no whole reply came. */
const struct reply *ask_raw(struct world *world, const char *method, const void *bytes,
                            size_t size);

/* A request under way: send now, receive later. */
struct connection *begin(struct world *world, struct request request);
const struct reply *finish(struct world *world, struct connection *connection);
const struct reply *receive(struct world *world, struct connection *connection,
                            const char *method); /* the connection stays open */

struct session {
    char id[37];
    const char *token;           /* kept by the world */
    const struct reply *started; /* the reply of /session/start */
};

/* A session of the role "nurse", type "behavioural", difficulty "easy". */
struct session start_session(struct world *world, int question_count);
const struct reply *start_with(struct world *world, const char *json);

/* One of one question, asked for with `X-Forwarded-For: <address>`. */
const struct reply *start_from(struct world *world, const char *address);
struct connection *begin_to_start_from(struct world *world, const char *address);

/* The session that a reply tells of. */
struct session started_session(const struct reply *started);

const struct reply *get_session(struct world *world, const struct session *session);
const struct reply *delete_session(struct world *world, const struct session *session);

/* The fields of POST /turn.  What is NULL is left out. */
struct form {
    const char *session_id;
    const char *transcript;
    const char *attempt; /* "again" */
    const void *audio;
    size_t audio_size;
    const char *audio_type; /* of the part; NULL: no content-type line */
    const char *audio_name; /* file name; NULL: recording.m4a */
};
#define DIO_BOUNDARY     "--dio-boundary-3141592653"
#define DIO_CONTENT_TYPE "multipart/form-data; boundary=" DIO_BOUNDARY

/* The body that Dio 5 writes for these fields: lower-case header names, fields before
 * files. */
struct bytes dio_form(const struct form *form);

/* The bytes of the app's request for one turn; to be freed. */
struct bytes turn_bytes(const struct session *session, const char *transcript);

/* One turn, as the app sends it. */
const struct reply *answer(struct world *world, const struct session *session,
                           const char *transcript);
const struct reply *answer_with(struct world *world, const struct session *session,
                                const char *transcript, const char *headers);

/* Another attempt at the question of the last committed turn. */
const struct reply *answer_again(struct world *world, const struct session *session,
                                 const char *transcript);
struct connection *begin_answer_again(struct world *world, const struct session *session,
                                      const char *transcript);
const struct reply *finish_session(struct world *world, const struct session *session);
struct connection *begin_to_finish(struct world *world, const struct session *session);

/* GET /session/{id}/report; with `accept`, unless it is NULL. */
const struct reply *report_of(struct world *world, const struct session *session,
                              const char *accept);

/* The same answer, sent again while another turn is said to be in progress: a process that
 * died holds a session in PostgreSQL for five seconds. */
const struct reply *answer_when_free(struct world *world, const struct session *session,
                                     const char *transcript);
const struct reply *send_form(struct world *world, const struct session *session,
                              struct form form);
struct connection *begin_answer(struct world *world, const struct session *session,
                                const char *transcript);
struct connection *begin_answer_with(struct world *world, const struct session *session,
                                     const char *transcript, const char *headers);

/* A small recording that begins as an MP4 container does (ISO 14496-12), told apart by
 * `which`. */
#define RECORDING_BYTES 600
void make_recording(unsigned char which, char ret_bytes[RECORDING_BYTES]);

/* A form with that recording, kept by the world; transcript may be NULL. */
struct form form_with_recording(struct world *world, unsigned char which,
                                const char *transcript);

/* GET /session without its idle expiry, as text: equal before and after what changes
 * nothing. */
const char *session_facts(struct world *world, const struct session *session);

/* Asks for the session until turn_count is this. */
void await_turn_count(struct world *world, const struct session *session, int count);

/* How many lines that the program has written have all of these parts (NULL-terminated).
 */
int log_lines_with(struct world *world, const char *const *parts);

/* A whole text of `count` times `piece`. */
const char *repeated(struct world *world, const char *piece, size_t count);

/* printf into the world's keeping. */
__attribute__((format(printf, 2, 3))) const char *words(struct world *world,
                                                        const char *format, ...);

#endif
