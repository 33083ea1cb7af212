/*
 * An answer that is used while it is still being written: the question is spoken and shown
 * before the feedback is there, and nothing is, before it is known to be no refusal.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "play.h"
#include "upstream_stream.h"

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

/* Reads until this has come, after all that `seen` has. */
static void await_event(struct connection *connection, struct bytes *seen,
                        const char *text)
{
    char block[4096];

    while (!seen->size || !bytes_has(seen, text)) {
        ssize_t size = connection_read(connection, block, sizeof block);
        cr_assert(size > 0, "%s never came after: %s", text,
                  seen->size ? seen->data : "");
        bytes_add(seen, block, (size_t)size);
    }
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
