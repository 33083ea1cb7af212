/*
 * An answer that is used while it is still being written: the question is spoken and shown
 * before the feedback is there, and nothing is, before it is known to be no refusal.
 */
#include <criterion/criterion.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "upstream_stream.h"
#include "voice.h"

TestSuite(streaming, .timeout = 120);

#define QUESTION "What would you do differently, " MODEL_CANARY "?"
#define OPENING  "{\"refused\": false, \"follow_up_question\": \""
#define FEEDBACK                                                                   \
    ", \"coaching_feedback\": {\"dimensions\": ["                                  \
    "{\"label\": \"Clarity\", \"score\": 4, \"tip\": \"Name the system first.\"}," \
    "{\"label\": \"Relevance\", \"score\": 4, \"tip\": \"Tie it to the role.\"},"  \
    "{\"label\": \"Structure\", \"score\": 4, \"tip\": \"Keep this order.\"},"     \
    "{\"label\": \"Filler Words\", \"score\": 4, \"tip\": \"Pause instead.\"}],"   \
    "\"summary_tip\": \"Say what changed because of you.\"}}"

/* The question in three chunks. */
#define ASKS                                                           \
    {.text = OPENING "What would"}, {.text = " you do differently, "}, \
    {                                                                  \
        .text = MODEL_CANARY "?\""                                     \
    }

/* ---- a world whose model streams ---- */

struct stage {
    struct streamer *streamer; /* owned */
    struct world *world;       /* owned */
    struct session session;
};

static struct stage stage_open_with(const struct stream_piece *pieces,
                                    const char *setting)
{
    struct stage stage = {.streamer = streamer_open()};
    char coach[96], speaker[96];

    streamer_will(stage.streamer, pieces);
    snprintf(coach, sizeof coach, "GROQ_BASE_URL=%s", streamer_coach_url(stage.streamer));
    snprintf(speaker, sizeof speaker, "DEEPGRAM_BASE_URL=%s",
             streamer_speaker_url(stage.streamer));
    stage.world = world_start(
        SETTINGS(coach, speaker, "GROQ_API_KEY=" GROQ_KEY, "TTS_PROVIDER=deepgram",
                 "DEEPGRAM_API_KEY=dg_never_shown_to_anyone", setting));
    stage.session = start_session(stage.world, 5);
    return stage;
}

static struct stage stage_open(const struct stream_piece *pieces)
{
    return stage_open_with(pieces, "BREAKER_FAILURES=5");
}

static void stage_close(struct stage *stage)
{
    world_end(stage->world);
    streamer_close(stage->streamer);
}

static const struct reply *stage_answer(struct stage *stage)
{
    return answer(stage->world, &stage->session, ANSWER);
}

/* The same turn, told as server-sent events. */
static struct connection *stage_listen(struct stage *stage)
{
    return begin_answer_with(stage->world, &stage->session, ANSWER,
                             "Accept: text/event-stream\r\n");
}

/* Reads until this has come, and then that, after all that `seen` has. */
static void await_both(struct connection *connection, struct bytes *seen,
                       const char *text, const char *behind)
{
    char block[4096];
    const char *at;

    while (!seen->size || !(at = strstr(seen->data, text)) || !strstr(at, behind)) {
        ssize_t size = connection_read(connection, block, sizeof block);
        cr_assert(size > 0, "%s never came after: %s", text,
                  seen->size ? seen->data : "");
        bytes_add(seen, block, (size_t)size);
    }
}

static void await_event(struct connection *connection, struct bytes *seen,
                        const char *text)
{
    await_both(connection, seen, text, "");
}

