/*
 * What comes of a turn's body.
 */
#include "transcriber.h"
#include "upload_internal.h"
#include "wav.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define ID   "0b9e0a52-3c1f-4a53-9a8e-3f6f7f3c8d11"
#define FORM "multipart/form-data; boundary=B"
#define FIELD(name, value) \
    "--B\r\nContent-Disposition: form-data; name=" name "\r\n\r\n" value "\r\n"
#define AUDIO(type, value)                                                      \
    "--B\r\nContent-Disposition: form-data; name=audio; filename=\"a.m4a\"\r\n" \
    "Content-Type: " type "\r\n\r\n" value "\r\n"
#define MP4 "....ftypM4A ...."

static const struct settings settings = {
    .max_audio_bytes = 64, .max_audio_s = 2, .max_transcript_chars = 10};
static const struct digest_key key = {{7}};

struct outcome {
    enum error error;
    struct field_errors errors;
    const char *fault; /* of the recording */
    struct turn_request request;
};

static struct outcome upload_on(struct upload_terms terms, const char *type,
                                struct span body, struct headers headers)
{
    struct outcome outcome = {.request.session_id = {ID}};
    struct upload *upload = NULL;

    terms.settings = terms.settings != NULL ? terms.settings : &settings;
    terms.input_key = &key;
    outcome.error = upload_new(&terms, span_of(type), &upload, &outcome.errors);
    if (outcome.error == OK)
        outcome.error = upload_take(upload, body);
    if (outcome.error == OK)
        outcome.error =
            upload_finish(upload, &headers, &outcome.request, &outcome.errors);
    if (outcome.error == ERROR_INVALID_AUDIO)
        outcome.fault = upload_audio_fault(upload);
    upload_free(upload);
    return outcome;
}

static struct outcome upload_with(const char *type, const char *body,
                                  struct headers headers)
{
    return upload_on((struct upload_terms){0}, type, span_of(body), headers);
}

static struct outcome upload(const char *type, const char *body)
{
    return upload_with(type, body, (struct headers){0});
}

static void expect_error(const char *type, const char *body, enum error error)
{
    struct outcome outcome = upload(type, body);

    cr_expect_eq(outcome.error, error, "%d for %s", (int)outcome.error, body);
    private_text_free(&outcome.request.transcript);
}

static void expect_field_error(const char *type, const char *body, const char *field,
                               const char *reason)
{
    struct outcome outcome = upload(type, body);

    cr_assert_eq(outcome.error, ERROR_VALIDATION_ERROR, "%d for %s", (int)outcome.error,
                 body);
    cr_assert_eq(outcome.errors.count, 1, "for %s", body);
    cr_expect_str_eq(outcome.errors.list[0].field, field);
    cr_expect_str_eq(outcome.errors.list[0].reason, reason);
    private_text_free(&outcome.request.transcript);
}

static struct outcome expect_good(const char *type, const char *body)
{
    struct outcome outcome = upload(type, body);

    cr_expect_eq(outcome.error, OK, "%d for %s", (int)outcome.error, body);
    private_text_free(&outcome.request.transcript);
    return outcome;
}

Test(upload, the_same_answer_is_the_same_input_in_any_order_and_form)
{
    struct outcome one =
        expect_good(FORM, FIELD("session_id", ID) FIELD("transcript", "hello") "--B--");
    struct outcome other = expect_good(FORM, FIELD("transcript", "hello") FIELD("x", "y")
                                                 FIELD("session_id", ID) "--B--");
    struct outcome json =
        expect_good("application/json; charset=utf-8",
                    "{\"transcript\":\"hello\",\"session_id\":\"" ID "\"}");

    cr_expect(one.request.input.has_transcript);
    cr_expect(
        digest_equals(&one.request.input.transcript, &other.request.input.transcript));
    cr_expect(
        digest_equals(&one.request.input.transcript, &json.request.input.transcript));
}

Test(upload, the_session_id_may_be_in_any_case)
{
    expect_good(FORM, FIELD("session_id", "0B9E0A52-3C1F-4A53-9A8E-3F6F7F3C8D11")
                          FIELD("transcript", "hello") "--B--");
    expect_error(FORM,
                 FIELD("session_id", "1b9e0a52-3c1f-4a53-9a8e-3f6f7f3c8d11")
                     FIELD("transcript", "hello") "--B--",
                 ERROR_SESSION_ID_MISMATCH);
}

