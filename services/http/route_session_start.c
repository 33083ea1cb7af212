/*
 * POST /session/start: a new interview, its token, and the first words of the coach.
 *
 *   finish > start_form_read > make_session > [a model reads the advert > on_opened >]
 *   store.create_session > on_created
 *
 * The same Idempotency-Key gives the same session until a turn has been taken, and from that
 * the same reply: the token depends on nothing but its id and time, the opening prompt on what
 * is stored.
 */
#include "client_address_internal.h"
#include "clock.h"
#include "form_internal.h"
#include "json.h"
#include "json_body_internal.h"
#include "mem.h"
#include "opening.h"
#include "private_reveal.h"
#include "prompt.h"
#include "request_internal.h"
#include "store.h"
#include "token.h"

#include <stdlib.h>
#include <string.h>

/* Two papers of astral characters, each escaped as a pair of surrogates, and the rest. */
#define MAX_BODY_BYTES (65536 + 2 * PAPER_MAX_CHARS * 12)
#define MAX_DATA_BYTES 16384
#define MAX_DEPTH      4

static int64_t max_body_bytes(const struct settings *settings);
static void begin(struct request *request);
static void finish(struct request *request);
static opening_done_fn on_opened;
static void on_created(void *context, enum error error, struct session *session,
                       bool is_replay);

/* A start that waits for a model. */
struct start {
    struct request *request; /* borrowed: it waits for its answer */
    struct store_new_session creation;
};

const struct endpoint ENDPOINT_SESSION_START = {
    .starts_work = true,
    .max_body_bytes = max_body_bytes,
    .begin = begin,
    .take = json_body_take,
    .finish = finish,
    .free = json_body_free,
};

static int64_t max_body_bytes(const struct settings *settings)
{
    (void)settings;
    return MAX_BODY_BYTES;
}

static void begin(struct request *request)
{
    json_body_begin(request, MAX_BODY_BYTES);
}

static enum error read_form(struct request *request, struct start_form *ret_form,
                            struct field_errors *errors)
{
    struct json_object *body = json_body_parse(request, MAX_DEPTH, errors);
    enum error error =
        start_form_read(body, request->server->services->filter, ret_form, errors);

    json_wipe_and_put(body);
    return error;
}

/* Takes the texts of the form. */
static struct session *make_session(const struct settings *settings,
                                    struct start_form *form, int64_t now_ms)
{
    struct session *session = MEM_NEW(struct session);

    session->id = id_random();
    session->role = private_text_move(&form->texts[START_ROLE]);
    session->interview_type = private_text_move(&form->texts[START_INTERVIEW_TYPE]);
    session->papers.job_advert = private_text_move(&form->texts[START_JOB_ADVERT]);
    session->papers.resume = private_text_move(&form->texts[START_RESUME]);
    session->difficulty = (int)form->difficulty;
    session->total_questions = form->question_count;
    session->created_ms = now_ms;
    session->last_activity_ms = now_ms;
    session->expires_ms = session_expiry(now_ms, now_ms, settings->session_ttl_minutes,
                                         settings->session_max_hours);
    opening_fill_in(session);
    return session;
}

/* A start without advert and CV has the fingerprint that it had before there were any, so that its retry
 * across an update is known; with them each has its name before it. */
static struct digest fingerprint_of(const struct start_form *form,
                                    const struct digest_key *input_key)
{
    unsigned char numbers[2] = {(unsigned char)form->difficulty,
                                (unsigned char)form->question_count};
    struct digest_state state;

    digest_begin(&state, input_key);
    digest_add_field(&state, "session_start", 13);
    for (int which = 0; which < START_TEXTS; which++) {
        struct span text = private_reveal(&form->sent[which]);

        if (which == START_JOB_ADVERT)
            digest_add_field(&state, numbers, sizeof(numbers));
        if (which >= START_JOB_ADVERT && text.length == 0)
            continue;
        if (which >= START_JOB_ADVERT)
            digest_add_field(&state, which == START_RESUME ? "resume" : "job_ad", 6);
        digest_add_field(&state, text.bytes, text.length);
    }
    return digest_end(&state);
}

