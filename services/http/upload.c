/*
 * The body of POST /turn, in pieces, to a request for a turn.
 */
#include "upload_internal.h"

#include "form_internal.h"
#include "json.h"
#include "mem.h"
#include "multipart_internal.h"
#include "parameters_internal.h"
#include "private_reveal.h"
#include "recording_internal.h"
#include "utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ID_BYTES      64    /* more than a UUID has: what is longer is none */
#define MAX_WORD_BYTES    64    /* likewise of `attempt` */
#define MAX_UTF8_BYTES    4     /* of one character */
#define MAX_ESCAPED_BYTES 12    /* of one character in JSON: \uD83D\uDE00 */
#define FORM_BYTES        65536 /* of a form beside its values */

enum field {
    FIELD_SESSION_ID,
    FIELD_TRANSCRIPT,
    FIELD_ATTEMPT,
    FIELD_AUDIO,
    FIELD_COUNT,
    FIELD_OTHER
};

static const char *const field_names[FIELD_COUNT] = {"session_id", "transcript",
                                                     "attempt", "audio"};

struct upload {
    struct upload_terms terms;
    struct multipart *multipart; /* owned; NULL: the body is JSON */
    struct buffer json;
    enum field field; /* of the part that is being read */
    unsigned seen[FIELD_COUNT];
    struct buffer session_id;
    struct buffer transcript;
    struct buffer attempt;
    struct recording recording; /* `audio`, once it has begun */
    const char *audio_fault;    /* static; NULL: none was found */
    enum error error;           /* of the part that is being read */
};

static void begin_part(void *context, const struct multipart_part *part);
static void take_part(void *context, struct span bytes);
static void end_part(void *context);

static const struct multipart_events events = {
    .begin = begin_part,
    .bytes = take_part,
    .end = end_part,
};

int64_t upload_max_bytes(const struct settings *settings)
{
    return settings->max_audio_bytes +
           settings->max_transcript_chars * MAX_ESCAPED_BYTES + FORM_BYTES;
}

enum error upload_new(const struct upload_terms *terms, struct span content_type,
                      struct upload **ret_upload, struct field_errors *errors)
{
    struct span type = parameters_value(content_type);
    size_t max_chars = (size_t)terms->settings->max_transcript_chars;
    struct span boundary;
    struct upload *upload;

    if (span_equals_ignoring_case(type, "multipart/form-data")) {
        if (!multipart_boundary(content_type, &boundary)) {
            field_errors_add(errors, "Content-Type", "bad_boundary");
            return ERROR_VALIDATION_ERROR;
        }
    } else if (!span_equals_ignoring_case(type, "application/json")) {
        return ERROR_UNSUPPORTED_MEDIA_TYPE;
    } else {
        boundary = (struct span){NULL, 0};
    }

    upload = MEM_NEW(struct upload);
    upload->terms = *terms;
    buffer_init(&upload->json, max_chars * MAX_ESCAPED_BYTES + FORM_BYTES);
    buffer_init(&upload->session_id, MAX_ID_BYTES);
    buffer_init(&upload->transcript, max_chars * MAX_UTF8_BYTES);
    buffer_init(&upload->attempt, MAX_WORD_BYTES);
    if (boundary.length > 0) {
        upload->multipart = MEM_NEW(struct multipart);
        multipart_init(upload->multipart, boundary, &events, upload);
    }
    *ret_upload = upload;
    return OK;
}

enum error upload_take(struct upload *upload, struct span bytes)
{
    if (upload->multipart != NULL)
        multipart_take(upload->multipart, bytes);
    else if (!buffer_append(&upload->json, bytes.bytes, bytes.length))
        return ERROR_FILE_TOO_LARGE;
    return upload->error;
}

/* As far as is known: a transcript may still follow. */
static bool must_be_heard(const struct upload *upload)
{
    const struct buffer *text = &upload->transcript;

    return utf8_is_valid(text->bytes, text->length) &&
           utf8_is_blank(text->bytes, text->length);
}

static void begin_audio(struct upload *upload, const struct multipart_part *part)
{
    const struct upload_terms *terms = &upload->terms;

    recording_begin(&upload->recording, part, terms->input_key,
                    terms->settings->max_audio_bytes);
    if (terms->can_hear && must_be_heard(upload))
        recording_keep(&upload->recording, terms->body_bytes);
}

