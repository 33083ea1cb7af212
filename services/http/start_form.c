#include "start_form.h"

#include "form_text.h"
#include "json.h"
#include "private_reveal.h"
#include "session.h"

#define ROLE_MAX_CHARS     100
#define TYPE_MAX_CHARS     50
#define STANDARD_QUESTIONS 5

static enum error read_name(struct json_object *body, const char *field, size_t max_chars,
                            struct filter *filter, struct private_text *ret_sent,
                            struct private_text *ret_text, struct field_errors *errors);
static enum difficulty read_difficulty(struct json_object *body,
                                       struct field_errors *errors);
static unsigned read_question_count(struct json_object *body,
                                    struct field_errors *errors);

enum error start_form_read(struct json_object *body, struct filter *filter,
                           struct start_form *ret_form, struct field_errors *errors)
{
    struct start_form form = {0};
    enum error error;

    if (!json_object_is_type(body, json_type_object)) {
        field_errors_add(errors, "body", "not_a_json_object");
        return ERROR_VALIDATION_ERROR;
    }
    error = read_name(body, "role", ROLE_MAX_CHARS, filter, &form.sent_role, &form.role,
                      errors);
    if (error == OK)
        error = read_name(body, "interview_type", TYPE_MAX_CHARS, filter,
                          &form.sent_interview_type, &form.interview_type, errors);
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

/* A name that is no good is a field error; only a missing verdict is an error of its own.
 */
static enum error read_name(struct json_object *body, const char *field, size_t max_chars,
                            struct filter *filter, struct private_text *ret_sent,
                            struct private_text *ret_text, struct field_errors *errors)
{
    struct span sent = json_member_string(body, field);
    struct filter_verdict verdict;
    const char *reason;

    if (sent.bytes == NULL) {
        field_errors_add(errors, field,
                         json_member(body, field) == NULL ? "required" : "not_a_string");
        return OK;
    }
    *ret_sent = private_text_copy(sent.bytes, sent.length);
    *ret_text = private_text_copy(sent.bytes, sent.length);
    verdict = filter_admit(filter, ret_text);
    reason = form_text_fault(private_reveal(ret_text), max_chars, true);
    if (reason == NULL && verdict.outcome == FILTER_UNAVAILABLE)
        return ERROR_SAFETY_UNAVAILABLE;
    if (reason == NULL && verdict.outcome == FILTER_HIT)
        reason = "not_allowed";
    if (reason != NULL)
        field_errors_add(errors, field, reason);
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

static unsigned read_question_count(struct json_object *body, struct field_errors *errors)
{
    struct json_object *count = json_member(body, "question_count");

    if (count == NULL)
        return STANDARD_QUESTIONS;
    if (!json_object_is_type(count, json_type_int))
        field_errors_add(errors, "question_count", "not_an_integer");
    else if (json_object_get_int64(count) < 1 ||
             json_object_get_int64(count) > SESSION_MAX_QUESTIONS)
        field_errors_add(errors, "question_count", "out_of_range");
    else
        return (unsigned)json_object_get_int64(count);
    return STANDARD_QUESTIONS;
}

void start_form_free(struct start_form *form)
{
    private_text_free(&form->role);
    private_text_free(&form->interview_type);
    private_text_free(&form->sent_role);
    private_text_free(&form->sent_interview_type);
}