Test(upload, bad_fields_are_validation_errors)
{
    expect_field_error(FORM, FIELD("transcript", "a") "--B--", "session_id", "required");
    expect_field_error(FORM, FIELD("session_id", "x") "--B--", "session_id",
                       "not_a_uuid");
    expect_field_error(FORM, FIELD("session_id", ID) FIELD("session_id", ID) "--B--",
                       "session_id", "doubled");
    expect_field_error(FORM,
                       FIELD("session_id", ID) FIELD("transcript", "a")
                           FIELD("transcript", "a") "--B--",
                       "transcript", "doubled");
    expect_field_error(FORM, FIELD("session_id", ID) FIELD("transcript", "a"), "body",
                       "truncated");
    expect_field_error("multipart/form-data", "", "Content-Type", "bad_boundary");
    expect_field_error("application/json", "{", "body", "not_a_json_object");
    expect_field_error("application/json", "[]", "body", "not_a_json_object");
    expect_field_error("application/json", "{\"session_id\":\"" ID "\",\"transcript\":7}",
                       "transcript", "not_a_string");
}

Test(upload, other_kinds_of_body_are_not_taken)
{
    expect_error("", "", ERROR_UNSUPPORTED_MEDIA_TYPE);
    expect_error("text/plain", "hello", ERROR_UNSUPPORTED_MEDIA_TYPE);
    expect_error("application/x-www-form-urlencoded", "a=b",
                 ERROR_UNSUPPORTED_MEDIA_TYPE);
}

Test(upload, a_transcript_has_a_bound_in_characters)
{
    expect_good(FORM, FIELD("session_id", ID)
                          FIELD("transcript", "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
                                              "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
                                              "\xc3\xa9\xc3\xa9") "--B--");
    expect_error(FORM, FIELD("session_id", ID) FIELD("transcript", "12345678901") "--B--",
                 ERROR_INVALID_TRANSCRIPT);
    expect_error(FORM, FIELD("session_id", ID) FIELD("transcript", "a\xff") "--B--",
                 ERROR_INVALID_TRANSCRIPT);
    expect_error("application/json",
                 "{\"session_id\":\"" ID "\",\"transcript\":\"a\\u0000b\"}",
                 ERROR_INVALID_TRANSCRIPT);
}

Test(upload, a_blank_transcript_counts_as_none)
{
    expect_error(FORM,
                 FIELD("session_id", ID) FIELD("transcript", " \t\r\n\xc2\xa0") "--B--",
                 ERROR_MISSING_INPUT);
    expect_error(FORM, FIELD("session_id", ID) "--B--", ERROR_MISSING_INPUT);
}

Test(upload, a_recording_is_checked_unless_there_is_a_transcript)
{
    struct outcome outcome =
        expect_good(FORM, FIELD("session_id", ID) AUDIO("audio/mp4", MP4) "--B--");

    cr_expect(outcome.request.input.has_audio);
    cr_expect_eq(outcome.request.container, AUDIO_MP4);
    cr_expect_not(outcome.request.input.has_transcript);
    expect_error(FORM, FIELD("session_id", ID) AUDIO("audio/webm", MP4) "--B--",
                 ERROR_INVALID_AUDIO);
    expect_error(FORM, FIELD("session_id", ID) AUDIO("audio/mp4", "") "--B--",
                 ERROR_INVALID_AUDIO);
    expect_good(FORM, FIELD("session_id", ID) AUDIO("text/plain", "x")
                          FIELD("transcript", "hello") "--B--");
}

Test(upload, equal_recordings_have_equal_digests_and_an_empty_one_has_none)
{
    struct outcome one =
        expect_good(FORM, FIELD("session_id", ID) AUDIO("audio/mp4", MP4) "--B--");
    struct outcome same =
        expect_good(FORM, AUDIO("audio/m4a", MP4) FIELD("session_id", ID) "--B--");
    struct outcome other =
        expect_good(FORM, FIELD("session_id", ID) AUDIO("audio/mp4", MP4 "x") "--B--");
    struct outcome empty =
        expect_good(FORM, FIELD("session_id", ID) AUDIO("audio/mp4", "")
                              FIELD("transcript", "a") "--B--");

    cr_expect(digest_equals(&one.request.input.audio, &same.request.input.audio));
    cr_expect_not(digest_equals(&one.request.input.audio, &other.request.input.audio));
    cr_expect_not(empty.request.input.has_audio);
}

