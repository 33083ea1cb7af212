/*
 * Fields of requests: read, judged, and what is wrong with them said at once.
 */
#include "form_internal.h"

#include "json.h"
#include "json_scan.h"
#include "mask.h"
#include "private_reveal.h"
#include "session.h"
#include "utf8.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BYTES 2048

void field_errors_add(struct field_errors *errors, const char *field, const char *reason)
{
    if (errors->count == FIELD_ERRORS_MAX)
        return;
    errors->list[errors->count].field = field;
    errors->list[errors->count].reason = reason;
    errors->count++;
}

void field_errors_add_doubled(struct field_errors *errors, struct span body,
                              const char *const names[], size_t count)
{
    uint32_t doubled = json_doubled_members(body, names, count);

    for (size_t at = 0; at < count; at++)
        if ((doubled >> at & 1) != 0)
            field_errors_add(errors, names[at], "doubled");
}

struct private_text field_errors_json(const struct field_errors *errors)
{
    struct json_writer json;
    struct buffer text;

    buffer_init(&text, MAX_BYTES);
    json_writer_init(&json, &text);
    json_begin_object(&json);
    json_put_array(&json, "errors");
    for (size_t i = 0; i < errors->count; i++) {
        json_begin_object(&json);
        json_put_string(&json, "field", errors->list[i].field);
        json_put_string(&json, "reason", errors->list[i].reason);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
    return private_text_take(&text);
}

const char *form_text_fault(struct span text, size_t max_chars, bool is_name)
{
    size_t offset = 0;

    if (text.length == 0)
        return "too_short";
    if (!utf8_is_valid(text.bytes, text.length))
        return "not_text";
    if (utf8_count(text.bytes, text.length) > max_chars)
        return "too_long";
    while (is_name && offset < text.length)
        if (utf8_is_control(utf8_next(text.bytes, text.length, &offset)))
            return "not_text";
    return utf8_is_blank(text.bytes, text.length) ? "blank" : NULL;
}

#define MAX_KEY_BYTES 255

static bool is_visible(struct span key)
{
    for (size_t i = 0; i < key.length; i++) {
        if (key.bytes[i] <= ' ' || key.bytes[i] > '~')
            return false;
    }
    return true;
}

void idempotency_read(const struct headers *headers, const struct digest_key *input_key,
                      size_t least_bytes, struct store_key *ret_key,
                      struct field_errors *errors)
{
    struct span key = headers->idempotency_key;
    struct digest_state state;

    if (key.bytes == NULL)
        return;
    if (headers->has_two_idempotency_keys) {
        field_errors_add(errors, "Idempotency-Key", "doubled");
        return;
    }
    if (key.length < least_bytes || key.length > MAX_KEY_BYTES || !is_visible(key)) {
        field_errors_add(errors, "Idempotency-Key", "invalid");
        return;
    }
    digest_begin(&state, input_key);
    digest_add_field(&state, "key", 3);
    digest_add_field(&state, key.bytes, key.length);
    ret_key->key = digest_end(&state);
    ret_key->is_there = true;
}

#define ROLE_MAX_CHARS     100
#define TYPE_MAX_CHARS     50
#define STANDARD_QUESTIONS 5
#define WHOLE_DIGITS_MOST  8

/* The texts of a start, in the order of enum start_text. */
static const struct {
    const char *field;
    size_t max_chars;
    bool is_paper; /* it may be absent or blank, have lines, and is masked */
} start_texts[START_TEXTS] = {
    [START_ROLE] = {"role", ROLE_MAX_CHARS, false},
    [START_INTERVIEW_TYPE] = {"interview_type", TYPE_MAX_CHARS, false},
    [START_JOB_ADVERT] = {"job_advert", PAPER_MAX_CHARS, true},
    [START_RESUME] = {"resume", PAPER_MAX_CHARS, true},
};

/* Control characters but line breaks and tabs: what was pasted is no text. */
static bool has_odd_control(struct span text)
{
    size_t offset = 0;

    while (offset < text.length) {
        uint32_t code_point = utf8_next(text.bytes, text.length, &offset);

        if (utf8_is_control(code_point) && code_point != '\n' && code_point != '\r' &&
            code_point != '\t' && code_point != 0x85 && code_point != 0x2028 &&
            code_point != 0x2029)
            return true;
    }
    return false;
}

static const char *start_text_fault(enum start_text which,
                                    const struct private_text *text)
{
    struct span span = private_reveal(text);
    bool is_paper = start_texts[which].is_paper;
    const char *fault = form_text_fault(span, start_texts[which].max_chars, !is_paper);

    return fault == NULL && is_paper && has_odd_control(span) ? "not_text" : fault;
}

static void mask(struct private_text *text)
{
    struct span span = private_reveal(text);
    struct buffer masked;

    buffer_init(&masked, 8 * span.length + 64);
    mask_contacts(span, &masked);
    private_text_free(text);
    *text = private_text_take(&masked);
}

/* A text that is no good is a field error; only a missing verdict is an error of its own. */
static enum error read_start_text(struct json_object *body, enum start_text which,
                                  struct filter *filter, struct start_form *form,
                                  struct field_errors *errors)
{
    const char *field = start_texts[which].field;
    struct private_text *text = &form->texts[which];
    struct span sent = json_member_string(body, field);
    bool is_paper = start_texts[which].is_paper;
    struct filter_verdict verdict;
    const char *reason;

