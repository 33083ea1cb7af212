/*
 * GET /session/{session_id}: where an interview stands, for an app that was closed.  No
 * transcript.
 */
#include "clock.h"
#include "json.h"
#include "request_internal.h"
#include "store.h"

#define MAX_DATA_BYTES (256 * 1024) /* the longest questions, escaped */

static void finish(struct request *request);
static void on_session(void *context, enum error error, struct session *session,
                       bool is_replay);

const struct endpoint ENDPOINT_SESSION_GET = {
    .needs_token = true, .names_session = true, .finish = finish};

static void finish(struct request *request)
{
    struct services *services = request->server->services;

    store_load_session(services->store, &request->session_id, clock_wall_ms(), false,
                       on_session, request);
}

static void write_data(const struct session *session, struct buffer *out)
{
    struct json_writer json;

    json_writer_init(&json, out);
    json_begin_object(&json);
    json_put_string(&json, "session_id", session->id.text);
    json_put_private(&json, "role", &session->role);
    json_put_private(&json, "interview_type", &session->interview_type);
    json_put_string(&json, "difficulty", session_difficulty(session));
    json_put_string(&json, "status",
                    session_is_complete(session) ? "completed" : "active");
    json_put_integer(&json, "turn_count", session->turn_count);
    json_put_integer(&json, "total_questions", session->total_questions);
    json_put_array(&json, "asked_questions");
    for (size_t i = 0; i < session->asked_count; i++)
        json_private(&json, &session->asked[i]);
    json_end_array(&json);
    json_put_time(&json, "created_at", session->created_ms);
    json_put_time(&json, "last_activity_at", session->last_activity_ms);
    json_put_time(&json, "expires_at", session->expires_ms);
    json_end_object(&json);
}

static void on_session(void *context, enum error error, struct session *session,
                       bool is_replay)
{
    struct request *request = context;
    struct buffer data;

    (void)is_replay;
    if (error != OK) {
        request_fail(request, error);
        return;
    }
    buffer_init(&data, MAX_DATA_BYTES);
    write_data(session, &data);
    session_free(session);
    request_succeed(request, &data);
}