static struct store_key key_of(const struct request *request,
                               const struct start_form *form, struct field_errors *errors)
{
    const struct digest_key *input_key = &request->keys->input;
    struct store_key key = {0};

    idempotency_read(&request->headers, input_key, IDEMPOTENCY_SECRET_BYTES, &key,
                     errors);
    if (key.is_there)
        key.fingerprint = fingerprint_of(form, input_key);
    return key;
}

static void refuse(struct request *request, enum error error,
                   const struct field_errors *errors)
{
    if (error == ERROR_VALIDATION_ERROR)
        json_body_refuse(request, errors);
    else
        request_fail(request, error);
}

/* At once, or when a model has read the advert. */
static void create(struct request *request, struct store_new_session *creation)
{
    struct services *services = request->server->services;
    struct session *session = creation->session;
    struct start *start;

    if (!opening_wants_model(services->turns, session)) {
        store_create_session(services->store, creation, on_created, request);
        return;
    }
    start = MEM_NEW(struct start);
    start->request = request;
    start->creation = *creation;
    start->creation.session = NULL;
    opening_ask(services->turns, session, &request->request_id, &request->trace,
                on_opened, start);
}

static void finish(struct request *request)
{
    struct services *services = request->server->services;
    int64_t now_ms = clock_wall_ms();
    struct field_errors errors = {.count = 0};
    struct store_new_session creation = {.now_ms = now_ms};
    struct start_form form = {0};
    enum error error = read_form(request, &form, &errors);

    if (error == OK)
        creation.key = key_of(request, &form, &errors);
    if (error == OK && errors.count > 0)
        error = ERROR_VALIDATION_ERROR;
    if (error == OK) {
        creation.session = make_session(services->settings, &form, now_ms);
        creation.client_most = services->settings->max_sessions_per_address;
        if (creation.client_most > 0)
            creation.client = client_digest(request);
        create(request, &creation);
    } else {
        refuse(request, error, &errors);
    }
    start_form_free(&form);
}

static void on_opened(void *context, struct session *session)
{
    struct start *start = context;
    struct request *request = start->request;

    start->creation.session = session;
    store_create_session(request->server->services->store, &start->creation, on_created,
                         request);
    free(start);
}

static void write_data(const struct services *services, const struct session *session,
                       struct buffer *out)
{
    struct private_text token =
        token_issue(&services->shared->keys[0].token, &session->id, session->created_ms);
    struct private_text prompt =
        prompt_opening(&session->role, &session->interview_type, &session->asked[0]);
    struct json_writer json;

    json_writer_init(&json, out);
    json_begin_object(&json);
    json_put_string(&json, "session_id", session->id.text);
    json_put_private(&json, "session_token", &token);
    json_put_private(&json, "opening_prompt", &prompt);
    json_end_object(&json);
    private_text_free(&token);
    private_text_free(&prompt);
}

/* Each of the client's sessions that nobody goes on with has expired by then. */
static void refuse_one_more(struct request *request)
{
    static const char words[] = "Too many interviews are open from your network. Please "
                                "finish one of them, or come back later.";
    static const char json[] = "{\"cap\":\"sessions\"}";
    const struct settings *settings = request->server->services->settings;
    struct private_text message = private_text_copy(words, sizeof(words) - 1);
    struct private_text details = private_text_copy(json, sizeof(json) - 1);
    int64_t idle_ms =
        session_expiry(0, 0, settings->session_ttl_minutes, settings->session_max_hours);

    request_answer(request, &(struct answer){.error = ERROR_USAGE_CAP_REACHED,
                                             .message = &message,
                                             .details = &details,
                                             .retry_after_s = idle_ms / 1000});
    private_text_free(&message);
    private_text_free(&details);
}

static void on_created(void *context, enum error error, struct session *session,
                       bool is_replay)
{
    struct request *request = context;
    struct buffer bytes;
    struct private_text data;

    if (error == ERROR_USAGE_CAP_REACHED) {
        refuse_one_more(request);
        return;
    }
    if (error != OK) {
        request_fail(request, error);
        return;
    }
    buffer_init(&bytes, MAX_DATA_BYTES);
    write_data(request->server->services, session, &bytes);
    data = private_text_take(&bytes);
    request->session_id = session->id;
    request_answer(request,
                   &(struct answer){.error = OK, .data = &data, .is_replay = is_replay});
    private_text_free(&data);
    session_free(session);
}
