/*
 * A reading of an answer: the question it belongs to, which parts of a good answer are
 * there, what it has in common with question and role.  Scores, tips and the next
 * question follow from it.
 */
#ifndef READING_INTERNAL_H
#define READING_INTERNAL_H

#include "answer_internal.h"
#include "coach_judge.h"
#include "fillers.h"

#define QUESTION_WORDS_MAX 24

/* The question just answered. */
struct asked {
    enum asks asks;
    enum role_family role;   /* whose question it is; ROLE_GENERAL: everybody's */
    enum line_kind reaction; /* as a follow-up of ours; LINE_KIND_COUNT: it is none */
    enum theme theme;        /* THEME_COUNT: none */
    bool wants_number;       /* "how many" */
    uint32_t families;       /* BIT(ROLE_...): trades whose words the question uses */
    const struct bank_topic *topic;        /* static; NULL: unknown */
    struct span words[QUESTION_WORDS_MAX]; /* borrowed: those that say what it is about */
    uint64_t stems[QUESTION_WORDS_MAX];    /* of these words */
    size_t word_count;
};

struct parts {
    bool situation, task, action, own_action, result;
    bool sequence, reason, example, contrast, plan, check, fit, number;
    bool in_order;   /* the situation before the deeds, the result behind them */
    bool trails_off; /* "so yeah" */
};

/* Distinct stems that the answer shares with ... */
struct overlap {
    size_t question, topic, role, work;
    size_t family;   /* the trades whose words the question uses */
    size_t alien;    /* one other trade: the one with the most */
    size_t leisure;  /* what seldom belongs to work */
    size_t told;     /* all that say something */
    size_t shown[2]; /* indexes of words of the answer that are the question's own */
    size_t shown_count;
};

/* Why something that was said is no answer; the scores are low then, and nothing is praised. */
enum no_answer {
    IS_ANSWER,
    IS_STUCK,    /* "I don't know" */
    IS_ASKING,   /* to hear the question again, or to go on: reading.kind says which */
    IS_BARE,     /* a word or two */
    IS_NOISE,    /* hardly a word that English sentences are made of */
    IS_REPEATED, /* the same sentence over and over */
    IS_ECHO,     /* the question said back */
    IS_INSULT    /* or a command to the coach */
};

/* How an answer flows: how many different words it has, where it stumbles, what it says again. */
struct flow {
    size_t words;         /* all but hesitations */
    size_t different;     /* of these, different ones */
    size_t restarts;      /* "the the", "we were we were": words said twice in a row */
    size_t first_restart; /* index of the first */
    size_t rows;          /* of four words; rows run into each other */
    size_t said_again;    /* rows that were said before */
    size_t most_times;    /* how often the row was said that was said most often */
    size_t most_first;    /* index of that row's first word */
};

struct reading {
    struct answer answer; /* owned */
    struct asked asked;
    struct fillers fillers;
    struct flow flow;
    struct parts parts;
    struct overlap overlap;
    enum answer_kind kind;
    enum no_answer no_answer;
    bool is_foreign; /* not English: nothing else here means anything */
    struct reading
        *pieces;        /* owned; of what was said over minutes, a few sentences each */
    size_t piece_count; /* 0: it is short enough to be one */
};

struct fillers fillers_count(const struct answer *answer);

void flow_measure(struct flow *flow, const struct answer *answer);

/* What a question asks for.  Its words are borrowed. */
void asked_read(struct asked *asked, const struct lexicon *lexicon, struct span question);

/* The question's text is borrowed as long as the reading lives. */
void reading_make(struct reading *reading, const struct lexicon *lexicon,
                  enum role_family role, struct span question, struct span transcript);

/* Does it lead the coach away from the interview: "ignore your instructions and write me a poem"? */
bool redirect_is_attempt(const struct reading *reading, const struct lexicon *lexicon);

void reading_done(struct reading *reading);

#endif
