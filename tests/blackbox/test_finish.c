/*
 * The candidate ends the interview when it wants to, and takes the report of it along.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"

TestSuite(finish, .timeout = 60);

#define FINISHED_KEYS                                                              \
    ((const char *const[]){"is_complete", "questions_answered", "session_summary", \
                           "warnings", NULL})

static struct session two_answers(struct world *world)
{
    struct session session = start_session(world, 5);

    upstream_will_ask(world->upstream, "And then, " MODEL_CANARY "?");
    upstream_will_ask(world->upstream, "And after that, " MODEL_CANARY "?");
    expect_success(answer(world, &session, ANSWER));
    expect_success(answer(world, &session, ANSWER " Two."));
    return session;
}

static const char *data_of(struct world *world, const struct reply *reply)
{
    expect_success(reply);
    return words(world, "%s", json_object_to_json_string(json_at(reply->json, "data")));
}

Test(finish, what_was_answered_is_summed_up_and_the_interview_is_over)
{
    struct world *world = world_with_groq();
    struct session session = two_answers(world);
    upstream_will_give_summary(world->upstream);

    const struct reply *reply = finish_session(world, &session);

    expect_success(reply);
    expect_keys(json_at(reply->json, "data"), FINISHED_KEYS);
    expect_flag(reply, "data.is_complete", true);
    expect_number(reply, "data.questions_answered", 2);
    expect_number(reply, "data.session_summary.average_scores.clarity", 4);
    expect_warning(reply, NULL);
    expect_text(get_session(world, &session), "data.status", "completed");
    expect_number(get_session(world, &session), "data.turn_count", 2);
    expect_error(answer(world, &session, ANSWER " Three."), ERROR_SESSION_COMPLETE);
    world_end(world);
}

Test(finish, again_and_after_a_kill_it_is_the_same)
{
    struct world *world = world_with_groq();
    struct session session = two_answers(world);
    upstream_will_give_summary(world->upstream);
    const char *first = data_of(world, finish_session(world, &session));

    cr_assert_str_eq(data_of(world, finish_session(world, &session)), first);
    world_kill(world);
    world_restart(world);
    cr_assert_str_eq(data_of(world, finish_session(world, &session)), first);
    world_end(world);
}

Test(finish, a_complete_interview_has_its_summary_already)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 1);
    upstream_will_ask(world->upstream, "Goodbye, " MODEL_CANARY ".");
    upstream_will_give_summary(world->upstream);
    const struct reply *last = answer(world, &session, ANSWER);

    const struct reply *reply = finish_session(world, &session);

    expect_number(reply, "data.questions_answered", 1);
    cr_assert_str_eq(
        json_object_to_json_string(json_at(reply->json, "data.session_summary")),
        json_object_to_json_string(json_at(last->json, "data.session_summary")));
    world_end(world);
}

Test(finish, a_summary_that_failed_is_tried_once_more_each_time)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 1);
    upstream_will_ask(world->upstream, "Goodbye, " MODEL_CANARY ".");
    upstream_will_summarise(world->upstream, (struct saying){.status = 500});
    upstream_will_summarise(world->upstream, (struct saying){.status = 500});
    expect_null(answer(world, &session, ANSWER), "data.session_summary");

    const struct reply *failed = finish_session(world, &session);
    expect_success(failed);
    expect_null(failed, "data.session_summary");
    expect_warning(failed, "summary_missing");
    upstream_will_give_summary(world->upstream);
    const struct reply *made = finish_session(world, &session);

    expect_warning(made, NULL);
    cr_assert(json_has(made->json, "data.session_summary.strengths.0"));
    cr_assert_str_eq(data_of(world, finish_session(world, &session)),
                     data_of(world, made));
    expect_text(report_of(world, &session, NULL), "data.session_summary.strengths.0",
                "Concrete examples.");
    world_end(world);
}

Test(finish, while_a_turn_runs_it_is_in_progress)
{
    struct world *world = world_with_groq();
    struct session session = two_answers(world);
    upstream_will_ask(world->upstream, "A third, " MODEL_CANARY "?");
    upstream_hold(world->upstream);
    struct connection *turn = begin_answer(world, &session, ANSWER " Three.");
    upstream_await_calls(world->upstream, 3);

    expect_error(finish_session(world, &session), ERROR_TURN_IN_PROGRESS);

    upstream_release(world->upstream);
    expect_success(finish(world, turn));
    upstream_will_give_summary(world->upstream);
    expect_number(finish_session(world, &session), "data.questions_answered", 3);
    world_end(world);
}

Test(finish, while_it_runs_a_turn_is_in_progress)
{
    struct world *world = world_with_groq();
    struct session session = two_answers(world);
    upstream_will_give_summary(world->upstream);
    upstream_hold(world->upstream);
    struct connection *ending = begin_to_finish(world, &session);
    upstream_await_calls(world->upstream, 3);

    expect_error(answer(world, &session, ANSWER " Three."), ERROR_TURN_IN_PROGRESS);

    upstream_release(world->upstream);
    expect_number(finish(world, ending), "data.questions_answered", 2);
    world_end(world);
}

Test(finish, a_client_that_leaves_does_not_stop_it)
{
    struct world *world = world_with_groq();
    struct session session = two_answers(world);
    upstream_will_give_summary(world->upstream);
    upstream_hold(world->upstream);
    struct connection *ending = begin_to_finish(world, &session);
    upstream_await_calls(world->upstream, 3);
    connection_reset(ending);
    upstream_release(world->upstream);
    while (strcmp(text_at(get_session(world, &session), "data.status"), "completed") != 0)
        continue;

    cr_assert(json_has(finish_session(world, &session)->json,
                       "data.session_summary.strengths.0"));
    world_end(world);
}

Test(finish, a_process_that_dies_over_it_leaves_the_interview_as_it_was)
{
    struct world *world = world_with_groq();
    struct session session = two_answers(world);
    const char *before = session_facts(world, &session);
    upstream_will_give_summary(world->upstream);
    upstream_hold(world->upstream);
    struct connection *ending = begin_to_finish(world, &session);
    upstream_await_calls(world->upstream, 3);
    world_kill(world);
    connection_close(ending);
    upstream_release(world->upstream);
    world_restart(world);

    cr_assert_str_eq(session_facts(world, &session), before);
    upstream_will_ask(world->upstream, "A third, " MODEL_CANARY "?");
    expect_number(answer_when_free(world, &session, ANSWER " Three."),
                  "data.question_number", 3);
    world_end(world);
}

Test(finish, another_attempt_behind_it_makes_a_new_summary)
{
    struct world *world = world_with_groq();
    struct session session = two_answers(world);
    upstream_will_give_summary(world->upstream);
    expect_success(finish_session(world, &session));
    upstream_will_ask(world->upstream, "ignored " MODEL_CANARY);
    upstream_will_give_summary(world->upstream);

    const struct reply *again = answer_again(world, &session, ANSWER " Once more.");

    expect_flag(again, "data.is_complete", true);
    expect_number(again, "data.question_number", 2);
    cr_assert(json_has(again->json, "data.session_summary.strengths.0"));
    expect_number(finish_session(world, &session), "data.questions_answered", 2);
    cr_assert_eq(length_at(report_of(world, &session, NULL), "data.questions.1.attempts"),
                 2);
    world_end(world);
}

Test(finish, skipped_questions_are_not_answered)
{
    struct world *world = world_with_builtin_coach("TTS_PROVIDER=none");
    struct session session = start_session(world, 5);
    expect_text(answer(world, &session, "Can we skip this question please?"), "data.kind",
                "skip");

    expect_error(finish_session(world, &session), ERROR_NOTHING_ANSWERED);
    expect_success(answer(world, &session, ANSWER));
    const struct reply *reply = finish_session(world, &session);

    expect_number(reply, "data.questions_answered", 1);
    cr_assert(json_has(reply->json, "data.session_summary.overall_assessment"));
    world_end(world);
}

Test(finish, a_complete_interview_of_skipped_questions_keeps_its_summary)
{
    struct world *world = world_with_builtin_coach("TTS_PROVIDER=none");
    struct session session = start_session(world, 1);
    const struct reply *last =
        answer(world, &session, "Can we skip this question please?");
    expect_flag(last, "data.is_complete", true);

    const struct reply *reply = finish_session(world, &session);

    expect_success(reply);
    expect_number(reply, "data.questions_answered", 0);
    expect_text(reply, "data.session_summary.overall_assessment",
                text_at(last, "data.session_summary.overall_assessment"));
    world_end(world);
}

Test(finish, the_report_has_all_of_it_but_what_was_refused)
{
    static const char *const keys[] = {
        "session_id",         "role",      "interview_type",  "difficulty", "started_at",
        "job_advert_demands", "questions", "session_summary", NULL};
    static const char *const attempt_keys[] = {
        "transcript", "coaching_feedback", "delivery", "kind", "at", NULL};
    struct world *world = world_with_groq();
    struct session session = two_answers(world);
    upstream_will_refuse(world->upstream, NULL);
    expect_model_refusal(answer(world, &session, "heronsong of another kind"),
                         FALLBACK_REFUSAL);
    upstream_will_ask(world->upstream, "ignored " MODEL_CANARY);
    expect_success(answer_again(world, &session, ANSWER " Once more."));

    const struct reply *report = report_of(world, &session, NULL);

    expect_success(report);
    expect_header(report, "Cache-Control", "no-store");
    cr_expect(bytes_has(&report->head, "Vary: Accept\r\n"));
    expect_keys(json_at(report->json, "data"), keys);
    expect_text(report, "data.session_id", session.id);
    expect_text(report, "data.role", "nurse");
    cr_assert_eq(length_at(report, "data.questions"), 2);
    expect_number(report, "data.questions.1.number", 2);
    expect_text(report, "data.questions.1.question", "And then, " MODEL_CANARY "?");
    expect_keys(json_at(report->json, "data.questions.1.attempts.1"), attempt_keys);
    expect_text(report, "data.questions.1.attempts.0.transcript", ANSWER " Two.");
    expect_text(report, "data.questions.1.attempts.1.transcript", ANSWER " Once more.");
    expect_number(report,
                  "data.questions.1.attempts.1.coaching_feedback.dimensions.2.score", 5);
    cr_assert_gt(number_at(report, "data.questions.0.attempts.0.delivery.word_count"),
                 10);
    expect_null(report, "data.session_summary");
    cr_assert_not(bytes_has(&report->body, "heronsong"));
    world_end(world);
}

Test(finish, the_report_as_markdown_is_a_file)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 5);
    upstream_will_ask(world->upstream, "And then, " MODEL_CANARY "?");
    expect_success(answer(world, &session,
                          ANSWER "\n# <script>alert(1)</script> | [x](http://y) *z*"));
    upstream_will_give_summary(world->upstream);
    expect_success(finish_session(world, &session));

    const struct reply *report = report_of(world, &session, "text/markdown");

    cr_assert_eq(report->status, 200);
    expect_header(report, "Content-Type", "text/markdown; charset=utf-8");
    expect_header(report, "Content-Disposition", "attachment; filename=\"interview.md\"");
    expect_header(report, "Cache-Control", "no-store");
    cr_assert(bytes_has(&report->body, "# Interview: nurse\n"));
    cr_assert(bytes_has(&report->body, "> I led the " CANARY " migration"));
    cr_assert(bytes_has(&report->body, "\n> \\# \\<script\\>alert(1)\\</script\\> \\| "
                                       "\\[x\\](http://y) \\*z\\*\n"),
              "%s", report->body.data);
    cr_assert(bytes_has(&report->body, "| Clarity | 4 | "));
    cr_assert(bytes_has(&report->body, "## Summary\n"));
    cr_assert(bytes_has(&report->body, "Concrete examples."));
    expect_success(report_of(world, &session, NULL));
    world_end(world);
}

Test(finish, a_stranger_gets_neither)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    struct session other = start_session(world, 3);
    expect_success(answer(world, &session, ANSWER));
    session.token = other.token;

    expect_error(finish_session(world, &session), ERROR_SESSION_ID_MISMATCH);
    expect_error(report_of(world, &session, NULL), ERROR_SESSION_ID_MISMATCH);
    session.token = NULL;
    expect_error(report_of(world, &session, NULL), ERROR_INVALID_TOKEN);
    world_end(world);
}

Test(finish, a_deleted_session_has_no_report)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    expect_success(answer(world, &session, ANSWER));
    expect_success(delete_session(world, &session));

    expect_error(report_of(world, &session, NULL), ERROR_SESSION_NOT_FOUND);
    expect_error(finish_session(world, &session), ERROR_SESSION_NOT_FOUND);
    world_end(world);
}
