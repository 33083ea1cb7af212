/*
 * A session made for a test, and texts.
 */
#ifndef SESSION_MADE_H
#define SESSION_MADE_H

#include "mem.h"
#include "private_reveal.h"
#include "session.h"

#include <criterion/criterion.h>
#include <string.h>

#define NOW_MS INT64_C(1700000000000)
#define TTL_MS (INT64_C(60) * 60 * 1000)

static inline struct private_text text_of(const char *string)
{
    return private_text_copy(string, strlen(string));
}

static inline const char *shown(const struct private_text *text)
{
    return private_reveal(text).bytes;
}

static inline struct session *session_of(unsigned total_questions, int64_t now_ms)
{
    struct session *session = MEM_NEW(struct session);

    session->id = id_random();
    session->role = text_of("Site Reliability Engineer");
    session->interview_type = text_of("behavioural");
    session->difficulty = 1;
    session->total_questions = total_questions;
    session->asked[0] = text_of("Question 1?");
    session->asked_count = 1;
    session->created_ms = session->last_activity_ms = now_ms;
    session->expires_ms = now_ms + TTL_MS;
    return session;
}

#endif
