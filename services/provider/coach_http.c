/*
 * The life of one ask of a model.
 *
 *   start > send > [on_bytes >] on_reply > done
 *             ^____________________|   with a weaker form, where the server answers 400
 *
 * Every path but cancel() ends in on_reply().
 */
#include "coach_http_internal.h"

#include "clock.h"
#include "mem.h"
#include "private_reveal.h"
#include "sse_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define REPLY_MAX_BYTES (1024 * 1024)

/* An event of a stream is a hundred times as long as the text in it. */
#define STREAM_MAX_BYTES (64 * REPLY_MAX_BYTES)

#define INSTRUCTIONS_MOST 16 /* twice as many as there are */

/* Ten answers of the largest MAX_TRANSCRIPT_CHARS, escaped twice, fit. */
#define REQUEST_MAX_BYTES (32 * 1024 * 1024)

/* What a request is longer than its two messages: the schema, the settings, some escapes. */
#define REQUEST_EXTRA_BYTES 1600

static const struct provider_role coach_role = {
    .name = "coach",
    .operation = "chat",
    .span = "coach",
    .failed = "coach_failed",
    .errors = {.timeout = ERROR_LLM_TIMEOUT,
               .rate_limit = ERROR_LLM_RATE_LIMIT,
               .auth = ERROR_LLM_AUTH_ERROR,
               .not_found = ERROR_LLM_MODEL_NOT_FOUND,
               .bad_request = ERROR_LLM_BAD_REQUEST,
               .unknown_4xx = ERROR_LLM_BAD_REQUEST,
               .other = ERROR_LLM_PROVIDER_ERROR},
};

struct coach_http {
    struct coach coach; /* the first member: a coach is cast back */
    const struct coach_wire *wire;
    const struct settings *settings; /* borrowed */
    struct provider provider;
    char *base_url;                /* owned */
    enum coach_form form;          /* the strongest that the server has not refused */
    enum coach_form streamed_form; /* the same, for texts that are streamed */
    bool has_told_of_retirement;
    struct {
        const char *text;              /* static */
        struct buffer escaped;         /* owned: the same as a string of JSON */
    } instructions[INSTRUCTIONS_MOST]; /* written once and used again; NULL: no more */
};

/* How a streamed reply comes: a server that does not stream, though it was asked to, is
 * understood as well; nothing is told before its end then. */
enum arrival {
    ARRIVAL_UNKNOWN, /* nothing but white space has come */
    ARRIVAL_EVENTS,
    ARRIVAL_WHOLE /* it began with a brace, which no event does */
};

struct coach_call {
    struct coach_http *http;    /* borrowed */
    struct upstream_call *call; /* owned; NULL: not pending */
    coach_text_fn *on_text;     /* NULL: the text is wanted whole */
    coach_done_fn *done;
    void *context; /* borrowed from the caller */
    struct errand errand;
    enum coach_form form; /* of the request under way */
    size_t form_offset;   /* in its body */
    bool may_be_the_form; /* why the request before it was refused, if there was one */
    enum arrival arrival; /* of a streamed reply, like the next two */
    struct sse sse;
    struct buffer whole; /* owned: where it is no stream */
    struct coach_reading reading;
};

/* What a call came to. */
struct verdict {
    enum error error;
    bool may_be_the_schema;   /* 400 for no reason that we know: refused for good */
    bool has_lost_its_form;   /* the model did not keep to the form, this once */
    struct coach_reply reply; /* with OK; the caller frees it */
};

static sse_event_fn on_event;
static call_bytes_fn on_bytes;
static call_done_fn on_reply;

/* ---- what a reply says ---- */

void coach_reading_text(struct coach_reading *reading, enum json_token kind,
                        struct span value)
{
    if (kind == JSON_WORD && span_equals(value, "null"))
        return;
    if (kind == JSON_STRING && json_unescape(value, &reading->text))
        reading->has_text = true;
    else if (reading->error == OK)
        reading->error = ERROR_LLM_PROVIDER_ERROR;
}

void coach_reading_code(struct coach_reading *reading, struct span code)
{
    for (const struct coach_code *known = reading->wire->codes; known->code != NULL;
         known++) {
        if (!span_equals(code, known->code))
            continue;
        reading->code = known->code;
        reading->code_error = known->error;
    }
}

