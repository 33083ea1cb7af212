/*
 * POST /turn as a form: what the mobile app sends is taken byte for byte, and what is
 * broken is said to be broken.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"

TestSuite(forms, .timeout = 60);

/* The request that Dio 5 on dart:io sends, header by header. */
Test(forms, the_bytes_of_the_mobile_app_are_accepted)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    struct bytes body = dio_form(&(struct form){
        .session_id = session.id, .transcript = "I built the caf\u00e9 system."});
    struct bytes request = {0};
    bytes_addf(&request,
               "POST /turn HTTP/1.1\r\n"
               "user-agent: Dart/3.5 (dart:io)\r\n"
               "x-request-id: 0b9e0a52-3c1f-4a53-9a8e-3f6f7f3c8d11\r\n"
               "accept-encoding: gzip\r\n"
               "content-length: %zu\r\n"
               "host: 127.0.0.1:%d\r\n"
               "authorization: Bearer %s\r\n"
               "content-type: multipart/form-data; boundary=" DIO_BOUNDARY "\r\n"
               "\r\n",
               body.size, world->port, session.token);
    bytes_add(&request, body.data, body.size);

    const struct reply *reply = ask_raw(world, "POST", request.data, request.size);

    expect_success(reply);
    expect_text(reply, "data.transcript", "I built the caf\u00e9 system.");
    expect_text(reply, "request_id", "0b9e0a52-3c1f-4a53-9a8e-3f6f7f3c8d11");
    bytes_free(&body);
    bytes_free(&request);
    world_end(world);
}

Test(forms, words_in_any_script_come_back_as_they_were)
{
    static const char *const WORDS[] = {
        "Ich f\u00fchrte das Team.", "\u6211\u9886\u5bfc\u4e86\u56e2\u961f\u3002",
        "\u0623\u0646\u0627 \u0642\u062f\u062a \u0627\u0644\u0641\u0631\u064a\u0642.",
        "Well \U0001F600 done \"quoted\" \\ and\r\nsecond line", "a--" DIO_BOUNDARY "b"};
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 10);

    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        expect_text(answer(world, &session, WORDS[i]), "data.transcript", WORDS[i]);
    world_end(world);
}

static const struct reply *send_body(struct world *world, const struct session *session,
                                     const char *content_type, const char *body,
                                     size_t size)
{
    return ask(world, (struct request){.method = "POST",
                                       .path = "/turn",
                                       .token = session->token,
                                       .content_type = content_type,
                                       .body = body,
                                       .body_size = size});
}

#define PART(name, value) \
    "--x\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" value "\r\n"

/* A form of parts with the boundary "x"; %s stands for the session's id. */
static const struct reply *send_parts(struct world *world, const struct session *session,
                                      const char *parts)
{
    const char *at = strstr(parts, "%s");
    const char *body =
        at ? words(world, "%.*s%s%s", (int)(at - parts), parts, session->id, at + 2)
           : parts;

    return send_body(world, session, "multipart/form-data; boundary=x", body, 0);
}

Test(forms, the_order_of_the_fields_is_free)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    expect_success(send_parts(world, &session,
                              PART("transcript", ANSWER)
                                  PART("session_id", "%s") "--x--\r\n"));
    world_end(world);
}

Test(forms, unknown_fields_are_left_aside)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    expect_success(send_parts(world, &session,
                              PART("locale", "en") PART("transcript", ANSWER)
                                  PART("session_id", "%s") "--x--\r\n"));
    world_end(world);
}

Test(forms, a_preamble_an_epilogue_and_blanks_behind_the_boundary_are_allowed)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    expect_success(send_parts(
        world, &session,
        "preamble\r\n--x \t\r\nContent-Disposition: form-data; name=session_id\r\n\r\n%s\r\n"
        "--x\r\ncontent-type: text/plain\r\nCONTENT-DISPOSITION: form-data; "
        "name=\"transcript\"\r\n\r\n" ANSWER "\r\n--x--\r\nepilogue"));
    world_end(world);
}

Test(forms, a_boundary_may_be_quoted_and_followed_by_parameters)
{
    static const char *const TYPES[] = {"multipart/form-data; boundary=\"x\"",
                                        "multipart/form-data; boundary=x; charset=utf-8",
                                        "multipart/form-data; charset=utf-8; boundary=x",
                                        "Multipart/Form-Data; Boundary=x",
                                        "multipart/form-data;boundary=x"};
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 10);

    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        const char *body = words(
            world, PART("session_id", "%s") PART("transcript", ANSWER " %zu") "--x--\r\n",
            session.id, i);
        expect_success(send_body(world, &session, TYPES[i], body, 0));
    }
    world_end(world);
}

