/*
 * Study material: a small corpus on robots, indexed by the real program, and the questions that are put
 * to it.
 */
#ifndef BLACKBOX_STUDY_H
#define BLACKBOX_STUDY_H

#include "play.h"

struct study {
    char *directory;   /* owned: the corpus in corpus/, the index beside it */
    char setting[512]; /* CORPUS_INDEX=..., for SETTINGS() */
};

/* The corpus of study.c, with a corpus.json of this text; NULL: its own. */
struct study study_make(const char *corpus_json);

/* The same, with this document in place of the one on grippers. */
struct study study_of(const char *document, const char *corpus_json);
void study_remove(struct study *study);

/* A question that a passage of the corpus answers, the answer's own words, and the number in them. */
#define ANSWERABLE    "How long does the Kestrel gripper take to open?"
#define ANSWER_WORDS  "The Kestrel gripper takes 30 milliseconds to open"
#define ABOUT_NOTHING "Which " CANARY " sonnets did Shakespeare write?"
#define SELECTED                                                                 \
    "The Kestrel gripper takes 30 milliseconds to open. It wears silicone. The " \
    "marked word is " CANARY "."

/* A body with these members; a NULL value leaves its member out.  Kept by the world. */
const char *json_body(struct world *world, const char *const *members);
#define MEMBERS(...) ((const char *const[]){__VA_ARGS__, NULL, NULL})

const struct reply *post(struct world *world, const char *path, const char *body);
const struct reply *ask_textbook(struct world *world, const char *question);
const struct reply *ask_selection(struct world *world, const char *question,
                                  const char *selection);
const struct reply *ask_chat(struct world *world, const char *question);
const struct reply *chat_selection(struct world *world, const char *question,
                                   const char *selection);

/* The id of the passage that answers ANSWERABLE, as `poise ask` tells it; kept by the world. */
const char *answering_passage(struct world *world, const struct study *study);

/* The model's next answer: sentences with the one passage that each cites, in turns; NULL ends them. */
void model_will_answer(struct world *world, double confidence, const char *const *parts);
#define SENTENCES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* It finds no answer in the passages. */
void model_will_find_nothing(struct world *world);

/* The refusal of POST /ask for this reason, and its message. */
void expect_refused(const struct reply *reply, const char *reason, const char *message);
#define EMPTY_MESSAGE                                                                      \
    "I can only answer questions from the textbook content. This topic doesn't appear to " \
    "be covered in the course materials."
#define INSUFFICIENT_MESSAGE                                                       \
    "I found some related content, but not enough to provide a confident answer. " \
    "Please try rephrasing your question or selecting specific text from the chapter."
#define SELECTION_MESSAGE                                                            \
    "The selected text doesn't contain enough information to answer your question. " \
    "Please select a different section or ask without selected text to search the "  \
    "full textbook."

/* content_refused, of a question by the "filter", or of an answer by it: "model". */
void expect_content_refused(const struct reply *reply, const char *source);

/* A JSON text, kept by the world. */
struct json_object *json_of(struct world *world, const char *text);

/* The refusal of POST /v1/chat, and its reason. */
void expect_chat_refused(const struct reply *reply, const char *reason);

/* What `poise refusals` with these arguments prints, beside the running program; kept by the world. */
const char *refusals_of(struct world *world, const char *setting,
                        const char *const *arguments);

#endif
