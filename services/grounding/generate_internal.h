/*
 * What the model is asked for an answer from passages, and what is made of its reply; and the answer
 * without a model: the best sentences of the passages, word for word.
 */
#ifndef GENERATE_INTERNAL_H
#define GENERATE_INTERNAL_H

#include "coach.h"
#include "passage.h"
#include "private_text.h"
#include "thesaurus.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GENERATED_SENTENCES_MOST 64

struct generated_sentence {
    struct private_text text; /* owned */
    /* Owned: as it stands in the passages; empty: of a model. */
    struct private_text quoted;
    /* Bit i: passage i of those that were given. Ids that were not given are dropped. */
    uint64_t cited;
};

struct generated {
    struct generated_sentence *sentences; /* owned */
    size_t count;
    bool is_refused; /* the model says that the passages do not carry the answer */
    double stated; /* the confidence that the model states, 0-1; 1 where it states none */
    bool is_extractive; /* made here, without a model */
};

void generated_done(struct generated *generated);

/* Fills in task, prompts, schema; the rest of the ask is the caller's.  Passages and question are data: the
 * prompt says so, and nothing in them can end their place in it. */
void generate_ask(struct coach_ask *ask, const struct private_text *question,
                  const struct passages *passages);

/* The model's reply.  Errors: EMPTY_RESPONSE, LLM_PROVIDER_ERROR where nothing can be made of it. */
enum error generate_read(const struct private_text *reply,
                         const struct passages *passages,
                         struct generated *ret_generated);

/* The sentences of the passages that answer best, verbatim, each citing its passage; in document order.
 * Refused where none carries anything of the question. */
void generate_extract(const struct thesaurus *thesaurus,
                      const struct private_text *question,
                      const struct passages *passages, struct generated *ret_generated);

/* All sentences in one text, separated by a space. */
struct private_text generated_text(const struct generated *generated);

/* Measured confidence: the share of sentences that cite a given passage which supports them, capped by what
 * the model states; and the first unsupported one's number in `ret_unsupported`, -1: none. */
double generated_confidence(const struct generated *generated,
                            const struct private_text *question,
                            const struct passages *passages, int *ret_unsupported);

#endif