/* RFC 2046 allows a boundary of 70 characters. */
#define TYPE_WITH_A_BOUNDARY_OF_71    \
    ("multipart/form-data; boundary=" \
     "0123456789012345678901234567890123456789012345678901234567890123456789a")

Test(forms, a_missing_or_broken_boundary_is_a_validation_error)
{
    static const char *const TYPES[] = {"multipart/form-data",
                                        "multipart/form-data; boundary=",
                                        "multipart/form-data; boundary=\"x",
                                        "multipart/form-data; boundary=y",
                                        "multipart/form-data; boundary=x; boundary=y",
                                        TYPE_WITH_A_BOUNDARY_OF_71};
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    const char *body =
        words(world, PART("session_id", "%s") PART("transcript", ANSWER) "--x--\r\n",
              session.id);

    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        expect_error(send_body(world, &session, TYPES[i], body, 0),
                     ERROR_VALIDATION_ERROR);
    world_end(world);
}

Test(forms, a_broken_form_is_a_validation_error)
{
    static const char *const PARTS[] = {
        PART("session_id", "%s") PART("transcript", ANSWER) "--x",
        PART("session_id", "%s") PART("transcript", ANSWER) "--x-",
        PART("session_id", "%s") PART("transcript", ANSWER),
        PART("session_id", "%s") "--x\r\nContent-Disposition: form-data; "
                                 "name=\"transcript\"\r\n\r\n" ANSWER,
        PART("session_id", "%s") "--x\r\nContent-Disposition: form-da",
        PART("session_id", "%s") "--x\r\n\r\n" ANSWER "\r\n--x--\r\n",
        PART("session_id", "%s") "--x\r\nContent-Disposition: form-data\r\n\r\n" ANSWER
                                 "\r\n--x--\r\n",
        PART("session_id", "%s") "--x\r\nno colon\r\n\r\n" ANSWER "\r\n--x--\r\n",
        "no parts at all",
        "--x--\r\n",
    };
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        const struct reply *reply = send_parts(world, &session, PARTS[i]);
        cr_assert(reply->status == 422, "form %zu got %d:\n%s", i, reply->status,
                  PARTS[i]);
        expect_error(reply, ERROR_VALIDATION_ERROR);
    }
    expect_number(get_session(world, &session), "data.turn_count", 0);
    world_end(world);
}

Test(forms, an_empty_body_is_a_validation_error)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    expect_error(send_body(world, &session, DIO_CONTENT_TYPE, "", 0),
                 ERROR_VALIDATION_ERROR);
    expect_error(send_body(world, &session, "application/json", "", 0),
                 ERROR_VALIDATION_ERROR);
    world_end(world);
}

Test(forms, a_doubled_field_is_a_bad_field)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    expect_bad_fields(send_parts(world, &session,
                                 PART("session_id", "%s") PART("transcript", ANSWER)
                                     PART("transcript", "other") "--x--\r\n"),
                      FIELDS_NAMED("transcript"));
    world_end(world);
}

/* Which of the two is meant nobody can know; and a name may be written with an escape. */
Test(forms, a_doubled_member_of_json_is_a_bad_field)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    const char *id = session.id;

    expect_bad_fields(send_body(world, &session, "application/json",
                                words(world,
                                      "{\"session_id\":\"%s\",\"transcript\":\"" ANSWER
                                      "\",\"transcript\":\"Other.\"}",
                                      id),
                                0),
                      FIELDS_NAMED("transcript"));
    expect_bad_fields(send_body(world, &session, "application/json",
                                words(world,
                                      "{\"session_id\":\"%s\",\"transcript\":\"" ANSWER
                                      "\",\"attempt\":null,\"\\u0061ttempt\":\"again\"}",
                                      id),
                                0),
                      FIELDS_NAMED("attempt"));
    expect_bad_fields(start_with(world,
                                 "{\"role\":\"nurse\",\"interview_type\":\"behavioural\","
                                 "\"difficulty\":\"easy\",\"question_count\":1,"
                                 "\"question_count\":2,\"role\":\"teacher\"}"),
                      FIELDS_NAMED("role", "question_count"));
    expect_bad_fields(ask(world, (struct request){.method = "POST",
                                                  .path = "/ask",
                                                  .content_type = "application/json",
                                                  .body = "{\"question\":\"a\","
                                                          "\"question\":\"b\"}"}),
                      FIELDS_NAMED("question"));
    expect_success(send_body(world, &session, "application/json",
                             words(world,
                                   "{\"session_id\":\"%s\",\"transcript\":\"" ANSWER
                                   "\",\"mine\":{\"transcript\":1,\"transcript\":2},"
                                   "\"mine\":[]}",
                                   id),
                             0));
    world_end(world);
}

