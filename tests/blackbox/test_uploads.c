/*
 * Bodies that come in: how much memory all of them may take, and one for each session.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"
#include "program.h"
#include "voice.h"

TestSuite(uploads, .timeout = 90);

/* AddressSanitizer keeps what was freed, up to 256 MB of it: the many small questions that
 * are asked here would count as memory that did not come back. */
#define WITHOUT_QUARANTINE "detect_leaks=1:exitcode=99:quarantine_size_mb=1"

enum { MEGABYTE = 1024 * 1024, RECORDING = 4 * MEGABYTE };

/* The form of a turn with a recording of four megabytes, for the caller to free. */
static struct bytes large_form(const struct session *session)
{
    char *recording = calloc(1, RECORDING);
    make_recording(1, recording);
    struct bytes body = dio_form(&(struct form){.session_id = session->id,
                                                .audio = recording,
                                                .audio_size = RECORDING,
                                                .audio_type = "audio/mp4"});

    free(recording);
    return body;
}

static struct bytes large_turn(const struct session *session)
{
    struct bytes body = large_form(session);
    struct bytes request =
        request_bytes(&(struct request){.method = "POST",
                                        .path = "/turn",
                                        .token = session->token,
                                        .content_type = DIO_CONTENT_TYPE,
                                        .body = body.data,
                                        .body_size = body.size});

    bytes_free(&body);
    return request;
}

/* Of what is kept, in megabytes, rounded down. */
static long held_megabytes(struct world *world)
{
    const struct reply *metrics =
        ask(world, (struct request){.method = "GET", .path = "/metrics"});
    const char *line = strstr(metrics->body.data, "\npoise_upload_bytes ");

    cr_assert_not_null(line);
    return atol(line + strlen("\npoise_upload_bytes ")) / MEGABYTE;
}

static struct connection *hold_upload(struct world *world, const struct session *session)
{
    struct connection *connection = connection_open(world->port);
    struct bytes turn = large_turn(session);

    connection_send(connection, turn.data, turn.size - 1);
    bytes_free(&turn);
    return connection;
}

Test(uploads, past_their_budget_one_more_is_refused_before_its_body_and_memory_comes_back)
{
    enum { HELD = 4 };
    struct world *world =
        world_with_groq("UPLOADS_MAX_BYTES=18000000", "STT_PROVIDER=deepgram",
                        "ASAN_OPTIONS=" WITHOUT_QUARANTINE);
    struct connection *held[HELD];
    struct session session = start_session(world, 3);
    long before = program_resident_kb(world->program);
    for (int i = 0; i < HELD; i++) {
        struct session own = start_session(world, 3);
        held[i] = hold_upload(world, &own);
        while (held_megabytes(world) < RECORDING / MEGABYTE * (i + 1) - 1)
            continue;
    }

    struct connection *one_more =
        begin(world, (struct request){.method = "POST",
                                      .path = "/turn",
                                      .token = session.token,
                                      .content_type = DIO_CONTENT_TYPE,
                                      .headers = "Content-Length: 4200000\r\n"});
    const struct reply *reply = finish(world, one_more);

    expect_error(reply, ERROR_OVERLOADED);
    cr_assert(reply_header_count(reply, "Retry-After") == 1);
    long during = program_resident_kb(world->program);
    for (int i = 0; i < HELD; i++)
        connection_close(held[i]);
    while (held_megabytes(world) > 0)
        continue;
    long after = program_resident_kb(world->program);
    cr_assert(after - before <
                  (during - before) / 4 * 3, /* AddressSanitizer keeps some */
              "%ld KB before the flood, %ld in it, %ld after", before, during, after);
    upstream_will_ask(world->upstream, "And then?");
    expect_success(answer(world, &session, ANSWER));
    world_end(world);
}

Test(uploads, of_a_body_of_unknown_length_no_more_is_kept_than_there_is_room_for)
{
    struct world *world =
        world_with_groq("UPLOADS_MAX_BYTES=2000000", "STT_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    struct connection *upload =
        begin(world, (struct request){.method = "POST",
                                      .path = "/turn",
                                      .token = session.token,
                                      .content_type = DIO_CONTENT_TYPE,
                                      .headers = "Transfer-Encoding: chunked\r\n"});
    struct bytes form = large_form(&session);
    struct bytes chunks = {0};
    bytes_addf(&chunks, "%zx\r\n", form.size);
    bytes_add(&chunks, form.data, form.size);
    bytes_addf(&chunks, "\r\n0\r\n\r\n");

    connection_send(upload, chunks.data, chunks.size);

    expect_error(finish(world, upload), ERROR_OVERLOADED);
    bytes_free(&form);
    bytes_free(&chunks);
    world_end(world);
}

/* The phone has started over; nobody has told the program that the first connection is gone. */
Test(uploads, a_session_has_one_and_the_newest_wins)
{
    struct world *world = world_with_groq("WORKERS=2", "STT_PROVIDER=deepgram");
    struct session session = start_session(world, 3);
    struct connection *older = hold_upload(world, &session);
    while (held_megabytes(world) < RECORDING / MEGABYTE - 1)
        continue;
    deepgram_will_hear(world, (struct heard){.text = ANSWER});
    upstream_will_ask(world->upstream, "And then?");

    struct bytes turn = large_turn(&session);
    struct connection *newer = connection_open(world->port);
    connection_send(newer, turn.data, turn.size);

    expect_number(finish(world, newer), "data.question_number", 1);
    connection_send_text(older, "\n");
    expect_error(finish(world, older), ERROR_TURN_IN_PROGRESS);
    expect_number(get_session(world, &session), "data.turn_count", 1);
    bytes_free(&turn);
    world_end(world);
}

/* They are no session's: any number of people ask at the same time. */
Test(uploads, questions_of_strangers_do_not_hinder_each_other)
{
    static const char HEAD[] = "POST /ask HTTP/1.1\r\nHost: x\r\nContent-Length: 26\r\n"
                               "Content-Type: application/json\r\n\r\n{\"question\":";
    struct world *world = world_with_builtin_coach("WORKERS=1");
    struct connection *askers[3];

    for (size_t i = 0; i < sizeof askers / sizeof *askers; i++) {
        askers[i] = connection_open(world->port);
        connection_send_text(askers[i], HEAD);
        ask(world, (struct request){.method = "GET", .path = "/healthz"});
    }
    for (size_t i = 0; i < sizeof askers / sizeof *askers; i++) {
        connection_send_text(askers[i], "\"What is it?\"}");
        expect_success(finish(world, askers[i]));
    }
    world_end(world);
}
