/*
 * The JSON bodies of POST /session/start, /ask and /v1/chat: what is taken keeps the bounds of the
 * contract, and of what is not every bad field is named, in JSON, with nothing of what was sent.
 */
#include "form_internal.h"
#include "fuzz.h"
#include "private_reveal.h"
#include "session.h"
#include "utf8.h"

enum { DEPTH = 8 };

static void check_text(const struct private_text *text, size_t most)
{
    struct span span = private_reveal(text);

    must(span.length > 0 && utf8_is_valid(span.bytes, span.length));
    must(utf8_count(span.bytes, span.length) <= most);
    must(!private_text_is_blank(text));
}

static void check_errors(const struct field_errors *errors)
{
    struct private_text json = field_errors_json(errors);
    struct span text = private_reveal(&json);
    struct json_object *root = json_parse(text.bytes, text.length, DEPTH);
    struct json_object *list = json_member(root, "errors");

    must(errors->count > 0 && errors->count <= FIELD_ERRORS_MAX);
    must(json_object_array_length(list) == errors->count);
    for (size_t i = 0; i < errors->count; i++) {
        must(*errors->list[i].field != '\0' && *errors->list[i].reason != '\0');
        for (size_t j = 0; j < i; j++) /* one reason for each field */
            must(strcmp(errors->list[i].field, errors->list[j].field) != 0);
    }
    json_object_put(root);
    private_text_free(&json);
}

static void check_start(struct json_object *body)
{
    struct field_errors errors = {.count = 0};
    struct start_form form = {.question_count = 0};
    enum error error = start_form_read(body, NULL, &form, &errors);

    must(error == OK || error == ERROR_VALIDATION_ERROR);
    if (error != OK) {
        check_errors(&errors);
        must(private_text_is_empty(&form.texts[START_ROLE]));
        return;
    }
    must(errors.count == 0);
    check_text(&form.texts[START_ROLE], 100);
    check_text(&form.texts[START_INTERVIEW_TYPE], 50);
    must(form.question_count >= 1 && form.question_count <= SESSION_MAX_QUESTIONS);
    must(form.difficulty <= DIFFICULTY_HARD);
    start_form_free(&form);
}

static void check_question(struct json_object *body, bool is_chat)
{
    struct field_errors errors = {.count = 0};
    struct ask_request request = {.session_id = {""}};
    bool is_good = is_chat ? question_form_read_chat(body, &request, &errors)
                           : question_form_read_ask(body, &request, &errors);
    struct id id;

    must(is_good == (errors.count == 0));
    if (!is_good) {
        check_errors(&errors);
        must(private_text_is_empty(&request.question) &&
             private_text_is_empty(&request.selection));
        return;
    }
    check_text(&request.question, 500);
    if (!private_text_is_empty(&request.selection))
        check_text(&request.selection, 5000);
    must(request.session_id.text[0] == '\0' ||
         id_parse(request.session_id.text, strlen(request.session_id.text), &id));
    private_text_free(&request.question);
    private_text_free(&request.selection);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct json_object *body = json_parse((const char *)bytes, length, DEPTH);

    check_start(body);
    check_question(body, false);
    check_question(body, true);
    json_wipe_and_put(body);
    return 0;
}
