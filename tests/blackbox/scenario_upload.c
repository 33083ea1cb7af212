/*
 * Errors of what the client sends for a turn: upload and speech-to-text.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "play.h"
#include "scenarios.h"

void reach_INVALID_TOKEN(void)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    session.token = NULL;

    expect_error(answer(world, &session, ANSWER), ERROR_INVALID_TOKEN);
    world_end(world);
}

void reach_SESSION_ID_MISMATCH(void)
{
    struct world *world = world_with_builtin_coach();
    struct session mine = start_session(world, 3);
    struct session yours = start_session(world, 3);
    mine.token = yours.token;

    expect_error(answer(world, &mine, ANSWER), ERROR_SESSION_ID_MISMATCH);
    world_end(world);
}

void reach_SESSION_NOT_FOUND(void)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    delete_session(world, &session);

    expect_error(answer(world, &session, ANSWER), ERROR_SESSION_NOT_FOUND);
    world_end(world);
}

void reach_SESSION_COMPLETE(void)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 1);
    expect_success(answer(world, &session, ANSWER));

    expect_error(answer(world, &session, ANSWER " More."), ERROR_SESSION_COMPLETE);
    world_end(world);
}

void reach_NO_QUESTION_ANSWERED(void)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    expect_error(answer_again(world, &session, ANSWER), ERROR_NO_QUESTION_ANSWERED);
    world_end(world);
}

void reach_TOO_MANY_ATTEMPTS(void)
{
    struct world *world = world_with_builtin_coach("MAX_ATTEMPTS_PER_QUESTION=2");
    struct session session = start_session(world, 3);
    expect_success(answer(world, &session, ANSWER));
    expect_success(answer_again(world, &session, ANSWER " Twice."));

    expect_error(answer_again(world, &session, ANSWER " More."), ERROR_TOO_MANY_ATTEMPTS);

    expect_success(answer(world, &session, ANSWER " Then."));
    expect_success(answer_again(world, &session, ANSWER " Again."));
    world_end(world);
}

void reach_NOTHING_ANSWERED(void)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    expect_error(finish_session(world, &session), ERROR_NOTHING_ANSWERED);
    world_end(world);
}

void reach_TURN_IN_PROGRESS(void)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    upstream_will_ask(world->upstream, "And then?");
    upstream_hold(world->upstream);
    struct connection *first = begin_answer(world, &session, ANSWER);
    upstream_await_calls(world->upstream, 1);

    expect_error(answer(world, &session, ANSWER " More."), ERROR_TURN_IN_PROGRESS);

    upstream_release(world->upstream);
    expect_success(finish(world, first));
    world_end(world);
}

void reach_MISSING_INPUT(void)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    expect_error(answer(world, &session, " \t\r\n\u00a0\u3000"), ERROR_MISSING_INPUT);
    expect_error(answer(world, &session, ""), ERROR_MISSING_INPUT);
    expect_error(answer(world, &session, NULL), ERROR_MISSING_INPUT);
    world_end(world);
}

void reach_INVALID_AUDIO(void)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    struct form empty = {.audio = "", .audio_type = "audio/mp4"};
    struct form text = {.audio = CANARY " is no recording at all.",
                        .audio_size = 30,
                        .audio_type = "audio/mp4"};

    expect_error(send_form(world, &session, empty), ERROR_INVALID_AUDIO);
    expect_error(send_form(world, &session, text), ERROR_INVALID_AUDIO);
    world_end(world);
}

void reach_INVALID_TRANSCRIPT(void)
{
    struct world *world = world_with_groq("MAX_TRANSCRIPT_CHARS=100");
    struct session session = start_session(world, 3);

    expect_error(answer(world, &session, CANARY " \xc3("), ERROR_INVALID_TRANSCRIPT);
    expect_error(answer(world, &session, repeated(world, "\u00e9", 101)),
                 ERROR_INVALID_TRANSCRIPT);
    world_end(world);
}

void reach_FILE_TOO_LARGE(void)
{
    struct world *world = world_with_groq("MAX_AUDIO_BYTES=1024");
    struct session session = start_session(world, 3);
    char recording[4 * RECORDING_BYTES] = "";
    make_recording(1, recording);

    expect_error(send_form(world, &session,
                           (struct form){.audio = recording,
                                         .audio_size = sizeof recording,
                                         .audio_type = "audio/mp4"}),
                 ERROR_FILE_TOO_LARGE);
    world_end(world);
}

static bool bodies_come_in(struct world *world)
{
    const struct reply *metrics =
        ask(world, (struct request){.method = "GET", .path = "/metrics"});

    return bytes_has(&metrics->body, "\npoise_connections{state=\"body\"} 1\n");
}

/* What comes after its time is read over for a moment, and told so behind its end; where it does not
 * end there is nobody to tell. */
void reach_UPLOAD_TIMEOUT(void)
{
    struct world *world = world_with_groq("UPLOAD_TIMEOUT_SECONDS=1", "WORKERS=1");
    struct session session = start_session(world, 3);
    struct request half = {.method = "POST",
                           .path = "/turn",
                           .token = session.token,
                           .content_type = DIO_CONTENT_TYPE,
                           .headers = "Content-Length: 100\r\n"};

    struct connection *upload = begin(world, half);
    connection_send_text(upload, "--" DIO_BOUNDARY);
    while (!bodies_come_in(world))
        continue;
    while (bodies_come_in(world))
        continue;
    connection_send_text(upload, repeated(world, "-", 100));

    expect_error(finish(world, upload), ERROR_UPLOAD_TIMEOUT);
    world_end(world);
}

void reach_USAGE_CAP_REACHED(void)
{
    struct world *world = world_with_builtin_coach("MAX_TURNS_PER_DAY=1");
    struct session session = start_session(world, 3);
    expect_success(answer(world, &session, ANSWER));

    expect_error(answer(world, &session, ANSWER " More."), ERROR_USAGE_CAP_REACHED);
    world_end(world);
}

void reach_IDEMPOTENCY_KEY_REUSE(void)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    expect_success(answer_with(world, &session, ANSWER, "Idempotency-Key: k\r\n"));

    expect_error(answer_with(world, &session, ANSWER " More.", "Idempotency-Key: k\r\n"),
                 ERROR_IDEMPOTENCY_KEY_REUSE);
    world_end(world);
}

void reach_STT_NOT_CONFIGURED(void)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    expect_error(send_form(world, &session, form_with_recording(world, 1, NULL)),
                 ERROR_STT_NOT_CONFIGURED);
    world_end(world);
}

void reach_CONTENT_REFUSED(void)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    expect_filter_refusal(answer(world, &session, CANARY " fuck you"),
                          "profanity_or_slur");
    world_end(world);
}