/* The turn fails so and changes nothing; no speech of it can be had; the next try works. */
static void expect_failed_turn(struct stage *stage, enum expected_error error)
{
    static const struct stream_piece good[] = {ASKS, {.text = FEEDBACK}, STOPS};
    const char *before = session_facts(stage->world, &stage->session);
    const struct reply *reply = stage_answer(stage);

    expect_error(reply, error);
    cr_assert_str_eq(session_facts(stage->world, &stage->session), before);
    reply =
        ask(stage->world, (struct request){.method = "GET",
                                           .path = words(stage->world, "/tts/%s",
                                                         text_at(reply, "request_id")),
                                           .token = stage->session.token});
    expect_error(reply, ERROR_TTS_AUDIO_NOT_FOUND);

    streamer_will(stage->streamer, good);
    expect_number(stage_answer(stage), "data.question_number", 1);
}

/* ---- early ---- */

Test(streaming, the_question_is_spoken_before_the_feedback_is_written)
{
    static const struct stream_piece pieces[] = {
        ASKS, {.moment = AFTER_SPEECH, .text = FEEDBACK}, STOPS};
    struct stage stage = stage_open(pieces);

    const struct reply *reply = stage_answer(&stage);

    expect_text(reply, "data.assistant_text", QUESTION);
    expect_number(reply, "data.coaching_feedback.dimensions.0.score", 4);
    cr_assert_not_null(text_at(reply, "data.tts_audio_url"));
    cr_assert(streamer_was_asked_for_an_answer_with(stage.streamer, "\"stream\":true"));
    cr_assert(streamer_was_asked_to_speak(stage.streamer, QUESTION));
    cr_assert_eq(streamer_speech_calls(stage.streamer), 1);
    stage_close(&stage);
}

Test(streaming, a_closing_is_a_statement_also_while_it_is_written)
{
    static const struct stream_piece pieces[] = {
        ASKS, {.moment = AFTER_SPEECH, .text = FEEDBACK}, STOPS};
    struct stage stage = stage_open(pieces);
    const struct reply *reply;
    struct connection *turn;

    stage.session = start_session(stage.world, 1);
    turn = stage_listen(&stage);
    reply = receive(stage.world, turn, "POST");
    connection_close(turn);

    cr_expect(bytes_has(&reply->body, "event: assistant_text"));
    cr_expect_not(bytes_has(&reply->body, MODEL_CANARY "?"));
    cr_expect(streamer_was_asked_to_speak(stage.streamer, "Thank you for your answers."));
    stage_close(&stage);
}

Test(streaming, the_client_has_the_question_before_the_feedback_is_written)
{
    static const struct stream_piece pieces[] = {
        ASKS, {.moment = AFTER_CUE, .text = FEEDBACK}, STOPS};
    struct stage stage = stage_open(pieces);
    struct connection *connection = stage_listen(&stage);
    struct bytes seen = {0};

    await_event(connection, &seen, "event: assistant_text");
    await_event(connection, &seen, QUESTION);
    cr_expect_not(bytes_has(&seen, "event: result"));
    streamer_cue(stage.streamer);
    await_event(connection, &seen, "event: result");
    await_event(connection, &seen, "\"question_number\":1");

    connection_close(connection);
    bytes_free(&seen);
    stage_close(&stage);
}

/* What is said after another attempt is known before the model writes a word. */
Test(streaming, who_tries_again_is_told_what_is_pending_before_the_feedback_is_written)
{
    static const struct stream_piece first[] = {ASKS, {.text = FEEDBACK}, STOPS};
    static const struct stream_piece again[] = {
        {.text = "{\"refused\": false, \"kind\": \"answer\", "},
        {.moment = AFTER_CUE, .text = "\"follow_up_question\": \"\", "},
        {.text = FEEDBACK},
        STOPS};
    struct stage stage = stage_open(first);
    struct bytes seen = {0};
    const struct reply *told = stage_answer(&stage);
    streamer_will(stage.streamer, again);

    struct connection *connection =
        begin(stage.world,
              (struct request){.method = "POST",
                               .path = "/turn",
                               .token = stage.session.token,
                               .headers = "Accept: text/event-stream\r\n",
                               .content_type = "application/json",
                               .body = words(stage.world,
                                             "{\"session_id\":\"%s\",\"transcript\":"
                                             "\"%s Again.\",\"attempt\":\"again\"}",
                                             stage.session.id, ANSWER)});
    await_event(connection, &seen, "event: assistant_text");
    await_event(connection, &seen, text_at(told, "data.assistant_text"));
    await_event(connection, &seen, "event: audio");
    cr_expect_not(bytes_has(&seen, "event: result"));
    streamer_cue(stage.streamer);
    await_event(connection, &seen, "event: result");
    await_event(connection, &seen, "\"attempt\":2");

    connection_close(connection);
    bytes_free(&seen);
    stage_close(&stage);
}

