/*
 * The rules of a session: when it ends, and which question it has come to.
 */
#include "session.h"

#include <assert.h>
#include <stdlib.h>

bool session_is_complete(const struct session *session)
{
    return session->turn_count >= session->total_questions;
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

void session_free(struct session *session)
{
    if (session == NULL)
        return;
    private_text_free(&session->role);
    private_text_free(&session->interview_type);
    for (size_t i = 0; i < session->asked_count; i++)
        private_text_free(&session->asked[i]);
    for (unsigned i = 0; session->turns != NULL && i < session->turn_count; i++) {
        private_text_free(&session->turns[i].question);
        private_text_free(&session->turns[i].transcript);
    }
    free(session->turns);
    free(session);
}
