/*
 * A question in the log, in the counters and in the refusal log.
 */
#include "ask_internal.h"

#include "clock.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

static struct refusal refusal_of(const struct ask *ask)
{
    struct refusal refusal = {
        .at_ms = clock_wall_ms(),
        .session_id = ask->request.session_id,
        .question = private_text_clone(&ask->request.question),
    };
    const struct buffer *reason = &ask->ruling.reason;
    const char *gate = gate_name(ask->ruling.refused_by);

    /* POST /ask has names for its reasons; those of POST /v1/chat are sentences. */
    if (ask->request.surface == ASK_TEXTBOOK && reason->length < sizeof(refusal.reason))
        memcpy(refusal.reason, reason->bytes, reason->length);
    else
        strncpy(refusal.reason, gate, sizeof(refusal.reason) - 1);
    refusal.chunks_retrieved = (int64_t)ask->retrieval.passages.count;
    refusal.max_score = ask->facts.max_score;
    return refusal;
}

/* A line on its way to the file. */
struct note {
    uv_work_t work;
    const char *path;       /* borrowed from the settings */
    struct refusal refusal; /* owned */
    bool is_kept;
    store_done_fn *done;
    void *context; /* borrowed */
};

static void write_note(uv_work_t *work)
{
    struct note *note = work->data;

    note->is_kept = refusal_append(note->path, &note->refusal);
}

static void on_written(uv_work_t *work, int status)
{
    struct note *note = work->data;
    bool is_kept = status == 0 && note->is_kept;

    note->done(note->context, is_kept ? OK : ERROR_STORE_UNAVAILABLE);
    refusal_done(&note->refusal);
    free(note);
}

static void tell_dropped(void *context)
{
    struct note *note = context;

    note->done(note->context, OK);
    free(note);
}

void ask_note_refusal(struct ask *ask, store_done_fn *done)
{
    const struct ask_services *services = ask->services;
    const struct settings *settings = services->settings;
    struct refusal refusal = refusal_of(ask);
    struct note *note;

    if (!settings->refusal_log_questions)
        refusal_done(&refusal);
    if (services->store != NULL && *settings->refusal_log == '\0') {
        store_note_refusal(services->store, &refusal, done, ask);
        return;
    }
    note = MEM_NEW(struct note);
    note->done = done;
    note->context = ask;
    if (services->store == NULL) {
        refusal_done(&refusal);
        loop_later(services->loop, tell_dropped, note);
        return;
    }
    note->work.data = note;
    note->path = settings->refusal_log;
    note->refusal = refusal;
    uv_queue_work(loop_uv(services->loop), &note->work, write_note, on_written);
}

static void count(const struct ask *ask, enum error error, int64_t total_us)
{
    struct metrics *metrics = ask->services->metrics;
    bool is_textbook = ask->request.surface == ASK_TEXTBOOK;

    metrics_add(is_textbook ? &metrics->ASK_QUESTIONS : &metrics->CHAT_QUESTIONS, 1);
    histogram_note(&metrics->ASK_DURATION, BUCKETS_DURATIONS, total_us);
    if (ask->refusal_source != NULL)
        metrics_add(&metrics->ASK_CONTENT_REFUSALS, 1);
    else if (error != OK)
        metrics_add(&metrics->ASK_FAILURES, 1);
    else if (ask->ruling.refused_by != GATE_COUNT)
        metrics_add(&metrics->ASK_REFUSALS[ask->ruling.refused_by], 1);
    else
        metrics_add(&metrics->ASK_ANSWERS, 1);
    if (ask->is_generated)
        histogram_note(&metrics->ASK_CONFIDENCE, BUCKETS_RATIOS,
                       (int64_t)(ask->facts.confidence * 1000 + 0.5));
}

void ask_report(const struct ask *ask, enum error error)
{
    int64_t total_us = clock_monotonic_us() - ask->request.received_us;
    bool is_refused = error == OK && ask->ruling.refused_by != GATE_COUNT;
    struct log_line *line = log_begin(ask->services->log, log_level_of(error), "ask");

    log_request(line, &ask->request.request_id, &ask->request.trace);
    if (*ask->request.session_id.text != '\0')
        log_id(line, LOG_SESSION_ID, &ask->request.session_id);
    log_word(line, LOG_ROUTE, ask->request.surface == ASK_TEXTBOOK ? "ask" : "chat");
    if (error != OK) {
        log_word(line, LOG_STAGE, stage_name(error_info(error)->stage));
        log_word(line, LOG_CODE, error_info(error)->code);
    }
    if (ask->refusal_source != NULL) {
        log_word(line, LOG_SOURCE, ask->refusal_source);
        log_word(line, LOG_REASON, ask->category);
    }
    log_word(line, LOG_OUTCOME,
             error != OK  ? "failed"
             : is_refused ? "refused"
                          : "answered");
    if (is_refused)
        log_word(line, LOG_GATE, gate_name(ask->ruling.refused_by));
    log_number(line, LOG_LLM_MS, ask->llm_us > 0 ? ask->llm_us / 1000 : 0);
    log_number(line, LOG_TOTAL_MS, total_us / 1000);
    log_end(line);
    count(ask, error, total_us);
}
