/*
 * Recordings of candidates, and fetching what is said to them.
 */
#include "voice.h"

#include <criterion/criterion.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

static void free_bytes(void *thing)
{
    struct bytes *bytes = thing;

    bytes_free(bytes);
    free(bytes);
}

static struct bytes *keep_bytes(struct world *world)
{
    struct bytes *bytes = calloc(1, sizeof *bytes);

    cr_assert_not_null(bytes);
    return world_keep(world, bytes, free_bytes);
}

static const char *type_of(const char *name)
{
    static const struct {
        const char *extension;
        const char *type;
    } TYPES[] = {{".m4a", "audio/mp4"}, {".webm", "audio/webm"}, {".ogg", "audio/ogg"},
                 {".wav", "audio/wav"}, {".flac", "audio/flac"}, {".mp3", "audio/mpeg"},
                 {".aac", "audio/aac"}};

    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        if (strcmp(strrchr(name, '.'), TYPES[i].extension) == 0)
            return TYPES[i].type;
    }
    cr_assert_fail("no type for %s", name);
    return NULL;
}

struct form recording_of(struct world *world, const char *name)
{
    struct bytes *bytes = keep_bytes(world);

    cr_assert(bytes_add_file(bytes, words(world, "%s/%s", RECORDINGS, name)),
              "no recording %s", name);
    return (struct form){.audio = bytes->data,
                         .audio_size = bytes->size,
                         .audio_type = type_of(name),
                         .audio_name = name};
}

struct form new_recording(struct world *world, int which)
{
    struct form form = recording_of(world, "wave.wav");
    char *bytes = (char *)form.audio;

    memcpy(bytes + form.audio_size - sizeof which, &which, sizeof which);
    return form;
}

struct connection *begin_to_say(struct world *world, const struct session *session,
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

const struct reply *say_with(struct world *world, const struct session *session,
                             struct form form, const char *headers)
{
    return finish(world, begin_to_say(world, session, form, headers));
}

const struct reply *say(struct world *world, const struct session *session,
                        struct form form)
{
    return say_with(world, session, form, NULL);
}

/* ---- speech ---- */

struct audio mp3_with(struct world *world, const char *mark)
{
    struct bytes *bytes = keep_bytes(world);

    cr_assert(bytes_add_file(bytes, RECORDINGS "/cbr.mp3"));
    memcpy(bytes->data + 150, mark, strlen(mark));
    return (struct audio){bytes->data, bytes->size, "audio/mpeg"};
}

static void add_number(struct bytes *bytes, unsigned long number, int size)
{
    for (; size > 0; size--, number >>= 8)
        bytes_add(bytes, &(unsigned char){(unsigned char)number}, 1);
}

/* 16-bit samples of one channel at 24 kHz, as Groq's Orpheus has it. */
struct audio wav_with(struct world *world, const char *mark, size_t sample_bytes)
{
    struct bytes *bytes = keep_bytes(world);
    size_t mark_size = strlen(mark);

    bytes_add(bytes, "RIFF", 4);
    add_number(bytes, 36 + sample_bytes, 4);
    bytes_add(bytes, "WAVEfmt \x10\0\0\0\1\0\1\0", 16);
    add_number(bytes, 24000, 4);
    add_number(bytes, 48000, 4);
    bytes_add(bytes, "\2\0\x10\0data", 8);
    add_number(bytes, sample_bytes, 4);
    for (size_t i = 0; i < sample_bytes; i++)
        bytes_add(bytes, i < mark_size ? &mark[i] : "\x11", 1);
    return (struct audio){bytes->data, bytes->size, "audio/wav"};
}

const struct reply *answer_aloud(struct world *world, const struct session *session,
                                 const char *question)
{
    upstream_will_ask(world->upstream, question);
    const struct reply *reply = answer(world, session, ANSWER);

    expect_success(reply);
    expect_text(reply, "data.assistant_text", question);
    return reply;
}

const char *speech_path(const struct reply *turn)
{
    const char *path = text_at(turn, "data.tts_audio_url");

    cr_assert(strncmp(path, "/tts/", 5) == 0, "%s", path);
    return path;
}

const struct reply *fetch(struct world *world, const struct session *session,
                          const char *method, const char *path, const char *headers)
{
    struct connection *connection =
        begin(world, (struct request){.method = method,
                                      .path = path,
                                      .token = session ? session->token : NULL,
                                      .headers = headers});
    const struct reply *reply = receive(world, connection, method);

    connection_close(connection);
    cr_assert_not_null(reply, "no whole response came");
    cr_assert(reply_header_count(reply, "X-Request-ID") == 1, "%s", reply->head.data);
    return reply;
}

void expect_speech(const struct reply *reply, struct audio audio)
{
    cr_assert(reply->status == 200, "%s%s", reply->head.data, reply->body.data);
    expect_header(reply, "Content-Type", audio.type);
    cr_assert(reply->body.size == audio.size &&
                  memcmp(reply->body.data, audio.bytes, audio.size) == 0,
              "%zu bytes that are not the %zu that were spoken", reply->body.size,
              audio.size);
}

void expect_no_speech(const struct reply *reply)
{
    expect_error(reply, ERROR_TTS_AUDIO_NOT_FOUND);
    expect_null(reply, "error.details");
}

struct audio streamed_audio(struct world *world, const struct bytes *stream)
{
    static const char EVENT[] = "event: audio\ndata: ";
    struct audio audio = {0};
    struct bytes *bytes = keep_bytes(world);

    for (const char *at = stream->data; (at = strstr(at, EVENT)); at += sizeof EVENT) {
        const char *data = at + sizeof EVENT - 1;
        struct json_object *json =
            json_tokener_parse(words(world, "%.*s", (int)strcspn(data, "\n"), data));
        const char *base64 = json_object_get_string(json_at(json, "audio_base64"));
        const char *type = json_object_get_string(json_at(json, "content_type"));
        size_t size = strlen(base64);

        bytes_free(bytes);
        bytes_add(bytes, base64, size);
        expect_keys(json, FIELDS_NAMED("content_type", "audio_base64"));
        cr_assert(EVP_DecodeBlock((unsigned char *)bytes->data,
                                  (const unsigned char *)base64, (int)size) >= 0);
        audio = (struct audio){bytes->data,
                               size / 4 * 3 - (strlen(base64) - strcspn(base64, "=")),
                               words(world, "%s", type)};
        json_object_put(json);
    }
    return audio;
}

void expect_streamed(struct world *world, const struct bytes *stream, struct audio audio)
{
    struct audio got = streamed_audio(world, stream);

    cr_assert(got.size == audio.size && memcmp(got.bytes, audio.bytes, audio.size) == 0,
              "%zu bytes that are not the %zu that were spoken", got.size, audio.size);
    cr_assert_str_eq(got.type, audio.type);
}
