/*
 * One call of Qdrant's.
 *
 *   qdrant_start > on_reply > done
 */
#include "qdrant.h"

#include "json.h"
#include "mem.h"
#include "private_reveal.h"
#include "provider_http_internal.h"

#include <stdlib.h>
#include <string.h>

#define REPLY_MAX_BYTES (32 * 1024 * 1024)
#define REPLY_MAX_DEPTH 32
#define TIMEOUT_S       10 /* that a question waits, at most */

static const struct provider_errors qdrant_errors = {
    .timeout = ERROR_STORE_UNAVAILABLE,
    .rate_limit = ERROR_STORE_UNAVAILABLE,
    .auth = ERROR_STORE_UNAVAILABLE,
    .bad_request = ERROR_STORE_UNAVAILABLE,
    .other = ERROR_STORE_UNAVAILABLE,
};

struct qdrant {
    struct provider provider; /* its URL is the collection's */
};

struct qdrant_call {
    struct qdrant *qdrant;      /* borrowed */
    struct upstream_call *call; /* owned */
    char *url;                  /* owned; the call borrows it */
    struct id request_id;
    qdrant_done_fn *done;
    void *context; /* borrowed from whom asked */
};

static void on_reply(void *context, struct call_answer answer);

struct qdrant *qdrant_new(const struct settings *settings, struct call_pool *pool,
                          struct log *log, struct metrics *metrics)
{
    struct qdrant *qdrant = MEM_NEW(struct qdrant);

    qdrant->provider = (struct provider){
        .name = "qdrant",
        .model = settings->qdrant_collection,
        .event = "qdrant_failed",
        .pool = pool,
        .log = log,
        .url = provider_url(settings->qdrant_url, "/collections/",
                            settings->qdrant_collection, ""),
        .authorization = provider_authorization("", &settings->qdrant_api_key),
    };
    provider_connect(&qdrant->provider, settings, metrics, "retriever", NULL, TIMEOUT_S);
    return qdrant;
}

void qdrant_free(struct qdrant *qdrant)
{
    if (qdrant == NULL)
        return;
    provider_done(&qdrant->provider);
    free(qdrant);
}

struct qdrant_call *qdrant_start(struct qdrant *qdrant, const char *method,
                                 const char *path, struct private_text body,
                                 const struct id *request_id, int64_t timeout_ms,
                                 qdrant_done_fn *done, void *context)
{
    const struct private_text *key = &qdrant->provider.authorization;
    struct qdrant_call *call = MEM_NEW(struct qdrant_call);
    char *url = provider_url(qdrant->provider.url, path, "", "");
    struct call_request request = {
        .url = url,
        .method = method,
        .content_type = private_text_is_empty(&body) ? NULL : "application/json",
        .authorization = private_text_is_empty(key) ? NULL : key,
        .authorization_name = "api-key",
        .request_id = request_id,
        .body = body,
        .timeout_ms = timeout_ms > 0 ? timeout_ms : 1,
        .max_reply_bytes = REPLY_MAX_BYTES,
    };

    call->qdrant = qdrant;
    call->request_id = *request_id;
    call->done = done;
    call->context = context;
    call->url = url;
    call->call = upstream_call(qdrant->provider.upstream, &request, on_reply, call);
    return call;
}

static void on_reply(void *context, struct call_answer answer)
{
    struct qdrant_call *call = context;
    struct span body = private_reveal(&answer.body);
    enum error error = provider_error(&answer, &qdrant_errors);
    struct json_object *root = NULL, *result = NULL;
    long status = answer.status;

    if (status == 404)
        error = ERROR_NOT_FOUND;
    if (error == OK) {
        root = json_parse(body.bytes, body.length, REPLY_MAX_DEPTH);
        result = json_member(root, "result");
        if (result == NULL)
            error = ERROR_STORE_UNAVAILABLE;
    }
    provider_report(&call->qdrant->provider, &call->request_id, error, &answer);
    call_answer_free(&answer);
    call->done(call->context, error, status, result);
    json_object_put(root);
    free(call->url);
    free(call);
}

void qdrant_cancel(struct qdrant_call *call)
{
    if (call == NULL)
        return;
    upstream_cancel(call->call);
    free(call->url);
    free(call);
}
