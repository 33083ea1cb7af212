#include "question_form.h"

#include "form_text.h"
#include "json.h"

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
