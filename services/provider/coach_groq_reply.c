/*
 * What the replies of an OpenAI-compatible chat completions API mean.
 *
 * Replies: https://console.groq.com/docs/api-reference (Create chat completion).  Errors:
 * https://console.groq.com/docs/errors; an error's `code` is read where it says more than
 * the status that it comes with.
 */
#include "coach_groq_internal.h"

#include "json.h"
#include "private_reveal.h"

#include <stdlib.h>

#define REPLY_MAX_DEPTH 32

/* Codes that mean more than the status that they come with. */
static const struct {
    const char *code;
    enum error error;
} codes[] = {
    {"model_not_found", ERROR_LLM_MODEL_NOT_FOUND},
    {"model_decommissioned", ERROR_LLM_MODEL_NOT_FOUND},
    {"invalid_api_key", ERROR_LLM_AUTH_ERROR},
    {"content_filter", ERROR_LLM_CONTENT_FILTER}, /* Azure's OpenAI */
    {"content_policy_violation", ERROR_LLM_CONTENT_FILTER},
    {"json_validate_failed",
     ERROR_LLM_PROVIDER_ERROR}, /* the model's fault, not the request's */
    {"context_length_exceeded", ERROR_LLM_BAD_REQUEST},
    {"rate_limit_exceeded", OK}, /* 429; or 413: this request alone is over a limit */
    {"capacity_exceeded", OK},
};

static enum error error_of_outcome(enum call_outcome outcome)
{
    switch (outcome) {
    case CALL_ANSWERED: return OK;
    case CALL_TIMED_OUT: return ERROR_LLM_TIMEOUT;
    case CALL_UNREACHABLE:
    case CALL_BROKEN:
    case CALL_TOO_LARGE:
    case CALL_HELD_BACK: return ERROR_LLM_PROVIDER_ERROR;
    }
    abort();
}

static enum error error_of_status(long status)
{
    switch (status) {
    case 401:
    case 402: /* the account behind the key cannot pay */
    case 403: return ERROR_LLM_AUTH_ERROR;
    case 404: return ERROR_LLM_MODEL_NOT_FOUND;
    case 408: return ERROR_LLM_TIMEOUT;
    case 429:
    case 498: return ERROR_LLM_RATE_LIMIT;     /* Groq: flex tier at its capacity */
    case 499: return ERROR_LLM_PROVIDER_ERROR; /* Groq: cancelled, though not by us */
    default:
        return status >= 400 && status < 500 ? ERROR_LLM_BAD_REQUEST
                                             : ERROR_LLM_PROVIDER_ERROR;
    }
}

static struct private_text copy_span(struct span span)
{
    return private_text_copy(span.bytes, span.length);
}

/* Groq's 400 where the model wrote no valid JSON carries what it wrote.  That has been
 * paid for, and the reader of replies takes what is whole in it. */
static void salvage(struct json_object *error, struct groq_verdict *verdict)
{
    struct span written = json_member_string(error, "failed_generation");
    struct private_text text = {NULL, 0};

    if (written.bytes != NULL)
        text = copy_span(written);
    if (private_text_is_blank(&text)) {
        private_text_free(&text);
        return;
    }
    verdict->error = OK;
    verdict->has_lost_its_form = false;
    verdict->answer.text = text;
    verdict->answer.is_cut_off = true;
}

static void read_error(const struct call_answer *answer, struct json_object *root,
                       struct groq_verdict *verdict)
{
    struct json_object *error = json_member(root, "error");
    struct span code = json_member_string(error, "code");

    verdict->error = error_of_status(answer->status);
    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
        if (!span_equals(code, codes[i].code))
            continue;
        verdict->provider_code = codes[i].code;
        if (codes[i].error != OK && answer->status < 500)
            verdict->error = codes[i].error;
    }
    verdict->may_be_the_schema = answer->status == 400 && verdict->provider_code == NULL;
    if (verdict->error == ERROR_LLM_RATE_LIMIT)
        verdict->answer.retry_after_s = answer->retry_after_s;
    if (answer->status == 400 && span_equals(code, "json_validate_failed")) {
        verdict->has_lost_its_form = true;
        salvage(error, verdict);
    }
}