/* There is no code for it with some (OpenAI: invalid_prompt, for other things as well;
 * Anthropic: invalid_request_error). */
void coach_reading_message(struct coach_reading *reading, struct span message)
{
    static const char *const signs[] = {"usage polic", "content polic",
                                        "content filtering polic",
                                        "content management polic", "safety system"};

    for (size_t sign = 0; sign < sizeof(signs) / sizeof(*signs); sign++)
        for (size_t at = 0, length = strlen(signs[sign]); at + length <= message.length;
             at++)
            if (strncasecmp(message.bytes + at, signs[sign], length) == 0)
                reading->is_policy = true;
}

void coach_reading_error(struct coach_reading *reading, enum json_token kind,
                         struct span value)
{
    if (kind != JSON_WORD || !span_equals(value, "null"))
        reading->error = ERROR_LLM_PROVIDER_ERROR;
}

void coach_reading_count(int64_t *count, enum json_token kind, struct span value)
{
    int64_t number = 0;

    if (kind != JSON_WORD || value.length > 15)
        return;
    for (size_t at = 0; at < value.length; at++) {
        if (value.bytes[at] < '0' || value.bytes[at] > '9')
            return;
        number = number * 10 + (value.bytes[at] - '0');
    }
    *count = number;
}

static void take(void *context, size_t place, enum json_token kind, struct span value)
{
    struct coach_reading *reading = context;

    reading->wire->take(reading, place, kind, value);
}

/* Reads one JSON object, which must be all that there is. */
static void read_object(struct coach_reading *reading, struct span text)
{
    const struct coach_wire *wire = reading->wire;
    struct json_pick pick;

    reading->was_over = reading->has_ended;
    json_pick_init(&pick, wire->places, wire->place_count, 0, take, reading);
    if ((json_pick_more(&pick, text) != JSON_CLOSE || (pick.scan.objects & 1) == 0 ||
         json_scan_next(&pick.scan, text) != JSON_MORE) &&
        reading->error == OK)
        reading->error = ERROR_LLM_PROVIDER_ERROR;
}

static void begin_reading(struct coach_call *self)
{
    self->reading = (struct coach_reading){.wire = self->http->wire,
                                           .error = OK,
                                           .code_error = OK,
                                           .input_tokens = -1,
                                           .output_tokens = -1};
    buffer_init(&self->reading.text, REPLY_MAX_BYTES);
    buffer_init(&self->reading.refusal, REPLY_MAX_BYTES);
    buffer_init(&self->whole, REPLY_MAX_BYTES);
    sse_init(&self->sse, REPLY_MAX_BYTES, on_event, self);
    self->arrival = ARRIVAL_UNKNOWN;
}

static void end_reading(struct coach_call *self)
{
    sse_done(&self->sse);
    buffer_done(&self->whole);
    buffer_done(&self->reading.text);
    buffer_done(&self->reading.refusal);
}

/* ---- the request ---- */

static struct span escaped_instructions(struct coach_http *http, const char *text)
{
    struct json_writer writer;
    struct buffer *escaped;
    size_t at = 0;

    if (text == NULL)
        return (struct span){NULL, 0};
    while (http->instructions[at].text != NULL && http->instructions[at].text != text)
        assert(++at < INSTRUCTIONS_MOST);
    escaped = &http->instructions[at].escaped;
    if (http->instructions[at].text == NULL) {
        http->instructions[at].text = text;
        buffer_init(escaped, REPLY_MAX_BYTES);
        json_writer_init(&writer, escaped);
        json_string(&writer, text);
    }
    return (struct span){escaped->bytes + 1,
                         escaped->length - 2}; /* without the quotes */
}

static void write_form(struct coach_call *self, struct buffer *out,
                       const struct coach_ask *ask)
{
    bool has_schema = self->form == COACH_FORM_SCHEMA;
    struct json_writer writer;

    json_writer_init(&writer, out);
    writer.needs_comma = true; /* the object is begun, and has members */
    if (self->form != COACH_FORM_NONE)
        self->http->wire->write_form(&writer, self->form,
                                     has_schema ? ask->schema_name : NULL,
                                     has_schema ? ask->schema : NULL);
    json_end_object(&writer);
}

