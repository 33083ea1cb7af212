/*
 * A scripted provider on a free port of 127.0.0.1, in threads of the test: it writes like
 * an OpenAI-compatible API, it hears and speaks like one, and it does so like Deepgram.
 *
 * It says what the story wrote down, in order, and keeps every request byte for byte.  A
 * call that nobody scripted is answered 500 and fails the story in upstream_close(): that
 * is how a story proves that nothing reached the model.  A summary call (its schema asks
 * for an "overall_assessment") has a queue of its own, because it may come at any time
 * after the last answer; so have recordings to be heard and texts to be spoken, which are
 * told by the path (voices.h has what is said to them).
 *
 * Request and reply formats: https://console.groq.com/docs/api-reference (chat
 * completions), https://console.groq.com/docs/structured-outputs,
 * https://console.groq.com/docs/errors.
 */
#ifndef BLACKBOX_UPSTREAM_H
#define BLACKBOX_UPSTREAM_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "bytes.h"

/* Words that stand in every question, refusal and tip of the scripted model, and in
 * nothing else: no log line and no error may ever have them. */
#define MODEL_CANARY "marmotparasol"

/* What every completion says that it used up, whole or streamed. */
#define PROMPT_TOKENS     700
#define COMPLETION_TOKENS 90

enum manner {
    MANNER_PLAIN,   /* the whole reply */
    MANNER_CHUNKED, /* the whole reply, in chunks of seven bytes */
    MANNER_LEAVING, /* the whole reply, then the end of the connection without a word of
                       it */
    MANNER_RESET,   /* RST instead of a reply */
    MANNER_CUT,     /* half of the body, then the end of the connection */
    MANNER_DRIP,    /* a byte now and then until the other side leaves */
    MANNER_SILENT,  /* nothing until the other side leaves */
    MANNER_ENDLESS, /* 10 MB of body */
    MANNER_NOT_HTTP /* bytes that are no HTTP */
};

/* What the provider says to one call. */
struct saying {
    enum manner manner;
    int status;          /* 0 means 200 */
    const char *headers; /* extra lines, each with CRLF; may be NULL */
    const char *body;    /* NULL is empty */
    size_t body_size;    /* 0: the length of body as text */
    const char *type;    /* of the body; NULL: application/json; not copied */
};

/* What a call is for. */
enum role { ROLE_ANSWER, ROLE_SUMMARY, ROLE_HEARING, ROLE_SPEAKING, ROLE_COUNT };

/* One recorded request. */
struct call {
    struct bytes head; /* request line and header lines */
    struct bytes body;
    struct json_object *json; /* the body; NULL where it is no JSON */
    enum role role;
    bool is_summary;
};

struct upstream;

struct upstream *upstream_open(void);

/* Ends the threads.  Returns what went wrong (an unscripted call, a scripted one that
 * never came), to be freed, or NULL. */
char *upstream_close(struct upstream *upstream);

/* "http://127.0.0.1:<port>/openapi... " base URL for GROQ_BASE_URL. */
const char *upstream_base_url(const struct upstream *upstream);
int upstream_port(const struct upstream *upstream);

/* Scripts the next call that is no summary call; everything is copied. */
void upstream_will(struct upstream *upstream, struct saying saying);
void upstream_will_summarise(struct upstream *upstream, struct saying saying);
void upstream_will_hear(struct upstream *upstream, struct saying saying);
void upstream_will_speak(struct upstream *upstream, struct saying saying);

/* The model's message: any text as `content`, with the finish reason "stop". */
void upstream_will_say(struct upstream *upstream, const char *content);
void upstream_will_say_then_stop(struct upstream *upstream, const char *content,
                                 const char *finish_reason);

/* A good reply: this question and good feedback (4, 3, 5, 4). */
void upstream_will_ask(struct upstream *upstream, const char *question);
void upstream_will_refuse(struct upstream *upstream, const char *refusal);
void upstream_will_give_summary(struct upstream *upstream);

/* From now on every call for an answer that nobody scripted gets a good reply, each with
 * another question: "Question <n> marmotparasol: ..." and every summary call a good
 * summary. */
void upstream_keeps_asking(struct upstream *upstream);

/* From now on every call that nobody scripted gets this; or every call of one role. */
void upstream_always(struct upstream *upstream, struct saying saying);
void upstream_always_as(struct upstream *upstream, enum role role, struct saying saying);

/* While held, calls are recorded but not answered. */
void upstream_hold(struct upstream *upstream);
void upstream_hold_as(struct upstream *upstream, enum role role);
void upstream_release(struct upstream *upstream);

/* Waits until `count` calls have come (summary calls count too). */
void upstream_await_calls(struct upstream *upstream, size_t count);
size_t upstream_call_count(struct upstream *upstream);

/* Connections accepted so far. */
size_t upstream_connection_count(struct upstream *upstream);

/* The index'th call from 0; waits for it.  Borrowed from the upstream. */
const struct call *upstream_call(struct upstream *upstream, size_t index);

/* The index'th of the calls of one role that have come; does not wait: NULL. */
const struct call *upstream_call_as(struct upstream *upstream, enum role role,
                                    size_t index);
size_t upstream_call_count_as(struct upstream *upstream, enum role role);

/* Texts of good replies, to be freed. */
char *good_reply(const char *question);
char *good_summary(void);
char *completion(const char *content, const char *finish_reason); /* content NULL: null */

#endif
