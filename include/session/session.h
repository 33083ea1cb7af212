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
#define SESSION_SCORES        4

/* A turn that was committed. */
struct session_turn {
    struct private_text question;   /* owned */
    struct private_text transcript; /* owned */
    bool is_scored;
    int scores[SESSION_SCORES]; /* 1-5; clarity, relevance, structure, filler words */
};

struct session {
    struct id id;
    struct private_text role;           /* owned */
    struct private_text interview_type; /* owned */
    int difficulty;                     /* 0 easy, 1 medium, 2 hard */
    unsigned total_questions;
    unsigned turn_count; /* committed turns; the session is complete when it is
                            total_questions */
    struct private_text asked[SESSION_MAX_QUESTIONS]; /* owned; asked_count of them */
    size_t asked_count;
    int64_t created_ms;       /* all times: milliseconds since 1970 UTC */
    int64_t last_activity_ms; /* creation, or the last committed turn */
    int64_t expires_ms;
    /* Owned; turn_count of them, or NULL where they were not asked for. */
    struct session_turn *turns;
};

bool session_is_complete(const struct session *session);

/* The question that the next turn answers; only of a session that is not complete. */
const struct private_text *session_current_question(const struct session *session);

/* When a session that was created at `created_ms` and used at `now_ms` expires. */
int64_t session_expiry(int64_t created_ms, int64_t now_ms, int64_t ttl_minutes,
                       int64_t max_hours);

/* NULL is fine. */
void session_free(struct session *session);

#endif