/* ---- heard early ---- */

/* The turn whose question has been heard, while the model is held before its feedback. */
struct heard_turn {
    struct stage stage;
    struct connection *connection; /* owned, like what it brought so far */
    struct bytes seen;
    struct audio audio;
};

static struct heard_turn hear_early(const struct stream_piece *pieces)
{
    struct heard_turn turn = {.stage = stage_open(pieces)};

    turn.connection = stage_listen(&turn.stage);
    await_both(turn.connection, &turn.seen, "event: audio", "\n\n");
    turn.audio = streamed_audio(turn.stage.world, &turn.seen);
    cr_assert(turn.audio.size > 44);
    cr_assert_not(bytes_has(&turn.seen, "event: result"));
    return turn;
}

static void heard_turn_end(struct heard_turn *turn)
{
    connection_close(turn->connection);
    bytes_free(&turn->seen);
    stage_close(&turn->stage);
}

static const struct stream_piece held_before_feedback[] = {
    ASKS, {.moment = AFTER_CUE, .text = FEEDBACK}, STOPS};

Test(streaming, the_client_hears_the_question_before_the_feedback_is_written)
{
    struct heard_turn turn = hear_early(held_before_feedback);
    struct world *world = turn.stage.world;
    const struct reply *session = get_session(world, &turn.stage.session);

    expect_number(session, "data.turn_count", 0);
    streamer_cue(turn.stage.streamer);
    await_event(turn.connection, &turn.seen, "event: result");
    await_event(turn.connection, &turn.seen, "\"question_number\":1");

    const char *path = strstr(turn.seen.data, "/tts/");
    cr_assert_not_null(path);
    expect_speech(
        fetch(world, &turn.stage.session, "GET", words(world, "%.41s", path), NULL),
        turn.audio);
    cr_expect_eq(streamer_speech_calls(turn.stage.streamer), 1);
    heard_turn_end(&turn);
}

/* What was heard is not kept then, and is counted as spoken for nothing. */
Test(streaming, a_turn_that_fails_after_it_was_heard_says_so_and_keeps_nothing)
{
    static const struct stream_piece pieces[] = {
        ASKS, {.moment = AFTER_CUE, .text = ", \"coaching"}, {.cuts = true}, {0}};
    static const struct stream_piece good[] = {ASKS, {.text = FEEDBACK}, STOPS};
    struct heard_turn turn = hear_early(pieces);
    struct world *world = turn.stage.world;
    const char *before = session_facts(world, &turn.stage.session);
    char id[37];

    streamer_cue(turn.stage.streamer);
    await_both(turn.connection, &turn.seen, "event: result", "\n\n");

    cr_assert(bytes_has(&turn.seen, "\"llm_provider_error\""));
    cr_assert(sscanf(strstr(turn.seen.data, "\"request_id\":\""), "\"request_id\":\"%36s",
                     id) == 1);
    cr_assert_str_eq(session_facts(world, &turn.stage.session), before);
    expect_no_speech(
        fetch(world, &turn.stage.session, "GET", words(world, "/tts/%s", id), NULL));
    cr_assert(bytes_has(
        &ask(world, (struct request){.method = "GET", .path = "/metrics"})->body,
        "poise_speeches_unused_total 1\n"));
    streamer_will(turn.stage.streamer, good);
    expect_number(stage_answer(&turn.stage), "data.question_number", 1);
    heard_turn_end(&turn);
}