    if (json_member(body, field) == NULL && is_paper)
        return OK;
    if (sent.bytes == NULL) {
        field_errors_add(errors, field,
                         json_member(body, field) == NULL ? "required" : "not_a_string");
        return OK;
    }
    if (is_paper && utf8_is_valid(sent.bytes, sent.length) &&
        utf8_is_blank(sent.bytes, sent.length))
        return OK;
    form->sent[which] = private_text_copy(sent.bytes, sent.length);
    *text = private_text_copy(sent.bytes, sent.length);
    /* Over its length it is not looked at: that is what the length is for. */
    reason = is_paper ? start_text_fault(which, text) : NULL;
    verdict = reason == NULL ? filter_admit(filter, text)
                             : (struct filter_verdict){.outcome = FILTER_PASS};
    if (reason == NULL)
        reason = start_text_fault(which, text);
    if (reason == NULL && verdict.outcome == FILTER_UNAVAILABLE)
        return ERROR_SAFETY_UNAVAILABLE;
    if (reason == NULL && verdict.outcome == FILTER_HIT)
        reason = "not_allowed";
    if (reason != NULL)
        field_errors_add(errors, field, reason);
    else if (is_paper)
        mask(text);
    return OK;
}

static enum difficulty read_difficulty(struct json_object *body,
                                       struct field_errors *errors)
{
    struct span text = json_member_string(body, "difficulty");

    if (span_equals(text, "easy"))
        return DIFFICULTY_EASY;
    if (span_equals(text, "medium"))
        return DIFFICULTY_MEDIUM;
    if (span_equals(text, "hard"))
        return DIFFICULTY_HARD;
    field_errors_add(errors, "difficulty",
                     json_member(body, "difficulty") == NULL ? "required"
                                                             : "not_a_choice");
    return DIFFICULTY_MEDIUM;
}

/* The count as it is meant: clients of the service before this one also sent 5.0 and "5". */
static bool read_whole_number(struct json_object *body, const char *field,
                              int64_t *ret_number)
{
    struct json_object *value = json_member(body, field);
    struct span text = json_member_string(body, field);
    double number = json_object_get_double(value);

    if (text.bytes != NULL) {
        if (text.length == 0 || text.length > WHOLE_DIGITS_MOST ||
            strspn(text.bytes, "0123456789") != text.length)
            return false;
        *ret_number = strtol(text.bytes, NULL, 10);
        return true;
    }
    *ret_number = number > -1e9 && number < 1e9 ? (int64_t)number : 0;
    return json_object_is_type(value, json_type_int) ||
           (json_object_is_type(value, json_type_double) &&
            (double)*ret_number == number);
}

static unsigned read_question_count(struct json_object *body, struct field_errors *errors)
{
    int64_t number;

    if (json_member(body, "question_count") == NULL)
        return STANDARD_QUESTIONS;
    if (!read_whole_number(body, "question_count", &number))
        field_errors_add(errors, "question_count", "not_an_integer");
    else if (number < 1 || number > SESSION_MAX_QUESTIONS)
        field_errors_add(errors, "question_count", "out_of_range");
    else
        return (unsigned)number;
    return STANDARD_QUESTIONS;
}

enum error start_form_read(struct json_object *body, struct filter *filter,
                           struct start_form *ret_form, struct field_errors *errors)
{
    struct start_form form = {0};
    enum error error = OK;

