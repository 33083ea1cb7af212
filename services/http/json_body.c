/*
 * A JSON body, kept until all of it is there.
 */
#include "json_body_internal.h"

#include "json.h"
#include "mem.h"
#include "uploads_internal.h"

#include <stdlib.h>

void json_body_begin(struct request *request, size_t max_bytes)
{
    struct buffer *body;

    if (!headers_are_json(&request->headers)) {
        request_fail(request, ERROR_UNSUPPORTED_MEDIA_TYPE);
        return;
    }
    body = MEM_NEW(struct buffer);
    buffer_init(body, max_bytes);
    request->state = body;
}

void json_body_take(struct request *request, struct span bytes)
{
    struct buffer *body = request->state;

    if (!buffer_append(body, bytes.bytes, bytes.length))
        request_fail(request, ERROR_FILE_TOO_LARGE);
    else if (!uploads_hold(request, body->length))
        request_fail(request, ERROR_OVERLOADED);
}

struct json_object *json_body_parse(const struct request *request, int max_depth,
                                    struct field_errors *errors)
{
    static const char *const names[] = {"role",           "interview_type", "difficulty",
                                        "question_count", "job_advert",     "resume",
                                        "question",       "query",          "mode",
                                        "context",        "selected_text",  "session_id"};
    const struct buffer *text = request->state;

    json_strike_lone_surrogates(text->bytes, text->length);
    field_errors_add_doubled(errors, (struct span){text->bytes, text->length}, names,
                             sizeof(names) / sizeof(*names));
    return json_parse(text->bytes, text->length, max_depth);
}

void json_body_refuse(struct request *request, const struct field_errors *errors)
{
    struct private_text details = field_errors_json(errors);

    request_answer(
        request, &(struct answer){.error = ERROR_VALIDATION_ERROR, .details = &details});
    private_text_free(&details);
}

void json_body_free(void *state)
{
    struct buffer *body = state;

    if (body != NULL)
        buffer_done(body);
    free(body);
}
