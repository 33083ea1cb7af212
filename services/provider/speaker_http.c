/*
 * The life of one text that is spoken over HTTP, in as many calls as the vendor's limit
 * makes of it, a few at a time.
 *
 *   start > send_next > on_reply > ... > on_reply > join > done
 *              ^___________|
 *
 * The first failure ends the others.  A text that cannot be spoken is told with
 * loop_later().
 */
#include "speaker_http_internal.h"

#include "loop.h"
#include "mem.h"
#include "private_reveal.h"
#include "speech_pieces_internal.h"

#include <assert.h>
#include <stdlib.h>

/* More at once would only run into the vendor's limit of requests a minute sooner. */
#define CALLS_AT_ONCE     3
#define PIECES_MAX        64
#define REQUEST_MAX_BYTES (256 * 1024)
#define REPLY_MAX_BYTES   (16 * 1024 * 1024)

static const struct provider_role speaker_role = {
    .name = "speaker",
    .span = "speak",
    .failed = "speaker_failed",
    .errors = {.timeout = ERROR_TTS_TIMEOUT,
               .rate_limit = ERROR_TTS_RATE_LIMIT,
               .auth = ERROR_TTS_AUTH_ERROR,
               .not_found = ERROR_TTS_PROVIDER_ERROR,
               .bad_request = ERROR_TTS_BAD_REQUEST,
               .unknown_4xx = ERROR_TTS_PROVIDER_ERROR,
               .other = ERROR_TTS_PROVIDER_ERROR},
};

/* One of the calls that may be under way at once. */
struct lane {
    struct speaker_call *owner; /* borrowed: it owns the lane */
    struct upstream_call *call; /* owned; NULL: not pending */
    size_t piece;               /* that is being spoken */
};

struct speaker_call {
    struct speaker_http *http; /* borrowed */
    speaker_done_fn *done;
    void *context; /* borrowed from the caller */
    struct errand errand;
    struct private_text text;              /* owned */
    struct span pieces[PIECES_MAX];        /* into the text */
    struct private_text audio[PIECES_MAX]; /* owned: of each piece, once it is there */
    size_t piece_count;
    size_t next_piece; /* the first that has not been sent */
    size_t spoken_count;
    struct lane lanes[CALLS_AT_ONCE];
};

static call_done_fn on_reply;

static struct loop *loop_of(const struct speaker_http *http)
{
    return call_pool_loop(http->provider.pool);
}

static struct private_text write_body(const struct speaker_http *http, struct span piece)
{
    struct buffer out;
    struct json_writer writer;

    buffer_init(&out, REQUEST_MAX_BYTES);
    json_writer_init(&writer, &out);
    json_begin_object(&writer);
    http->write(http, &writer, piece);
    json_end_object(&writer);
    return private_text_take(&out);
}

/* Nothing where all pieces are on their way. */
static void send_next(struct lane *lane)
{
    struct speaker_call *self = lane->owner;
    const struct speaker_http *http = self->http;

    if (self->next_piece == self->piece_count)
        return;
    lane->piece = self->next_piece++;
    lane->call = provider_post(&http->provider, &self->errand,
                               write_body(http, self->pieces[lane->piece]),
                               REPLY_MAX_BYTES, on_reply, lane);
}

static void fill_lanes(struct speaker_call *self)
{
    for (size_t i = 0; i < CALLS_AT_ONCE; i++)
        if (self->lanes[i].call == NULL)
            send_next(&self->lanes[i]);
}

/* Ends the calls that are under way, and frees. */
static void leave(struct speaker_call *self)
{
    for (size_t i = 0; i < CALLS_AT_ONCE; i++)
        upstream_cancel(self->lanes[i].call);
    for (size_t i = 0; i < self->piece_count && i < PIECES_MAX; i++)
        private_text_free(&self->audio[i]);
    private_text_free(&self->text);
    free(self);
}

static void finish(struct speaker_call *self, enum error error, struct speech speech)
{
    speaker_done_fn *done = self->done;
    void *context = self->context;

    leave(self);
    done(context, error, speech);
}