Test(streaming, who_leaves_after_the_question_was_heard_gets_the_turn_later)
{
    struct heard_turn turn = hear_early(held_before_feedback);
    struct world *world = turn.stage.world;

    connection_reset(turn.connection);
    streamer_cue(turn.stage.streamer);
    await_turn_count(world, &turn.stage.session, 1);

    const struct reply *again = stage_answer(&turn.stage);
    expect_number(again, "data.question_number", 1);
    expect_speech(fetch(world, &turn.stage.session, "GET", speech_path(again), NULL),
                  turn.audio);
    turn.connection = connection_open(world->port);
    heard_turn_end(&turn);
}

Test(streaming, a_turn_that_was_heard_is_finished_before_the_program_ends)
{
    struct heard_turn turn = hear_early(held_before_feedback);

    world_signal(turn.stage.world, SIGTERM);
    streamer_cue(turn.stage.streamer);
    await_event(turn.connection, &turn.seen, "event: result");
    await_event(turn.connection, &turn.seen, "\"question_number\":1");

    cr_assert(world_await_exit(turn.stage.world) == 0);
    heard_turn_end(&turn);
}

/* What a model writes behind a question that was heard, twice or as no JSON, changes nothing of it. */
static void expect_heard_is_kept(const char *behind)
{
    const struct stream_piece pieces[] = {
        ASKS, {.moment = AFTER_CUE, .text = behind}, STOPS};
    struct heard_turn turn = hear_early(pieces);

    streamer_cue(turn.stage.streamer);
    await_event(turn.connection, &turn.seen, "event: result");
    await_event(turn.connection, &turn.seen, "\"question_number\":1");

    const char *result = strstr(turn.seen.data, "event: result");
    cr_expect(strstr(result, QUESTION), "behind %s", behind);
    cr_expect_eq(streamer_speech_calls(turn.stage.streamer), 1, "behind %s", behind);
    heard_turn_end(&turn);
}

Test(streaming, what_was_heard_is_what_is_kept)
{
    expect_heard_is_kept(", \"follow_up_question\": \"Or rather, when?\"" FEEDBACK);
    expect_heard_is_kept(" and more}");
    expect_heard_is_kept(", \"coaching_feedback\": {\"dimensions\": [}");
}

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

#define QUESTION_MS 60
#define REST_MS     240 /* after the question */
#define SPEECH_MS   200
#define ANSWER_MS   (QUESTION_MS + REST_MS)

/* One after the other they take ANSWER_MS + SPEECH_MS.  The best of a few, on a machine
 * that has other things to do. */
Test(streaming, an_answer_and_its_speech_take_as_long_as_the_longer_of_them)
{
    static const struct stream_piece pieces[] = {
        {.text = OPENING "What would"},
        {.moment = AFTER_MS, .ms = QUESTION_MS, .text = " you do?\""},
        {.moment = AFTER_MS, .ms = REST_MS, .text = FEEDBACK},
        STOPS};
    struct stage stage = stage_open(pieces);
    double best_ms = 1e9;

    streamer_speaks_for(stage.streamer, SPEECH_MS);
    for (int i = 0; i < 4; i++) {
        double began_ms = now_ms();
        const struct reply *reply = stage_answer(&stage);
        double took_ms = now_ms() - began_ms;

        cr_assert_not_null(text_at(reply, "data.tts_audio_url"));
        best_ms = took_ms < best_ms ? took_ms : best_ms;
    }
    cr_log_info("%.0f ms of %d, a ratio of %.2f", best_ms, ANSWER_MS + SPEECH_MS,
                best_ms / (ANSWER_MS + SPEECH_MS));
    cr_assert(best_ms >= ANSWER_MS);
    cr_assert(best_ms < 0.8 * (ANSWER_MS + SPEECH_MS), "%.0f ms", best_ms);
    stage_close(&stage);
}

