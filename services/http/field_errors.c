#include "field_errors.h"

#include "json.h"

#define MAX_BYTES 2048

void field_errors_add(struct field_errors *errors, const char *field, const char *reason)
{
    if (errors->count == FIELD_ERRORS_MAX)
        return;
    errors->list[errors->count].field = field;
    errors->list[errors->count].reason = reason;
    errors->count++;
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
