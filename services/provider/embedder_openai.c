/*
 * One call of /embeddings.
 *
 *   embedder_start > on_reply > done
 */
#include "embedder.h"

#include "json.h"
#include "mem.h"
#include "private_reveal.h"
#include "provider_http_internal.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* 64 vectors of 4,096 numbers, of 20 bytes each, are 5 MB. */
#define REPLY_MAX_BYTES   (32 * 1024 * 1024)
#define REPLY_MAX_DEPTH   8
#define REQUEST_MAX_BYTES (16 * 1024 * 1024)
#define DIMENSIONS_MOST   65536

static const int64_t timeout_s = 10; /* that a question waits, at most */

static const struct provider_role embedder_role = {
    .name = "embedder",
    .operation = "embeddings",
    .span = "embed",
    .failed = "embeddings_failed",
    .errors = {.timeout = ERROR_LLM_TIMEOUT,
               .rate_limit = ERROR_LLM_RATE_LIMIT,
               .auth = ERROR_LLM_AUTH_ERROR,
               .not_found = ERROR_LLM_MODEL_NOT_FOUND,
               .bad_request = ERROR_LLM_BAD_REQUEST,
               .unknown_4xx = ERROR_LLM_PROVIDER_ERROR,
               .other = ERROR_LLM_PROVIDER_ERROR},
};

struct embedder {
    struct provider provider;
};

struct embedder_call {
    struct embedder *embedder;  /* borrowed */
    struct upstream_call *call; /* owned; NULL: not pending */
    size_t count;
    struct errand errand;
    embedder_done_fn *done;
    void *context; /* borrowed from the caller */
};

static call_done_fn on_reply;

struct embedder *embedder_new(const struct provider_tools *tools)
{
    const struct settings *settings = tools->settings;
    struct embedder *embedder = MEM_NEW(struct embedder);

    embedder->provider.authorization =
        provider_authorization("Bearer", &settings->embeddings_api_key);
    provider_init(&embedder->provider, &embedder_role, tools, "embeddings",
                  settings->embeddings_model,
                  provider_url(settings->embeddings_base_url, "/embeddings", "", ""),
                  &timeout_s);
    return embedder;
}

void embedder_free(struct embedder *embedder)
{
    if (embedder == NULL)
        return;
    provider_done(&embedder->provider);
    free(embedder);
}

void embeddings_done(struct embeddings *embeddings)
{
    free(embeddings->values);
    *embeddings = (struct embeddings){0};
}

/* ---- the request ---- */

static struct private_text write_body(const char *model, const struct span *texts,
                                      size_t count)
{
    struct json_writer writer;
    struct buffer out;

    buffer_init(&out, REQUEST_MAX_BYTES);
    json_writer_init(&writer, &out);
    json_begin_object(&writer);
    json_put_string(&writer, "model", model);
    json_put_array(&writer, "input");
    for (size_t i = 0; i < count; i++)
        json_span(&writer, texts[i]);
    json_end_array(&writer);
    json_put_string(&writer, "encoding_format", "float");
    json_end_object(&writer);
    return private_text_take(&out);
}

struct embedder_call *embedder_start(struct embedder *embedder, const struct span *texts,
                                     size_t count, const struct id *request_id,
                                     const struct trace *trace, int64_t timeout_ms,
                                     embedder_done_fn *done, void *context)
{
    struct embedder_call *call = MEM_NEW(struct embedder_call);

    assert(count > 0 && count <= EMBEDDER_TEXTS_MOST);
    call->embedder = embedder;
    call->count = count;
    call->errand = provider_errand(&embedder->provider, request_id, trace, timeout_ms);
    call->done = done;
    call->context = context;
    call->call = provider_post(&embedder->provider, &call->errand,
                               write_body(embedder->provider.model, texts, count),
                               REPLY_MAX_BYTES, on_reply, call);
    return call;
}

void embedder_cancel(struct embedder_call *call)
{
    if (call == NULL)
        return;
    upstream_cancel(call->call);
    free(call);
}

/* ---- the reply ---- */

/* Puts one vector in its place.  false: it is not a vector, or not as long as the others. */
static bool read_vector(struct json_object *item, struct embeddings *embeddings,
                        bool *is_read)
{
    struct json_object *vector = json_member(item, "embedding");
    struct json_object *index = json_member(item, "index");
    size_t place, length;

    if (!json_object_is_type(vector, json_type_array) ||
        !json_object_is_type(index, json_type_int))
        return false;
    place = (size_t)json_object_get_int64(index);
    length = json_object_array_length(vector);
    if (place >= embeddings->count || is_read[place] || length == 0 ||
        length > DIMENSIONS_MOST)
        return false;
    if (embeddings->values == NULL) {
        embeddings->dimensions = length;
        embeddings->values =
            mem_zalloc(embeddings->count * length * sizeof(*embeddings->values));
    }
    if (length != embeddings->dimensions)
        return false;
    is_read[place] = true;
    for (size_t i = 0; i < length; i++) {
        double value = json_object_get_double(json_object_array_get_idx(vector, i));

        if (!(fabs(value) <= FLT_MAX)) /* nor NaN */
            return false;
        embeddings->values[place * length + i] = (float)value;
    }
    return true;
}

static bool read_vectors(struct json_object *root, size_t count,
                         struct embeddings *embeddings)
{
    struct json_object *data = json_member(root, "data");
    bool is_read[EMBEDDER_TEXTS_MOST] = {false};

    embeddings->count = count;
    if (!json_object_is_type(data, json_type_array) ||
        json_object_array_length(data) != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!read_vector(json_object_array_get_idx(data, i), embeddings, is_read))
            return false;
    return true;
}

static void on_reply(void *context, struct call_answer answer)
{
    struct embedder_call *call = context;
    struct embedder *embedder = call->embedder;
    struct embeddings embeddings = {.retry_after_s = -1};
    struct span body = private_reveal(&answer.body);
    enum error error = provider_error(&embedder->provider, &answer);

    if (error == OK) {
        struct json_object *root = json_parse(body.bytes, body.length, REPLY_MAX_DEPTH);

        if (!read_vectors(root, call->count, &embeddings)) {
            embeddings_done(&embeddings);
            error = ERROR_LLM_PROVIDER_ERROR;
        } else {
            call->errand.input_tokens =
                json_member_count(json_member(root, "usage"), "prompt_tokens");
            meter_note_tokens(embedder->provider.meter, call->errand.input_tokens, -1);
        }
        json_object_put(root);
    }
    if (error == ERROR_LLM_RATE_LIMIT || answer.outcome == CALL_HELD_BACK)
        embeddings.retry_after_s = answer.retry_after_s;
    provider_note(&embedder->provider, &call->errand, error, &answer, NULL);
    call_answer_free(&answer);
    call->done(call->context, error, embeddings);
    free(call);
}