    if (!json_object_is_type(body, json_type_object)) {
        field_errors_add(errors, "body", "not_a_json_object");
        return ERROR_VALIDATION_ERROR;
    }
    for (int which = 0; which < START_TEXTS && error == OK; which++)
        error = read_start_text(body, (enum start_text)which, filter, &form, errors);
    form.difficulty = read_difficulty(body, errors);
    form.question_count = read_question_count(body, errors);
    if (error == OK && errors->count > 0)
        error = ERROR_VALIDATION_ERROR;
    if (error != OK)
        start_form_free(&form);
    else
        *ret_form = form;
    return error;
}

void start_form_free(struct start_form *form)
{
    for (int which = 0; which < START_TEXTS; which++) {
        private_text_free(&form->texts[which]);
        private_text_free(&form->sent[which]);
    }
}

#define QUESTION_MAX_CHARS  500
#define SELECTION_MAX_CHARS 5000

static bool is_object(struct json_object *body, struct field_errors *errors)
{
    if (json_object_is_type(body, json_type_object))
        return true;
    field_errors_add(errors, "body", "not_a_json_object");
    return false;
}

/* A field that is absent, null or empty is good where it is not required. */
static void read_text(struct json_object *body, const char *field, size_t max_chars,
                      bool is_required, struct private_text *ret_text,
                      struct field_errors *errors)
{
    struct span text = json_member_string(body, field);
    const char *reason;

    if (!is_required &&
        (json_member(body, field) == NULL || (text.bytes != NULL && text.length == 0)))
        return;
    if (text.bytes == NULL)
        reason = json_member(body, field) == NULL ? "required" : "not_a_string";
    else
        reason = form_text_fault(text, max_chars, false);
    if (reason != NULL)
        field_errors_add(errors, field, reason);
    else
        *ret_text = private_text_copy(text.bytes, text.length);
}

static void read_session_id(struct json_object *body, struct id *ret_id,
                            struct field_errors *errors)
{
    struct span text = json_member_string(body, "session_id");
    struct id id;

    if (json_member(body, "session_id") == NULL)
        return;
    if (text.bytes == NULL || !id_parse(text.bytes, text.length, &id))
        field_errors_add(errors, "session_id", "not_a_uuid");
    else
        *ret_id = id_lower(&id);
}

static bool settle(const struct field_errors *errors, struct ask_request *request)
{
    if (errors->count == 0)
        return true;
    private_text_free(&request->question);
    private_text_free(&request->selection);
    return false;
}

bool question_form_read_ask(struct json_object *body, struct ask_request *ret_request,
                            struct field_errors *errors)
{
    if (!is_object(body, errors))
        return false;
    read_text(body, "question", QUESTION_MAX_CHARS, true, &ret_request->question, errors);
    read_text(body, "selected_text", SELECTION_MAX_CHARS, false, &ret_request->selection,
              errors);
    read_session_id(body, &ret_request->session_id, errors);
    return settle(errors, ret_request);
}

bool question_form_read_chat(struct json_object *body, struct ask_request *ret_request,
                             struct field_errors *errors)
{
    struct span mode;

    if (!is_object(body, errors))
        return false;
    mode = json_member_string(body, "mode");
    read_text(body, "query", QUESTION_MAX_CHARS, true, &ret_request->question, errors);
    if (span_equals(mode, "selected-text"))
        read_text(body, "context", SELECTION_MAX_CHARS, true, &ret_request->selection,
                  errors);
    else if (!span_equals(mode, "book-wide"))
        field_errors_add(errors, "mode",
                         json_member(body, "mode") == NULL ? "required" : "not_a_choice");
    return settle(errors, ret_request);
}