static void begin_part(void *context, const struct multipart_part *part)
{
    struct upload *upload = context;

    upload->field = FIELD_OTHER;
    for (enum field field = 0; field < FIELD_COUNT; field++) {
        if (strcmp(part->name, field_names[field]) == 0)
            upload->field = field;
    }
    if (upload->field == FIELD_OTHER)
        return;
    /* The first of its name is read; a second one is an error in any case. */
    if (upload->seen[upload->field]++ > 0)
        upload->field = FIELD_OTHER;
    else if (upload->field == FIELD_AUDIO)
        begin_audio(upload, part);
}

static void take_audio(struct upload *upload, struct span bytes)
{
    if (!recording_take(&upload->recording, bytes))
        upload->error = ERROR_FILE_TOO_LARGE;
}

static void take_part(void *context, struct span bytes)
{
    struct upload *upload = context;

    /* What does not fit into a buffer sets its is_over, which is looked at in the end. */
    switch (upload->field) {
    case FIELD_SESSION_ID:
        buffer_append(&upload->session_id, bytes.bytes, bytes.length);
        break;
    case FIELD_TRANSCRIPT:
        buffer_append(&upload->transcript, bytes.bytes, bytes.length);
        break;
    case FIELD_ATTEMPT: buffer_append(&upload->attempt, bytes.bytes, bytes.length); break;
    case FIELD_AUDIO: take_audio(upload, bytes); break;
    case FIELD_COUNT:
    case FIELD_OTHER: break;
    }
}

static void end_part(void *context)
{
    struct upload *upload = context;
    if (upload->field == FIELD_AUDIO)
        recording_end(&upload->recording);
    upload->field = FIELD_OTHER;
}

/* Members that are null count as not there. */
static void read_json(struct upload *upload, struct field_errors *errors)
{
    struct buffer *const values[] = {&upload->session_id, &upload->transcript,
                                     &upload->attempt};
    struct json_object *body;

    json_strike_lone_surrogates(upload->json.bytes, upload->json.length);
    body = json_parse(upload->json.bytes, upload->json.length, 8);
    if (!json_object_is_type(body, json_type_object)) {
        field_errors_add(errors, "body", "not_a_json_object");
    } else {
        field_errors_add_doubled(errors,
                                 (struct span){upload->json.bytes, upload->json.length},
                                 field_names, FIELD_COUNT);
        for (enum field field = FIELD_SESSION_ID; field <= FIELD_ATTEMPT; field++) {
            struct span value = json_member_string(body, field_names[field]);

            if (value.bytes != NULL)
                buffer_append(values[field], value.bytes, value.length);
            else if (json_member(body, field_names[field]) != NULL)
                field_errors_add(errors, field_names[field], "not_a_string");
            upload->seen[field] = value.bytes != NULL;
        }
        if (json_member(body, field_names[FIELD_AUDIO]) != NULL)
            field_errors_add(errors, "audio", "needs_multipart");
    }
    json_wipe_and_put(body);
}

static void check_fields(const struct upload *upload, struct field_errors *errors)
{
    struct id id;

    if (upload->multipart != NULL) {
        switch (multipart_finish(upload->multipart)) {
        case MULTIPART_GOOD: break;
        case MULTIPART_BAD_BOUNDARY:
            field_errors_add(errors, "body", "bad_boundary");
            break;
        case MULTIPART_BAD_HEADER:
            field_errors_add(errors, "body", "bad_part_header");
            break;
        case MULTIPART_TOO_MANY_PARTS:
            field_errors_add(errors, "body", "too_many_parts");
            break;
        case MULTIPART_TRUNCATED: field_errors_add(errors, "body", "truncated"); break;
        }
    }
    if (errors->count > 0)
        return;
    for (enum field field = 0; field < FIELD_COUNT; field++) {
        if (upload->seen[field] > 1)
            field_errors_add(errors, field_names[field], "doubled");
    }
    if (upload->seen[FIELD_SESSION_ID] == 0)
        field_errors_add(errors, "session_id", "required");
    else if (upload->session_id.is_over ||
             !id_parse(upload->session_id.bytes, upload->session_id.length, &id))
        field_errors_add(errors, "session_id", "not_a_uuid");
    if (upload->attempt.is_over ||
        (upload->attempt.length > 0 &&
         !span_equals((struct span){upload->attempt.bytes, upload->attempt.length},
                      "again")))
        field_errors_add(errors, "attempt", "not_a_choice");
}

