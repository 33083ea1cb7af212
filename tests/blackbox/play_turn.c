/*
 * POST /turn as the mobile app sends it: a form as Dio writes it
 * (dio/lib/src/form_data.dart of https://github.com/cfug/dio, and HttpClient of dart:io,
 * which lower-cases header names).
 */
#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"

static bool is_ascii(const char *text)
{
    while (*text && (unsigned char)*text < 0x80)
        text++;
    return *text == '\0';
}

static void add_field(struct bytes *body, const char *name, const char *value)
{
    bytes_addf(body,
               "--" DIO_BOUNDARY "\r\ncontent-disposition: form-data; name=\"%s\"\r\n",
               name);
    if (!is_ascii(value))
        bytes_add_text(body, "content-type: text/plain; charset=utf-8\r\n"
                             "content-transfer-encoding: binary\r\n");
    bytes_addf(body, "\r\n%s\r\n", value);
}

static void add_audio(struct bytes *body, const struct form *form)
{
    bytes_addf(body,
               "--" DIO_BOUNDARY "\r\ncontent-disposition: form-data; name=\"audio\"; "
               "filename=\"%s\"\r\n",
               form->audio_name ? form->audio_name : "recording.m4a");
    if (form->audio_type)
        bytes_addf(body, "content-type: %s\r\n", form->audio_type);
    bytes_add_text(body, "\r\n");
    bytes_add(body, form->audio, form->audio_size);
    bytes_add_text(body, "\r\n");
}

struct bytes dio_form(const struct form *form)
{
    struct bytes body = {0};

    if (form->session_id)
        add_field(&body, "session_id", form->session_id);
    if (form->transcript)
        add_field(&body, "transcript", form->transcript);
    if (form->attempt)
        add_field(&body, "attempt", form->attempt);
    if (form->audio)
        add_audio(&body, form);
    bytes_add_text(&body, "--" DIO_BOUNDARY "--\r\n");
    return body;
}

static struct connection *begin_form(struct world *world, const struct session *session,
                                     struct form form, const char *headers)
{
    if (!form.session_id)
        form.session_id = session->id;
    struct bytes body = dio_form(&form);
    struct connection *connection =
        begin(world, (struct request){.method = "POST",
                                      .path = "/turn",
                                      .token = session->token,
                                      .headers = headers,
                                      .content_type = DIO_CONTENT_TYPE,
                                      .body = body.data,
                                      .body_size = body.size});
    bytes_free(&body);
    return connection;
}

struct bytes turn_bytes(const struct session *session, const char *transcript)
{
    struct bytes body =
        dio_form(&(struct form){.session_id = session->id, .transcript = transcript});
    struct bytes bytes = request_bytes(&(struct request){.method = "POST",
                                                         .path = "/turn",
                                                         .token = session->token,
                                                         .content_type = DIO_CONTENT_TYPE,
                                                         .body = body.data,
                                                         .body_size = body.size});

    bytes_free(&body);
    return bytes;
}

const struct reply *send_form(struct world *world, const struct session *session,
                              struct form form)
{
    return finish(world, begin_form(world, session, form, NULL));
}

struct connection *begin_answer_with(struct world *world, const struct session *session,
                                     const char *transcript, const char *headers)
{
    return begin_form(world, session, (struct form){.transcript = transcript}, headers);
}

struct connection *begin_answer(struct world *world, const struct session *session,
                                const char *transcript)
{
    return begin_answer_with(world, session, transcript, NULL);
}

const struct reply *answer_with(struct world *world, const struct session *session,
                                const char *transcript, const char *headers)
{
    return finish(world, begin_answer_with(world, session, transcript, headers));
}

const struct reply *answer(struct world *world, const struct session *session,
                           const char *transcript)
{
    return answer_with(world, session, transcript, NULL);
}

struct connection *begin_answer_again(struct world *world, const struct session *session,
                                      const char *transcript)
{
    return begin_form(world, session,
                      (struct form){.transcript = transcript, .attempt = "again"}, NULL);
}

const struct reply *answer_again(struct world *world, const struct session *session,
                                 const char *transcript)
{
    return finish(world, begin_answer_again(world, session, transcript));
}

struct connection *begin_to_finish(struct world *world, const struct session *session)
{
    return begin(world,
                 (struct request){.method = "POST",
                                  .path = words(world, "/session/%s/finish", session->id),
                                  .token = session->token,
                                  .headers = "Content-Length: 0\r\n"});
}

const struct reply *finish_session(struct world *world, const struct session *session)
{
    return finish(world, begin_to_finish(world, session));
}

const struct reply *report_of(struct world *world, const struct session *session,
                              const char *accept)
{
    struct connection *connection = begin(
        world, (struct request){.method = "GET",
                                .path = words(world, "/session/%s/report", session->id),
                                .token = session->token,
                                .headers = accept == NULL
                                               ? NULL
                                               : words(world, "Accept: %s\r\n", accept)});
    const struct reply *reply = receive(world, connection, "GET");

    connection_close(connection);
    if (accept == NULL)
        expect_envelope(reply);
    return reply;
}

const struct reply *answer_when_free(struct world *world, const struct session *session,
                                     const char *transcript)
{
    const struct reply *reply = answer(world, session, transcript);

    for (int tries = 0; tries < 100 && reply->status == 409; tries++) {
        expect_error(reply, ERROR_TURN_IN_PROGRESS);
        poll(NULL, 0, 100); /* as the app does: there is nothing to wait for */
        reply = answer(world, session, transcript);
    }
    return reply;
}

/* ftyp box of an .m4a file, then a media data box of other bytes for each `which`. */
void make_recording(unsigned char which, char ret_bytes[RECORDING_BYTES])
{
    static const char ftyp[] = "\0\0\0\x1c"
                               "ftypM4A \0\0\2\0isomiso2mp41"
                               "\0\0\2\x3c"
                               "mdat";
    memset(ret_bytes, which, RECORDING_BYTES);
    memcpy(ret_bytes, ftyp, sizeof ftyp - 1);
}

struct form form_with_recording(struct world *world, unsigned char which,
                                const char *transcript)
{
    char *recording = calloc(1, RECORDING_BYTES);

    cr_assert_not_null(recording);
    world_keep(world, recording, free);
    make_recording(which, recording);
    return (struct form){.transcript = transcript,
                         .audio = recording,
                         .audio_size = RECORDING_BYTES,
                         .audio_type = "audio/mp4"};
}
