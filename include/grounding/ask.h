/*
 * One question about the study material: from the question to an answer with its sources, or to a refusal
 * with its reason.
 *
 * Both surfaces run through one list of gates (tables/gates.def): POST /ask and POST /v1/chat.  Nothing but
 * generate() reaches the model, and it runs only behind its gates.
 */
#ifndef ASK_H
#define ASK_H

#include "fallbacks.h"
#include "filter.h"
#include "retriever.h"
#include "store.h"
#include "thesaurus.h"

#include <stdatomic.h>

/* What a loop lends to the questions that it answers. */
struct ask_services {
    const struct settings *settings; /* borrowed, like every pointer here */
    struct loop *loop;
    struct store *store; /* keeps the refusals; NULL: nobody does */
    /* Asked in their order; the built-in one's answers are extracts. */
    const struct coaches *coaches;
    struct retriever *retriever;
    struct thesaurus *thesaurus;
    struct filter *
        filter; /* NULL where SAFETY_ENABLED is false; replaced between ticks on a reload */
    struct log *log;
    struct metrics *metrics;
    struct spans *spans;       /* NULL: none are kept */
    _Atomic int64_t *inflight; /* turns and questions under way in the process */
    const _Atomic bool *is_draining;
};

enum ask_surface { ASK_TEXTBOOK, ASK_CHAT };

struct ask_request {
    enum ask_surface surface;
    struct id request_id;
    struct private_text question;  /* owned; taken */
    struct private_text selection; /* owned; taken; empty: search the corpus */
    struct id session_id;          /* "": none */
    struct trace trace;            /* id "": none */
    int64_t received_us;
};

struct ask_result {
    enum error error;
    struct private_text data; /* owned by whom it is given to: JSON for `data`, with OK */
    struct private_text details; /* likewise: JSON for error.details; may be empty */
    const char *message;   /* static: message_safe where it is not the table's, or NULL */
    int64_t retry_after_s; /* -1: none */
};

/* Called exactly once, from the loop, never before ask_start() has returned. */
typedef void ask_done_fn(void *context, struct ask_result result);

/* Ends by itself within TURN_DEADLINE_SECONDS and cannot be cancelled.  The request is emptied.  Errors:
 * CONTENT_REFUSED, SAFETY_UNAVAILABLE, STORE_UNAVAILABLE, the llm errors, DRAINING, OVERLOADED. */
void ask_start(struct ask_services *services, struct ask_request *request,
               ask_done_fn *done, void *context);

void ask_result_free(struct ask_result *result);

#endif
