/*
 * The life of one text that espeak-ng speaks.
 *
 *   start > (wait) > run_next > on_child_done > done
 *         > on_deadline, from wherever it is
 *
 * A loop has a few slots for processes.  A slot is free again when its process is gone,
 * which may be after its call: a call that is cancelled or out of time only leaves its
 * slot behind.
 */
#include "speaker_espeak_internal.h"

#include "clock.h"
#include "espeak_child_internal.h"
#include "mem.h"
#include "private_reveal.h"
#include "provider_http_internal.h"
#include "speech_pieces_internal.h"

#include <assert.h>
#include <stdlib.h>

#define STANDARD_VOICE "en-us"
#define TEXT_MAX_BYTES 8192

struct slot {
    struct espeak *espeak;      /* borrowed: it owns the slot */
    struct espeak_child *child; /* owned; NULL: the slot is free */
    struct speaker_call *call;  /* borrowed; NULL: it has left */
};

struct espeak {
    struct speaker speaker;            /* the first member: it is cast back */
    struct loop *loop;                 /* borrowed */
    struct provider provider;          /* its model is the voice */
    char *program;                     /* owned; NULL: it is not installed */
    struct speaker_call *first, *last; /* borrowed: those that wait, in order */
    unsigned waiting;
    struct slot slots[SPEAKER_ESPEAK_CHILDREN];
};

struct speaker_call {
    struct espeak *espeak;     /* borrowed */
    struct speaker_call *next; /* while it waits */
    struct slot *slot;         /* borrowed; NULL: it waits, or has failed */
    struct loop_timer *timer;  /* owned; NULL: not pending */
    speaker_done_fn *done;
    void *context; /* borrowed from the caller */
    struct errand errand;
    struct private_text text; /* owned */
    int64_t started_us;
    enum error failure; /* told by on_failure(); OK: none */
};

static void on_failure(void *context);
static void on_child_done(void *context, struct private_text output);
static void on_deadline(void *context);

static enum error judge(const struct espeak *espeak, const struct speaker_call *call)
{
    if (!private_text_is_valid(&call->text) || private_text_is_blank(&call->text) ||
        call->text.length > TEXT_MAX_BYTES)
        return ERROR_TTS_BAD_REQUEST;
    if (espeak->program == NULL)
        return ERROR_TTS_PROVIDER_ERROR;
    return espeak->waiting < SPEAKER_ESPEAK_WAITING ? OK : ERROR_TTS_RATE_LIMIT;
}

static void fail_later(struct speaker_call *call, enum error error)
{
    call->failure = error;
    loop_later(call->espeak->loop, on_failure, call);
}

/* "[[" would begin phonemes: a space between the brackets makes them what they are. */
static struct private_text plain_text(const struct private_text *text)
{
    struct span from = private_reveal(text);
    struct buffer out;

    buffer_init(&out, 2 * (size_t)TEXT_MAX_BYTES + 1);
    for (size_t i = 0; i < from.length; i++) {
        if (i > 0 && from.bytes[i] == '[' && from.bytes[i - 1] == '[')
            buffer_append_char(&out, ' ');
        buffer_append_char(&out, from.bytes[i]);
    }
    buffer_append_char(&out, '\n');
    return private_text_take(&out);
}

static struct slot *free_slot(struct espeak *espeak)
{
    for (size_t i = 0; i < SPEAKER_ESPEAK_CHILDREN; i++)
        if (espeak->slots[i].child == NULL)
            return &espeak->slots[i];
    return NULL;
}

static void unqueue(struct speaker_call *call)
{
    struct espeak *espeak = call->espeak;
    struct speaker_call **link = &espeak->first, *before = NULL;

    for (; *link != NULL && *link != call; link = &(*link)->next)
        before = *link;
    if (*link == NULL)
        return;
    *link = call->next;
    if (espeak->last == call)
        espeak->last = before;
    call->next = NULL;
    espeak->waiting--;
}

static void run_next(struct espeak *espeak)
{
    struct slot *slot;

    while (espeak->first != NULL && (slot = free_slot(espeak)) != NULL) {
        struct speaker_call *call = espeak->first;
        struct private_text text = plain_text(&call->text);

        unqueue(call);
        counter_add(&espeak->provider.meter->tries, 1);
        slot->child =
            espeak_child_start(espeak->loop, espeak->program, espeak->provider.model,
                               private_reveal(&text), on_child_done, slot);
        private_text_free(&text);
        if (slot->child != NULL) {
            slot->call = call;
            call->slot = slot;
        } else {
            fail_later(call, ERROR_TTS_PROVIDER_ERROR);
        }
    }
}

static struct speaker_call *start(struct speaker *speaker, struct speaker_ask *ask,
                                  speaker_done_fn *done, void *context)
{
    struct espeak *espeak = (struct espeak *)speaker;
    struct speaker_call *call = MEM_NEW(struct speaker_call);
    enum error error;

    call->espeak = espeak;
    call->started_us = clock_monotonic_us();
    call->errand = provider_errand(&espeak->provider, &ask->request_id, &ask->trace,
                                   ask->timeout_ms);
    call->done = done;
    call->context = context;
    call->text = ask->text;
    ask->text = (struct private_text){NULL, 0};
    error = judge(espeak, call);
    if (error != OK) {
        fail_later(call, error);
        return call;
    }
    call->timer = loop_timer_start(espeak->loop,
                                   (call->errand.deadline_us - call->started_us) / 1000,
                                   on_deadline, call);
    if (espeak->last != NULL)
        espeak->last->next = call;
    else
        espeak->first = call;
    espeak->last = call;
    espeak->waiting++;
    run_next(espeak);
    return call;
}