/* The request's JSON, the form at its end.  It is held for as long as the model takes, by every
 * turn under way: it gets no byte more than it needs. */
static struct private_text write_request(struct coach_call *self,
                                         const struct coach_ask *ask)
{
    struct coach_http *http = self->http;
    const struct coach_request request = {http->settings, http->provider.model, ask,
                                          escaped_instructions(http, ask->instructions)};
    struct private_text exact;
    struct json_writer writer;
    struct buffer out;

    buffer_init(&out, REQUEST_MAX_BYTES);
    buffer_reserve(&out, request.instructions.length +
                             private_reveal(&ask->system).length +
                             private_reveal(&ask->user).length + REQUEST_EXTRA_BYTES);
    json_writer_init(&writer, &out);
    json_begin_object(&writer);
    http->wire->write(&writer, &request);
    self->form_offset = out.length;
    write_form(self, &out, ask);
    exact = private_text_copy(out.bytes, out.length);
    buffer_done(&out);
    return exact;
}

/* Sends the body, which it takes over, in the time that is left. */
static void send_request(struct coach_call *self, struct private_text body)
{
    bool is_streamed = self->on_text != NULL;
    struct call_request request = {
        .content_type = "application/json",
        .body = body,
        .max_reply_bytes = is_streamed ? STREAM_MAX_BYTES : REPLY_MAX_BYTES,
        .on_bytes = is_streamed ? on_bytes : NULL,
    };

    begin_reading(self);
    self->call =
        provider_send(&self->http->provider, &self->errand, &request, on_reply, self);
}

static struct coach_call *start(struct coach *coach, struct coach_ask *ask,
                                coach_done_fn *done, void *context)
{
    struct coach_http *http = (struct coach_http *)coach;
    struct coach_call *self = MEM_NEW(struct coach_call);

    self->http = http;
    self->on_text = ask->on_text;
    self->done = done;
    self->context = context;
    self->form = self->on_text != NULL ? http->streamed_form : http->form;
    self->errand =
        provider_errand(&http->provider, &ask->request_id, &ask->trace, ask->timeout_ms);
    send_request(self, write_request(self, ask));
    private_text_free(&ask->system);
    private_text_free(&ask->user);
    return self;
}

/* ---- a streamed reply ---- */

static void on_bytes(void *context, struct span bytes)
{
    struct coach_call *self = context;
    struct coach_reading *reading = &self->reading;
    bool is_taken = true;

    while (self->arrival == ARRIVAL_UNKNOWN && bytes.length > 0) {
        if (memchr(" \t\r\n", bytes.bytes[0], 4) == NULL)
            self->arrival = bytes.bytes[0] == '{' ? ARRIVAL_WHOLE : ARRIVAL_EVENTS;
        else
            bytes = (struct span){bytes.bytes + 1, bytes.length - 1};
    }
    if (self->arrival == ARRIVAL_EVENTS)
        is_taken = sse_feed(&self->sse, bytes);
    else if (self->arrival == ARRIVAL_WHOLE)
        is_taken = buffer_append(&self->whole, bytes.bytes, bytes.length);
    if (!is_taken && reading->error == OK)
        reading->error = ERROR_LLM_PROVIDER_ERROR;
}

/* Nothing is read after an error, and after the end only whether something went wrong. */
static void on_event(void *context, struct span data)
{
    struct coach_call *self = context;
    struct coach_reading *reading = &self->reading;
    size_t known = reading->text.length;

    if (reading->error != OK)
        return;
    if (span_equals(data, "[DONE]"))
        reading->has_ended = true;
    else
        read_object(reading, data);
    if (reading->error == OK && reading->text.length > known)
        self->on_text(self->context,
                      (struct span){reading->text.bytes, reading->text.length});
}

/* ---- the end ---- */

/* OpenAI's models put a refusal beside the content; ours is a member of the text. */
static struct private_text write_refusal(struct span refusal)
{
    struct buffer out;
    struct json_writer writer;

