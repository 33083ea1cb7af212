/*
 * An interview session as it is stored, and the rules of how long it lives.
 */
#ifndef SESSION_H
#define SESSION_H

#include "id.h"
#include "private_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SESSION_MAX_QUESTIONS 10
#define SESSION_MAX_ATTEMPTS  10 /* at one question */
#define SESSION_MAX_COMMITS   (SESSION_MAX_QUESTIONS * SESSION_MAX_ATTEMPTS)
#define SESSION_SCORES        4

/* So much of the answers before it the next question's prompt shows, the newest first: of all, and of one
 * answer, the last attempt at its question. */
#define SESSION_SHOWN_BYTES        6000
#define SESSION_SHOWN_ANSWER_BYTES 1500

/* A turn that was committed, or another attempt at its question. */
struct session_turn {
    unsigned number;  /* of the question, from 1 */
    unsigned attempt; /* at it, from 1 */
    bool is_skipped;  /* the candidate asked to go on: this is no answer */
    const struct private_text *question; /* borrowed: one of the session's `asked` */
    struct private_text transcript;      /* owned, like the next */
    struct private_text
        outcome; /* JSON: what it was answered with; empty where it was not
                                  * asked for */
    int64_t at_ms;
    bool is_scored;
    int scores[SESSION_SCORES]; /* 1-5; clarity, relevance, structure, filler words */
};

/* What the candidate brought for the interview; each may be empty: there is none. */
struct session_papers {
    struct private_text job_advert; /* owned, like the next two; masked */
    struct private_text resume;     /* masked */
    struct private_text demands;    /* JSON: an array of what the advert demands */
};

struct session {
    struct id id;
    struct private_text role;           /* owned */
    struct private_text interview_type; /* owned */
    int difficulty;                     /* 0 easy, 1 medium, 2 hard */
    unsigned total_questions;
    unsigned turn_count;    /* committed turns */
    unsigned commit_count;  /* these, and the other attempts at their questions */
    unsigned attempt_count; /* at the question of the last committed turn */
    bool is_finished;       /* by its candidate, after whatever was answered by then */
    struct private_text asked[SESSION_MAX_QUESTIONS]; /* owned; asked_count of them */
    size_t asked_count;
    int64_t created_ms;       /* all times: milliseconds since 1970 UTC */
    int64_t last_activity_ms; /* creation, or the last committed turn */
    int64_t expires_ms;
    struct session_papers papers; /* given at the start; read where they are asked for */
    /* Owned; JSON: what a finish of the session as it is now was answered with; empty: there was
     * none, or it was not asked for. */
    struct private_text finish;
    /* Owned; commit_count of them, in their order, or NULL where they were not asked for. */
    struct session_turn *turns;
};

/* "easy", "medium" or "hard". */
const char *session_difficulty(const struct session *session);

/* All questions are answered, or the candidate finished it. */
bool session_is_complete(const struct session *session);

/* The question that the next turn answers; only of a session that is not complete. */
const struct private_text *session_current_question(const struct session *session);

/* When a session that was created at `created_ms` and used at `now_ms` expires. */
int64_t session_expiry(int64_t created_ms, int64_t now_ms, int64_t ttl_minutes,
                       int64_t max_hours);

void session_papers_free(struct session_papers *papers);
bool session_papers_are_empty(const struct session_papers *papers);

/* Numbers of the attempts and the questions of `turns`, of which only the number is known yet. */
void session_number_turns(struct session *session);

/* Wipes and frees what only a prompt has a use for: the turns, the papers, and every question but
 * this one, from 1. */
void session_let_go(struct session *session, unsigned question_number);

/* NULL is fine. */
void session_free(struct session *session);

#endif
