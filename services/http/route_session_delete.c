/*
 * DELETE /session/{session_id}: removes every trace of an interview; for its candidate, and for the admin,
 * for whom one that has expired and waits to be swept is there as well.
 */
#include "clock.h"
#include "request_internal.h"
#include "store.h"

static void finish(struct request *request);
static void on_deleted(void *context, enum error error);

const struct endpoint ENDPOINT_SESSION_DELETE = {
    .needs_token = true, .names_session = true, .opens_to_admin = true, .finish = finish};

static void finish(struct request *request)
{
    struct services *services = request->server->services;

    store_delete_session(services->store, &request->session_id,
                         request->is_admin ? 0 : clock_wall_ms(), on_deleted, request);
}

static void on_deleted(void *context, enum error error)
{
    struct request *request = context;
    struct buffer data;

    if (error != OK) {
        request_fail(request, error);
        return;
    }
    buffer_init(&data, 64);
    buffer_append_string(&data, "{\"deleted\":true}");
    request_succeed(request, &data);
}