static bool is_of_session(const struct upload *upload, const struct id *session_id)
{
    struct id id;

    if (!id_parse(upload->session_id.bytes, upload->session_id.length, &id))
        return false;
    id = id_lower(&id);
    return id_equals(&id, session_id);
}

static enum error check_transcript(const struct upload *upload)
{
    const struct buffer *text = &upload->transcript;

    if (text->is_over)
        return ERROR_INVALID_TRANSCRIPT;
    if (text->length == 0)
        return OK;
    if (!utf8_is_valid(text->bytes, text->length) ||
        utf8_count(text->bytes, text->length) >
            (size_t)upload->terms.settings->max_transcript_chars)
        return ERROR_INVALID_TRANSCRIPT;
    return OK;
}

/* Where there is a transcript a recording is only known again, not judged. */
static enum error take_answer(struct upload *upload, struct turn_request *request)
{
    struct recording *recording = &upload->recording;
    int64_t max_ms = upload->terms.settings->max_audio_s * 1000;
    int64_t duration_ms;

    request->transcript = private_text_take(&upload->transcript);
    if (!private_text_is_blank(&request->transcript))
        return OK;
    private_text_free(&request->transcript);
    if (upload->seen[FIELD_AUDIO] == 0)
        return ERROR_MISSING_INPUT;
    duration_ms = recording_duration_ms(recording);
    upload->audio_fault = recording_fault(recording, duration_ms, max_ms);
    if (upload->audio_fault != NULL)
        return ERROR_INVALID_AUDIO;
    request->audio_ms = recording_counts_ms(recording, duration_ms, max_ms);
    request->container = recording_container(recording);
    request->recording = recording->bytes;
    recording->bytes = (struct buffer){0};
    return OK;
}

/* The fingerprint is over fields and values, whatever their order and the form they came
 * in. */
static void fill_in_input(const struct upload *upload, struct turn_request *request)
{
    struct store_input *input = &request->input;
    struct span text = private_reveal(&request->transcript);
    bool has_transcript = text.length > 0;
    struct digest_state state;

    /* An empty recording says nothing: it equals every other. */
    input->has_audio = upload->recording.length > 0;
    input->audio = upload->recording.digest;
    input->has_transcript = has_transcript;
    if (has_transcript) {
        digest_begin(&state, upload->terms.input_key);
        digest_add_field(&state, "transcript", 10);
        digest_add_field(&state, text.bytes, text.length);
        input->transcript = digest_end(&state);
    }
    if (!input->key.is_there)
        return;
    digest_begin(&state, upload->terms.input_key);
    digest_add_field(&state, "turn", 4);
    digest_add_field(&state, request->session_id.text, strlen(request->session_id.text));
    digest_add_field(&state, text.bytes, has_transcript ? text.length : 0);
    digest_add_field(&state, input->audio.bytes, input->has_audio ? DIGEST_BYTES : 0);
    if (request->purpose == STORE_FOR_ATTEMPT)
        digest_add_field(&state, "again", 5);
    input->key.fingerprint = digest_end(&state);
}

enum error upload_finish(struct upload *upload, const struct headers *headers,
                         struct turn_request *request, struct field_errors *errors)
{
    enum error error;

    if (upload->multipart == NULL)
        read_json(upload, errors);
    check_fields(upload, errors);
    idempotency_read(headers, upload->terms.input_key, IDEMPOTENCY_KEY_BYTES,
                     &request->input.key, errors);
    if (errors->count > 0)
        return ERROR_VALIDATION_ERROR;
    if (!is_of_session(upload, &request->session_id))
        return ERROR_SESSION_ID_MISMATCH;

    error = check_transcript(upload);
    if (error != OK)
        return error;
    error = take_answer(upload, request);
    if (upload->attempt.length > 0)
        request->purpose = STORE_FOR_ATTEMPT;
    if (error == OK)
        fill_in_input(upload, request);
    return error;
}

const char *upload_audio_fault(const struct upload *upload)
{
    return upload->audio_fault;
}

size_t upload_kept_bytes(const struct upload *upload)
{
    return upload->json.length + upload->transcript.length +
           upload->recording.bytes.length;
}

void upload_free(struct upload *upload)
{
    if (upload == NULL)
        return;
    free(upload->multipart);
    buffer_done(&upload->json);
    buffer_done(&upload->session_id);
    buffer_done(&upload->transcript);
    buffer_done(&upload->attempt);
    recording_done(&upload->recording);
    free(upload);
}
