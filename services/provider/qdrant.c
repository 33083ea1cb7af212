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

static const int64_t timeout_s = 10; /* that a question waits, at most */

static const struct provider_role qdrant_role = {
    .name = "retriever",
    .span = "retrieve",
    .failed = "qdrant_failed",
    .errors = {.timeout = ERROR_STORE_UNAVAILABLE,
               .rate_limit = ERROR_STORE_UNAVAILABLE,
               .auth = ERROR_STORE_UNAVAILABLE,
               .not_found = ERROR_NOT_FOUND,
               .bad_request = ERROR_STORE_UNAVAILABLE,
               .unknown_4xx = ERROR_STORE_UNAVAILABLE,
               .other = ERROR_STORE_UNAVAILABLE},
};

struct qdrant {
    struct provider provider; /* its URL is the collection's */
};

struct qdrant_call {
    struct qdrant *qdrant;      /* borrowed */
    struct upstream_call *call; /* owned */
    char *url;                  /* owned; the call borrows it */
    struct errand errand;
    qdrant_done_fn *done;
    void *context; /* borrowed from the caller */
};

static call_done_fn on_reply;

struct qdrant *qdrant_new(const struct provider_tools *tools)
{
    const struct settings *settings = tools->settings;
    struct qdrant *qdrant = MEM_NEW(struct qdrant);

    qdrant->provider.authorization =
        provider_authorization("", &settings->qdrant_api_key);
    qdrant->provider.authorization_name = "api-key";
    provider_init(&qdrant->provider, &qdrant_role, tools, "qdrant",
                  settings->qdrant_collection,
                  provider_url(settings->qdrant_url, "/collections/",
                               settings->qdrant_collection, ""),
                  &timeout_s);
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
                                 const struct id *request_id, const struct trace *trace,
                                 int64_t timeout_ms, qdrant_done_fn *done, void *context)
{
    struct qdrant_call *call = MEM_NEW(struct qdrant_call);
    struct call_request request = {
        .method = method,
        .content_type = private_text_is_empty(&body) ? NULL : "application/json",
        .body = body,
        .max_reply_bytes = REPLY_MAX_BYTES,
    };

    call->qdrant = qdrant;
    call->errand = provider_errand(&qdrant->provider, request_id, trace, timeout_ms);
    call->done = done;
    call->context = context;
    request.url = call->url = provider_url(qdrant->provider.url, path, "", "");
    call->call =
        provider_send(&qdrant->provider, &call->errand, &request, on_reply, call);
    return call;
}

static void on_reply(void *context, struct call_answer answer)
{
    struct qdrant_call *call = context;
    struct span body = private_reveal(&answer.body);
    enum error error = provider_error(&call->qdrant->provider, &answer);
    struct json_object *root = NULL, *result = NULL;
    long status = answer.status;

    if (error == OK) {
        root = json_parse(body.bytes, body.length, REPLY_MAX_DEPTH);
        result = json_member(root, "result");
        if (result == NULL)
            error = ERROR_STORE_UNAVAILABLE;
    }
    provider_note(&call->qdrant->provider, &call->errand, error, &answer, NULL);
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