    buffer_init(&out, 2 * REPLY_MAX_BYTES + 1024);
    json_writer_init(&writer, &out);
    json_begin_object(&writer);
    json_put_boolean(&writer, "refused", true);
    json_put_span(&writer, "follow_up_question", refusal);
    json_key(&writer, "coaching_feedback");
    json_null(&writer);
    json_end_object(&writer);
    return private_text_take(&out);
}

/* The model's text, which has come to its end; where it lost its form what it wrote stands: it
 * has been paid for, and the reader of replies takes what is whole in it. */
static void take_text(struct coach_reading *reading, struct verdict *verdict)
{
    struct private_text *text = &verdict->reply.text;

    verdict->error = OK;
    verdict->reply.is_another = reading->refusal.length > 0;
    if (reading->refusal.length > 0)
        *text =
            write_refusal((struct span){reading->refusal.bytes, reading->refusal.length});
    else if (reading->has_text)
        *text = private_text_take(&reading->text);
    else
        verdict->error = ERROR_NULL_RESPONSE;

    if (verdict->error == OK && private_text_is_blank(text)) {
        private_text_free(text);
        verdict->error = ERROR_EMPTY_RESPONSE;
    }
    verdict->reply.is_cut_off =
        reading->is_cut_off || (reading->has_lost_its_form && verdict->error == OK);
}

/* A reply that is all there, whatever its status. */
static void judge_whole(struct coach_reading *reading, const struct call_answer *answer,
                        struct verdict *verdict)
{
    bool is_success = answer->status >= 200 && answer->status <= 299;

    if (answer->status == 400 && reading->is_policy && reading->code == NULL) {
        reading->code = "usage_policy";
        reading->code_error = ERROR_LLM_CONTENT_FILTER;
    }
    if (is_success && reading->error == OK)
        take_text(reading, verdict);
    else if (is_success)
        verdict->error = reading->error;
    else if (reading->code_error != OK && answer->status < 500)
        verdict->error = reading->code_error;
    verdict->may_be_the_schema = answer->status == 400 && reading->code == NULL;
}

/* A text that came to its end is good, also where the connection then broke. */
static void judge_events(struct coach_reading *reading, const struct call_answer *answer,
                         struct verdict *verdict)
{
    if (reading->error != OK)
        verdict->error = reading->code_error != OK ? reading->code_error : reading->error;
    else if (reading->has_ended)
        take_text(reading, verdict);
    else if (answer->outcome == CALL_ANSWERED)
        verdict->error = ERROR_LLM_PROVIDER_ERROR;
}

static struct verdict judge(struct coach_call *self, const struct call_answer *answer)
{
    struct coach_reading *reading = &self->reading;
    struct span body = private_reveal(&answer->body);
    struct verdict verdict = {.error = provider_error(&self->http->provider, answer),
                              .reply.retry_after_s = -1};

    if (self->arrival == ARRIVAL_WHOLE)
        body = (struct span){self->whole.bytes, self->whole.length};
    if (self->arrival == ARRIVAL_EVENTS) {
        judge_events(reading, answer, &verdict);
    } else if (answer->outcome == CALL_ANSWERED) {
        read_object(reading, body);
        judge_whole(reading, answer, &verdict);
    }
    if (reading->has_lost_its_form && verdict.error != OK) {
        take_text(reading, &verdict);
        verdict.has_lost_its_form = verdict.error != OK;
        if (verdict.error != OK)
            verdict.error = ERROR_LLM_PROVIDER_ERROR;
    }
    if (verdict.error == ERROR_LLM_RATE_LIMIT || answer->outcome == CALL_HELD_BACK)
        verdict.reply.retry_after_s = answer->retry_after_s;
    return verdict;
}

static void tell_of_retirement(struct coach_http *http)
{
    struct log_line *line;

    if (http->has_told_of_retirement || http->wire->retired_model == NULL ||
        strcmp(http->provider.model, http->wire->retired_model) != 0)
        return;
    http->has_told_of_retirement = true;
    line = log_begin(http->provider.log, LOG_ERROR, "model_retired");
    log_word(line, LOG_MODEL, http->provider.model);
    log_word(line, LOG_OUTCOME, http->wire->advice);
    log_end(line);
}

