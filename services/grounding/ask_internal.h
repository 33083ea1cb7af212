/*
 * One question under way, as ask.c, ask_facts.c, ask_data.c and ask_report.c see it.
 */
#ifndef ASK_INTERNAL_H
#define ASK_INTERNAL_H

#include "ask.h"
#include "gates_internal.h"
#include "generate_internal.h"

struct ask {
    struct ask_services *services; /* borrowed */
    struct ask_request request;    /* owned texts */
    ask_done_fn *done;
    void *context;   /* borrowed */
    bool is_counted; /* it is in services->inflight */
    int64_t started_us;
    int64_t deadline_us;   /* monotonic */
    int64_t retrieving_us; /* since when, monotonic */
    int64_t llm_us;
    size_t coach_at; /* in services->coaches: who is asked */

    struct retrieval retrieval; /* owned */
    struct passage selected;    /* owned: what the reader selected, as a passage */
    /* Borrowed from the retrieval, or the one that was selected: the sources, and the first of them, which an
     * answer is made from. */
    struct passages shown, given;
    struct gate_facts facts;
    struct gate_ruling ruling;  /* owned */
    struct generated generated; /* owned */
    bool is_generated;
    struct private_text answer; /* owned */

    /* Static: what the safety filter refused; NULL: nothing. */
    const char *refusal_source;
    char category[64]; /* ... and why */
};

/* At most this, and never more than what is left until the deadline. */
int64_t ask_time_left_ms(const struct ask *ask, int64_t longest_ms);

/* The coach whose turn it is; NULL: it is no model. */
struct coach *ask_model(const struct ask *ask);

/* What it may take: who is not the last leaves some time to those behind. */
int64_t ask_model_time_ms(const struct ask *ask);

/* Is there another one to ask after this error?  Then it is that one's turn. */
bool ask_may_ask_elsewhere(struct ask *ask, enum error error);

/* Fills in `given` and the facts that are known after the retrieval. */
void ask_judge_retrieval(struct ask *ask);

/* The same after an answer was generated. */
void ask_judge_generated(struct ask *ask);

/* Where a sentence of the answer that cites a passage that is shown stands in it word for word; where
 * none does, the passage's beginning. */
const char *ask_quoted(const struct ask *ask, size_t passage);

/* The verdict of the safety filter on one text. */
struct filter_verdict ask_screen(struct ask *ask, const struct private_text *text);

/* JSON for `data` of an answer or a refusal. */
struct private_text ask_write_data(const struct ask *ask);

/* JSON for `details` of ERROR_CONTENT_REFUSED. */
struct private_text ask_write_details(const struct ask *ask);

/* Keeps a refusal in a table of the store, or in the file that REFUSAL_LOG names, without its question where
 * REFUSAL_LOG_QUESTIONS is false; nowhere where there is no store.  `done` is called exactly once, from the loop
 * and with the ask: OK, or STORE_UNAVAILABLE.  The file is written on a thread of libuv's, never on the loop. */
void ask_note_refusal(struct ask *ask, store_done_fn *done);

/* The log line, and the counters. */
void ask_report(const struct ask *ask, enum error error);

#endif
