/*
 * A reading of an answer: the question it belongs to, which parts of a good answer are
 * there, what it has in common with question and role.  Scores, tips and the next
 * question follow from it.
 */
#ifndef READING_INTERNAL_H
#define READING_INTERNAL_H

#include "answer_internal.h"
#include "fillers_internal.h"

enum { QUESTION_WORDS_MAX = 24 };

/* The question just answered. */
struct asked {
    enum asks asks;
    enum role_family role;   /* whose question it is; ROLE_GENERAL: everybody's */
    enum line_kind reaction; /* as a follow-up of ours; LINE_KIND_COUNT: it is none */
    const struct bank_topic *topic;        /* static; NULL: unknown */
    struct span words[QUESTION_WORDS_MAX]; /* borrowed: those that say what it is about */
    uint64_t stems[QUESTION_WORDS_MAX];    /* of these words */
    size_t word_count;
};

struct parts {
    bool situation, task, action, own_action, result;
    bool sequence, reason, example, contrast, plan, check, fit, number;
};

/* Distinct stems that the answer shares with ... */
struct overlap {
    size_t question, topic, role, work;
    size_t known;    /* any family of roles */
    size_t shown[2]; /* indexes of words of the answer that are the question's own */
    size_t shown_count;
};

struct reading {
    struct answer answer; /* owned */
    struct asked asked;
    struct fillers fillers;
    struct parts parts;
    struct overlap overlap;
    bool is_foreign;   /* not English: nothing else here means anything */
    bool is_stuck;     /* "I don't know", "Could you repeat that?" */
    bool has_declined; /* stuck, and would rather not be asked again */
    bool is_noise;     /* hardly a word that English sentences are made of */
    bool is_unpunctuated;
};

/* What a question asks for.  Its words are borrowed. */
void asked_read(struct asked *asked, const struct lexicon *lexicon, struct span question);

/* The question's text is borrowed as long as the reading lives. */
void reading_make(struct reading *reading, const struct lexicon *lexicon,
                  enum role_family role, struct span question, struct span transcript);

void reading_done(struct reading *reading);

#endif
