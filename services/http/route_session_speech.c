/*
 * GET /session/{session_id}/speech: the open question, spoken now: the first one, which no turn has
 * spoken, and any that is not kept any more.  It is not kept either: each time is a call of the speaker.
 */
#include "clock.h"
#include "mem.h"
#include "private_reveal.h"
#include "request_internal.h"
#include "store.h"

#include <stdlib.h>

/* The request's state: the call, then what it brought, until all of it is sent. */
struct speaking {
    struct request *request;    /* borrowed */
    struct speaker *speaker;    /* borrowed */
    struct speaker_call *call;  /* owned; NULL: not pending */
    struct private_text speech; /* owned */
};

static void finish(struct request *request);
static void on_session(void *context, enum error error, struct session *session,
                       bool is_replay);
static speaker_done_fn on_spoken;
static void free_state(void *state);

const struct endpoint ENDPOINT_SESSION_SPEECH = {.needs_token = true,
                                                 .names_session = true,
                                                 .starts_work = true,
                                                 .finish = finish,
                                                 .free = free_state};

static void finish(struct request *request)
{
    store_load_session(request->server->services->store, &request->session_id,
                       clock_wall_ms(), false, on_session, request);
}

static void on_session(void *context, enum error error, struct session *session,
                       bool is_replay)
{
    struct request *request = context;
    const struct turn_services *services = request->server->services->turns;
    struct speaker_ask ask = {.request_id = request->request_id,
                              .trace = request->trace,
                              .timeout_ms = services->settings->tts_timeout_s * 1000};
    struct speaking *speaking;

    (void)is_replay;
    if (error == OK && (services->speaker == NULL || session_is_complete(session)))
        error = ERROR_TTS_AUDIO_NOT_FOUND;
    if (error != OK) {
        request_fail(request, error);
    } else {
        speaking = MEM_NEW(struct speaking);
        *speaking = (struct speaking){.request = request, .speaker = services->speaker};
        request->state = speaking;
        ask.text = private_text_clone(session_current_question(session));
        speaking->call =
            services->speaker->start(services->speaker, &ask, on_spoken, speaking);
    }
    session_free(session);
}

static void on_spoken(void *context, enum error error, struct speech speech)
{
    struct speaking *speaking = context;
    struct request *request = speaking->request;
    struct response *response = &request->response;
    struct envelope_reader reader = request_reader(request);

    speaking->call = NULL;
    speaking->speech = speech.audio;
    if (error != OK) { /* why is in the log */
        request_fail(request, ERROR_TTS_AUDIO_NOT_FOUND);
        return;
    }
    response_init(response, 200, 0);
    response->borrowed = private_reveal(&speaking->speech);
    response_header(response, "Content-Type", speech.content_type);
    envelope_common_headers(response, &reader);
    request_answer_made(request);
}

static void free_state(void *state)
{
    struct speaking *speaking = state;

    if (speaking == NULL)
        return;
    if (speaking->call != NULL)
        speaking->speaker->cancel(speaking->call);
    private_text_free(&speaking->speech);
    free(speaking);
}