enum error groq_error_in_stream(struct json_object *error, const char **ret_code)
{
    struct span code = json_member_string(error, "code");

    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
        if (!span_equals(code, codes[i].code))
            continue;
        *ret_code = codes[i].code;
        return codes[i].error != OK ? codes[i].error : ERROR_LLM_PROVIDER_ERROR;
    }
    return ERROR_LLM_PROVIDER_ERROR;
}

/* OpenAI's models put a refusal beside the content; ours is a member of the answer. */
struct private_text groq_refusal_write(struct span refusal)
{
    struct buffer out;
    struct json_writer writer;

    buffer_init(&out, 2 * GROQ_REPLY_MAX_BYTES + 1024);
    json_writer_init(&writer, &out);
    json_begin_object(&writer);
    json_key(&writer, "refused");
    json_boolean(&writer, true);
    json_key(&writer, "follow_up_question");
    json_span(&writer, refusal);
    json_key(&writer, "coaching_feedback");
    json_null(&writer);
    json_end_object(&writer);
    return private_text_take(&out);
}

static void read_content(struct json_object *choice, struct groq_verdict *verdict)
{
    struct json_object *message = json_member(choice, "message");
    struct json_object *content = json_member(message, "content");
    struct span refusal = json_member_string(message, "refusal");

    verdict->error = OK;
    if (refusal.length > 0)
        verdict->answer.text = groq_refusal_write(refusal);
    else if (content == NULL)
        verdict->error = ERROR_NULL_RESPONSE;
    else if (!json_object_is_type(content, json_type_string))
        verdict->error = ERROR_LLM_PROVIDER_ERROR;
    else
        verdict->answer.text = copy_span(json_member_string(message, "content"));

    if (verdict->error == OK && private_text_is_blank(&verdict->answer.text)) {
        private_text_free(&verdict->answer.text);
        verdict->error = ERROR_EMPTY_RESPONSE;
    }
}

static void read_completion(struct json_object *root, struct groq_verdict *verdict)
{
    struct json_object *choices = json_member(root, "choices");
    struct json_object *choice;
    struct span finish_reason;

    verdict->error = ERROR_NULL_RESPONSE;
    if (choices == NULL && json_member(root, "error") != NULL)
        verdict->error = ERROR_LLM_PROVIDER_ERROR; /* some servers say so with a 200 */
    if (!json_object_is_type(choices, json_type_array) ||
        json_object_array_length(choices) == 0)
        return;

    choice = json_object_array_get_idx(choices, 0);
    finish_reason = json_member_string(choice, "finish_reason");
    if (span_equals(finish_reason, "content_filter")) {
        verdict->error = ERROR_LLM_CONTENT_FILTER;
        return;
    }
    read_content(choice, verdict);
    verdict->answer.is_cut_off = span_equals(finish_reason, "length");
}

struct groq_usage groq_usage_read(struct json_object *root)
{
    struct json_object *usage = json_member(root, "usage");

    if (usage == NULL)
        usage = json_member(json_member(root, "x_groq"), "usage");
    return (struct groq_usage){json_member_count(usage, "prompt_tokens"),
                               json_member_count(usage, "completion_tokens")};
}

struct groq_verdict groq_reply_read(const struct call_answer *answer)
{
    struct groq_verdict verdict = {.error = error_of_outcome(answer->outcome),
                                   .answer.retry_after_s = -1,
                                   .usage = {-1, -1}};
    struct span body = private_reveal(&answer->body);
    struct json_object *root;

    if (answer->outcome == CALL_HELD_BACK)
        verdict.answer.retry_after_s = answer->retry_after_s;
    if (verdict.error != OK)
        return verdict;
    root = json_parse(body.bytes, body.length, REPLY_MAX_DEPTH);
    if (answer->status < 200 || answer->status > 299)
        read_error(answer, root, &verdict);
    else if (json_object_is_type(root, json_type_object))
        read_completion(root, &verdict);
    else
        verdict.error = ERROR_LLM_PROVIDER_ERROR;
    verdict.usage = groq_usage_read(root);
    json_wipe_and_put(root);
    return verdict;
}
