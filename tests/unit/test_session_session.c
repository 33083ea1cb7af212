/*
 * The rules of an interview's life.
 */
#include "session_made.h"

#define MINUTE_MS (INT64_C(60) * 1000)
#define HOUR_MS   (60 * MINUTE_MS)

Test(session, expires_when_it_was_idle_for_its_minutes)
{
    cr_expect_eq(session_expiry(NOW_MS, NOW_MS + HOUR_MS, 60, 24), NOW_MS + 2 * HOUR_MS);
}

Test(session, lives_no_longer_than_its_hours_however_busy)
{
    cr_expect_eq(session_expiry(NOW_MS, NOW_MS + 23 * HOUR_MS + 30 * MINUTE_MS, 60, 24),
                 NOW_MS + 24 * HOUR_MS);
}

Test(session, is_complete_when_every_question_is_answered)
{
    struct session *session = session_of(2, NOW_MS);

    session->turn_count = 1;
    cr_expect_not(session_is_complete(session));
    session->turn_count = 2;
    cr_expect(session_is_complete(session));
    session_free(session);
}

Test(session, asks_the_question_after_the_last_committed_turn)
{
    struct session *session = session_of(2, NOW_MS);

    session->asked[1] = text_of("Question 2?");
    session->asked_count = 2;
    session->turn_count = 1;
    cr_expect_str_eq(shown(session_current_question(session)), "Question 2?");
    session_free(session);
}

Test(session, that_is_none_can_be_freed)
{
    session_free(NULL);
}
