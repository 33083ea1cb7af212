/*
 * The body of POST /turn as a form and as JSON: what comes of it does not depend on how it arrives,
 * what is taken keeps the bounds of the contract, what is not says which field is bad, and a form
 * and its JSON with the same values are the same input.
 *
 * The first byte of an input chooses the type, whether recordings are heard, and the size of the
 * pieces; the rest is the body.  The boundary is "B".
 */
#include "fuzz.h"
#include "json.h"
#include "private_reveal.h"
#include "upload_internal.h"
#include "utf8.h"

#define ID "0b9e0a52-3c1f-4a53-9a8e-3f6f7f3c8d11"

enum { AUDIO_MOST = 4096, CHARS_MOST = 200 };

static const struct digest_key key = {{7}};
static const struct settings settings = {
    .max_audio_bytes = AUDIO_MOST, .max_audio_s = 2, .max_transcript_chars = CHARS_MOST};

struct outcome {
    enum error error;
    struct field_errors errors;
    struct turn_request request;
    const char *fault;
};

static struct outcome upload(const char *type, bool can_hear, struct span body,
                             size_t step)
{
    struct upload_terms terms = {&settings, &key, can_hear, (int64_t)body.length};
    struct outcome outcome = {.request.session_id = {ID}};
    struct headers headers = {.idempotency_key = span_of("key-1")};
    struct upload *upload = NULL;
    struct span piece;

    outcome.error = upload_new(&terms, span_of(type), &upload, &outcome.errors);
    must(outcome.error == OK);
    while (outcome.error == OK && fuzz_piece(&body, step, &piece))
        outcome.error = upload_take(upload, piece);
    if (outcome.error == OK)
        outcome.error =
            upload_finish(upload, &headers, &outcome.request, &outcome.errors);
    if (outcome.error == ERROR_INVALID_AUDIO)
        outcome.fault = upload_audio_fault(upload);
    upload_free(upload);
    return outcome;
}

static void outcome_done(struct outcome *outcome)
{
    private_text_free(&outcome->request.transcript);
    buffer_done(&outcome->request.recording);
}

static struct span recording_of(const struct outcome *outcome)
{
    return (struct span){outcome->request.recording.bytes,
                         outcome->request.recording.length};
}

static void check_good(const struct outcome *outcome, bool can_hear)
{
    const struct turn_request *request = &outcome->request;
    struct span text = private_reveal(&request->transcript);

    must(outcome->errors.count == 0 && request->input.key.is_there);
    must(utf8_is_valid(text.bytes, text.length));
    must(utf8_count(text.bytes, text.length) <= CHARS_MOST);
    must(request->input.has_transcript == (text.length > 0));
    must(text.length > 0 || request->input.has_audio);
    must(request->recording.length <= AUDIO_MOST);
    must(!can_hear || text.length > 0 || request->recording.length > 0);
    if (request->recording.length > 0)
        must(text.length == 0 && request->container != AUDIO_UNKNOWN);
}

static void check(const struct outcome *outcome, bool can_hear)
{
    switch (outcome->error) {
    case OK: check_good(outcome, can_hear); break;
    case ERROR_VALIDATION_ERROR:
        must(outcome->errors.count > 0 && outcome->errors.count <= FIELD_ERRORS_MAX);
        break;
    case ERROR_INVALID_AUDIO: must(outcome->fault != NULL); break;
    case ERROR_SESSION_ID_MISMATCH:
    case ERROR_MISSING_INPUT:
    case ERROR_INVALID_TRANSCRIPT:
    case ERROR_FILE_TOO_LARGE: must(outcome->errors.count == 0); break;
    default: must(false); /* of the table's many other rows */
    }
}

static void compare(const struct outcome *one, const struct outcome *other)
{
    must(one->error == other->error && one->errors.count == other->errors.count);
    must(one->fault == other->fault);
    must(private_text_equals(&one->request.transcript, &other->request.transcript));
    must(fuzz_same(recording_of(one), recording_of(other)));
    must(one->request.container == other->request.container);
    if (one->error == OK)
        must(memcmp(&one->request.input.key, &other->request.input.key,
                    sizeof(struct store_key)) == 0);
}

/* The same values as JSON are the same to those who ask twice. */
static void check_as_json(const struct outcome *outcome)
{
    struct outcome as_json;
    struct json_writer writer;
    struct buffer body;

    if (outcome->error != OK || outcome->request.input.has_audio)
        return;
    buffer_init(&body, 1 << 16);
    json_writer_init(&writer, &body);
    json_begin_object(&writer);
    json_key(&writer, "session_id");
    json_string(&writer, ID);
    json_key(&writer, "transcript");
    json_private(&writer, &outcome->request.transcript);
    json_end_object(&writer);
    as_json = upload("application/json", false, (struct span){body.bytes, body.length},
                     body.length);
    compare(outcome, &as_json);
    outcome_done(&as_json);
    buffer_done(&body);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct span body = fuzz_input(bytes, length);
    unsigned choice = fuzz_choice(&body);
    const char *type =
        choice & 1 ? "application/json" : "multipart/form-data; boundary=B";
    struct outcome whole = upload(type, choice & 2, body, length);
    struct outcome split = upload(type, choice & 2, body, choice / 4 + 1);

    check(&whole, choice & 2);
    compare(&whole, &split);
    check_as_json(&whole);
    outcome_done(&whole);
    outcome_done(&split);
    return 0;
}