static void note(const struct speaker_call *call, enum call_result result)
{
    meter_note_call(call->espeak->provider.meter, result,
                    clock_monotonic_us() - call->started_us);
}

/* From wherever it is; then it is gone. */
static void leave(struct speaker_call *call)
{
    struct slot *slot = call->slot;

    loop_timer_cancel(call->timer);
    loop_forget(call->espeak->loop, on_failure, call);
    unqueue(call);
    private_text_free(&call->text);
    free(call);
    if (slot != NULL) {
        slot->call = NULL;
        espeak_child_kill(slot->child);
    }
}

static void finish(struct speaker_call *call, enum error error, struct speech speech)
{
    speaker_done_fn *done = call->done;
    void *context = call->context;

    note(call, provider_result(error, NULL));
    provider_note_span(&call->espeak->provider, &call->errand, error, NULL);
    if (error != OK)
        provider_log_failure(&call->espeak->provider, &call->errand, error, NULL, NULL);
    leave(call);
    done(context, error, speech);
}

static void on_failure(void *context)
{
    struct speaker_call *call = context;

    finish(call, call->failure, (struct speech){.retry_after_s = -1});
}

/* ---- processes ---- */

static void on_child_done(void *context, struct private_text output)
{
    struct slot *slot = context;
    struct espeak *espeak = slot->espeak;
    struct speaker_call *call = slot->call;
    struct speech speech = {.retry_after_s = -1};

    slot->child = NULL;
    slot->call = NULL;
    run_next(espeak);
    if (call == NULL) {
        private_text_free(&output);
        return;
    }
    call->slot = NULL;
    if (speech_pieces_kind(&output) == AUDIO_WAV &&
        speech_pieces_join(&output, 1, &speech.audio))
        speech.content_type = audio_media_type(AUDIO_WAV);
    private_text_free(&output);
    finish(call, speech.content_type != NULL ? OK : ERROR_TTS_PROVIDER_ERROR, speech);
}

static void on_deadline(void *context)
{
    struct speaker_call *call = context;

    call->timer = NULL;
    finish(call, ERROR_TTS_TIMEOUT, (struct speech){.retry_after_s = -1});
}

/* ---- the end ---- */

static void cancel(struct speaker_call *call)
{
    if (call == NULL)
        return;
    note(call, CALL_RESULT_CANCELLED);
    leave(call);
}

static void espeak_free(struct speaker *speaker)
{
    struct espeak *espeak = (struct espeak *)speaker;

    assert(espeak->first == NULL);
    for (size_t i = 0; i < SPEAKER_ESPEAK_CHILDREN; i++) {
        assert(espeak->slots[i].call == NULL);
        espeak_child_free(espeak->slots[i].child);
    }
    provider_done(&espeak->provider);
    free(espeak->program);
    free(espeak);
}

/* Doctor's question, on its way. */
struct asked {
    bool is_installed;
    probe_done_fn *done;
    void *context; /* borrowed from the caller */
};

static void tell(void *context)
{
    struct asked *asked = context;

    asked->done(asked->context, asked->is_installed ? OK : ERROR_TTS_PROVIDER_ERROR,
                NULL);
    free(asked);
}

static void probe(struct speaker *speaker, probe_done_fn *done, void *context)
{
    struct espeak *espeak = (struct espeak *)speaker;
    struct asked *asked = MEM_NEW(struct asked);

    *asked = (struct asked){espeak->program != NULL, done, context};
    loop_later(espeak->loop, tell, asked);
}

static const struct provider_role espeak_role = {
    .name = "speaker", .span = "speak", .failed = "speaker_failed"};

struct speaker *speaker_espeak_new(const struct provider_tools *tools,
                                   const char *program)
{
    struct espeak *espeak = MEM_NEW(struct espeak);

    espeak->speaker = (struct speaker){.name = "espeak",
                                       .start = start,
                                       .cancel = cancel,
                                       .free = espeak_free,
                                       .probe = probe};
    espeak->loop = call_pool_loop(tools->pool);
    provider_init(&espeak->provider, &espeak_role, tools, espeak->speaker.name,
                  provider_or(tools->settings->tts_voice, STANDARD_VOICE), NULL,
                  &tools->settings->tts_timeout_s);
    espeak->program = espeak_child_find(program);
    for (size_t i = 0; i < SPEAKER_ESPEAK_CHILDREN; i++)
        espeak->slots[i].espeak = espeak;
    return &espeak->speaker;
}

bool speaker_espeak_is_installed(void)
{
    char *program = espeak_child_find("espeak-ng");
    bool is_installed = program != NULL;

    free(program);
    return is_installed;
}
