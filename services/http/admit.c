/*
 * The head of a request: whether it may go on, in the order in which that costs least.
 */
#include "admit_internal.h"

#include "admin_key_internal.h"
#include "clock.h"
#include "overload_internal.h"
#include "request_internal.h"
#include "throttle_internal.h"
#include "token.h"
#include "uploads_internal.h"

#include <string.h>

/* Where a body has no meaning, this much of one is read over. */
#define MAX_IGNORED_BODY_BYTES 65536

/* Of the 8 KB that a connection has (server.c). */
#define MAX_HEAD_BYTES      6400
#define HEADER_RECORD_BYTES 64

static const struct endpoint *const endpoints[] = {
#define ROUTE(symbol, method, path, name) [ROUTE_##symbol] = &ENDPOINT_##symbol,
#include "routes.def"
};

static enum MHD_Result on_header(void *context, enum MHD_ValueKind kind, const char *name,
                                 size_t name_length, const char *value,
                                 size_t value_length);

/* Does it leave room for the head of a reply in the connection's memory?  libmicrohttpd keeps a record
 * of each line there. */
static bool is_too_large(const struct request *request, int lines)
{
    const union MHD_ConnectionInfo *head =
        MHD_get_connection_info(request->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

    return head->header_size + (size_t)lines * HEADER_RECORD_BYTES > MAX_HEAD_BYTES;
}

static void read_trace(struct request *request)
{
    const struct headers *headers = &request->headers;

    if (headers->traceparent.bytes != NULL && !headers->has_two_traceparents)
        trace_read(headers->traceparent, &request->trace);
    if (request->trace.id[0] == '\0' && request->server->services->shared->spans != NULL)
        request->trace = trace_begin();
    else if (!headers->has_two_tracestates && trace_state_is_sound(headers->tracestate))
        request->trace.state = headers->tracestate;
}

static enum error read_headers(struct request *request)
{
    int lines = MHD_get_connection_values_n(request->mhd, MHD_HEADER_KIND, on_header,
                                            &request->headers);

    request->request_id = headers_request_id(&request->headers);
    read_trace(request);
    if (headers_allow_origin(request->server->services->settings->cors_allowed_origins,
                             request->headers.origin))
        request->allowed_origin = request->headers.origin;
    return is_too_large(request, lines) ? ERROR_HEADERS_TOO_LARGE : OK;
}

/* With ADMIN_PORT two listeners share the paths. */
static bool is_served_here(const struct request *request)
{
    const struct services *services = request->server->services;

    switch (request->match.route) {
    case ROUTE_HEALTHZ:
    case ROUTE_READYZ:
    case ROUTE_SESSION_DELETE: return true;
    case ROUTE_METRICS:
    case ROUTE_ADMIN_STATS:
        return services->is_admin || services->settings->admin_port == 0;
    default: return !services->is_admin; /* of the table's many other rows */
    }
}

/* An OPTIONS on a known path has no endpoint and no error. */
static enum error find_endpoint(struct request *request, const char *target)
{
    request->match = router_match(request->method, target);
    if (!request->match.is_path_known || !is_served_here(request))
        return ERROR_NOT_FOUND;
    if (request->method == METHOD_OPTIONS)
        return OK;
    if (request->match.route == ROUTE_COUNT)
        return ERROR_METHOD_NOT_ALLOWED;
    request->endpoint = endpoints[request->match.route];
    return OK;
}

/* Whoever waits for a few wrong keys is told no more than that this is no token. */
static bool is_admin(const struct request *request)
{
    int64_t wait_s;

    return request->endpoint->opens_to_admin && admin_key_is_here(request) &&
           admin_key_judge(request, &wait_s) == OK;
}

/* A session in the path must be the token's; the admin's key is any session's. */
static enum error check_token(struct request *request)
{
    struct span parameter = request->match.parameter;
    struct id id;

    if (!admit_proves_session(request, &request->session_id)) {
        request->is_admin = is_admin(request);
        if (!request->is_admin)
            return ERROR_INVALID_TOKEN;
    }
    if (!request->endpoint->names_session)
        return OK;
    if (!id_parse(parameter.bytes, parameter.length, &id))
        return ERROR_NOT_FOUND;
    id = id_lower(&id);
    if (request->is_admin)
        request->session_id = id;
    return id_equals(&id, &request->session_id) ? OK : ERROR_SESSION_ID_MISMATCH;
}

/* Seconds, other ones for others, so that they do not all come back at once. */
static int64_t spread_s(const struct request *request)
{
    return 1 + request->request_id.text[0] % 4;
}

/* Before the body is read: who is turned away has cost as little as can be, and who is let
 * in goes on to the end.  turn_start() asks for itself how many turns there are. */
static enum error check_room(struct request *request)
{
    const struct services *services = request->server->services;
    enum shedding reason;

    if (request->endpoint == NULL || !request->endpoint->starts_work)
        return OK;
    if (services->shared->is_draining)
        return ERROR_DRAINING;
    reason = overload_reason(request->server);
    if (request->endpoint->starts_turn &&
        services->shared->inflight >= services->settings->max_inflight_turns)
        reason = SHEDDING_TURNS;
    if (!uploads_have_room(request->server, headers_body_length(&request->headers)))
        reason = SHEDDING_UPLOADS;
    if (reason == SHEDDING_COUNT)
        return OK;
    metrics_add(&services->metrics->SHED[reason], 1);
    return ERROR_OVERLOADED;
}

static enum error check_length(const struct request *request)
{
    bool is_over = headers_body_length(&request->headers) > admit_body_limit(request);

    return is_over ? ERROR_FILE_TOO_LARGE : OK;
}

void admit(struct request *request, const char *target, const char *method,
           const char *version)
{
    enum error error = read_headers(request);

    if (request->connection->refusal != OK)
        error = request->connection->refusal;
    request->is_http_1_1 = strcmp(version, MHD_HTTP_VERSION_1_1) == 0;
    request->method = method_parse(method);
    if (error == OK && (!headers_is_token(span_of(method)) ||
                        !headers_are_sound(&request->headers, request->is_http_1_1)))
        error = ERROR_BAD_REQUEST;
    if (error == OK)
        error = find_endpoint(request, target);
    if (error == OK)
        error = check_length(request);
    if (error == OK && request->endpoint != NULL && request->endpoint->needs_token)
        error = check_token(request);
    if (error == OK)
        error = check_room(request);
    if (error == OK) /* the last: who is turned away for our sake keeps its quota */
        error = throttle_check(request);

    if (error != OK)
        request_answer(request,
                       &(struct answer){.error = error,
                                        .allow = request->match.allow,
                                        .retry_after_s = error == ERROR_OVERLOADED
                                                             ? spread_s(request)
                                                             : request->rate.wait_s});
}

static enum MHD_Result on_header(void *context, enum MHD_ValueKind kind, const char *name,
                                 size_t name_length, const char *value,
                                 size_t value_length)
{
    (void)kind;
    headers_add(context, (struct span){name, name_length},
                (struct span){value, value_length});
    return MHD_YES;
}

bool admit_proves_session(struct request *request, struct id *ret_session_id)
{
    const struct services *services = request->server->services;
    const struct shared_services *shared = services->shared;
    struct span token = headers_bearer_token(&request->headers);
    int64_t max_age_ms = services->settings->session_max_hours * 3600 * 1000;
    struct id id;

    for (size_t at = 0; at < shared->key_count; at++)
        if (token_check(&shared->keys[at].token, token, clock_wall_ms(), max_age_ms,
                        &id)) {
            request->keys = &shared->keys[at];
            *ret_session_id = id_lower(&id);
            return true;
        }
    return false;
}

int64_t admit_body_limit(const struct request *request)
{
    const struct endpoint *endpoint = request->endpoint;

    if (endpoint == NULL || endpoint->max_body_bytes == NULL)
        return MAX_IGNORED_BODY_BYTES;
    return endpoint->max_body_bytes(request->server->services->settings);
}