Test(forms, a_missing_or_malformed_session_id_is_a_bad_field)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    expect_bad_fields(send_parts(world, &session, PART("transcript", ANSWER) "--x--\r\n"),
                      FIELDS_NAMED("session_id"));
    expect_bad_fields(send_body(world, &session, "application/json",
                                "{\"transcript\":\"" ANSWER "\"}", 0),
                      FIELDS_NAMED("session_id"));
    expect_bad_fields(send_body(world, &session, "application/json",
                                "{\"session_id\":5,\"transcript\":\"" ANSWER "\"}", 0),
                      FIELDS_NAMED("session_id"));
    world_end(world);
}

Test(forms, a_transcript_in_json_that_is_no_text_is_an_error)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    const char *number =
        words(world, "{\"session_id\":\"%s\",\"transcript\":5}", session.id);
    const char *nothing =
        words(world, "{\"session_id\":\"%s\",\"transcript\":null}", session.id);

    expect_bad_fields(send_body(world, &session, "application/json", number, 0),
                      FIELDS_NAMED("transcript"));
    expect_error(send_body(world, &session, "application/json", nothing, 0),
                 ERROR_MISSING_INPUT);
    world_end(world);
}

/* The reply to a transcript that is written with escapes of JSON. */
static const struct reply *send_escaped(struct world *world,
                                        const struct session *session,
                                        const char *transcript)
{
    return send_body(world, session, "application/json",
                     words(world, "{\"session_id\":\"%s\",\"transcript\":\"%s\"}",
                           session->id, transcript),
                     0);
}

Test(forms, half_a_surrogate_pair_in_json_is_no_text)
{
    static const char *const HALVES[] = {"I led \\ud800 it",        "I led \\uDFFF it",
                                         "I led \\ud83d\\u0041",    "\\ud83d",
                                         "I \\ude00\\ud83d led it", "\\\\\\ud800"};
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    for (size_t at = 0; at < sizeof HALVES / sizeof *HALVES; at++)
        expect_error(send_escaped(world, &session, HALVES[at]), ERROR_INVALID_TRANSCRIPT);
    const struct reply *reply =
        send_escaped(world, &session, "I led \\uD83D\\ude00 it, \\\\ud800 and \\ufffd");
    expect_success(reply);
    expect_text(reply, "data.transcript", "I led \U0001F600 it, \\ud800 and \ufffd");
    expect_bad_fields(start_with(world, "{\"role\":\"\\ud800\",\"interview_type\":\"a\","
                                        "\"difficulty\":\"easy\"}"),
                      FIELDS_NAMED("role:not_text"));
    world_end(world);
}

Test(forms, a_transcript_with_a_nul_is_invalid)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);
    const char *json =
        words(world, "{\"session_id\":\"%s\",\"transcript\":\"a\\u0000b\"}", session.id);
    const char *form =
        words(world, PART("session_id", "%s") PART("transcript", "a.b") "--x--\r\n",
              session.id);
    size_t size = strlen(form);
    *strstr(form, "a.b\r\n--x--") = 'a';
    *(strstr(form, "a.b\r\n--x--") + 1) = '\0';

    expect_error(send_body(world, &session, "application/json", json, 0),
                 ERROR_INVALID_TRANSCRIPT);
    expect_error(
        send_body(world, &session, "multipart/form-data; boundary=x", form, size),
        ERROR_INVALID_TRANSCRIPT);
    world_end(world);
}

Test(forms, a_transcript_is_bounded_in_characters)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    expect_success(answer(world, &session, repeated(world, "\u4e2d", 8000)));
    expect_error(answer(world, &session, repeated(world, "\u4e2d", 8001)),
                 ERROR_INVALID_TRANSCRIPT);
    expect_error(answer(world, &session, repeated(world, "word ", 40000)),
                 ERROR_INVALID_TRANSCRIPT);
    world_end(world);
}