/* ---- what goes wrong on the way ---- */

Test(streaming, a_stream_that_is_cut_after_the_question_is_a_provider_error)
{
    static const struct stream_piece pieces[] = {
        ASKS, {.moment = AFTER_SPEECH, .text = ", \"coaching"}, {.cuts = true}, {0}};
    struct stage stage = stage_open(pieces);

    expect_failed_turn(&stage, ERROR_LLM_PROVIDER_ERROR);
    stage_close(&stage);
}

Test(streaming, a_stream_that_ends_without_its_end_is_a_provider_error)
{
    static const struct stream_piece pieces[] = {ASKS, {.text = ", \"coaching"}, {0}};
    struct stage stage = stage_open(pieces);

    expect_failed_turn(&stage, ERROR_LLM_PROVIDER_ERROR);
    stage_close(&stage);
}

Test(streaming, an_error_of_groq_in_the_middle_is_a_provider_error)
{
    static const struct stream_piece pieces[] = {
        ASKS,
        {.moment = AFTER_SPEECH, .text = ", \"coaching"},
        {.event =
             "{\"choices\":[],\"x_groq\":{\"id\":\"req_1\",\"error\":\"overloaded\"}}"},
        {.event = "[DONE]"},
        {0}};
    struct stage stage = stage_open(pieces);

    expect_failed_turn(&stage, ERROR_LLM_PROVIDER_ERROR);
    stage_close(&stage);
}

Test(streaming, an_error_object_in_the_middle_is_a_provider_error)
{
    static const struct stream_piece pieces[] = {
        {.text = OPENING},
        {.event =
             "{\"error\":{\"message\":\"" MODEL_CANARY "\",\"type\":\"server_error\"}}"},
        {0}};
    struct stage stage = stage_open(pieces);

    expect_failed_turn(&stage, ERROR_LLM_PROVIDER_ERROR);
    stage_close(&stage);
}

/* ---- refusals ---- */

/* The turn is refused, and not a word of the model was spoken or sent before. */
static void expect_silent_refusal(const struct stream_piece *pieces)
{
    struct stage stage = stage_open(pieces);
    struct connection *connection;
    struct bytes seen = {0};

    expect_model_refusal(stage_answer(&stage), FALLBACK_REFUSAL);
    connection = stage_listen(&stage);
    await_event(connection, &seen, "event: result");
    await_event(connection, &seen, "\"content_refused\"");

    cr_expect_not(bytes_has(&seen, "event: assistant_text"));
    cr_expect_not(bytes_has(&seen, "event: audio"));
    cr_expect_not(bytes_has(&seen, MODEL_CANARY));
    cr_expect_eq(streamer_speech_calls(stage.streamer), 0);
    connection_close(connection);
    bytes_free(&seen);
    stage_close(&stage);
}

/* It repeats the answer, so that not even the refusal's own words are shown. */
#define ECHO \
    "You said you led the " CANARY " migration of our billing system " MODEL_CANARY "."

Test(streaming, a_refusal_that_is_said_first_is_never_spoken)
{
    static const struct stream_piece pieces[] = {
        {.text = "{\"refused\": true, \"follow_up_question\": \"" ECHO "\", "},
        {.moment = AFTER_MS, .ms = 50, .text = "\"coaching_feedback\": null}"},
        STOPS};

    expect_silent_refusal(pieces);
}

Test(streaming, a_refusal_that_comes_behind_the_question_is_never_spoken)
{
    static const struct stream_piece pieces[] = {
        {.text = "{\"follow_up_question\": \"" ECHO "\", \"coaching_feedback\": null"},
        {.moment = AFTER_MS, .ms = 50, .text = ", \"refused\": true}"},
        STOPS};

    expect_silent_refusal(pieces);
}