static struct outcome hear(const char *body, int64_t body_bytes)
{
    return upload_on((struct upload_terms){.can_hear = true, .body_bytes = body_bytes},
                     FORM, span_of(body), (struct headers){0});
}

static void forget(struct outcome *outcome)
{
    private_text_free(&outcome->request.transcript);
    buffer_done(&outcome->request.recording);
}

static bool is_kept(const struct outcome *outcome, const char *bytes)
{
    const struct buffer *recording = &outcome->request.recording;

    return span_equals((struct span){recording->bytes, recording->length}, bytes);
}

Test(upload, a_recording_that_must_be_heard_is_kept_with_room_for_the_vendor)
{
    static const int64_t ANNOUNCED[] = {-1, 0, 300, INT64_MAX / 2};

    for (size_t i = 0; i < sizeof(ANNOUNCED) / sizeof(ANNOUNCED[0]); i++) {
        struct outcome outcome =
            hear(FIELD("session_id", ID) AUDIO("audio/mp4", MP4) "--B--", ANNOUNCED[i]);
        struct buffer *recording = &outcome.request.recording;

        cr_assert_eq(outcome.error, OK);
        cr_expect(is_kept(&outcome, MP4));
        cr_expect_not_null(buffer_reserve(recording, TRANSCRIBER_ROOM_BYTES));
        forget(&outcome);
    }
}

Test(upload, a_blank_transcript_does_not_stand_in_for_the_recording)
{
    struct outcome outcome = hear(FIELD("session_id", ID) FIELD("transcript", " \xc2\xa0")
                                      AUDIO("audio/mp4", MP4) "--B--",
                                  -1);

    cr_assert_eq(outcome.error, OK);
    cr_expect(is_kept(&outcome, MP4));
    forget(&outcome);
}

Test(upload, a_recording_beside_a_transcript_is_not_kept_in_either_order)
{
    struct outcome before = hear(FIELD("session_id", ID) AUDIO("audio/mp4", MP4)
                                     FIELD("transcript", "hello") "--B--",
                                 -1);
    struct outcome behind = hear(FIELD("session_id", ID) FIELD("transcript", "hello")
                                     AUDIO("audio/mp4", MP4) "--B--",
                                 -1);

    cr_assert(before.error == OK && behind.error == OK);
    cr_expect(is_kept(&before, "") && is_kept(&behind, ""));
    cr_expect(before.request.input.has_audio && behind.request.input.has_audio);
    forget(&before);
    forget(&behind);
}

Test(upload, a_recording_that_nobody_can_hear_is_checked_and_not_kept)
{
    struct outcome outcome =
        expect_good(FORM, FIELD("session_id", ID) AUDIO("audio/mp4", MP4) "--B--");

    cr_expect(is_kept(&outcome, "") && outcome.request.input.has_audio);
}

Test(upload, what_is_wrong_with_a_recording_is_said)
{
    static const struct {
        const char *type, *bytes, *fault;
    } CASES[] = {
        {"audio/mp4", "", "empty"},
        {"audio/mp4", "hello", "not_audio"},
        {"text/plain", MP4, "not_audio"},
        {"audio/webm", MP4, "other_container"},
    };
    char body[512];

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct outcome outcome;

        snprintf(body, sizeof(body), FIELD("session_id", ID) AUDIO("%s", "%s") "--B--",
                 CASES[i].type, CASES[i].bytes);
        outcome = upload(FORM, body);
        cr_assert_eq(outcome.error, ERROR_INVALID_AUDIO, "case %zu", i);
        cr_expect_str_eq(outcome.fault, CASES[i].fault);
    }
}

/* 8-bit samples, 100 a second: a byte is 10 ms. */
static struct outcome hear_wave(uint32_t samples)
{
    static const struct settings roomy = {
        .max_audio_bytes = 4096, .max_audio_s = 2, .max_transcript_chars = 10};
    const struct wav wave = {1, 1, 100, 100, 1, 8, {NULL, 0}};
    struct outcome outcome;
    struct buffer body;

