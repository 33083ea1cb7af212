/*
 * GET /session/{session_id}/report: the whole interview, as an envelope or as a Markdown file.  The one
 * reply that gives transcripts back.
 */
#include "report.h"

#include "clock.h"
#include "private_reveal.h"
#include "request_internal.h"
#include "store.h"

static void finish(struct request *request);
static void on_session(void *context, enum error error, struct session *session,
                       bool is_replay);

const struct endpoint ENDPOINT_SESSION_REPORT = {
    .needs_token = true, .names_session = true, .finish = finish};

static void finish(struct request *request)
{
    store_load_session(request->server->services->store, &request->session_id,
                       clock_wall_ms(), true, on_session, request);
}

static void send_markdown(struct request *request, const struct session *session)
{
    struct private_text text = report_markdown(session);
    struct span bytes = private_reveal(&text);
    struct envelope_reader reader = request_reader(request);
    struct response *response = &request->response;

    response_init(response, 200, bytes.length);
    buffer_append(&response->body, bytes.bytes, bytes.length);
    private_text_free(&text);
    response_header(response, "Content-Type", "text/markdown; charset=utf-8");
    response_header(response, "Content-Disposition",
                    "attachment; filename=\"interview.md\"");
    response_header(response, "Vary", "Accept");
    envelope_common_headers(response, &reader);
    request_answer_made(request);
}

static void send_json(struct request *request, const struct session *session)
{
    struct private_text data = report_json(session);

    request_answer(request,
                   &(struct answer){.error = OK, .data = &data, .vary = "Accept"});
    private_text_free(&data);
}

static void on_session(void *context, enum error error, struct session *session,
                       bool is_replay)
{
    struct request *request = context;

    (void)is_replay;
    if (error != OK) {
        request_fail(request, error);
        return;
    }
    if (accept_wants_markdown(&request->headers.accept))
        send_markdown(request, session);
    else
        send_json(request, session);
    session_free(session);
}
