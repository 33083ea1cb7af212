/*
 * GET /healthz: the process lives.  GET /readyz: it can do its work.
 */
#include "json.h"
#include "request_internal.h"
#include "store.h"

#include <string.h>

#define MAX_DATA_BYTES 2048

static void finish_health(struct request *request);
static void finish_readiness(struct request *request);
static void on_store_checked(void *context, enum error error);

const struct endpoint ENDPOINT_HEALTHZ = {.finish = finish_health};
const struct endpoint ENDPOINT_READYZ = {.finish = finish_readiness};

static void finish_health(struct request *request)
{
    struct buffer data;

    buffer_init(&data, 64);
    buffer_append_string(&data, "{\"status\":\"ok\"}");
    request_succeed(request, &data);
}

static void finish_readiness(struct request *request)
{
    struct services *services = request->server->services;

    store_check(services->store, on_store_checked, request);
}

/* Of the whole process: open where any loop has it open. */
static void write_breakers(struct json_writer *json, const struct shared_services *shared)
{
    static const char *const roles[] = {"coach", "transcriber", "speaker", "embedder",
                                        "retriever"};

    json_begin_object(json);
    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
        bool is_open =
            metrics_open_breakers(shared->metrics, shared->metrics_count, roles[i]) > 0;

        json_put_string(json, roles[i], is_open ? "open" : "closed");
    }
    json_end_object(json);
}

/* Why it cannot be used. */
static void write_store_error(struct json_writer *json, struct store_backend *store)
{
    struct store_trouble trouble = store_trouble(store);

    json_put_object(json, "store_error");
    json_put_string(json, "code", trouble.code);
    if (trouble.condition != NULL)
        json_put_string(json, "condition", trouble.condition);
    if (*trouble.host != '\0')
        json_put_string(json, "host", trouble.host);
    if (*trouble.said.text != '\0')
        json_put_string(json, "said", trouble.said.text);
    if (trouble.number != 0)
        json_put_string(json, "system", strerror(trouble.number));
    json_end_object(json);
}

static void write_checks(struct json_writer *json, const struct services *services,
                         enum error store)
{
    json_put_string(json, "store", store == OK ? "ok" : error_info(store)->code);
    if (store != OK)
        write_store_error(json, services->shared->store);
    json_put_string(json, "coach", coach_kind(services->coaches->all[0]));
    json_key(json, "breakers");
    write_breakers(json, services->shared);
    json_put_boolean(json, "draining", services->shared->is_leaving);
}

/* Whoever has ADMIN_PORT keeps the details there. */
static void on_store_checked(void *context, enum error error)
{
    struct request *request = context;
    const struct services *services = request->server->services;
    bool is_leaving = services->shared->is_leaving;
    struct json_writer json;
    struct private_text checks;
    struct buffer text;
    bool is_ready;

    if (store_stats(services->shared->store).is_disk_full)
        error = ERROR_STORE_UNAVAILABLE;
    is_ready = error == OK && !is_leaving;
    buffer_init(&text, MAX_DATA_BYTES);
    json_writer_init(&json, &text);
    json_begin_object(&json);
    json_put_object(&json, "checks");
    if (services->is_admin || services->settings->admin_port == 0)
        write_checks(&json, services, error);
    json_end_object(&json);
    json_end_object(&json);
    checks = private_text_take(&text);
    request_answer(request, &(struct answer){.error = is_ready ? OK : ERROR_NOT_READY,
                                             .data = &checks,
                                             .details = &checks});
    private_text_free(&checks);
}