Test(streaming, a_refusal_beside_half_the_text_is_never_spoken)
{
    static const struct stream_piece pieces[] = {
        {.text = OPENING "What would"},
        {.moment = AFTER_MS,
         .ms = 50,
         .event = "{\"choices\":[{\"index\":0,\"delta\":{\"refusal\":\"" ECHO
                  "\"},\"finish_reason\":null}]}"},
        STOPS};

    expect_silent_refusal(pieces);
}

#define TAKES_IT_BACK ", \"refused\": true, \"coaching_feedback\": null}"

Test(streaming, of_two_verdicts_the_graver_one_counts)
{
    static const struct stream_piece pieces[] = {ASKS, {.text = TAKES_IT_BACK}, STOPS};
    static const struct stream_piece turned[] = {
        {.text = "{\"refused\": true, \"refused\": false, \"follow_up_question\": \"" ECHO
                 "\", \"coaching_feedback\": null}"},
        STOPS};
    struct stage stage = stage_open(pieces);

    expect_model_refusal(stage_answer(&stage), QUESTION);
    stage_close(&stage);
    expect_silent_refusal(turned);
}

/* A refusal tells nothing before it, and an answer is not refused: this is neither. */
Test(streaming, a_question_that_was_heard_and_is_taken_back_is_no_reply)
{
    static const struct stream_piece pieces[] = {
        ASKS, {.moment = AFTER_CUE, .text = TAKES_IT_BACK}, STOPS};
    struct heard_turn turn = hear_early(pieces);
    const char *before = session_facts(turn.stage.world, &turn.stage.session);

    streamer_cue(turn.stage.streamer);
    await_both(turn.connection, &turn.seen, "event: result", "\n\n");

    cr_expect(bytes_has(&turn.seen, "\"llm_provider_error\""));
    cr_expect_str_eq(session_facts(turn.stage.world, &turn.stage.session), before);
    heard_turn_end(&turn);
}

/* The session is read again for who is asked once more; another process may have gone on with it. */
Test(streaming, a_turn_that_was_overtaken_while_the_model_wrote_is_not_made)
{
    static const struct stream_piece none[] = {
        {.text = "{\"refused\": false, "},
        {.moment = AFTER_CUE, .text = "\"follow_up_question\": \"\"" FEEDBACK},
        STOPS};
    static const struct stream_piece good[] = {ASKS, {.text = FEEDBACK}, STOPS};
    if (store_is_postgres())
        cr_skip_test("processes know of each other's turns there");
    struct stage stage = stage_open(none);
    struct world *other = world_beside(stage.world);
    struct connection *overtaken =
        begin_answer(stage.world, &stage.session, ANSWER " Late.");

    while (!streamer_was_asked_for_an_answer_with(stage.streamer, "Late."))
        poll(NULL, 0, 5);
    streamer_will(stage.streamer, good);
    expect_success(answer(other, &stage.session, ANSWER));
    const char *before = session_facts(stage.world, &stage.session);
    streamer_cue(stage.streamer);

    expect_error(finish(stage.world, overtaken), ERROR_TURN_IN_PROGRESS);
    cr_expect_str_eq(session_facts(stage.world, &stage.session), before);
    world_end(other);
    stage_close(&stage);
}

/* A small server may just close when it has said all. */
Test(streaming, a_server_that_closes_behind_its_reply_is_not_taken_for_a_failing_one)
{
    static const struct stream_piece pieces[] = {
        ASKS,
        {.text = FEEDBACK},
        {.event =
             "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}"},
        {.event = "[DONE]"},
        {.cuts = true},
        {0}};
    struct stage stage = stage_open_with(pieces, "BREAKER_FAILURES=1");

    expect_success(stage_answer(&stage));
    expect_text(ask(stage.world, (struct request){.method = "GET", .path = "/readyz"}),
                "data.checks.breakers.coach", "closed");
    stage_close(&stage);
}