/* The reply to a recording whose part says this of itself. */
static const struct reply *send_recording(struct world *world,
                                          const struct session *session, const char *type,
                                          const char *name)
{
    char recording[RECORDING_BYTES];

    make_recording(3, recording);
    return send_form(world, session,
                     (struct form){.audio = recording,
                                   .audio_size = sizeof recording,
                                   .audio_type = type,
                                   .audio_name = name});
}

Test(forms, a_recording_is_known_by_its_type_or_by_its_name)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    expect_error(send_recording(world, &session, "audio/mp4", "a.m4a"),
                 ERROR_STT_NOT_CONFIGURED);
    expect_error(send_recording(world, &session, "AUDIO/MP4", "a"),
                 ERROR_STT_NOT_CONFIGURED);
    expect_error(send_recording(world, &session, "application/octet-stream", "a.M4A"),
                 ERROR_STT_NOT_CONFIGURED);
    expect_error(send_recording(world, &session, NULL, "a.m4a"),
                 ERROR_STT_NOT_CONFIGURED);
    world_end(world);
}

Test(forms, what_does_not_say_that_it_is_a_recording_is_invalid_audio)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    expect_error(send_recording(world, &session, "text/plain", "a.m4a"),
                 ERROR_INVALID_AUDIO);
    expect_error(send_recording(world, &session, "video/mp4", "a.mp4"),
                 ERROR_INVALID_AUDIO);
    expect_error(send_recording(world, &session, "application/octet-stream", "a.txt"),
                 ERROR_INVALID_AUDIO);
    expect_error(send_recording(world, &session, NULL, "a"), ERROR_INVALID_AUDIO);
    world_end(world);
}

Test(forms, a_container_that_is_not_what_the_part_says_is_invalid_audio)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);

    expect_error(send_recording(world, &session, "audio/webm", "a.webm"),
                 ERROR_INVALID_AUDIO);
    expect_error(send_recording(world, &session, "audio/wav", "a.wav"),
                 ERROR_INVALID_AUDIO);
    world_end(world);
}

Test(forms, with_a_transcript_the_recording_is_not_transcribed)
{
    struct world *world = world_with_builtin_coach();
    struct session session = start_session(world, 3);

    const struct reply *reply =
        send_form(world, &session, form_with_recording(world, 3, ANSWER));

    expect_success(reply);
    expect_text(reply, "data.transcript", ANSWER);
    world_end(world);
}

Test(forms, a_recording_of_exactly_the_limit_is_taken_and_one_more_byte_is_not)
{
    struct world *world = world_with_groq("MAX_AUDIO_BYTES=5000");
    struct session session = start_session(world, 3);
    char *recording = calloc(1, 5001);
    make_recording(1, recording);
    struct form form = {
        .audio = recording, .audio_size = 5000, .audio_type = "audio/mp4"};

    expect_error(send_form(world, &session, form), ERROR_STT_NOT_CONFIGURED);
    form.audio_size = 5001;
    expect_error(send_form(world, &session, form), ERROR_FILE_TOO_LARGE);
    free(recording);
    world_end(world);
}

Test(forms, a_recording_of_ten_megabytes_is_taken)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    char *recording = calloc(1, 10 * 1024 * 1024);
    make_recording(1, recording);

    expect_error(send_form(world, &session,
                           (struct form){.audio = recording,
                                         .audio_size = 10 * 1024 * 1024,
                                         .audio_type = "audio/mp4"}),
                 ERROR_STT_NOT_CONFIGURED);
    free(recording);
    world_end(world);
}

Test(forms, a_body_that_ends_before_its_length_commits_nothing)
{
    struct world *world = world_with_groq();
    struct session session = start_session(world, 3);
    struct connection *connection =
        begin(world, (struct request){.method = "POST",
                                      .path = "/turn",
                                      .token = session.token,
                                      .content_type = DIO_CONTENT_TYPE,
                                      .headers = "Content-Length: 5000\r\n"});
    connection_send_text(connection, "--" DIO_BOUNDARY "\r\n");
    connection_half_close(connection);

    const struct reply *reply = receive(world, connection, "POST");

    if (reply)
        expect_error(reply, ERROR_VALIDATION_ERROR);
    connection_close(connection);
    expect_number(get_session(world, &session), "data.turn_count", 0);
    world_end(world);
}