/* Groq documents that it does not stream what it holds to a schema, and once answered so to JSON
 * mode as well; so a streamed text is asked for without either in the end. */
static bool send_weaker(struct coach_call *self, struct call_answer *answer,
                        const struct verdict *verdict)
{
    enum coach_form weakest =
        self->on_text != NULL ? self->http->wire->weakest_streamed : COACH_FORM_OBJECT;
    struct buffer out;

    if (self->form == weakest ||
        !(verdict->may_be_the_schema ||
          (verdict->has_lost_its_form && self->form == COACH_FORM_SCHEMA)))
        return false;
    self->form--;
    self->may_be_the_form = verdict->may_be_the_schema;
    buffer_init(&out, REQUEST_MAX_BYTES);
    buffer_append(&out, private_reveal(&answer->request_body).bytes, self->form_offset);
    write_form(self, &out, NULL);
    call_answer_free(answer);
    end_reading(self);
    send_request(self, private_text_take(&out));
    return true;
}

static void on_reply(void *context, struct call_answer answer)
{
    struct coach_call *self = context;
    struct coach_http *http = self->http;
    struct verdict verdict = judge(self, &answer);

    self->call = NULL;
    self->errand.input_tokens = self->reading.input_tokens;
    self->errand.output_tokens = self->reading.output_tokens;
    provider_note(&http->provider, &self->errand, verdict.error, &answer,
                  verdict.error != OK ? self->reading.code : NULL);
    meter_note_tokens(http->provider.meter, self->reading.input_tokens,
                      self->reading.output_tokens);
    if (verdict.error == ERROR_LLM_MODEL_NOT_FOUND)
        tell_of_retirement(http);
    if (verdict.error == OK && self->may_be_the_form) {
        /* It was the form: later asks begin with this one. */
        if (self->on_text != NULL)
            http->streamed_form = self->form;
        else
            http->form = self->form;
    }
    if (send_weaker(self, &answer, &verdict))
        return;
    call_answer_free(&answer);
    end_reading(self);
    self->done(self->context, verdict.error, verdict.reply);
    free(self);
}

static void cancel(struct coach_call *self)
{
    if (self == NULL)
        return;
    upstream_cancel(self->call);
    end_reading(self);
    free(self);
}

/* ---- the coach ---- */

static void http_free(struct coach *coach)
{
    struct coach_http *http = (struct coach_http *)coach;

    provider_done(&http->provider);
    for (size_t at = 0; at < INSTRUCTIONS_MOST; at++)
        buffer_done(&http->instructions[at].escaped);
    free(http->base_url);
    free(http);
}

static void http_probe(struct coach *coach, probe_done_fn *done, void *context)
{
    provider_probe(&((struct coach_http *)coach)->provider, done, context);
}

struct coach *coach_http_new(const struct coach_wire *wire,
                             const struct provider_tools *tools,
                             const struct provider_place *place)
{
    struct coach_http *http = MEM_NEW(struct coach_http);
    struct provider *provider = &http->provider;

    http->wire = wire;
    http->base_url = mem_copy_string(place->base_url);
    http->settings = tools->settings;
    http->form = http->streamed_form = wire->strongest(place->model);
    provider->authorization_name = wire->key_header;
    provider->extra_header = wire->extra_header;
    provider->extra_value = wire->extra_value;
    provider->authorization = provider_authorization(wire->key_scheme, place->key);
    /* The slash of a model's name is taken as it is. */
    provider->probe_url =
        provider_url(place->base_url, wire->models_path, place->model, "");
    provider_init(provider, &coach_role, tools, wire->name, place->model,
                  provider_url(place->base_url, wire->path, "", ""),
                  &tools->settings->llm_timeout_s);
    http->coach = (struct coach){.name = wire->name,
                                 .model = provider->model,
                                 .url = http->base_url,
                                 .key_setting = place->key_setting,
                                 .start = start,
                                 .cancel = cancel,
                                 .free = http_free,
                                 .probe = http_probe};
    if (private_text_is_empty(&provider->authorization)) {
        struct log_line *line = log_begin(tools->log, LOG_WARNING, "no_usable_key");

        log_word(line, LOG_SETTING, place->key_setting);
        log_end(line);
    }
    return &http->coach;
}
