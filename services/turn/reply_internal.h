/*
 * What the model wrote: parsed leniently, judged strictly.
 *
 * A reply to an answer is read once, while it is being written where it is: so the question of a
 * reply that is no refusal is known, and can be spoken and shown, while the feedback is still to
 * come.  What is announced is what the whole reply gives: an object that begins at once or
 * in a fence, `refused` and the question both complete and each there once, `refused` not true.
 * About anything else the reader stays silent, and the whole reply decides.  Behind an announcement
 * nothing changes the question any more; only a second `refused` still makes it a refusal.
 */
#ifndef REPLY_INTERNAL_H
#define REPLY_INTERNAL_H

#include "advert.h"
#include "coach.h"
#include "coach_judge.h"
#include "json_scan.h"

#define REPLY_TIP_WORDS         25
#define REPLY_SUMMARY_TIP_WORDS 30
#define REPLY_QUOTE_WORDS       30

struct feedback {
    int scores[DIMENSION_COUNT]; /* 1-5 */
    struct private_text tips[DIMENSION_COUNT];
    struct private_text quotes[DIMENSION_COUNT]; /* words of the answer that a tip refers
                                                    to, as the model says; may be empty */
    struct private_text summary_tip;
};

enum feedback_state { FEEDBACK_MISSING, FEEDBACK_INVALID, FEEDBACK_GOOD };

struct reply {
    bool is_refused;
    enum answer_kind kind;
    /* Or closing statement, or refusal; empty: none was found. */
    struct private_text question;
    enum feedback_state feedback_state;
    struct feedback feedback; /* only with FEEDBACK_GOOD */
};

/* One element of `dimensions` as it was written. */
struct reply_entry {
    int dimension; /* -1: none of the four */
    int score;     /* 0: none that is valid */
    struct private_text tip, quote;
};

/* A reply that is being read. */
struct reply_reader {
    struct json_pick pick;
    bool has_begun;                      /* the beginning of its object was seen */
    bool is_silent;                      /* it announces nothing */
    bool is_settled;                     /* its question is final */
    unsigned verdicts, kinds, questions; /* how often each has come */
    bool is_refused;
    enum answer_kind kind;
    struct private_text question;       /* owned, like what is below */
    struct private_text announcement;   /* until it is given to the caller */
    enum feedback_state feedback_state; /* GOOD: it is there, and not judged yet */
    struct reply_entry entries[DIMENSION_COUNT];
    size_t entry_count;
    struct private_text summary_tip;
};

void reply_reader_init(struct reply_reader *reader);

/* Reads on in a reply that is being written: `text` is all of it so far.  true, once in its life:
 * the question is final and may be screened; the copy belongs to the caller. */
bool reply_reader_feed(struct reply_reader *reader, struct span text,
                       struct private_text *ret_question);

/* What was read of the reply says that it is no refusal, and what kind of answer it replies to. */
bool reply_reader_is_cleared(const struct reply_reader *reader);

/* Reads the rest of it, or all: JSON, fenced JSON, JSON that was cut off (what is complete is
 * used), or plain text, which counts as the question.  The reader is as after init then. */
void reply_reader_end(struct reply_reader *reader, const struct private_text *text,
                      struct reply *ret_reply);

/* Wipes and frees what it holds; it is as after init then.  Zeroed is fine. */
void reply_reader_done(struct reply_reader *reader);

/* All at once. */
void reply_parse(const struct private_text *text, struct reply *ret_reply);

/* Makes a closing statement of what the model wrote after the last answer: questions are taken out of
 * it, and where nothing is left a statement of our own stands there. */
void reply_make_closing(struct private_text *text);

/* "Clarity", ...: the name of a dimension in every reply. */
const char *dimension_label(enum dimension dimension);

/* "clarity", ..., "filler_words": the same as a key. */
const char *dimension_key(enum dimension dimension);

/* A zeroed reply is fine. */
void reply_free(struct reply *reply);

/* ---- the summary of a whole session ---- */

#define SUMMARY_MAX_LINES 4

/* What a model says of a demand of the advert. */
struct summary_demand {
    struct private_text demand; /* its words */
    unsigned number;            /* of the question whose answer shows it; 0: none does */
    struct private_text quote; /* words of that answer, as the model says; may be empty */
};

struct summary {
    struct private_text overall_assessment;
    struct private_text strengths[SUMMARY_MAX_LINES];
    size_t strength_count; /* 1-3 */
    struct private_text improvements[SUMMARY_MAX_LINES];
    size_t improvement_count; /* 1-3 */
    struct private_text actions[SUMMARY_MAX_LINES];
    size_t action_count; /* 0-4 */
    struct summary_demand demands[ADVERT_DEMANDS_MOST];
    size_t demand_count;
};

/* Reads the text of COACH_SUMMARY.  false: it broke a bound of the contract. */
bool summary_parse(const struct private_text *text, struct summary *ret_summary);

/* The mean score of a dimension over the turns that were scored, to two decimals; false:
 * none was. */
bool summary_average(const struct coach_turn *turns, size_t count,
                     enum dimension dimension, double *ret_average);

/* A zeroed summary is fine. */
void summary_free(struct summary *summary);

#endif
