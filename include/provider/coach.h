/*
 * The coach: what turns an answer into the next question and feedback.  A model of some
 * vendor's (coach_groq.c, coach_anthropic.c), or the built-in one (coach_builtin.h).
 *
 * An ask carries the same thing twice: as finished prompts, for a model, and as facts,
 * for a coach that is a program.  Both answer with JSON text of one schema
 * (services/turn/prompt.c), read by one reader (services/turn/reply.c).
 */
#ifndef COACH_H
#define COACH_H

#include "provider.h"

enum coach_task {
    COACH_NEXT_QUESTION, /* feedback on the answer and the next question */
    COACH_CLOSING,       /* feedback on the last answer and a closing statement */
    COACH_ATTEMPT,  /* feedback on another answer to a question, beside the one before */
    COACH_SUMMARY,  /* the summary of the whole session; the transcript is empty */
    COACH_PASSAGES, /* an answer from passages of study material: by a model only */
    COACH_OPENING   /* the demands of the job advert and the first question: likewise */
};

enum difficulty { DIFFICULTY_EASY, DIFFICULTY_MEDIUM, DIFFICULTY_HARD };

enum dimension {
    DIMENSION_CLARITY,
    DIMENSION_RELEVANCE,
    DIMENSION_STRUCTURE,
    DIMENSION_FILLER_WORDS,
    DIMENSION_COUNT
};

/* One question and its answer. */
struct coach_turn {
    unsigned number; /* of the question, from 1 */
    bool is_skipped; /* the candidate asked to go on: it is no answer */
    const struct private_text *question; /* borrowed, like everything here */
    const struct private_text *transcript;
    bool is_scored;
    int scores[DIMENSION_COUNT]; /* 1-5 */
};

struct coach_facts {
    const struct private_text *role; /* borrowed until start() returns, like all here */
    const struct private_text *interview_type;
    enum difficulty difficulty;
    unsigned question_number; /* of the question just answered, from 1 */
    unsigned total_questions;
    const struct private_text *question;        /* the question just answered */
    const struct private_text *asked_questions; /* all so far, this one included */
    size_t asked_count;
    const struct private_text *transcript;
    struct span measured; /* a sentence about how the answer was delivered, measured by
                             us; may be empty */
    int64_t words_per_minute; /* of a spoken answer; -1: not known */
    int64_t longest_pause_ms; /* likewise */
    /* COACH_SUMMARY: each question once, with its best answer; else those before this one, with the
     * answer that came last, as far as the coach is a model.  The oldest first. */
    const struct coach_turn *turns;
    size_t turn_count;
    const struct coach_turn *previous;     /* COACH_ATTEMPT: the attempt before */
    const struct private_text *job_advert; /* like the CV: NULL or empty: there is none */
    const struct private_text *resume;
    const struct private_text *demands; /* what the advert asks for */
    size_t demand_count;
};

/* Tells the text while it is being written: all of it so far, borrowed during the call.  From the loop, never before start() has returned, never after the end or cancel(). */
typedef void coach_text_fn(void *context, struct span text);

struct coach_ask {
    enum coach_task task;
    struct coach_facts facts;
    /* Static: how the system message begins, the same for everybody; says JSON, which
     * JSON mode wants said. */
    const char *instructions;
    /* Owned; taken by start(): the rest of it; may be empty. */
    struct private_text system;
    struct private_text user; /* owned; taken by start() */
    const char *schema_name;  /* static */
    const char *schema;       /* static: JSON Schema of the text */
    struct id request_id;
    struct trace trace; /* id "": none */
    int64_t timeout_ms;
    coach_text_fn *on_text; /* NULL: the text is wanted whole, and is not streamed; the
                               context is that of `done` */
};

struct coach_reply {
    struct private_text text; /* the receiver frees it: the JSON, as the model wrote it */
    bool is_cut_off;          /* the model ran into its token limit */
    bool is_another;          /* it is not how that goes on which on_text was told */
    int64_t retry_after_s;    /* with an error: when to come back; -1: nobody knows */
};

struct coach_call;

/* Called exactly once, from the loop, never before start() has returned, never after
 * cancel(). `error` is OK or one of the llm errors; the text is there only with OK. */
typedef void coach_done_fn(void *context, enum error error, struct coach_reply reply);

struct coach {
    const char *name;  /* "groq", "anthropic" or "builtin" */
    bool is_builtin;   /* a program and no model: it has none of the next three */
    const char *model; /* borrowed from it, like the URL where it is asked */
    const char *url;
    const char *key_setting; /* static: what the operator calls its key */
    struct coach_call *(*start)(struct coach *coach, struct coach_ask *ask,
                                coach_done_fn *done, void *context);
    void (*cancel)(struct coach_call *call); /* NULL is fine */
    void (*free)(struct coach *coach);       /* no call may be under way */

    /* For `poise doctor`: can the vendor be reached, does it take the key, has it the model?
     * Costs nothing there.  NULL: there is nothing to ask. */
    void (*probe)(struct coach *coach, probe_done_fn *done, void *context);
};

/* data.coach: the contract has one word for a model, whoever's it is. */
static inline const char *coach_kind(const struct coach *coach)
{
    return coach->is_builtin ? "builtin" : "groq";
}

/* Frees a coach by its own function.  NULL is fine. */
static inline void coach_free(struct coach *coach)
{
    if (coach != NULL)
        coach->free(coach);
}

#endif
