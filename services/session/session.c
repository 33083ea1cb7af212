/*
 * The rules of a session: when it ends, and which question it has come to.
 */
#include "session.h"

#include <assert.h>
#include <stdlib.h>

bool session_is_complete(const struct session *session)
{
    return session->is_finished || session->turn_count >= session->total_questions;
}

const char *session_difficulty(const struct session *session)
{
    static const char *const names[] = {"easy", "medium", "hard"};

    return names[session->difficulty];
}

const struct private_text *session_current_question(const struct session *session)
{
    assert(!session_is_complete(session) && session->turn_count < session->asked_count);
    return &session->asked[session->turn_count];
}

int64_t session_expiry(int64_t created_ms, int64_t now_ms, int64_t ttl_minutes,
                       int64_t max_hours)
{
    int64_t idle_end_ms = now_ms + ttl_minutes * 60 * 1000;
    int64_t life_end_ms = created_ms + max_hours * 60 * 60 * 1000;

    return idle_end_ms < life_end_ms ? idle_end_ms : life_end_ms;
}

void session_papers_free(struct session_papers *papers)
{
    private_text_free(&papers->job_advert);
    private_text_free(&papers->resume);
    private_text_free(&papers->demands);
}

bool session_papers_are_empty(const struct session_papers *papers)
{
    return private_text_is_empty(&papers->job_advert) &&
           private_text_is_empty(&papers->resume) &&
           private_text_is_empty(&papers->demands);
}

void session_number_turns(struct session *session)
{
    unsigned attempts[SESSION_MAX_QUESTIONS] = {0};

    for (unsigned i = 0; i < session->commit_count; i++) {
        struct session_turn *turn = &session->turns[i];

        turn->attempt = ++attempts[turn->number - 1];
        turn->question = &session->asked[turn->number - 1];
    }
}

void session_let_go(struct session *session, unsigned question_number)
{
    for (size_t i = 0; i < session->asked_count; i++)
        if (i + 1 != question_number)
            private_text_free(&session->asked[i]);
    for (unsigned i = 0; session->turns != NULL && i < session->commit_count; i++) {
        private_text_free(&session->turns[i].transcript);
        private_text_free(&session->turns[i].outcome);
    }
    free(session->turns);
    session->turns = NULL;
    session_papers_free(&session->papers);
}

void session_free(struct session *session)
{
    if (session == NULL)
        return;
    session_let_go(session, 0);
    private_text_free(&session->role);
    private_text_free(&session->interview_type);
    private_text_free(&session->finish);
    free(session);
}