    buffer_init(&body, 8192);
    buffer_append_string(&body, FIELD("session_id", ID));
    buffer_append_string(&body, "--B\r\nContent-Disposition: form-data; name=audio\r\n"
                                "Content-Type: audio/wav\r\n\r\n");
    wav_write_header(&body, &wave, samples);
    for (uint32_t i = 0; i < samples; i++)
        buffer_append_char(&body, '.');
    buffer_append_string(&body, "\r\n--B--");
    outcome = upload_on((struct upload_terms){.settings = &roomy, .can_hear = true}, FORM,
                        (struct span){body.bytes, body.length}, (struct headers){0});
    buffer_done(&body);
    forget(&outcome);
    return outcome;
}

Test(upload, a_recording_has_a_longest_duration_and_a_recorder_may_be_a_little_late)
{
    cr_expect_eq(hear_wave(200).error, OK);
    cr_expect_eq(hear_wave(250).error, OK);
    cr_assert_eq(hear_wave(251).error, ERROR_INVALID_AUDIO);
    cr_expect_str_eq(hear_wave(251).fault, "too_long");
}

static int64_t counted_ms(const char *type, const char *bytes)
{
    char body[512];
    struct outcome outcome;
    int64_t counted;

    snprintf(body, sizeof(body), FIELD("session_id", ID) AUDIO("%s", "%s") "--B--", type,
             bytes);
    outcome = hear(body, -1);
    cr_assert_eq(outcome.error, OK);
    counted = outcome.request.audio_ms;
    forget(&outcome);
    return counted;
}

/* MP4 is but the beginning of a recording: 32 kbit/s are 4 bytes a millisecond. */
Test(upload, a_recording_counts_what_it_lasts_or_what_its_bytes_might)
{
    struct outcome unheard =
        expect_good(FORM, FIELD("session_id", ID) AUDIO("audio/mp4", MP4) "--B--");

    cr_expect_eq(hear_wave(200).request.audio_ms, 2000);
    cr_expect_eq(counted_ms("audio/mp4", MP4), (int64_t)strlen(MP4) / 4);
    cr_expect_eq(unheard.request.audio_ms, 0);
}

Test(upload, reading_stops_where_a_recording_is_too_long)
{
    char body[256];

    snprintf(body, sizeof(body), AUDIO("audio/mp4", "%065d"), 0);
    expect_error(FORM, body, ERROR_FILE_TOO_LARGE);
}

static struct outcome upload_with_key(const char *name, const char *body)
{
    struct outcome outcome =
        upload_with(FORM, body, (struct headers){.idempotency_key = span_of(name)});

    private_text_free(&outcome.request.transcript);
    return outcome;
}

Test(upload, an_idempotency_key_comes_with_the_fingerprint_of_fields_and_values)
{
    struct outcome one =
        upload_with_key("k", FIELD("session_id", ID) FIELD("transcript", "a") "--B--");
    struct outcome same =
        upload_with_key("k", FIELD("transcript", "a") FIELD("session_id", ID) "--B--");
    struct outcome other =
        upload_with_key("k", FIELD("session_id", ID) FIELD("transcript", "b") "--B--");
    struct store_key *keys[] = {&one.request.input.key, &same.request.input.key,
                                &other.request.input.key};

    cr_expect(keys[0]->is_there && keys[1]->is_there && keys[2]->is_there);
    cr_expect(digest_equals(&keys[0]->key, &keys[2]->key));
    cr_expect(digest_equals(&keys[0]->fingerprint, &keys[1]->fingerprint));
    cr_expect_not(digest_equals(&keys[0]->fingerprint, &keys[2]->fingerprint));
}

Test(upload, a_bad_idempotency_key_is_a_bad_field)
{
    static const char *const KEYS[] = {"", "a b", "caf\xc3\xa9", "a\tb"};
    char long_key[257];

    for (size_t i = 0; i < sizeof(KEYS) / sizeof(KEYS[0]); i++)
        cr_expect_eq(upload_with_key(KEYS[i], FIELD("session_id", ID)
                                                  FIELD("transcript", "a") "--B--")
                         .error,
                     ERROR_VALIDATION_ERROR, "of %s", KEYS[i]);
    memset(long_key, 'k', 256);
    long_key[256] = '\0';
    cr_expect_eq(upload_with_key(long_key,
                                 FIELD("session_id", ID) FIELD("transcript", "a") "--B--")
                     .error,
                 ERROR_VALIDATION_ERROR);
    long_key[255] = '\0';
    cr_expect_eq(upload_with_key(long_key,
                                 FIELD("session_id", ID) FIELD("transcript", "a") "--B--")
                     .error,
                 OK);
}