static void on_unspeakable(void *context)
{
    finish(context, ERROR_TTS_BAD_REQUEST, (struct speech){.retry_after_s = -1});
}

static struct speaker_call *start(struct speaker *speaker, struct speaker_ask *ask,
                                  speaker_done_fn *done, void *context)
{
    struct speaker_http *http = (struct speaker_http *)speaker;
    struct speaker_call *self = MEM_NEW(struct speaker_call);

    assert(ask->timeout_ms > 0);
    self->http = http;
    self->done = done;
    self->context = context;
    self->errand =
        provider_errand(&http->provider, &ask->request_id, &ask->trace, ask->timeout_ms);
    self->text = ask->text;
    ask->text = (struct private_text){NULL, 0};
    if (private_text_is_valid(&self->text))
        self->piece_count = speech_pieces_cut(
            private_reveal(&self->text), http->max_characters, PIECES_MAX, self->pieces);
    if (self->piece_count == 0 || self->piece_count > PIECES_MAX) {
        loop_later(loop_of(http), on_unspeakable, self);
        return self;
    }
    for (size_t i = 0; i < CALLS_AT_ONCE; i++)
        self->lanes[i].owner = self;
    if (upstream_state(http->provider.upstream) == BREAKER_CLOSED)
        fill_lanes(self);
    else
        send_next(&self->lanes[0]); /* the probe: a second call would be held back */
    return self;
}

static void join(struct speaker_call *self)
{
    struct speech speech = {.retry_after_s = -1};
    enum audio_container kind = speech_pieces_kind(&self->audio[0]);

    if (!speech_pieces_join(self->audio, self->piece_count, &speech.audio)) {
        provider_log_failure(&self->http->provider, &self->errand,
                             ERROR_TTS_PROVIDER_ERROR, NULL, NULL);
        finish(self, ERROR_TTS_PROVIDER_ERROR, speech);
        return;
    }
    speech.content_type = audio_media_type(kind);
    finish(self, OK, speech);
}

static void on_reply(void *context, struct call_answer answer)
{
    struct lane *lane = context;
    struct speaker_call *self = lane->owner;
    const struct speaker_http *http = self->http;
    struct speech none = {.retry_after_s = answer.retry_after_s};
    enum error error = provider_error(&http->provider, &answer);

    lane->call = NULL;
    if (error == OK && speech_pieces_kind(&answer.body) == AUDIO_UNKNOWN)
        error = ERROR_TTS_PROVIDER_ERROR;
    provider_note(&http->provider, &self->errand, error, &answer, NULL);
    if (error != OK) {
        if (error != ERROR_TTS_RATE_LIMIT)
            none.retry_after_s = -1;
        call_answer_free(&answer);
        finish(self, error, none);
        return;
    }
    self->audio[lane->piece] = answer.body;
    answer.body = (struct private_text){NULL, 0};
    call_answer_free(&answer);
    if (++self->spoken_count == self->piece_count)
        join(self);
    else
        fill_lanes(self);
}

static void cancel(struct speaker_call *call)
{
    if (call == NULL)
        return;
    loop_forget(loop_of(call->http), on_unspeakable, call);
    leave(call);
}

static void http_free(struct speaker *speaker)
{
    struct speaker_http *http = (struct speaker_http *)speaker;

    provider_done(&http->provider);
    free(http);
}

static void http_probe(struct speaker *speaker, probe_done_fn *done, void *context)
{
    provider_probe(&((struct speaker_http *)speaker)->provider, done, context);
}

struct speaker_http *speaker_http_new(const struct provider_tools *tools,
                                      const char *name, const char *model, char *url)
{
    struct speaker_http *http = MEM_NEW(struct speaker_http);

    provider_init(&http->provider, &speaker_role, tools, name, model, url,
                  &tools->settings->tts_timeout_s);
    http->speaker = (struct speaker){.name = name,
                                     .start = start,
                                     .cancel = cancel,
                                     .free = http_free,
                                     .probe = http_probe,
                                     .url = url};
    return http;
}
